/** Text that must fit: cut with an ellipsis, or broken into lines. */
import type { PdfDocument } from './document.ts'
import { plainText } from './fonts.ts'

type Measure = Pick<PdfDocument, 'widthOf'>

/** The part of a text that fits a width, with an ellipsis where that is not all. */
export function fitting(document: Measure, text: string, size: number, width: number): string {
  const plain = plainText(text)
  if (document.widthOf(plain) * size <= width) return plain
  let shown = ''
  for (const character of plain) {
    if (document.widthOf(`${shown}${character}…`) * size > width) break
    shown += character
  }
  return `${shown.trimEnd()}…`
}

/** A text as at most `most` lines of a width, broken between words where there are any; the last one ends in an ellipsis where text is left. */
export function wrapped(document: Measure, text: string, size: number, width: number, most: number): readonly string[] {
  const lines: string[] = []
  let rest = plainText(text).trim()
  while (rest !== '' && lines.length < most - 1 && document.widthOf(rest) * size > width) {
    let end = 0
    let used = 0
    let word = 0
    for (const character of rest) {
      used += document.widthOf(character) * size
      if (used > width && end > 0) break
      end += character.length
      if (character === ' ' || character === '-') word = end
    }
    const cut = word > 0 ? word : end
    lines.push(rest.slice(0, cut).trimEnd())
    rest = rest.slice(cut).trimStart()
  }
  return rest === '' ? lines : [...lines, fitting(document, rest, size, width)]
}
