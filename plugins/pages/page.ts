/** What the pages for people have in common: one style, one icon, and the escaping of text. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { RouteContext } from '../../engine/index.ts'

/** The style that every page begins with. */
export const THEME = new URL('./theme.css', import.meta.url)

let theme: string | undefined

/** The text of that style, read when somebody first looks. */
export function themeText(): string {
  theme ??= readFileSync(THEME, 'utf8')
  return theme
}

/** The address of the picture in the browser's tab; it is part of the page, so nothing is fetched for it. */
export const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%232563eb' d='M1 9h3v6H1zm5-5h3v11H6zm5-3h3v14h-3z'/%3E%3C/svg%3E"

/** Text as it stands in HTML, also in an attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** The path below which the public address of the application begins; empty for the root of a host. */
export function rootOf({ settings }: Pick<RouteContext, 'settings'>): string {
  return new URL(settings.baseUrl).pathname.replace(/\/+$/, '')
}

/** A text as a Content-Security-Policy names it. */
export function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
