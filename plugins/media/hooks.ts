/** Hooks: a name keeps saying what the file is, and a file goes when its record has gone. */
import { type HookContext, invalid, type JobContext, type JsonObject, type Next } from '../../engine/index.ts'
import { removeStored } from '../files/stored.ts'
import { extensionOf, KINDS } from './kinds.ts'
import { nameFault } from './name.ts'

/** `media.keep_type`: refuses a name that would make another type of the file, or that can't be a file's. */
export async function keepType(context: HookContext, next: Next): Promise<void> {
  const { input, record } = context
  if (typeof input.name === 'string' && record !== undefined) {
    const fault = nameFault(input.name)
    if (fault !== undefined) throw invalid({ name: [`The name field ${fault}`] })
    const kind = KINDS.find(({ mime }) => mime === record.mime_type)
    if (kind !== undefined && !kind.extensions.includes(extensionOf(input.name)))
      throw invalid({
        name: [`The name field must end with .${kind.extensions.join(' or .')}, as the file is of that type`],
      })
  }
  await next()
}

/** `media.remove_file`: the file goes once the record is gone for certain, however often the storage has to be asked. */
export async function removeFile(context: HookContext, next: Next): Promise<void> {
  await next()
  const key = String(context.record?.path ?? '')
  await context.enqueue('media.remove', { key })
}

/** The job that removes a file whose record has gone. */
export async function removeLater(context: JobContext, { key }: JsonObject): Promise<undefined> {
  await removeStored(context, String(key))
}
