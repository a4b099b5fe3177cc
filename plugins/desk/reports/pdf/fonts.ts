/**
 * ⇄ The fonts of a document: each character in the first one that has it, in the order in which a line is drawn, and
 * the characters that none has.
 */

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { Bidi } from 'bidi-js'
import type { Font } from 'fontkit'
import { fontOf } from '../font-files.ts'

/**
 * The shipped fonts in the order of use; those after the first are large, and loaded only for a character that no earlier
 * one has.
 */
const FILES = ['DejaVuSans', 'NotoEmoji', 'DroidSansFallback'] as const
const EMOJI_FONT = 'NotoEmoji'
/** An emoji with its parts: a colour of skin, the other people of a family, the second letter of a flag. */
const EMOJI =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|\p{Extended_Pictographic}\p{Emoji_Modifier}|[\d#*]\uFE0F?\u20E3)/u
/** Most texts have none of these; they are not split by grapheme, which is slow. */
const MAYBE_EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u
/** Characters that are never drawn alone, such as joiners. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u
const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Replaces a character that no font has; the first shipped font has this one. */
const BOX = '□'

/** A font for embedding, and for the question whether it has a character. */
export interface LoadedFont {
  readonly name: string
  readonly bytes: Buffer
  readonly font: Font
}

const loading = new Map<string, Promise<LoadedFont>>()

/** A font that is read once; `name` is that of a shipped font, or the path of one of the application. */
function load(name: string, read: () => Promise<Buffer>): Promise<LoadedFont> {
  let loaded = loading.get(name)
  if (loaded === undefined) {
    loaded = read().then((bytes) => ({ name, bytes, font: fontOf(bytes) }))
    loaded.catch(() => loading.delete(name))
    loading.set(name, loaded)
  }
  return loaded
}

function loadShipped(name: string): Promise<LoadedFont> {
  const file = new URL(`../fonts/${name}.ttf.br`, import.meta.url)
  return load(name, () => readFile(file).then(promisify(brotliDecompress)))
}

/** A stretch of text in one font and one direction. */
export interface Run {
  readonly font: string
  readonly text: string
  readonly rightToLeft: boolean
}

export interface Fonts {
  /** Characters that no font has, so far. */
  readonly missing: ReadonlySet<number>
  /** Loads the fonts for these texts, which can be drawn afterwards. */
  ready(texts: readonly string[]): Promise<void>
  /** The runs of a text from the left of the line to its right. */
  runsOf(text: string): readonly Run[]
}

/** Control characters and breaks become spaces; letters and their marks become one character where it exists. */
export function plainText(text: string): string {
  return text.normalize('NFC').replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** What one font draws: an emoji as a whole, everything else by its characters. */
function pieces(text: string): readonly string[] {
  if (!MAYBE_EMOJI.test(text)) return [...text]
  return [...clusters.segment(text)].flatMap(({ segment }) => (EMOJI.test(segment) ? [segment] : [...segment]))
}

function has({ font }: LoadedFont, piece: string): boolean {
  return [...piece].every((one) => INVISIBLE.test(one) || font.hasGlyphForCodePoint(one.codePointAt(0)!))
}

/** The fonts of a new document, those in the files of the application first; `added` gets each font before its use. */
export async function openFonts(files: readonly string[], added: (font: LoadedFont) => void): Promise<Fonts> {
  const used: LoadedFont[] = []
  const missing = new Set<number>()
  const drawable = new Set<string>()
  const add = async (loading: Promise<LoadedFont>): Promise<LoadedFont> => {
    const font = await loading
    used.push(font)
    added(font)
    return font
  }
  for (const file of files) await add(load(file, () => readFile(file)))
  const base = await add(loadShipped(FILES[0]))
  return {
    missing,
    async ready(texts) {
      const asked = new Set(texts.flatMap((text) => pieces(plainText(text))))
      let lacking = [...asked].filter((piece) => !drawable.has(piece))
      for (const piece of lacking) drawable.add(piece)
      for (const name of FILES) {
        // An emoji of the first font is drawn like other characters.
        lacking = lacking.filter((piece) => !used.some((font) => fits(font, piece)))
        if (lacking.length === 0) return
        if (!used.some((font) => font.name === name)) await add(loadShipped(name))
      }
    },
    runsOf: (text) => runsOf(text, used, base, missing),
  }
}

/** Whether to draw a piece with a font. */
function fits(font: LoadedFont, piece: string): boolean {
  return (font.name === EMOJI_FONT || !EMOJI.test(piece)) && has(font, piece)
}

function runsOf(text: string, used: readonly LoadedFont[], base: LoadedFont, missing: Set<number>): readonly Run[] {
  const runs: { font: string; text: string; rightToLeft: boolean }[] = []
  for (const stretch of stretchesOf(text)) {
    const first = runs.length
    let font: LoadedFont | undefined
    for (const piece of pieces(stretch.text)) {
      // A space between two words of one font belongs to them; that of the emoji font is as wide as an emoji.
      if (font === undefined || piece !== ' ' || font.name === EMOJI_FONT || !has(font, piece))
        font = used.find((one) => fits(one, piece)) ?? used.find((one) => has(one, piece))
      const { name } = font ?? base
      if (runs.length === first || runs.at(-1)!.font !== name)
        runs.push({ font: name, text: '', rightToLeft: stretch.rightToLeft })
      runs.at(-1)!.text += font === undefined ? boxes(piece, missing) : piece
    }
    // Runs of a stretch from right to left are drawn from its end.
    if (stretch.rightToLeft) runs.push(...runs.splice(first).reverse())
  }
  return runs
}

/** Boxes for characters without a font, which `missing` collects. */
function boxes(piece: string, missing: Set<number>): string {
  const shown = [...piece].filter((one) => !INVISIBLE.test(one))
  for (const one of shown) missing.add(one.codePointAt(0)!)
  return BOX.repeat(shown.length)
}

/** A stretch of text in one direction, its characters in reading order. */
interface Stretch {
  readonly text: string
  readonly rightToLeft: boolean
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
// Required, because the package's types declare another module format than Node finds.
const bidi: Bidi = createRequire(import.meta.url)('bidi-js')()

/**
 * The stretches of a text from the left of the line to its right (Unicode Standard Annex #9); the line itself runs to
 * the right.
 */
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

/** Rule L2 of the annex: from the highest level to the first, reverses every sequence at that level or above. */
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
