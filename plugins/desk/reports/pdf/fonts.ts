/** ⇄ The fonts of a document: each character in the first one that has it, and an account of those that none has. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { create, type Font } from 'fontkit'
import { stretchesOf } from './direction.ts'

/** In the order in which they are asked: the second is large, and loaded only when a character is not in the first. */
const FILES = ['DejaVuSans', 'DroidSansFallback'] as const
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
  /** Loads what these texts need and tells `added` of each new font; drawing them is possible then. */
  ready(texts: readonly string[]): Promise<void>
  /** The runs of a text from the left of the line to its right. */
  runsOf(text: string): readonly Run[]
}

/** Control characters and breaks become spaces; letters and their marks become one where there is such a character. */
export function plainText(text: string): string {
  return text.normalize('NFC').replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
}

/** The fonts of a new document; `added` hears of each font before it is used. */
export async function openFonts(added: (font: LoadedFont) => void): Promise<Fonts> {
  const used: LoadedFont[] = []
  const missing = new Set<number>()
  const has = ({ font }: LoadedFont, character: string): boolean => font.hasGlyphForCodePoint(character.codePointAt(0)!)
  const add = async (name: string): Promise<void> => {
    const font = await load(name)
    used.push(font)
    added(font)
  }
  await add(FILES[0])
  return {
    missing,
    async ready(texts) {
      const lacks = texts.some((text) => [...plainText(text)].some((one) => !used.some((font) => has(font, one))))
      for (const name of FILES.slice(used.length)) if (lacks) await add(name)
    },
    runsOf(text) {
      const runs: { font: string; text: string; rightToLeft: boolean }[] = []
      for (const stretch of stretchesOf(text)) {
        const first = runs.length
        let font: LoadedFont | undefined
        for (const character of stretch.text) {
          // A space between two words of one font stays with them.
          if (font === undefined || character !== ' ' || !has(font, character))
            font = used.find((one) => has(one, character))
          if (font === undefined) missing.add(character.codePointAt(0)!)
          const name = (font ?? used[0]!).name
          if (runs.length === first || runs.at(-1)!.font !== name)
            runs.push({ font: name, text: '', rightToLeft: stretch.rightToLeft })
          runs.at(-1)!.text += font === undefined ? BOX : character
        }
        // Runs of a stretch that is read from the right are drawn from its end.
        if (stretch.rightToLeft) runs.push(...runs.splice(first).reverse())
      }
      return runs
    },
  }
}
