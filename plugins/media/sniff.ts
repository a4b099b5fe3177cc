/**
 * ⇄ Judges an uploaded file: its extension is allowed, and its content is what the extension says, and nothing else.
 *
 * Our own, because it is stricter: file-type names what a file begins as, and says nothing of text, of scripts inside, or
 * of an archive behind a picture.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { archiveNames, endsAsArchive, readBytes } from './archive.ts'
import { beginsAs, extensionOf, type Kind, kindOf } from './kinds.ts'

const HEAD_BYTES = 4_096
const CHUNK_BYTES = 65_536

/** What browsers run, anywhere near the beginning of a file. */
const ACTIVE = /<(?:!doctype\s+html|html|head|body|script|svg|iframe|object|embed|\?php|\?xml)[\s>:/]|<\?php|<%/i
/**
 * Beginnings of texts that a program would run; programs of Windows and Linux themselves have bytes that no text has.
 */
const RUN = /^\s*(?:#!|<\?|<(?:!doctype|!--|html|head|body|script|svg)\b|@echo\b)/i
/** Entries of archives that are programs: macros, and files that systems start by a click. */
const PROGRAM = /(?:vbaProject\.bin|\.(?:exe|dll|com|scr|msi|bat|cmd|ps1|vbs|js|jar|class|sh|apk|dex|lnk|hta))$/i

export interface Judged {
  readonly kind: Kind
  readonly extension: string
}

/** The type of a file by its name and content, or the sentence that refuses it. */
export async function judgeFile(
  path: string,
  name: string,
  size: number,
  allowed: readonly string[],
): Promise<Judged | string> {
  if (size === 0) return 'The file must not be empty'
  const extension = extensionOf(name)
  const kind = kindOf(extension, allowed)
  if (kind === undefined) {
    const what = extension === '' ? 'Files without an extension' : `Files of type .${extension.slice(0, 20)}`
    return `${what} are not accepted; allowed: ${allowed.join(', ')}`
  }
  const file = await open(path)
  try {
    const fits = await agrees(file, kind, size)
    return fits ? { kind, extension } : `The content of the file is not that of a .${extension} file`
  } finally {
    await file.close()
  }
}

async function agrees(file: FileHandle, kind: Kind, size: number): Promise<boolean> {
  if (kind.content === 'text' || kind.content === 'json') return isText(file, kind.content === 'json')
  const head = (await readBytes(file, 0, HEAD_BYTES)).toString('latin1')
  if (!beginsAs(kind, head)) return false
  if (kind.content === 'zip') return isArchiveOf(kind, await archiveNames(file, size), head)
  if (ACTIVE.test(head) || (await endsAsArchive(file, size))) return false
  return kind.content !== 'ole' || isDocument(file, kind.inside ?? '')
}

function isArchiveOf(kind: Kind, names: readonly string[] | undefined, head: string): boolean {
  if (names === undefined || names.some((name) => PROGRAM.test(name))) return false
  if (kind.inside === '') return true
  if (!names.includes(kind.inside ?? '')) return false
  if (!kind.mime.includes('opendocument')) return names.includes('[Content_Types].xml')
  // The first entry of an OpenDocument is its type, stored without compression.
  return head.slice(30).startsWith(`mimetype${kind.mime}`)
}

/** Whether a text is UTF-8 without NUL, and has nothing that a browser or a shell would run. */
async function isText(file: FileHandle, json: boolean): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let first: string | undefined
  try {
    for await (const chunk of chunks(file)) {
      if (chunk.includes(0)) return false
      const text = decoder.decode(chunk, { stream: true })
      first ??= text.slice(0, HEAD_BYTES)
    }
    decoder.decode()
  } catch {
    return false
  }
  const beginning = first ?? ''
  if (json) return /^\s*[{["\-0-9tfn]/.test(beginning)
  return !RUN.test(beginning)
}

/** Whether an OLE file has the stream of its type, and no macros. */
async function isDocument(file: FileHandle, stream: string): Promise<boolean> {
  const wanted = Buffer.from(stream, 'utf16le')
  const macros = Buffer.from('_VBA_PROJECT', 'utf16le')
  let found = false
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks(file)) {
    const window = Buffer.concat([rest, chunk])
    if (window.includes(macros)) return false
    found ||= window.includes(wanted)
    rest = window.subarray(Math.max(0, window.length - 64))
  }
  return found
}

async function* chunks(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; at += CHUNK_BYTES) {
    const chunk = await readBytes(file, at, CHUNK_BYTES)
    if (chunk.length > 0) yield chunk
    if (chunk.length < CHUNK_BYTES) return
  }
}
