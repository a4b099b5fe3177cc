/** HTML as text: paragraphs, lists and links as a person reads them. No step reads a character twice, so the time grows only with the length. */
import { entitiesIn } from './entities.ts'

/** Elements of mails and editors; a text with none of them is no HTML, whatever stands in angle brackets. */
const TAG =
  /<\/?(?:a|abbr|article|b|big|blockquote|body|br|center|code|dd|del|div|dl|dt|em|font|footer|h[1-6]|head|header|hr|html|i|img|ins|li|main|ol|p|pre|s|section|small|span|strike|strong|style|sub|sup|table|tbody|td|tfoot|th|thead|title|tr|u|ul)(?:\s[^<>]*)?\/?>/i
const NAME = /^(\/?)([a-z][a-z0-9]*(?::[a-z]+)?)(?=[\s/>])/i

/** What follows the `<` of markup. */
const BEGINS = new Set('/!?abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')

const BLOCK =
  /^(?:address|article|body|center|d[dlt]|div|footer|form|h[1-6]|head|header|hr|html|li|main|section|t(?:able|body|foot|head|r))$/
/** These have an empty line before and after them. */
const APART = /^(?:blockquote|h[1-6]|ol|p|pre|table|ul)$/
/** The content of these is not shown to a reader. */
const UNREAD = /^(?:head|script|style|title)$/

/** Whether a text is HTML rather than text that mentions tags. */
export function isHtml(text: string): boolean {
  return text.includes('<') && TAG.test(text)
}

/** The text of HTML. */
export function htmlToText(html: string): string {
  const page = new Page()
  const missing = new Set<string>()
  let from = 0
  for (let open = html.indexOf('<'); open !== -1; ) {
    const end = endOfMarkup(html, open, missing)
    if (end > open + 1) {
      page.text(html.slice(from, open))
      page.tag(html.slice(open + 1, end))
      from = end
    }
    open = html.indexOf('<', end)
  }
  page.text(html.slice(from))
  return page.finished()
}

/** Where what begins with a `<` ends; right behind it where it is nothing but that character. `missing` are ends that don't come. */
function endOfMarkup(html: string, open: number, missing: Set<string>): number {
  const behind = (end: string, from: number): number | undefined => {
    if (missing.has(end)) return undefined
    const found = html.indexOf(end, from)
    if (found === -1) missing.add(end)
    return found === -1 ? undefined : found + end.length
  }
  if (!BEGINS.has(html[open + 1] ?? '')) return open + 1
  if (html.startsWith('<!--', open)) return behind('-->', open + 4) ?? html.length
  if (html[open + 1] === '!' || html[open + 1] === '?') return behind('>', open) ?? open + 1
  const [, closing, name] = NAME.exec(html.slice(open + 1, open + 34)) ?? []
  const end = name === undefined ? undefined : behind('>', open)
  if (name === undefined || end === undefined) return open + 1
  const unread = closing === '' && UNREAD.test(name.toLowerCase()) ? name.toLowerCase() : undefined
  if (unread === undefined || missing.has(unread)) return end
  const closes = new RegExp(`</${unread}\\s{0,9}>`, 'gi')
  closes.lastIndex = end
  if (closes.test(html)) return closes.lastIndex
  missing.add(unread)
  return end
}

/** Collects the lines of the text. */
class Page {
  private readonly lines: string[] = []
  private line = ''
  /** Whether the next words are the first of an item of a list. */
  private item = false
  private pre = 0
  private link: { readonly to: string; words: string } | undefined

  text(source: string): void {
    if (source === '') return
    const words = entitiesIn(this.pre > 0 ? source : source.replace(/[ \t\r\n\f]+/g, ' ')).replaceAll('\u00a0', ' ')
    if (this.pre > 0) {
      const [first = '', ...more] = words.split(/\r\n|\n|\r/)
      this.line += first
      for (const one of more) {
        this.end()
        this.line = one
      }
      return
    }
    if (this.item && words.trim() !== '') {
      this.line += '- '
      this.item = false
    }
    this.line += words
    if (this.link !== undefined) this.link.words += words
  }

  tag(inside: string): void {
    const [, closing, written = ''] = NAME.exec(inside) ?? []
    const name = written.toLowerCase()
    const opens = closing === ''
    if (name === 'br') this.end()
    else if (name === 'a') this.anchor(opens ? attribute(inside, 'href') : undefined)
    else if (name === 'img') this.text(attribute(inside, 'alt') ?? '')
    else if (name === 'td' || name === 'th') this.line += ' '
    else if (APART.test(name)) this.block(true)
    else if (BLOCK.test(name)) this.block(false)
    if (name === 'pre') this.pre = Math.max(0, this.pre + (opens ? 1 : -1))
    if (name === 'li') this.item = opens
  }

  finished(): string {
    this.block(false)
    return this.lines.join('\n').trim()
  }

  private anchor(to: string | undefined): void {
    const { link } = this
    this.link = to === undefined ? undefined : { to: entitiesIn(to).trim(), words: '' }
    if (link === undefined || !/^(?:https?|mailto):/i.test(link.to)) return
    const address = link.to.replace(/^mailto:/i, '')
    if (!link.words.includes(address.replace(/\/$/, ''))) this.line += ` (${address})`
  }

  /** Ends a line, empty or not; of several empty ones, one stays. */
  private end(): void {
    const line = this.pre > 0 ? this.line.trimEnd() : this.line.replace(/ +/g, ' ').trim()
    this.line = ''
    if (line !== '' || (this.lines.length > 0 && this.lines.at(-1) !== '')) this.lines.push(line)
  }

  private block(apart: boolean): void {
    if (this.line.trim() !== '') this.end()
    this.line = ''
    if (apart && this.lines.length > 0 && this.lines.at(-1) !== '') this.lines.push('')
  }
}

function attribute(inside: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s{0,9}=\\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\\s>]+))`, 'i').exec(inside)
  return found?.[1] ?? found?.[2] ?? found?.[3]
}
