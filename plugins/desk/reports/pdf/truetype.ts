/** A TrueType font as bytes: which glyph a character has, how wide it is, and its outline. */

/** Widths are in thousandths of the font's size. */
export interface TrueType {
  readonly glyphOf: (character: number) => number | undefined
  readonly widthOf: (glyph: number) => number
  /** The outline; empty for a space. */
  readonly outlineOf: (glyph: number) => Buffer
  readonly table: (tag: string) => Buffer | undefined
  readonly ascent: number
  readonly descent: number
  /** xMin, yMin, xMax, yMax. */
  readonly box: readonly number[]
  /** Width and side bearing as the font has them, in its own units. */
  readonly metricsOf: (glyph: number) => readonly [number, number]
}

/** Reads a font; throws where it is none, or has no outlines of the TrueType kind. */
export function readTrueType(bytes: Buffer): TrueType {
  const tables = new Map<string, Buffer>()
  for (let at = 0; at < bytes.readUInt16BE(4); at++) {
    const entry = 12 + 16 * at
    const from = bytes.readUInt32BE(entry + 8)
    tables.set(bytes.toString('latin1', entry, entry + 4), bytes.subarray(from, from + bytes.readUInt32BE(entry + 12)))
  }
  const need = (tag: string): Buffer => {
    const table = tables.get(tag)
    if (table === undefined) throw new Error(`the font has no table ${tag}`)
    return table
  }
  const [head, hhea, hmtx, loca, glyf] = ['head', 'hhea', 'hmtx', 'loca', 'glyf'].map(need) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ]
  const scale = 1_000 / head.readUInt16BE(18)
  const long = head.readInt16BE(50) === 1
  const placeOf = (glyph: number): number => (long ? loca.readUInt32BE(4 * glyph) : 2 * loca.readUInt16BE(2 * glyph))
  const measured = hhea.readUInt16BE(34)
  const metricsOf = (glyph: number): readonly [number, number] => {
    const own = Math.min(glyph, measured - 1)
    const bearing = glyph < measured ? 4 * glyph + 2 : 4 * measured + 2 * (glyph - measured)
    return [hmtx.readUInt16BE(4 * own), bearing + 2 <= hmtx.length ? hmtx.readInt16BE(bearing) : 0]
  }
  const characters = readCharacters(need('cmap'))
  return {
    glyphOf: (character) => characters.get(character),
    widthOf: (glyph) => metricsOf(glyph)[0] * scale,
    outlineOf: (glyph) => glyf.subarray(placeOf(glyph), placeOf(glyph + 1)),
    table: (tag) => tables.get(tag),
    ascent: hhea.readInt16BE(4) * scale,
    descent: hhea.readInt16BE(6) * scale,
    box: [36, 38, 40, 42].map((at) => Math.round(head.readInt16BE(at) * scale)),
    metricsOf,
  }
}

/** Character → glyph, from the widest of the Unicode maps that the font has. */
function readCharacters(cmap: Buffer): ReadonlyMap<number, number> {
  const found = new Map<number, Buffer>()
  for (let at = 0; at < cmap.readUInt16BE(2); at++) {
    const [platform, encoding] = [cmap.readUInt16BE(4 + 8 * at), cmap.readUInt16BE(6 + 8 * at)]
    if (platform !== 0 && !(platform === 3 && (encoding === 1 || encoding === 10))) continue
    const table = cmap.subarray(cmap.readUInt32BE(8 + 8 * at))
    found.set(table.readUInt16BE(0), table)
  }
  const groups = found.get(12)
  if (groups !== undefined) return readGroups(groups)
  const segments = found.get(4)
  if (segments === undefined) throw new Error('the font has no map of Unicode')
  return readSegments(segments)
}

function readGroups(table: Buffer): ReadonlyMap<number, number> {
  const characters = new Map<number, number>()
  for (let at = 0; at < table.readUInt32BE(12); at++) {
    const [first, last, glyph] = [0, 4, 8].map((by) => table.readUInt32BE(16 + 12 * at + by)) as [
      number,
      number,
      number,
    ]
    for (let by = 0; by <= last - first; by++) characters.set(first + by, glyph + by)
  }
  return characters
}

function readSegments(table: Buffer): ReadonlyMap<number, number> {
  const characters = new Map<number, number>()
  const bytes = table.readUInt16BE(6)
  for (let at = 0; at < bytes; at += 2) {
    const [last, first] = [table.readUInt16BE(14 + at), table.readUInt16BE(16 + bytes + at)]
    const delta = table.readUInt16BE(16 + 2 * bytes + at)
    const offset = 16 + 3 * bytes + at
    const range = table.readUInt16BE(offset)
    for (let character = first; character <= last && character !== 0xffff; character++) {
      const listed = range === 0 ? character : table.readUInt16BE(offset + range + 2 * (character - first))
      const glyph = range !== 0 && listed === 0 ? 0 : (listed + delta) & 0xffff
      if (glyph !== 0) characters.set(character, glyph)
    }
  }
  return characters
}
