/** The content of a zip archive, from the directory at its end; nothing is ever unpacked. */
import type { FileHandle } from 'node:fs/promises'

const END = 0x06054b50
const ENTRY = 0x02014b50
const LOCAL = 0x04034b50
/** The size of the end record with the longest comment. */
const END_BYTES = 22 + 65_535
/** More than any document has, and small enough to hold. */
const DIRECTORY_BYTES = 4_194_304

/** Reads `length` bytes from `start`, fewer at the end of the file. */
export async function readBytes(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

interface Directory {
  readonly offset: number
  readonly bytes: number
  readonly entries: number
}

/** The place of the directory of a zip that ends with the file; undefined for a file that is no zip. */
async function directoryOf(file: FileHandle, size: number): Promise<Directory | undefined> {
  const tail = await readBytes(file, Math.max(0, size - END_BYTES), Math.min(size, END_BYTES))
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END || at + 22 + tail.readUInt16LE(at + 20) !== tail.length) continue
    return {
      entries: tail.readUInt16LE(at + 10),
      bytes: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    }
  }
  return undefined
}

/** Whether a program could open a file as a zip archive too, whatever it begins with. */
export async function endsAsArchive(file: FileHandle, size: number): Promise<boolean> {
  return size >= 22 && (await directoryOf(file, size)) !== undefined
}

/**
 * The names of an archive's entries; undefined where it is damaged, or more than an archive that begins with the file.
 */
export async function archiveNames(file: FileHandle, size: number): Promise<readonly string[] | undefined> {
  if (size < 22) return undefined
  const directory = await directoryOf(file, size)
  if (directory === undefined || directory.bytes > DIRECTORY_BYTES) return undefined
  const { offset, bytes, entries } = directory
  if (offset + bytes > size - 22) return undefined
  const block = await readBytes(file, offset, bytes)
  const names: string[] = []
  let at = 0
  let first = Number.POSITIVE_INFINITY
  while (at + 46 <= block.length && block.readUInt32LE(at) === ENTRY) {
    const name = block.readUInt16LE(at + 28)
    first = Math.min(first, block.readUInt32LE(at + 42))
    names.push(block.toString('utf8', at + 46, at + 46 + name))
    at += 46 + name + block.readUInt16LE(at + 30) + block.readUInt16LE(at + 32)
  }
  // Bytes before the first entry, or left over in the directory, make it two files in one.
  if (names.length !== entries || at !== block.length || first !== 0) return undefined
  const head = await readBytes(file, 0, 4)
  return head.length === 4 && head.readUInt32LE(0) === LOCAL ? names : undefined
}
