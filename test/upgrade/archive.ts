/** A folder as one compressed file, and back. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

/** Databases repeat themselves over tens of megabytes: a window that holds them all makes a third of the file. */
const OPTIONS = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 26,
    [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
  },
}

const LARGE_WINDOW = { params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 } }

export const packed = (bytes: Uint8Array | string): Promise<Buffer> => compress(bytes, OPTIONS)
export const unpacked = (bytes: Uint8Array): Promise<Buffer> => decompress(bytes, LARGE_WINDOW)

/** What comes before the files: where each is in the folder, and its length in bytes; a folder without files has none. */
type Contents = readonly (readonly [path: string, length: number | null])[]

/** Reads a folder: the length of the contents in four bytes, the contents as JSON, the files. */
export async function packFolder(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const contents: [string, number | null][] = []
  const files: Buffer[] = []
  for (const entry of entries) {
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')
    const file = entry.isFile() ? await readFile(join(folder, path)) : undefined
    contents.push([path, file?.length ?? null])
    if (file !== undefined) files.push(file)
  }
  const head = Buffer.from(JSON.stringify(contents))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  return packed(Buffer.concat([length, head, ...files]))
}

/** Writes what `packFolder` has read. */
export async function unpackFolder(bytes: Uint8Array, folder: string): Promise<void> {
  const whole = await unpacked(bytes)
  let at = 4 + whole.readUInt32BE()
  for (const [path, length] of JSON.parse(String(whole.subarray(4, at))) as Contents) {
    const target = join(folder, path)
    await mkdir(length === null ? target : dirname(target), { recursive: true })
    if (length === null) continue
    await writeFile(target, whole.subarray(at, at + length))
    at += length
  }
}
