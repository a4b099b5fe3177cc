/** ⇄ The text of a file: its encoding, and its characters in pieces. */
import { createReadStream } from 'node:fs'
import { type FieldError, invalid } from '../../engine/index.ts'

/** The encodings of spreadsheets and desks; UTF-16 only with a byte order mark. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** The characters of windows-1252 where Latin-1 has control characters; a space means none. */
const FROM_80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'

/** The character of a number from 128 to 159 in windows-1252; undefined where it has none. */
export function fromWindows1252(code: number): string | undefined {
  const found = FROM_80[code - 0x80]
  return found === ' ' ? undefined : found
}

/** Refuses the file as a whole. */
export function fileRefused(...mistakes: readonly (FieldError | string)[]): Error {
  return invalid({ file: mistakes })
}

function noText(): Error {
  return fileRefused('The file must be text in UTF-8, windows-1252, or UTF-16 with a byte order mark')
}

/** Reads a whole file for its encoding; throws validation_failed for `file` where it is no text. */
export async function encodingOf(path: string): Promise<Encoding> {
  const marked = await markOf(path)
  const encoding = marked ?? 'utf-8'
  try {
    for await (const _ of textOf(path, encoding));
    return encoding
  } catch (error) {
    if (marked !== undefined || !(error instanceof NotInEncoding)) throw error
  }
  if (await isBrokenUtf8(path)) throw noText()
  return 'windows-1252'
}

/** The encoding of a byte order mark, or undefined without one. */
async function markOf(path: string): Promise<Encoding | undefined> {
  for await (const chunk of bytesOf(path, 2)) {
    const [first, second, third] = chunk
    if (first === 0xff && second === 0xfe) return 'utf-16le'
    if (first === 0xfe && second === 0xff) return 'utf-16be'
    if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
    return undefined
  }
  return undefined
}

/** Thrown where the text may be in another encoding; the caller tries that one, or answers with this error. */
class NotInEncoding extends Error {}

/** The text of a file in pieces, without its byte order mark; refuses other encodings, and NUL, which no text has. */
export async function* textOf(path: string, encoding: Encoding): AsyncGenerator<string, void> {
  const decode = encoding === 'windows-1252' ? fromWindows : decoderOf(encoding)
  for await (const chunk of bytesOf(path)) {
    const text = decode(chunk)
    if (text.includes('\0')) throw noText()
    if (text !== '') yield text
  }
  decode()
}

function decoderOf(encoding: Exclude<Encoding, 'windows-1252'>): (chunk?: Buffer) => string {
  const decoder = new TextDecoder(encoding, { fatal: true })
  return (chunk) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    } catch {
      if (encoding === 'utf-8') throw new NotInEncoding()
      throw noText()
    }
  }
}

function fromWindows(chunk?: Buffer): string {
  const text = chunk?.toString('latin1') ?? ''
  return text.replace(/[\x80-\x9f]/g, (character) => {
    const found = fromWindows1252(character.charCodeAt(0))
    if (found === undefined) throw noText()
    return found
  })
}

/**
 * Whether a file that is not UTF-8 was meant to be: most of its characters beyond ASCII are valid, or its last one is
 * cut off. As windows-1252 it would be read without an error, and every umlaut wrong.
 */
async function isBrokenUtf8(path: string): Promise<boolean> {
  let [right, wrong, length, left] = [0, 0, 0, 0]
  for await (const chunk of bytesOf(path)) {
    for (const byte of chunk) {
      const goesOn = byte >= 0x80 && byte < 0xc0
      if (left > 0 && goesOn) {
        if (--left === 0) right++
        continue
      }
      if (left > 0 || goesOn || byte > 0xf4) wrong++
      length = byte < 0xc2 || byte > 0xf4 ? 0 : byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
      left = length
    }
  }
  if (left > 0 && left < length) right++
  else if (left > 0) wrong++
  return right >= wrong
}

async function* bytesOf(path: string, most?: number): AsyncGenerator<Buffer, void> {
  const stream = createReadStream(path, most === undefined ? {} : { end: most })
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) yield chunk
}
