/** A font of only some glyphs: what a document embeds of one. */
import type { TrueType } from './truetype.ts'

/** Flags of a part of a composite glyph. */
const [WORDS, SCALE, MORE, TWO_SCALES, MATRIX] = [0x0001, 0x0008, 0x0020, 0x0040, 0x0080]

/** The glyphs of `font` in the order given, numbered from 0; parts of composite ones come after them. */
export function subsetOf(font: TrueType, glyphs: readonly number[]): Buffer {
  const all = [...glyphs]
  const numbers = new Map<number, number>()
  for (const [number, glyph] of all.entries()) if (!numbers.has(glyph)) numbers.set(glyph, number)
  const outlines: Buffer[] = []
  // Grows while it is walked: a part may have parts.
  for (let at = 0; at < all.length; at++) {
    const outline = Buffer.from(font.outlineOf(all[at]!))
    for (const place of partsOf(outline)) {
      const part = outline.readUInt16BE(place)
      if (!numbers.has(part)) numbers.set(part, all.push(part) - 1)
      outline.writeUInt16BE(numbers.get(part)!, place)
    }
    outlines.push(outline)
  }
  return fontOf(font, all, outlines)
}

/** Where a composite outline names its parts; nowhere in a simple one. */
function partsOf(outline: Buffer): readonly number[] {
  if (outline.length === 0 || outline.readInt16BE(0) >= 0) return []
  const places: number[] = []
  for (let at = 10; ; ) {
    const flags = outline.readUInt16BE(at)
    places.push(at + 2)
    at += 4 + (flags & WORDS ? 4 : 2)
    if (flags & SCALE) at += 2
    else if (flags & TWO_SCALES) at += 4
    else if (flags & MATRIX) at += 8
    if (!(flags & MORE)) return places
  }
}

function fontOf(font: TrueType, glyphs: readonly number[], outlines: readonly Buffer[]): Buffer {
  const loca = Buffer.alloc(4 * (outlines.length + 1))
  const padded = outlines.map((outline) => Buffer.concat([outline, Buffer.alloc(-outline.length & 3)]))
  let end = 0
  padded.forEach((outline, at) => {
    end += outline.length
    loca.writeUInt32BE(end, 4 * (at + 1))
  })
  const hmtx = Buffer.alloc(4 * glyphs.length)
  glyphs.forEach((glyph, at) => {
    const [width, bearing] = font.metricsOf(glyph)
    hmtx.writeUInt16BE(width, 4 * at)
    hmtx.writeInt16BE(bearing, 4 * at + 2)
  })
  const head = Buffer.from(font.table('head')!)
  head.writeUInt32BE(0, 8)
  head.writeInt16BE(1, 50)
  const hhea = Buffer.from(font.table('hhea')!)
  hhea.writeUInt16BE(glyphs.length, 34)
  const maxp = Buffer.from(font.table('maxp')!)
  maxp.writeUInt16BE(glyphs.length, 4)
  const tables = new Map<string, Buffer>([
    ...['cvt ', 'fpgm'].flatMap((tag): [string, Buffer][] => kept(font, tag)),
    ['glyf', Buffer.concat(padded)],
    ['head', head],
    ['hhea', hhea],
    ['hmtx', hmtx],
    ['loca', loca],
    ['maxp', maxp],
    ...kept(font, 'prep'),
  ])
  return assembled(tables)
}

function kept(font: TrueType, tag: string): [string, Buffer][] {
  const table = font.table(tag)
  return table === undefined ? [] : [[tag, table]]
}

function assembled(tables: ReadonlyMap<string, Buffer>): Buffer {
  const power = 2 ** Math.floor(Math.log2(tables.size))
  const directory = Buffer.alloc(12 + 16 * tables.size)
  directory.writeUInt32BE(0x00010000, 0)
  const numbers = [tables.size, 16 * power, Math.log2(power), 16 * (tables.size - power)]
  for (const [at, number] of numbers.entries()) directory.writeUInt16BE(number, 4 + 2 * at)
  const parts: Buffer[] = [directory]
  let [place, entry] = [directory.length, 12]
  for (const [tag, table] of tables) {
    const whole = Buffer.concat([table, Buffer.alloc(-table.length & 3)])
    directory.write(tag, entry, 'latin1')
    directory.writeUInt32BE(sumOf(whole), entry + 4)
    directory.writeUInt32BE(place, entry + 8)
    directory.writeUInt32BE(table.length, entry + 12)
    parts.push(whole)
    place += whole.length
    entry += 16
  }
  return Buffer.concat(parts)
}

function sumOf(table: Buffer): number {
  let sum = 0
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) >>> 0
  return sum
}
