/** Renders the two parts of a mail, text and HTML; nothing of a value is ever markup. */
import type { Liquid } from 'liquidjs'
import { createLiquid } from '../templates/liquid.ts'

const WIDTH = 76

/** Marks quoted text and its line breaks until the paragraphs are set. */
const KEPT = '\v'

/** Quoted text, indented, so that nobody takes it for words of the desk. */
function plainQuote(value: unknown): string {
  return writtenLines(value)
    .map((line) => `${KEPT}${line === '' ? '' : `  ${line}`}`)
    .join('')
}

/** A link, in a line of its own. */
function plainButton(url: unknown): string {
  return String(url)
}

const EXCERPT_LENGTH = 200

/** The beginning of a long text, in one line. */
function excerpt(value: unknown): string {
  const characters = [
    ...String(value ?? '')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
  return characters.length <= EXCERPT_LENGTH ? characters.join('') : `${characters.slice(0, EXCERPT_LENGTH).join('')}…`
}

/** A rendered template as the text part, signed. */
export function plainText(rendered: string, signature: string): string {
  const paragraphs = rendered
    .split(/\n\s*\n/)
    .filter((one) => one.trim() !== '')
    .map((one) => (one.startsWith(KEPT) ? one.slice(1).replaceAll(KEPT, '\n') : wrapped(one)))
  return `${[...paragraphs, `-- \n${signature}`].join('\n\n')}\n`
}

/** The lines of a text without characters that a mail cannot show. */
function writtenLines(value: unknown): readonly string[] {
  const text = String(value)
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
  return text
    .trim()
    .split('\n')
    .map((line) => line.trimEnd())
}

function wrapped(paragraph: string): string {
  const lines: string[] = []
  for (const word of paragraph.trim().split(/\s+/)) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= WIDTH) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join('\n')
}

/** Mail programs know little CSS, and choose dark colours themselves where few colours are given. */
const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark }
body { margin: 0; padding: 24px 16px; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif }
.mail { max-width: 560px; margin: 0 auto; overflow-wrap: anywhere }
p { margin: 0 0 16px }
blockquote { margin: 0 0 16px; padding: 2px 0 2px 16px; border-left: 3px solid #9aa4b2; white-space: pre-wrap }
.button { display: inline-block; padding: 10px 18px; border-radius: 6px; background: #1d4ed8; color: #ffffff; text-decoration: none }
.signature { margin: 24px 0 0; padding-top: 12px; border-top: 1px solid #9aa4b2; font-size: 14px; opacity: .75 }`

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' }

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPED[sign] ?? sign)
}

/** Quoted text with its lines, and its links to open. */
function htmlQuote(value: unknown): string {
  return `<blockquote dir="auto">${writtenLines(value).map(withLinks).join('<br>')}</blockquote>`
}

/** A link with a word on it. */
function htmlButton(url: unknown, label: unknown): string {
  const href = String(url)
  if (!/^https?:\/\//i.test(href)) return `<p>${escapeHtml(href)}</p>`
  return `<p><a class="button" href="${escapeHtml(href)}">${escapeHtml(String(label ?? href))}</a></p>`
}

/** A rendered template as paragraphs; those that begin with markup come from the filters above. */
export function htmlText(rendered: string): string {
  return rendered
    .split(/\n\s*\n/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => (one.startsWith('<') ? one : `<p dir="auto">${one.replace(/\s+/g, ' ')}</p>`))
    .join('\n')
}

/** The whole HTML document of a mail. */
export function pageOf(title: string, body: string, signature: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title><style>${STYLE}
</style></head><body><div class="mail">
${body}
<p class="signature">${escapeHtml(signature)}</p>
</div></body></html>
`
}

/** A line as HTML; web addresses become links, without the marks that end a sentence. */
function withLinks(line: string): string {
  let html = ''
  let end = 0
  for (const { 0: found, index } of line.matchAll(/\bhttps?:\/\/[^\s<>"']+/gi)) {
    const url = found.replace(/[.,;:!?)\]}]{1,9}$/, '')
    html += `${escapeHtml(line.slice(end, index))}<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`
    end = index + url.length
  }
  return html + escapeHtml(line.slice(end))
}

interface Engines {
  readonly plain: Liquid
  readonly html: Liquid
}

const made = new Map<boolean, Engines>()

/**
 * Engines for templates, made on first use. A `strict` one refuses names that its data lacks: a misspelt variable must
 * fail in a test, not send an empty line to a customer. The others are for templates whose paths were checked before.
 */
export function liquidEngines(strict: boolean): Engines {
  const found = made.get(strict)
  if (found !== undefined) return found
  const plain = createLiquid({ strict, filters: { quote: plainQuote, button: plainButton, excerpt } })
  const html = createLiquid({
    strict,
    written: (value) => escapeHtml(String(value ?? '')),
    filters: { quote: { raw: true, handler: htmlQuote }, button: { raw: true, handler: htmlButton }, excerpt },
  })
  const engines = { plain, html }
  made.set(strict, engines)
  return engines
}
