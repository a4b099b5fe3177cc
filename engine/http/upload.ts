/** Multipart bodies ⇄: files go to a temporary folder of the request, which is removed after it. */
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Context } from 'koa'
import { diskFailure, shortFile } from '../disk/failure.ts'
import { ApiError, invalid } from '../error.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import type { JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { discard } from './body.ts'
import type { HttpParts } from './http-app.ts'
import { guarded } from './part-headers.ts'
import type { UploadedFile, UploadLimits } from './route.ts'

/** Bytes for boundaries and part headers around the files. */
const FRAME_BYTES = 65_536
/** A folder this old belongs to a process that crashed. */
const STALE_MS = 3_600_000

interface Parts {
  readonly body: JsonObject
  readonly files: readonly UploadedFile[]
}

/** A multipart body that was received. */
export interface Upload extends Parts {
  /** Removes the folder of the files; never rejects. */
  remove(): Promise<void>
}

/** The most bytes that a multipart request may declare. */
export function uploadBytes(limits: UploadLimits | undefined): number {
  return (limits?.bytes ?? LIMITS.uploadBytes) + FRAME_BYTES
}

/** formidable's number for one file too many. */
const TOO_MANY_FILES = 1015

function tooManyFiles(most: number): FieldError {
  return most === 1
    ? fieldError('too_many', 'Only one file may be sent')
    : fieldError('invalid', `At most ${most} files may be sent`)
}

/** The refusal for a failed reading; `part` is the part of the first file. */
function refused(error: unknown, part: string, files: number): ApiError {
  if (error instanceof ApiError) return error
  const disk = diskFailure(error)
  if (disk !== undefined) return disk
  const of = (name: string) => (typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined)
  if (of('code') === TOO_MANY_FILES) return invalid({ [part]: [tooManyFiles(files)] })
  if (of('httpCode') === 413) return new ApiError('payload_too_large')
  return new ApiError('bad_request', { message: 'Malformed multipart request body', cause: error })
}

/** A part after formidable has read its headers. */
interface Headed {
  readonly originalFilename: string | null
  readonly mimetype: string | null
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The type of a part that is a file, or null for a text. formidable goes by the type alone, but libraries leave it out
 * of files (Python's requests), and give one to each text (.NET, Java).
 */
function fileType({ headers, mimetype, originalFilename }: Headed): string | null {
  const named = originalFilename !== null || /\bfilename\*=/i.test(headers?.['content-disposition'] ?? '')
  if (named) return mimetype || 'application/octet-stream'
  return /^\s*(text\/plain|application\/json)\b/i.test(mimetype ?? '') ? null : mimetype
}

/** The method of a part by which its events can be held back. */
interface Emitting {
  emit(event: string | symbol, ...args: unknown[]): boolean
}

/** Holds back the events of a part while its file is opened, because the parser does not wait for that. */
function handleFile<P extends Emitting>(part: P, handle: (part: P) => unknown): Promise<unknown> {
  const early: (readonly [event: string | symbol, args: readonly unknown[]])[] = []
  const emit: Emitting['emit'] = part.emit.bind(part)
  part.emit = (event, ...args) => early.push([event, args]) > 0
  return Promise.resolve(handle(part)).finally(() => {
    part.emit = emit
    for (const [event, args] of early) emit(event, ...args)
  })
}

/** A file that formidable has begun. */
interface Begun {
  readonly filepath: string
  readonly originalFilename: string | null
  readonly mimetype: string | null
}

/** A file that is being written. */
interface Arriving {
  readonly part: string
  readonly file: Begun
  /** Takes the bytes of the part. */
  readonly inlet: Transform
  /** Resolves when the file is closed; rejects when one byte could not be written. */
  readonly written: Promise<void>
  /** Bytes received. */
  bytes: number
}

/** Writes a file and counts its bytes: formidable ends a part even if its last bytes could not be written. */
function arrive(part: string, file: Begun): Arriving {
  const inlet = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      arriving.bytes += chunk.length
      done(null, chunk)
    },
  })
  const written = pipeline(inlet, createWriteStream(file.filepath, { flags: 'wx' }))
  written.catch(() => {})
  const arriving: Arriving = { part, file, inlet, written, bytes: 0 }
  return arriving
}

/** The file for the handler; throws unavailable where the disk has fewer bytes than were sent. */
async function described({ part, file, bytes, written }: Arriving): Promise<UploadedFile> {
  await written
  const { size } = await stat(file.filepath)
  if (size !== bytes) throw shortFile(file.filepath, bytes, size)
  return Object.freeze({
    part,
    name: basename((file.originalFilename ?? '').replaceAll('\\', '/')),
    type: (file.mimetype ?? '').toLowerCase(),
    bytes,
    path: file.filepath,
  })
}

/** Stops writing; returns the failure of the disk, if there was one. */
async function abandon(files: readonly Arriving[]): Promise<unknown> {
  for (const { inlet } of files) inlet.destroy()
  const ended = await Promise.allSettled(files.map(({ written }) => written))
  return ended.map((one) => (one.status === 'rejected' ? diskFailure(one.reason) : undefined)).find(Boolean)
}

async function receive(ctx: Context, limits: UploadLimits | undefined, uploadDir: string): Promise<Parts> {
  const { koaBody } = await import('koa-body')
  const begun: Arriving[] = []
  let failing = (_: unknown): void => {}
  const bytes = limits?.bytes ?? LIMITS.uploadBytes
  const maxFiles = limits?.files ?? LIMITS.uploadFiles
  const receiver = koaBody({
    multipart: true,
    json: false,
    text: false,
    urlencoded: false,
    formidable: {
      uploadDir,
      maxFileSize: bytes,
      maxTotalFileSize: bytes,
      maxFiles,
      maxFields: LIMITS.uploadFields,
      maxFieldsSize: LIMITS.jsonBytes,
      allowEmptyFiles: true,
      minFileSize: 0,
      onPart: (part, handle) => {
        part.mimetype = fileType(part)
        if (part.mimetype === null) handle(part)
        else handleFile(part, handle).catch((error: unknown) => failing(error))
      },
      onFileBegin: (part, file) => {
        const arriving = arrive(part, file)
        arriving.written.catch(failing)
        begun.push(arriving)
      },
      // Asked right after a file has begun.
      fileWriteStreamHandler: () => begun[begun.length - 1]!.inlet,
    },
  })
  // The parser reports one file too many, because it knows the part.
  const parts = guarded(ctx.req, LIMITS.uploadFields + maxFiles + 1)
  // After the last byte of a body the parser hears of no error, and would wait forever.
  const failed = new Promise<never>((_, reject) => {
    failing = reject
  })
  failed.catch(() => {})
  try {
    await Promise.race([receiver(Object.create(ctx, { req: { value: parts } }), async () => {}), failed])
    const body: unknown = Reflect.get(ctx.request, 'body')
    return { body: fieldsOf(body), files: await Promise.all(begun.map(described)) }
  } catch (error) {
    discard(ctx.req)
    throw (await abandon(begun)) ?? refused(error, begun[0]?.part ?? 'file', maxFiles)
  }
}

/** Values of parts are texts; of a repeated part the last one counts, as with keys of a JSON object. */
function fieldsOf(body: unknown): JsonObject {
  if (typeof body !== 'object' || body === null) return {}
  return Object.fromEntries(
    Object.entries(body).map(([key, value]: [string, unknown]) => [
      key,
      String(Array.isArray(value) ? value.at(-1) : value),
    ]),
  )
}

async function sweep(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path)
    if (now - mtimeMs > STALE_MS) await rm(path, { recursive: true, force: true })
  }
}

/** Receives a multipart body. The caller removes the files when its work has ended. */
export type ReceiveUpload = (ctx: Context, limits: UploadLimits | undefined) => Promise<Upload>

/** A folder for one request; its parent is made again if somebody removed it. */
async function ownFolder(folder: string): Promise<string> {
  const own = join(folder, 'upload-')
  return mkdtemp(own).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    await mkdir(folder, { recursive: true })
    return mkdtemp(own)
  })
}

/** Uploads below `folder`, which is made when needed. The first upload removes what a crash left there. */
export function uploads(folder: string, { now, log }: Pick<HttpParts, 'now' | 'log'>): ReceiveUpload {
  let swept: Promise<void> | undefined
  /** Folders that could not be removed; the next upload tries again. */
  const left = new Set<string>()
  const remove = async (own: string): Promise<void> => {
    try {
      await rm(own, { recursive: true, force: true, maxRetries: 3 })
      left.delete(own)
    } catch (err) {
      // The work is done: a folder that stays is no failure of it.
      if (!left.has(own)) log.warn({ err }, 'a temporary folder could not be removed')
      left.add(own)
    }
  }
  return async (ctx, limits) => {
    const own = await ownFolder(folder).catch((error: unknown) => {
      discard(ctx.req)
      throw error
    })
    const removeAll = async (): Promise<void> => {
      await Promise.all([own, ...left].map(remove))
    }
    swept ??= sweep(folder, now().getTime()).catch(() => {})
    await swept
    try {
      return { ...(await receive(ctx, limits, own)), remove: removeAll }
    } catch (error) {
      await removeAll()
      throw error
    }
  }
}
