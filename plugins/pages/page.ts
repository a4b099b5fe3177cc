/** What pages for people share: a style, an icon, and the escaping of text. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { inLanguage, languageFor, type Reply, type RouteContext, sentencesFor } from '../../engine/index.ts'

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

type Reading = Pick<RouteContext, 'catalog' | 'headers'>

/** What a page says in the language of its reader: the name of the application, and texts of the page, which are in braces: `{{Sign in}}`. */
export function pageWords({ catalog, headers }: Reading) {
  const language = languageFor(catalog, headers)
  const say = sentencesFor(catalog, headers) ?? ((text: string) => text)
  const marked = (text: string, written: (said: string) => string): string =>
    text.replace(MARKED, (_, own: string) => {
      const said = say(own)
      return said === own ? own : written(said)
    })
  return {
    language: language ?? 'en',
    name: escaped(inLanguage(catalog, language).name),
    html: (markup: string) => marked(markup, escaped),
    /** The texts of a script are between single quotation marks. */
    script: (code: string) =>
      marked(code, (said) =>
        JSON.stringify(said)
          .slice(1, -1)
          .replace(/['<]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`),
      ),
  }
}

const MARKED = /\{\{([^{}]+)\}\}/g

/** A whole page: its title, what is in it, and a script that may speak to this server alone. */
export interface WholePage {
  readonly title: string
  /** Markup. */
  readonly main: string
  readonly script: string
  /** What the page has beyond the common style. */
  readonly style?: string
}

/** The answer with a page: nothing comes from elsewhere, and no address of it leaves in a Referer. */
export function wholePage(context: Reading, page: WholePage): Reply {
  const { html, language, name, script: inWords } = pageWords(context)
  const { style = '' } = page
  const [main, title, script] = [html(page.main), html(page.title), inWords(page.script)]
  const styles = `${themeText()}${style}`
  const body = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title} · ${name}</title>
<link rel="icon" href="${ICON}"><style>${styles}</style></head><body>
<header><h1>${name}</h1></header>
${main}
<script>${script}</script></body></html>
`
  const headers = {
    'Content-Security-Policy': `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(styles)}; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  }
  return { raw: { type: 'text/html; charset=utf-8', body }, headers }
}
