/** Shows diagnostics to people: the place, the line itself, a caret under the mistake, what was expected, a hint. */
import type { Diagnostic } from './diagnostic.ts'
import { position, type Span } from './source.ts'
import { visible } from './visible.ts'

export interface RenderOptions {
  /** Terminal colours; off by default. */
  readonly color?: boolean
  /** All of them, however many there are. */
  readonly all?: boolean
  /** The command line that shows all of them. */
  readonly allBy?: string
}

/** More complaints than this scroll out of the terminal: then the first of each kind are shown. */
const MOST = 100
const FIRST = 10
/** What of a long line is shown, in columns of a terminal. */
const WIDTH = 100
const WORDS = 20

type Paint = (text: string, style: keyof typeof STYLES) => string

const STYLES = { bold: '1', red: '31', yellow: '33', green: '32', dim: '2' } as const

/** The diagnostics as one text, by file and line, ending in a line that counts them; empty for none. */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], options: RenderOptions = {}): string {
  if (diagnostics.length === 0) return ''
  const { color = false, all = false, allBy } = options
  const paint: Paint = (text, style) => (color ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text)
  const sorted = [...diagnostics].sort(byPlace)
  const first = all || sorted.length <= MOST ? sorted : firstOfEach(sorted)
  const shown = first.map((diagnostic) => render(diagnostic, paint))
  if (first.length < sorted.length) shown.push(leftOut(sorted, first, allBy))
  return `${shown.join('\n\n')}\n\n${countLine(sorted)}\n`
}

function firstOfEach(sorted: readonly Diagnostic[]): readonly Diagnostic[] {
  const counts = new Map<string, number>()
  return sorted.filter(({ code }) => {
    const count = (counts.get(code) ?? 0) + 1
    counts.set(code, count)
    return count <= FIRST
  })
}

/** How many of each kind are not shown, the most frequent first. */
function leftOut(sorted: readonly Diagnostic[], shown: readonly Diagnostic[], allBy: string | undefined): string {
  const counts = new Map<string, number>()
  for (const { code } of sorted) counts.set(code, (counts.get(code) ?? 0) + 1)
  for (const { code } of shown) counts.set(code, (counts.get(code) ?? 0) - 1)
  const kinds = [...counts].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a)
  const more = `… and ${sorted.length - shown.length} more: ${kinds.map(([code, count]) => `${code} ${count}`).join(', ')}`
  return allBy === undefined ? more : `${more}\n  hint: ${allBy} shows them all`
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  const [left, right] = [a.span?.source.file ?? '', b.span?.source.file ?? '']
  if (left !== right) return left < right ? -1 : 1
  return (a.span?.start ?? 0) - (b.span?.start ?? 0)
}

function render(diagnostic: Diagnostic, paint: Paint): string {
  const { span, code, message, expected, hint } = diagnostic
  const severity = diagnostic.severity ?? 'error'
  const place = span === undefined ? '' : `${paint(placeText(span), 'bold')} `
  const lines = [
    `${place}${paint(severity, severity === 'error' ? 'red' : 'yellow')} ${paint(code, 'dim')}: ${paint(visible(message), 'bold')}`,
  ]
  let margin = '  '
  if (span !== undefined && span.source.text !== '') {
    const number = String(position(span.source, span.start).line)
    const excerpt = excerptOf(span)
    margin = ' '.repeat(number.length + 3)
    lines.push(`${paint(` ${number} │ `, 'dim')}${excerpt.line}`)
    lines.push(
      `${paint(`${' '.repeat(number.length + 1)} │ `, 'dim')}${' '.repeat(excerpt.indent)}${paint(excerpt.caret, 'green')}`,
    )
  }
  if (expected !== undefined && expected.length > 0) lines.push(`${margin}expected: ${visible(wordList(expected))}`)
  if (hint !== undefined) lines.push(`${margin}hint: ${visible(hint)}`)
  return lines.join('\n')
}

function placeText(span: Span): string {
  const { line, column } = position(span.source, span.start)
  return `${visible(span.source.file)}:${line}:${column}`
}

function wordList(words: readonly string[]): string {
  const left = words.length - WORDS
  return left > 0 ? `${words.slice(0, WORDS).join(', ')} and ${left} more` : words.join(', ')
}

interface Excerpt {
  readonly line: string
  /** Columns before the caret. */
  readonly indent: number
  readonly caret: string
}

/** The first line of a span as a terminal shows it, cut around the mistake where it is long. */
function excerptOf(span: Span): Excerpt {
  const { text } = span.source
  const begin = text.lastIndexOf('\n', span.start - 1) + 1
  const next = text.indexOf('\n', span.start)
  const finish = next === -1 ? text.length : next
  const before = visible(text.slice(begin, span.start))
  const marked = visible(text.slice(span.start, Math.min(Math.max(span.end, span.start), finish)).trimEnd())
  const after = visible(text.slice(Math.min(Math.max(span.end, span.start), finish), finish)).trimEnd()
  const room = Math.max(20, WIDTH - Math.min(columns(marked), WIDTH / 2))
  const start = cutStart(before, room / 2)
  const end = cutEnd(marked + after, WIDTH - columns(start))
  return {
    line: start + end,
    indent: columns(start),
    caret: '^'.repeat(Math.max(1, Math.min(columns(marked), columns(end)))),
  }
}

let segmenter: Intl.Segmenter | undefined

/** Splits a text into characters as readers see them; made when a text first needs it. */
function graphemes(text: string): readonly string[] {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

/** How many columns a text takes in a terminal: wide characters and emoji take two. */
export function columns(text: string): number {
  // Nearly every line is plain ASCII.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let sum = 0
  for (const grapheme of graphemes(text)) sum += width(grapheme)
  return sum
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u

function width(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1
}

function cutEnd(text: string, most: number): string {
  if (columns(text) <= most) return text
  return `${take(graphemes(text), most - 1).join('')}…`
}

function cutStart(text: string, most: number): string {
  if (columns(text) <= most) return text
  const parts = [...graphemes(text)].reverse()
  return `…${take(parts, most - 1)
    .reverse()
    .join('')}`
}

function take(segments: readonly string[], most: number): string[] {
  const taken: string[] = []
  let left = most
  for (const segment of segments) {
    left -= width(segment)
    if (left < 0) break
    taken.push(segment)
  }
  return taken
}

function countLine(diagnostics: readonly Diagnostic[]): string {
  const warnings = diagnostics.filter((diagnostic) => diagnostic.severity === 'warning').length
  const errors = diagnostics.length - warnings
  const files = new Set(diagnostics.flatMap((diagnostic) => diagnostic.span?.source.file ?? [])).size
  const counts = [counted(errors, 'error'), counted(warnings, 'warning')].filter((text) => text !== '')
  return `${counts.join(' and ')}${files > 0 ? ` in ${counted(files, 'file')}` : ''}`
}

/** `3 files`; nothing for none. */
export function counted(count: number, word: string): string {
  return count === 0 ? '' : `${count} ${word}${count === 1 ? '' : 's'}`
}
