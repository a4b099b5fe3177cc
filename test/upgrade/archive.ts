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

/** The files of a folder by their paths; null for a folder in it. */
type Files = ReadonlyMap<string, Uint8Array | null>

/** How much of a file is left out where the one of the base has the same there: a page of a database, in bytes. */
const PAGE = 8192

/**
 * What comes before the contents: where each file is in the folder, and its length in bytes, or null for a folder. With
 * `own`, the file has these pages of its own, and the others are those of the base.
 */
type Listed = readonly [path: string, length: number | null, own?: readonly number[]]

async function filesOf(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, Uint8Array | null>()
  for (const entry of entries) {
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')
    files.set(path, entry.isFile() ? await readFile(join(folder, path)) : null)
  }
  return files
}

function pagesOf(file: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(file.length / PAGE) }, (_, at) => file.subarray(at * PAGE, (at + 1) * PAGE))
}

/** The places of the pages that the base has otherwise. */
function ownPages(file: Uint8Array, base: Uint8Array): readonly number[] {
  const others = pagesOf(base)
  return pagesOf(file).flatMap((page, at) => (Buffer.compare(page, others[at] ?? Buffer.alloc(0)) === 0 ? [] : [at]))
}

/**
 * Reads a folder: the length of the list in four bytes, the list as JSON, the contents. With a base, the bytes of another
 * folder by this function, without what is the same there.
 */
export async function packFolder(folder: string, base?: Uint8Array): Promise<Buffer> {
  const before = base === undefined ? undefined : await filesIn(base)
  const list: Listed[] = []
  const contents: Uint8Array[] = []
  for (const [path, file] of await filesOf(folder)) {
    const earlier = before?.get(path)
    const own = file && earlier ? ownPages(file, earlier) : undefined
    list.push(own === undefined ? [path, file?.length ?? null] : [path, file!.length, own])
    if (file === null) continue
    const pages = pagesOf(file)
    contents.push(...(own === undefined ? [file] : own.map((at) => pages[at]!)))
  }
  const head = Buffer.from(JSON.stringify(list))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  return packed(Buffer.concat([length, head, ...contents]))
}

async function filesIn(bytes: Uint8Array, base?: Uint8Array): Promise<Files> {
  const before = base === undefined ? undefined : await filesIn(base)
  const whole = await unpacked(bytes)
  let at = 4 + whole.readUInt32BE()
  const next = (length: number): Uint8Array => {
    at += length
    return whole.subarray(at - length, at)
  }
  const files = new Map<string, Uint8Array | null>()
  for (const [path, length, own] of JSON.parse(String(whole.subarray(4, at))) as readonly Listed[]) {
    if (length === null || own === undefined) files.set(path, length === null ? null : next(length))
    else files.set(path, withOwn(before!.get(path)!, length, own, next))
  }
  return files
}

function withOwn(
  base: Uint8Array,
  length: number,
  own: readonly number[],
  next: (length: number) => Uint8Array,
): Uint8Array {
  const file = new Uint8Array(length)
  file.set(base.subarray(0, length))
  for (const at of own) file.set(next(Math.min(PAGE, length - at * PAGE)), at * PAGE)
  return file
}

/** Writes what `packFolder` has read, over the same base. */
export async function unpackFolder(bytes: Uint8Array, folder: string, base?: Uint8Array): Promise<void> {
  for (const [path, file] of await filesIn(bytes, base)) {
    const target = join(folder, path)
    await mkdir(file === null ? target : dirname(target), { recursive: true })
    if (file !== null) await writeFile(target, file)
  }
}
