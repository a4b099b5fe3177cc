/** The name of the screen for tabs and history. */
import { useEffect } from 'react'

export function useTitle(title: string, application: string): void {
  useEffect(() => {
    document.title = title === application ? title : `${title} · ${application}`
  }, [title, application])
}
