/** Reads back what reports write: the parts of a zip archive, the cells of a sheet, the text of a PDF. */
import { inflateRawSync, inflateSync } from 'node:zlib'

/** Name → text of every entry, found by the directory at the end; throws where sizes or sums are wrong. */
export function readZip(bytes: Buffer): ReadonlyMap<string, string> {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  const entries = new Map<string, string>()
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, packed, size] = [16, 20, 24].map((by) => bytes.readUInt32LE(at + by)) as [number, number, number]
    const [name, extra, comment] = [28, 30, 32].map((by) => bytes.readUInt16LE(at + by)) as [number, number, number]
    const local = bytes.readUInt32LE(at + 42)
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const content = inflateRawSync(bytes.subarray(from, from + packed))
    if (content.length !== size || crcOf(content) !== crc) throw new Error('the entry is not what its head says')
    if (bytes.readUInt32LE(local + 14) !== crc) throw new Error('head and directory disagree')
    entries.set(bytes.toString('utf8', at + 46, at + 46 + name), content.toString('utf8'))
    at += 46 + name + extra + comment
  }
  return entries
}

function crcOf(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** The rows of a sheet by their places, `{ A1: 'UID', B2: 7 }`; numbers are numbers. */
export function readSheet(xml: string): ReadonlyMap<string, string | number> {
  const cells = new Map<string, string | number>()
  for (const [, place = '', value, text] of xml.matchAll(
    /<c r="([A-Z]+\d+)"[^>]*>(?:<v>([^<]*)<\/v>|<is><t[^>]*>([^<]*)<\/t><\/is>)<\/c>/g,
  )) {
    if (value !== undefined) cells.set(place, Number(value))
    else
      cells.set(
        place,
        (text ?? '')
          .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name] ?? '')
          .replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
      )
  }
  return cells
}

export interface Pdf {
  readonly pages: number
  /** Every text that is drawn, in order, each on a line. */
  readonly text: string
}

/** The objects of a PDF by their number; throws where an offset of its directory is wrong. */
function objectsOf(file: string): ReadonlyMap<number, string> {
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1])
  const size = Number(/^xref\n0 (\d+)\n/.exec(file.slice(start))?.[1])
  const directory = file.slice(start).split('\n')
  const objects = new Map<number, string>()
  for (const [number, line] of directory.slice(2, 2 + size).entries()) {
    if (!line.includes(' n')) continue
    const from = Number(line.slice(0, 10))
    const head = `${number} 0 obj\n`
    if (file.slice(from, from + head.length) !== head) throw new Error(`object ${number} is not at ${from}`)
    objects.set(number, file.slice(from, file.indexOf('endobj\n', from)))
  }
  return objects
}

function contentOf(object = ''): string {
  const from = object.indexOf('stream\n') + 7
  const length = Number(/\/Length (\d+)/.exec(object)?.[1])
  return inflateSync(Buffer.from(object.slice(from, from + length), 'latin1')).toString('latin1')
}

/** Code of a glyph → the text that it stands for. */
function meaningsOf(map: string): ReadonlyMap<string, string> {
  const meanings = new Map<string, string>()
  for (const [, first = '', list = ''] of map.matchAll(/^<(\w{4})> <\w{4}> \[(.*)\]$/gm)) {
    for (const [at, [, text = '']] of [...list.matchAll(/<([\w ]+)>/g)].entries()) {
      const code = (Number.parseInt(first, 16) + at).toString(16).padStart(4, '0')
      meanings.set(code, Buffer.from(text.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'))
    }
  }
  return meanings
}

/** The pages and text of a PDF; what stands on one line in several fonts is one text. */
export function readPdf(bytes: Buffer): Pdf {
  const objects = objectsOf(bytes.toString('latin1'))
  const numberOf = (text: string, name: string): number => Number(new RegExp(`/${name} (\\d+) 0 R`).exec(text)?.[1])
  const pages = [...objects.values()].filter((object) => /\/Type \/Page\n/.test(object))
  const lines: string[] = []
  for (const page of pages) {
    const resources = objects.get(numberOf(page, 'Resources')) ?? ''
    let last = { font: '', y: '' }
    for (const [, y = '', font = '', codes = ''] of contentOf(objects.get(numberOf(page, 'Contents'))).matchAll(
      /BT\n1 0 0 1 [-\d.]+ ([-\d.]+) Tm\n\/(F\d+) [\d.]+ Tf\n(?:\d Tr\n)?\[(.*?)\] TJ/gs,
    )) {
      const meanings = meaningsOf(
        contentOf(objects.get(numberOf(objects.get(numberOf(resources, font)) ?? '', 'ToUnicode'))),
      )
      const text = [...codes.matchAll(/<(\w+)>/g)]
        .flatMap(([, code = '']) => code.match(/\w{4}/g) ?? [])
        .map((code) => meanings.get(code) ?? '?')
        .join('')
      if (last.y === y && last.font !== font) lines.push(`${lines.pop()}${text}`)
      else lines.push(text)
      last = { font, y }
    }
  }
  return { pages: pages.length, text: lines.join('\n') }
}
