/** What tests of media share: multipart bodies, and small files that are what their names say. */
import { crc32, deflateSync } from 'node:zlib'
import type { Answer, Desk, Person } from '../../desk/desk.ts'

/** One part of a multipart body; a file has a name. */
export interface Part {
  readonly name: string
  readonly value: string | Uint8Array
  readonly file?: string
  readonly type?: string
}

/** Sends parts as a multipart body. */
export function sendParts(
  desk: Desk,
  method: string,
  path: string,
  as: Person | undefined,
  parts: readonly Part[],
): Promise<Answer> {
  const boundary = 'a-boundary-between-parts'
  const chunks = parts.flatMap(({ name, value, file, type }) => {
    const disposition = `Content-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}`
    const head = `--${boundary}\r\n${disposition}\r\n${file === undefined ? '' : `Content-Type: ${type ?? 'application/octet-stream'}\r\n`}\r\n`
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')]
  })
  const body = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(body.length) }
  return desk.call(method, path, { as, body, headers })
}

/** Uploads one file, below a ticket where one is named. */
export function uploadFile(
  desk: Desk,
  as: Person | undefined,
  file: string,
  value: string | Uint8Array,
  ticket?: unknown,
): Promise<Answer> {
  const part = { name: 'file', value, file }
  return sendParts(
    desk,
    'POST',
    '/media',
    as,
    ticket === undefined ? [part] : [part, { name: 'ticket_id', value: String(ticket) }],
  )
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A picture of one grey pixel. */
export const PNG = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
  chunk('IDAT', deflateSync(Buffer.from([0, 128]))),
  chunk('IEND', Buffer.alloc(0)),
])

export const PDF = Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n')

/** A zip archive with its entries stored as they are. */
export function zipOf(entries: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(entries)) {
    const data = Buffer.from(text)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt32LE(crc32(data), 10)
    shared.writeUInt32LE(data.length, 14)
    shared.writeUInt32LE(data.length, 18)
    shared.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, Buffer.from(name), data])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), shared, place, Buffer.from(name)]))
    locals.push(local)
    offset += local.length
  }
  const block = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(block.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, block, Buffer.from('PK\x05\x06'), end])
}

export const DOCX = zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': '<document/>' })
export const ODT = zipOf({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<office/>' })
