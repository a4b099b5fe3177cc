/** A piece of a text with the words of a search marked, safe to stand in a page. */
import { foldText } from '../filter/text-forms.ts'

/** Characters of a snippet, and how many of them before the first word that is marked. */
const LENGTH = 160
const BEFORE = 60

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

type Range = readonly [from: number, until: number]

/** A text of which so many characters are left out before and behind. */
export interface Piece {
  readonly text: string
  readonly before: number
  readonly behind: number
}

/** HTML of a piece, in which nothing but `<mark>` is markup. */
export function snippet({ text, before, behind }: Piece, words: readonly string[]): string {
  const characters = [...text]
  const ranges = rangesOf(characters, words)
  const [first] = ranges
  const begin = first === undefined ? 0 : wordBegin(characters, Math.max(0, first[0] - BEFORE), first[0])
  const end = wordEnd(characters, Math.min(characters.length, begin + LENGTH), first?.[1] ?? 0)
  const html: string[] = [before + begin > 0 ? '…' : '']
  let at = begin
  for (const [from, until] of ranges) {
    if (until > end) break
    html.push(escaped(characters.slice(at, from)), '<mark>', escaped(characters.slice(from, until)), '</mark>')
    at = until
  }
  html.push(escaped(characters.slice(at, end)), behind > 0 || end < characters.length ? '…' : '')
  return html.join('')
}

/** Where the words stand, in order, without overlaps. */
function rangesOf(characters: readonly string[], words: readonly string[]): readonly Range[] {
  const places: number[] = []
  let folded = ''
  characters.forEach((character, place) => {
    const plain = foldText(character)
    folded += plain
    for (let i = 0; i < plain.length; i += 1) places.push(place)
  })
  const found: Range[] = []
  for (const word of words.map(foldText)) {
    if (word === '') continue
    for (let at = folded.indexOf(word); at !== -1; at = folded.indexOf(word, at + word.length))
      found.push([places[at]!, places[at + word.length] ?? characters.length])
  }
  const merged: Range[] = []
  for (const [from, until] of found.sort((one, other) => one[0] - other[0] || other[1] - one[1])) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], until)]
    else merged.push([from, until])
  }
  return merged
}

/** The first place of a word at or behind `at`, but not behind `latest`. */
function wordBegin(characters: readonly string[], at: number, latest: number): number {
  if (at === 0) return 0
  const gap = characters.slice(at, latest).findIndex(isSpace)
  return gap === -1 ? at : at + gap + 1
}

/** The end of a word at or before `at`, but not before `earliest`. */
function wordEnd(characters: readonly string[], at: number, earliest: number): number {
  if (at === characters.length) return at
  for (let end = at; end > earliest; end -= 1) if (isSpace(characters[end]!)) return end
  return Math.max(at, earliest)
}

function isSpace(character: string): boolean {
  return /\s/u.test(character)
}

function escaped(characters: readonly string[]): string {
  return characters.join('').replace(/[&<>"']/g, (character) => ENTITIES[character]!)
}
