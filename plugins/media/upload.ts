/** POST /media: judges the file, stores it under a name of its own, and then records it. */
import { countStored, fieldError, invalid, isRefusal, type Reply, type RouteContext } from '../../engine/index.ts'
import { freshKey } from '../files/key.ts'
import { storageOf } from '../files/open-storage.ts'
import type { Storage } from '../files/storage.ts'
import { nameFault } from './name.ts'
import { countInDay, refuseBeyondQuota } from './quota.ts'
import { judgeFile } from './sniff.ts'

/** Takes one file; throws validation_failed for `file` or the record it belongs to, or too_many_requests, and then nothing is stored. */
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
  // The file comes first: a crash leaves a file that no row names, which the keeper finds, and never a record without its file.
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

/** Runs what records a stored file, and takes the file away again when that is refused. */
async function recorded<T>({ log }: RouteContext, storage: Storage, key: string, record: () => Promise<T>): Promise<T> {
  try {
    return await record()
  } catch (error) {
    // After a lost connection the record may be there, and is not left without its file: the keeper finds the others.
    if (!isRefusal(error)) throw error
    await storage.remove(key).catch((err: unknown) => log.warn({ err, key }, 'a refused file could not be removed'))
    throw error
  }
}
