/**
 * POST /media checks a file, stores it under a name of its own, and then records it; GET /media/{id}/download returns
 * it, to be saved and never shown in place.
 */
import {
  ApiError,
  countStored,
  fieldError,
  invalid,
  isRefusal,
  namesTag,
  type Reply,
  type RouteContext,
} from '../../engine/index.ts'
import { freshKey } from '../files/key.ts'
import { storageOf } from '../files/open-storage.ts'
import type { Storage } from '../files/storage.ts'
import { readStored } from '../files/stored.ts'
import { dispositionOf, nameFault } from './name.ts'
import { countInDay, refuseBeyondQuota } from './quota.ts'
import { judgeFile } from './sniff.ts'

/**
 * Takes one file; throws validation_failed for `file` or for its record, or too_many_requests, and then stores nothing.
 */
export async function upload(context: RouteContext): Promise<Reply> {
  const { body, files, options } = context
  const file = files.find(({ part }) => part === 'file')
  if (file === undefined) throw invalid({ file: [fieldError('required', 'The file field is required')] })
  const fault = nameFault(file.name)
  if (fault !== undefined) throw invalid({ file: [fieldError(fault.code, `The name of the file ${fault.says}`)] })
  const allowed = (options.types as readonly string[] | undefined) ?? []
  const judged = await judgeFile(file.path, file.name, file.bytes, allowed)
  if (typeof judged === 'string') throw invalid({ file: [judged] })
  await refuseBeyondQuota(context, file.bytes)
  const key = freshKey(context, 'media', judged.extension)
  const { mime } = judged.kind
  const storage = storageOf(context.settings)
  // The file comes first: a crash leaves a file without a row, which the keeper finds, and never a record without its
  // file.
  await storage.put(key, { path: file.path, bytes: file.bytes, type: mime })
  return recorded(context, storage, key, () =>
    context.once(async (inner) => {
      await countInDay(inner, file.bytes)
      await countStored(inner, { records: 0, bytes: file.bytes })
      const fixed = { size: file.bytes, path: key, mime_type: mime }
      return { status: 201, data: await inner.records('media').create({ name: file.name, ...body }, fixed) }
    }),
  )
}

/** Records a stored file, and removes the file if that is refused. */
async function recorded<T>({ log }: RouteContext, storage: Storage, key: string, record: () => Promise<T>): Promise<T> {
  try {
    return await record()
  } catch (error) {
    // After a lost connection the record may exist, and must keep its file; the keeper finds the others.
    if (!isRefusal(error)) throw error
    await storage.remove(key).catch((err: unknown) => log.warn({ err, key }, 'a refused file could not be removed'))
    throw error
  }
}

/** Returns the file as it is stored; 404 also where a record's bytes are gone. */
export async function download(context: RouteContext): Promise<Reply> {
  const { headers, log, params } = context
  const record = await context.records('media').get(params.id ?? '')
  const key = String(record.path)
  // The content of a key never changes, so the key is the version.
  const etag = key.replace(/^.*\//, '').replace(/\..*$/, '')
  const unchanged = namesTag(headers['if-none-match'] ?? '', etag)
  const body = unchanged ? '' : await readStored(context, key)
  if (body === undefined) {
    log.error({ key }, 'a stored file is gone')
    throw new ApiError('record_not_found', { label: 'File' })
  }
  return {
    etag,
    headers: {
      'Content-Disposition': dispositionOf(String(record.name)),
      'Content-Security-Policy': "default-src 'none'; sandbox",
      ...(unchanged ? {} : { 'Content-Length': String(record.size) }),
    },
    raw: { type: String(record.mime_type), body },
  }
}
