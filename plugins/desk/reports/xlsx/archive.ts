/** ⇄ A zip archive written entry by entry to a file, each deflated while it is made. */
import { type FileHandle, open } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'

/*
 * Our own, on zlib: a workbook needs a dozen lines of the zip format. Libraries for it bring 0.5 to 20 MB, and only the
 * largest write a sheet without holding all of it.
 */

interface Entry {
  readonly name: string
  readonly at: number
  readonly crc: number
  readonly packed: number
  readonly size: number
}

export interface Archive {
  /** Adds a text file that comes in parts. */
  add(name: string, parts: Iterable<string> | AsyncIterable<string>): Promise<void>
  /** Writes the directory at the end; without it the file is no archive. */
  close(): Promise<void>
}

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
/** Version 2.0, names in UTF-8, deflated. */
const [VERSION, UTF8, DEFLATED] = [20, 0x0800, 8]
/** The first day of zip: files of equal rows are equal. */
const DAY = 0x0021

/** Begins an archive at `path`. */
export async function openArchive(path: string): Promise<Archive> {
  const file = await open(path, 'w')
  const entries: Entry[] = []
  let end = 0
  return {
    async add(name, parts) {
      const head = headOf(LOCAL, { name, at: end, crc: 0, packed: 0, size: 0 })
      const entry = await deflate(file, name, end, head.length, parts)
      // The sizes are known only now; written into the header, every reader understands the entry.
      const known = headOf(LOCAL, entry)
      await writeAt(file, known, entry.at)
      entries.push(entry)
      end = entry.at + head.length + entry.packed
    },
    async close() {
      const directory = Buffer.concat(entries.map((entry) => headOf(CENTRAL, entry)))
      const last = Buffer.alloc(22)
      last.writeUInt32LE(END, 0)
      last.writeUInt16LE(entries.length, 8)
      last.writeUInt16LE(entries.length, 10)
      last.writeUInt32LE(directory.length, 12)
      last.writeUInt32LE(end, 16)
      await writeAt(file, Buffer.concat([directory, last]), end)
      await file.close()
    },
  }
}

/** Writes all bytes: on a nearly full disk one call may write a part, and calls that success. */
async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    done += bytesWritten
  }
}

async function deflate(
  file: FileHandle,
  name: string,
  at: number,
  head: number,
  parts: Iterable<string> | AsyncIterable<string>,
): Promise<Entry> {
  let [crc, size, packed] = [0, 0, 0]
  const measured = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      crc = crc32(chunk, crc)
      size += chunk.length
      done(null, chunk)
    },
  })
  const bytes = Readable.from(parts, { objectMode: false })
  await pipeline(bytes, measured, createDeflateRaw(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      await writeAt(file, chunk, at + head + packed)
      packed += chunk.length
    }
  })
  return { name, at, crc, packed, size }
}

/** The header of an entry before its bytes, or the longer one in the directory. */
function headOf(signature: number, { name, at, crc, packed, size }: Entry): Buffer {
  const text = Buffer.from(name)
  const central = signature === CENTRAL
  const head = Buffer.alloc(central ? 46 : 30)
  head.writeUInt32LE(signature, 0)
  if (central) head.writeUInt16LE(VERSION, 4)
  const from = central ? 6 : 4
  const words = [VERSION, UTF8, DEFLATED, 0, DAY]
  for (const [index, word] of words.entries()) head.writeUInt16LE(word, from + 2 * index)
  const sums = [crc, packed, size]
  for (const [index, sum] of sums.entries()) head.writeUInt32LE(sum, from + 10 + 4 * index)
  head.writeUInt16LE(text.length, from + 22)
  if (central) head.writeUInt32LE(at, 42)
  return Buffer.concat([head, text])
}
