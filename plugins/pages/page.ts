/** What pages for people share: a style, an icon, and the escaping of text. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RouteContext } from '../../engine/index.ts'

/** The style that every page begins with. */
export const THEME = new URL('./theme.css', import.meta.url)

let theme: string | undefined

/** The text of that style, read on first use. */
export function themeText(): string {
  theme ??= readFileSync(THEME, 'utf8')
  return theme
}

/** The icon as part of the page, so that nothing is fetched for it. */
export const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%232563eb' d='M1 9h3v6H1zm5-5h3v11H6zm5-3h3v14h-3z'/%3E%3C/svg%3E"

/** Text for HTML, also for an attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** The path below which the public address of the application begins; empty for the root of a host. */
export function rootOf({ settings }: Pick<RouteContext, 'settings'>): string {
  return new URL(settings.baseUrl).pathname.replace(/\/+$/, '')
}

/** A hash of a text for a Content-Security-Policy. */
export function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
