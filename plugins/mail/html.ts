/** The HTML part of a mail: the same words as in its text, in which nothing of a value is ever markup. */
import { writtenLines } from './plain.ts'

/** Programs for mail know little CSS; dark mode is theirs unless colours are given, so few are. */
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

/** What somebody wrote, with its lines, and its links to open. */
export function htmlQuote(value: unknown): string {
  return `<blockquote dir="auto">${writtenLines(value).map(withLinks).join('<br>')}</blockquote>`
}

/** A link with a word on it. */
export function htmlButton(url: unknown, label: unknown): string {
  const href = String(url)
  if (!/^https?:\/\//i.test(href)) return `<p>${escapeHtml(href)}</p>`
  return `<p><a class="button" href="${escapeHtml(href)}">${escapeHtml(String(label ?? href))}</a></p>`
}

/** A rendered template as paragraphs; what begins with markup comes from the filters above. */
export function htmlText(rendered: string): string {
  return rendered
    .split(/\n\s*\n/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => (one.startsWith('<') ? one : `<p dir="auto">${one.replace(/\s+/g, ' ')}</p>`))
    .join('\n')
}

/** The whole document of a mail. */
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

/** A line as HTML; addresses of the web become links, without the marks that end a sentence. */
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
