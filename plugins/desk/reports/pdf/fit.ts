/** Text that must fit: cut with an ellipsis, or broken into lines. */
import type { PdfDocument } from './document.ts'
import { plainText } from './fonts.ts'

type Measure = Pick<PdfDocument, 'widthOf' | 'widthAlone'>

/** Joined letters can take less room than each alone, but seldom less than half. */
const JOINED = 2
/** The most characters of a line; shaping many that take no room would be wasted. */
const LINE = 500

/** The part of a text that fits a width, with an ellipsis where that is not all. */
export function fitting(document: Measure, text: string, size: number, width: number): string {
  const plain = plainText(text)
  const room = width / size
  const near = head(document, plain, JOINED * room)
  if (near.length === plain.length && document.widthOf(plain) <= room) return plain
  const characters = [...near]
  const shown = (count: number): string => characters.slice(0, count).join('')
  // The most characters that fit are between these two.
  let [fits, most] = [0, characters.length]
  while (fits < most) {
    const middle = Math.ceil((fits + most) / 2)
    if (document.widthOf(`${shown(middle)}…`) <= room) fits = middle
    else most = middle - 1
  }
  return `${shown(fits).trimEnd()}…`
}

/**
 * A text in at most `most` lines of a width, broken between words if possible; the last one ends in an ellipsis where
 * text remains.
 */
export function wrapped(document: Measure, text: string, size: number, width: number, most: number): readonly string[] {
  const lines: string[] = []
  const room = width / size
  let rest = plainText(text).trim()
  while (rest !== '' && lines.length < most - 1 && !fitsWhole(document, rest, room)) {
    const line = head(document, rest, room) || [...rest][0]!
    const words = Math.max(line.lastIndexOf(' '), line.lastIndexOf('-')) + 1
    const cut = words > 0 ? words : line.length
    lines.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut).trimStart()
  }
  return rest === '' ? lines : [...lines, fitting(document, rest, size, width)]
}

/** Whether a text fits; one that is much too long is not shaped for that. */
function fitsWhole(document: Measure, text: string, room: number): boolean {
  return head(document, text, JOINED * room).length === text.length && document.widthOf(text) <= room
}

/** The beginning of a text whose single characters fit into a width. */
function head(document: Measure, text: string, room: number): string {
  let used = 0
  let [count, end] = [0, 0]
  for (const character of text) {
    used += document.widthAlone(character)
    count += 1
    if (used > room || count > LINE) break
    end += character.length
  }
  return text.slice(0, end)
}
