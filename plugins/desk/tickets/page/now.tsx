/** The present time, which goes on while a part is shown. */
import { useEffect, useState } from 'react'

/** The present time in milliseconds, anew each `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
