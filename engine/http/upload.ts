/** Multipart bodies ⇄: files go to a temporary folder of the request, which is removed however the request ends. */
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Context } from 'koa'
import { ApiError, invalid } from '../error.ts'
import type { JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { discard } from './body.ts'
import { guarded } from './part-headers.ts'
import type { UploadedFile, UploadLimits } from './route.ts'

/** Boundaries and part headers around the files. */
const FRAME_BYTES = 65_536
/** A folder this old belongs to a process that crashed. */
const STALE_MS = 3_600_000

export interface Upload {
  readonly body: JsonObject
  readonly files: readonly UploadedFile[]
}

/** How many bytes a multipart request may declare. */
export function uploadBytes(limits: UploadLimits | undefined): number {
  return (limits?.bytes ?? LIMITS.uploadBytes) + FRAME_BYTES
}

/** formidable's number for one file too many. */
const TOO_MANY_FILES = 1015

/** What a failed reading means for the caller; `part` is the part of the first file. */
function refused(error: unknown, part: string, files: number): ApiError {
  if (error instanceof ApiError) return error
  const of = (name: string) => (typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined)
  if (of('code') === TOO_MANY_FILES)
    return invalid({ [part]: [files === 1 ? 'Only one file may be sent' : `At most ${files} files may be sent`] })
  if (of('httpCode') === 413) return new ApiError('payload_too_large')
  return new ApiError('bad_request', { message: 'Malformed multipart request body', cause: error })
}

/** What formidable tells of a file it has begun. */
interface Begun {
  readonly filepath: string
  readonly originalFilename: string | null
  readonly mimetype: string | null
  readonly size: number
}

function described(part: string, file: Begun): UploadedFile {
  return Object.freeze({
    part,
    name: basename((file.originalFilename ?? '').replaceAll('\\', '/')),
    type: (file.mimetype ?? '').toLowerCase(),
    bytes: file.size,
    path: file.filepath,
  })
}

async function receive(ctx: Context, limits: UploadLimits | undefined, uploadDir: string): Promise<Upload> {
  const { koaBody } = await import('koa-body')
  const begun: { part: string; file: Begun }[] = []
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
      onFileBegin: (part, file) => begun.push({ part, file }),
    },
  })
  // One file too many is for the parser to tell, because it knows which part that is.
  const parts = guarded(ctx.req, LIMITS.uploadFields + maxFiles + 1)
  try {
    await receiver(Object.create(ctx, { req: { value: parts } }), async () => {})
  } catch (error) {
    discard(ctx.req)
    throw refused(error, begun[0]?.part ?? 'file', maxFiles)
  }
  const body: unknown = Reflect.get(ctx.request, 'body')
  return { body: fieldsOf(body), files: begun.map(({ part, file }) => described(part, file)) }
}

/** Part values are texts; of a part that came twice, the last counts, as with keys of a JSON object. */
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

/** Receives a multipart body, lets `work` use its files, and removes them whatever happens. */
export type WithUpload = <T>(
  ctx: Context,
  limits: UploadLimits | undefined,
  work: (upload: Upload) => Promise<T>,
) => Promise<T>

/** Uploads below `folder`. The first one creates it, and removes what a crash left there. */
export function uploads(folder: string, now: () => Date): WithUpload {
  let ready: Promise<void> | undefined
  const prepare = async () => {
    await mkdir(folder, { recursive: true })
    await sweep(folder, now().getTime()).catch(() => {})
  }
  return async (ctx, limits, work) => {
    ready ??= prepare()
    await ready
    const own = await mkdtemp(join(folder, 'upload-'))
    try {
      return await work(await receive(ctx, limits, own))
    } finally {
      await rm(own, { recursive: true, force: true })
    }
  }
}
