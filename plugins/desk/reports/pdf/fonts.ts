/** ⇄ The fonts of a document: each character in the first one that has it, and the characters that none of them has. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { create, type Font } from 'fontkit'
import { stretchesOf } from './direction.ts'

/** In the order in which they are asked; those behind the first are large, and loaded only when a character is in none before. */
const FILES = ['DejaVuSans', 'NotoEmoji', 'DroidSansFallback'] as const
const EMOJI_FONT = 'NotoEmoji'
/** A picture, with what belongs to it: a colour of skin, the other people of a family, the second letter of a flag. */
const EMOJI =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|\p{Extended_Pictographic}\p{Emoji_Modifier}|[\d#*]\uFE0F?\u20E3)/u
/** Most texts have none of these characters; they are not split by grapheme, which is slow. */
const MAYBE_EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u
/** Characters that are never drawn by themselves, such as joiners. */
const INVISIBLE = /^\p{Default_Ignorable_Code_Point}$/u
const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** Stands for a character that no font has; the first one has this. */
const BOX = '□'

/** A font as a document embeds it, and as it can be asked which characters it has. */
export interface LoadedFont {
  readonly name: string
  readonly bytes: Buffer
  readonly font: Font
}

const loading = new Map<string, Promise<LoadedFont>>()

function load(name: string): Promise<LoadedFont> {
  let loaded = loading.get(name)
  if (loaded === undefined) {
    const file = new URL(`../fonts/${name}.ttf.br`, import.meta.url)
    loaded = readFile(file)
      .then(promisify(brotliDecompress))
      .then((bytes) => ({ name, bytes, font: create(bytes) as Font }))
    loaded.catch(() => loading.delete(name))
    loading.set(name, loaded)
  }
  return loaded
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
  /** Loads the fonts that these texts need; they can be drawn after it. */
  ready(texts: readonly string[]): Promise<void>
  /** The runs of a text from the left of the line to its right. */
  runsOf(text: string): readonly Run[]
}

/** Control characters and breaks become spaces; letters and their marks become one where there is such a character. */
export function plainText(text: string): string {
  return text.normalize('NFC').replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** What is drawn by one font: an emoji whole, everything else by its characters. */
function pieces(text: string): readonly string[] {
  if (!MAYBE_EMOJI.test(text)) return [...text]
  return [...clusters.segment(text)].flatMap(({ segment }) => (EMOJI.test(segment) ? [segment] : [...segment]))
}

function has({ font }: LoadedFont, piece: string): boolean {
  return [...piece].every((one) => INVISIBLE.test(one) || font.hasGlyphForCodePoint(one.codePointAt(0)!))
}

/** The fonts of a new document; `added` is called with each font before it is used. */
export async function openFonts(added: (font: LoadedFont) => void): Promise<Fonts> {
  const used: LoadedFont[] = []
  const missing = new Set<number>()
  const drawable = new Set<string>()
  const add = async (name: string): Promise<void> => {
    const font = await load(name)
    used.push(font)
    added(font)
  }
  await add(FILES[0])
  return {
    missing,
    async ready(texts) {
      const asked = new Set(texts.flatMap((text) => pieces(plainText(text))))
      let lacking = [...asked].filter((piece) => !drawable.has(piece))
      for (const piece of lacking) drawable.add(piece)
      for (const name of FILES) {
        // An emoji that the first font has too is drawn like the others.
        lacking = lacking.filter((piece) => !used.some((font) => fits(font, piece)))
        if (lacking.length === 0) return
        if (!used.some((font) => font.name === name)) await add(name)
      }
    },
    runsOf: (text) => runsOf(text, used, missing),
  }
}

/** Whether a font is the one to draw a piece with. */
function fits(font: LoadedFont, piece: string): boolean {
  return (font.name === EMOJI_FONT || !EMOJI.test(piece)) && has(font, piece)
}

function runsOf(text: string, used: readonly LoadedFont[], missing: Set<number>): readonly Run[] {
  const runs: { font: string; text: string; rightToLeft: boolean }[] = []
  for (const stretch of stretchesOf(text)) {
    const first = runs.length
    let font: LoadedFont | undefined
    for (const piece of pieces(stretch.text)) {
      // A space between two words of one font stays with them; that of the emoji is as wide as one of them.
      if (font === undefined || piece !== ' ' || font.name === EMOJI_FONT || !has(font, piece))
        font = used.find((one) => fits(one, piece)) ?? used.find((one) => has(one, piece))
      const name = (font ?? used[0]!).name
      if (runs.length === first || runs.at(-1)!.font !== name)
        runs.push({ font: name, text: '', rightToLeft: stretch.rightToLeft })
      runs.at(-1)!.text += font === undefined ? boxes(piece, missing) : piece
    }
    // Runs of a stretch that is read from the right are drawn from its end.
    if (stretch.rightToLeft) runs.push(...runs.splice(first).reverse())
  }
  return runs
}

/** Boxes for what no font has, which is noted in `missing`. */
function boxes(piece: string, missing: Set<number>): string {
  const shown = [...piece].filter((one) => !INVISIBLE.test(one))
  for (const one of shown) missing.add(one.codePointAt(0)!)
  return BOX.repeat(shown.length)
}
