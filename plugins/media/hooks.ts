/** Hooks: a file name keeps its type, a file names its record, and a file is removed with its record. */
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

/** `media.keep_type`: refuses a name of another type, or one that no file can have. */
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

/** `media.one_record`: where records decide who may send files, a file must name its record. */
export async function oneRecord(context: HookContext, next: Next): Promise<void> {
  const names = recordFields(context.catalog.resources.get('media')!).map(({ name }) => name)
  if (names.every((name) => (context.input[name] ?? null) === null)) {
    const last = names.at(-1)
    const which = names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${last}` : last
    throw invalid(Object.fromEntries(names.map((name) => [name, [`Say which record the file belongs to: ${which}`]])))
  }
  await next()
}

/** The fields of a file that name its record. */
export function recordFields({ relations }: Resource): readonly Field[] {
  const fields = [...relations.values()].flatMap((one) => (one.kind === 'belongs_to' ? [one.field] : []))
  return fields.filter(({ readOnly }) => !readOnly)
}

/** `media.remove_file`: removes the file once the record is certainly gone, however often the storage must be asked. */
export async function removeFile(context: HookContext, next: Next): Promise<void> {
  await next()
  const key = String(context.record?.path ?? '')
  await context.enqueue('media.remove', { key })
}

/** The job that removes the file of a deleted record. */
export async function removeLater(context: JobContext, { key }: JsonObject): Promise<undefined> {
  await removeStored(context, String(key))
}
