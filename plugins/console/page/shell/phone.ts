/** Whether the page is as narrow as a phone. */
import { useEffect, useState } from 'react'

export function usePhone(): boolean {
  const [is, setIs] = useState(() => matchMedia('(max-width: 40rem)').matches)
  useEffect(() => {
    const media = matchMedia('(max-width: 40rem)')
    const look = (): void => setIs(media.matches)
    media.addEventListener('change', look)
    return () => media.removeEventListener('change', look)
  }, [])
  return is
}
