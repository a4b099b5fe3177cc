/** Hooks: a name keeps saying what the file is, and a file goes when its record has gone. */
import {
  type Field,
  fieldError,
  type HookContext,
  invalid,
  type JobContext,
  type JsonObject,
  type Next,
  type Resource,
} from '../../engine/index.ts'
import { removeStored } from '../files/stored.ts'
import { extensionOf, KINDS } from './kinds.ts'
import { nameFault } from './name.ts'

/** `media.keep_type`: refuses a name that would make another type of the file, or that cannot be a file's. */
export async function keepType(context: HookContext, next: Next): Promise<void> {
  const { input, record } = context
  if (typeof input.name === 'string' && record !== undefined) {
    const fault = nameFault(input.name)
    if (fault !== undefined) throw invalid({ name: [fieldError(fault.code, `The name field ${fault.says}`)] })
    const kind = KINDS.find(({ mime }) => mime === record.mime_type)
    if (kind !== undefined && !kind.extensions.includes(extensionOf(input.name)))
      throw invalid({
        name: [`The name field must end with .${kind.extensions.join(' or .')}, as the file is of that type`],
      })
  }
  await next()
}

/** `media.one_record`: where records decide who may send files, a file names the record it belongs to. */
export async function oneRecord(context: HookContext, next: Next): Promise<void> {
  const names = recordFields(context.catalog.resources.get('media')!).map(({ name }) => name)
  if (names.every((name) => (context.input[name] ?? null) === null)) {
    const last = names.at(-1)
    const which = names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${last}` : last
    throw invalid(Object.fromEntries(names.map((name) => [name, [`Say which record the file belongs to: ${which}`]])))
  }
  await next()
}

/** The fields of a file that name the record it belongs to. */
export function recordFields({ relations }: Resource): readonly Field[] {
  const fields = [...relations.values()].flatMap((one) => (one.kind === 'belongs_to' ? [one.field] : []))
  return fields.filter(({ readOnly }) => !readOnly)
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
