/**
 * HTML as text: paragraphs, lists and links as a person reads them; and whether a text is HTML, or only mentions tags.
 */
import { createRequire } from 'node:module'
import type { HtmlToTextOptions } from 'html-to-text'

const load = createRequire(import.meta.url)

/** Elements of mails and editors, which have an end. */
const PAIRED =
  'a abbr article b big blockquote body center code del div dl em font footer form h1 h2 h3 h4 h5 h6 head header html i ins main ol pre s script section small span strike strong style sub sup table tfoot thead title u ul'
/** Elements whose end may be left out (HTML, 13.1.2.4), and elements without one. */
const LOOSE = 'dd dt li p tbody td th tr'
const VOID = 'br col hr img link meta wbr'
/** The first elements of a text that is HTML as a whole. */
const BLOCKS =
  'article blockquote body center div dl footer h1 h2 h3 h4 h5 h6 head header html main ol p pre section table ul'

/** Further elements of HTML; other words in angle brackets are text, such as an address. */
const OTHERS =
  'address aside base button caption cite colgroup details dfn fieldset figcaption figure iframe input kbd label legend map mark nav nobr noscript object option picture q samp select source summary svg textarea time tt var video'

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const [PAIRED_NAMES, LOOSE_NAMES, VOID_NAMES, BLOCK_NAMES] = [PAIRED, LOOSE, VOID, BLOCKS].map(words)
const KNOWN = words([PAIRED, LOOSE, VOID, OTHERS].join(' '))

/** A tag with its name and attributes; a `>` inside quotes does not end it. */
const TAG =
  /<(\/?)([a-z][a-z0-9]{0,15})((?:\s+[^\s"'<>/=]+(?:\s{0,9}=\s{0,9}(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*)\s*\/?>/gi
const DOCUMENT = /^\s*<(?:!doctype\s+html|html)[\s>]/i
const REFERENCE = /&(?:[a-z]{2,8}|#\d{2,6}|#x[0-9a-f]{2,5});/i

interface Tag {
  readonly closes: boolean
  readonly name: string
  readonly hasAttributes: boolean
  readonly begin: number
  readonly end: number
}

/**
 * Whether a text is HTML. Tags that somebody mentions are alone in their sentence: they are not closed, and no other
 * text is markup. In doubt a text is no HTML, because then nothing is lost.
 */
export function isHtml(text: string): boolean {
  if (!text.includes('<')) return false
  if (DOCUMENT.test(text)) return true
  const tags = tagsOf(text)
  return tags.length > 0 && isBalanced(tags) && isMarkedUp(text, tags)
}

function tagsOf(text: string): readonly Tag[] {
  const tags: Tag[] = []
  for (const { 0: all, 1: slash, 2: written = '', 3: attributes, index } of text.matchAll(TAG)) {
    const name = written.toLowerCase()
    if (!PAIRED_NAMES?.has(name) && !LOOSE_NAMES?.has(name) && !VOID_NAMES?.has(name)) continue
    tags.push({ closes: slash === '/', name, hasAttributes: attributes !== '', begin: index, end: index + all.length })
  }
  return tags
}

/** Whether every element that needs an end has one. */
function isBalanced(tags: readonly Tag[]): boolean {
  const open = new Map<string, number>()
  for (const { closes, name } of tags)
    if (PAIRED_NAMES?.has(name)) open.set(name, (open.get(name) ?? 0) + (closes ? -1 : 1))
  return [...open.values()].every((count) => count === 0)
}

function isMarkedUp(text: string, tags: readonly Tag[]): boolean {
  const [first] = tags
  const last = tags.at(-1)!
  const begins = text.slice(0, first!.begin).trim() === ''
  const ends = text.slice(last.end).trim() === ''
  if (begins && ends) return true
  if (tags.some(({ hasAttributes }) => hasAttributes) || REFERENCE.test(text)) return true
  if (begins && BLOCK_NAMES?.has(first!.name) && tags.some(({ closes, name }) => closes && name === first!.name))
    return true
  return tags.some((tag) => tag.name === 'br' && touches(text, tag))
}

/** Whether a break is between two words as in markup, and no word of its own. */
function touches(text: string, { begin, end }: Tag): boolean {
  return (
    /[\p{L}\p{N}.,:;!?>]/u.test(text[begin - 1] ?? '') && /^(?:[\p{L}\p{N}<]|\s*\n|$)/u.test(text.slice(end, end + 9))
  )
}

/** The deepest nesting of elements: no person writes deeper text, and each level takes a step of the stack. */
const MOST_DEEP = 500

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxDepth: MOST_DEEP, ellipsis: '…' },
  formatters: {
    link: (element, walk, builder) => {
      const href = String(element.attribs?.href ?? '').trim()
      let told = ''
      builder.pushWordTransform((word) => {
        told += word
        return word
      })
      walk(element.children, builder)
      builder.popWordTransform()
      const address = href.replace(/^mailto:/i, '')
      const isTold = told.includes(address.replace(/\/$/, '').replace(/\s+/g, ''))
      if (/^(?:https?|mailto):/i.test(href) && !isTold) builder.addInline(` (${address})`)
    },
    alternative: (element, _walk, builder) => builder.addInline(String(element.attribs?.alt ?? '')),
    cell: (element, walk, builder) => {
      builder.addInline(' ')
      walk(element.children, builder)
      builder.addInline(' ')
    },
  },
  selectors: [
    { selector: 'a', format: 'link' },
    { selector: 'img', format: 'alternative' },
    { selector: 'ul', options: { itemPrefix: '- ', trimEmptyLines: true } },
    { selector: 'td', format: 'cell' },
    { selector: 'th', format: 'cell' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'table', format: 'block', options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
    { selector: 'blockquote', options: { trimEmptyLines: true }, format: 'paragraph' },
    { selector: 'hr', format: 'lineBreak' },
    { selector: 'head', format: 'skip' },
    { selector: 'title', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
}

/** The text of HTML. */
export function htmlToText(html: string): string {
  const { convert }: typeof import('html-to-text') = load('html-to-text')
  return convert(withTextKept(html), OPTIONS)
    .replaceAll('\u00a0', ' ')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Angle brackets that begin no markup stay: a parser would drop `<ann@desk.example>` as an element. */
function withTextKept(html: string): string {
  return html.replace(
    /<(?![!?])\/?(?:([a-z][a-z0-9]*)(:[a-z0-9]+)?(?=[\s/>]))?/gi,
    (all: string, name?: string, space?: string) =>
      name !== undefined && (space !== undefined || KNOWN.has(name.toLowerCase())) ? all : all.replace('<', '&lt;'),
  )
}
