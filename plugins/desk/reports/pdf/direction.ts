/** Text as it stands on a line: which stretches run from right to left, and in which order they are drawn. */
import { createRequire } from 'node:module'
import type { Bidi } from 'bidi-js'

/** A stretch of text in one direction, its characters in the order in which they are read. */
export interface Stretch {
  readonly text: string
  readonly rightToLeft: boolean
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
// Required, because the package's types speak of another module format than Node finds in it.
const bidi: Bidi = createRequire(import.meta.url)('bidi-js')()

/** The stretches of a text from the left of the line to its right (Unicode Standard Annex #9); the line itself runs to the right. */
export function stretchesOf(text: string): readonly Stretch[] {
  if (!RIGHT_TO_LEFT.test(text)) return [{ text, rightToLeft: false }]
  const { levels } = bidi.getEmbeddingLevels(text, 'ltr')
  const mirrored = bidi.getMirroredCharactersMap(text, levels)
  const stretches: { text: string; level: number }[] = []
  for (let at = 0; at < text.length; at++) {
    const level = levels[at] ?? 0
    if (stretches.at(-1)?.level !== level) stretches.push({ text: '', level })
    stretches.at(-1)!.text += mirrored.get(at) ?? text[at]
  }
  return inOrderOfDrawing(stretches).map(({ text, level }) => ({ text, rightToLeft: level % 2 === 1 }))
}

/** Rule L2 of the annex: from the highest level to the first, every sequence at that level or above is turned round. */
function inOrderOfDrawing<T extends { readonly level: number }>(stretches: readonly T[]): readonly T[] {
  const ordered = [...stretches]
  for (let level = Math.max(...stretches.map((one) => one.level)); level > 0; level--) {
    for (let from = 0; from < ordered.length; from++) {
      let end = from
      while (end < ordered.length && ordered[end]!.level >= level) end++
      if (end > from) ordered.splice(from, end - from, ...ordered.slice(from, end).reverse())
      from = end
    }
  }
  return ordered
}
