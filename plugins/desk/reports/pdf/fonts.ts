/** ⇄ The fonts of a document: each character in the first one that has it, and an account of those that none has. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { readTrueType, type TrueType } from './truetype.ts'
import { visualOrder } from './visual-order.ts'

/** In the order in which they are asked: the second is large, and loaded only when a character is not in the first. */
const FILES = ['DejaVuSans', 'DroidSansFallback'] as const
/** Stands for a character that no font has; the first one has this. */
const BOX = 0x25a1

const loading = new Map<string, Promise<TrueType>>()

function load(name: string): Promise<TrueType> {
  let font = loading.get(name)
  if (font === undefined) {
    const file = new URL(`../fonts/${name}.ttf.br`, import.meta.url)
    font = readFile(file).then(promisify(brotliDecompress)).then(readTrueType)
    font.catch(() => loading.delete(name))
    loading.set(name, font)
  }
  return font
}

/** What a document uses of one font: its glyphs by the number they have in the document. */
export interface UsedFont {
  readonly name: string
  readonly font: TrueType
  /** Number in the document → the glyph of the font, and the character it stands for. */
  readonly glyphs: { readonly glyph: number; readonly character: number }[]
}

/** A stretch of text in one font; `code` is its glyphs as hexadecimal. */
export interface Run {
  readonly font: number
  readonly code: string
}

export interface Fonts {
  readonly used: readonly UsedFont[]
  /** Characters that no font has, so far. */
  readonly missing: ReadonlySet<number>
  /** Loads what these texts need; drawing them is possible then. */
  ready(texts: readonly string[]): Promise<void>
  /** The width of a text of size 1. */
  widthOf(text: string): number
  runsOf(text: string): readonly Run[]
}

/** Control characters and breaks become spaces; letters and their marks become one where there is such a character. */
export function plainText(text: string): string {
  return text.normalize('NFC').replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}

interface Placed {
  readonly font: number
  readonly number: number
  readonly width: number
}

/** The fonts of a new document. */
export async function openFonts(): Promise<Fonts> {
  const used: UsedFont[] = []
  const missing = new Set<number>()
  const placed = new Map<number, Placed>()
  const add = async (name: string): Promise<void> => {
    used.push({ name, font: await load(name), glyphs: [{ glyph: 0, character: 0xfffd }] })
  }
  await add(FILES[0])
  const place = (character: number): Placed => {
    let found = placed.get(character)
    if (found !== undefined) return found
    const at = used.findIndex(({ font }) => font.glyphOf(character) !== undefined)
    if (at === -1) missing.add(character)
    const { font, glyphs } = used[Math.max(0, at)]!
    const glyph = font.glyphOf(at === -1 ? BOX : character) ?? 0
    found = { font: Math.max(0, at), number: glyphs.push({ glyph, character }) - 1, width: font.widthOf(glyph) / 1_000 }
    placed.set(character, found)
    return found
  }
  const placesOf = (text: string): readonly Placed[] => [...text].map((character) => place(character.codePointAt(0)!))
  return {
    used,
    missing,
    async ready(texts) {
      const lacks = texts.some((text) =>
        [...plainText(text)].some((one) => used.every(({ font }) => font.glyphOf(one.codePointAt(0)!) === undefined)),
      )
      for (const name of FILES.slice(used.length)) if (lacks) await add(name)
    },
    widthOf: (text) => placesOf(text).reduce((sum, { width }) => sum + width, 0),
    runsOf(text) {
      const runs: { font: number; code: string }[] = []
      for (const { font, number } of placesOf(visualOrder(text))) {
        if (runs.at(-1)?.font !== font) runs.push({ font, code: '' })
        runs.at(-1)!.code += number.toString(16).padStart(4, '0')
      }
      return runs
    },
  }
}
