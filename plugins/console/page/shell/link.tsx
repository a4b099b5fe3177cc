/** A link to a screen: the page shows it without being loaded again, and other tabs open it by its address. */
import type { AnchorHTMLAttributes, MouseEvent, ReactNode } from 'react'
import { go } from '../client/place.ts'

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly href: string
  readonly children: ReactNode
}

export function Link({ children, onClick, ...rest }: LinkProps): ReactNode {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event)
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    go(rest.href)
  }
  return (
    <a {...rest} onClick={follow}>
      {children}
    </a>
  )
}
