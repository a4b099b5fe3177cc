/** The judge of stored values: the same function that judges a request, with a hash of its rules. */
import type { Field } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import { wireJson } from '../field/index.ts'
import type { Json } from '../json.ts'
import { contentHash, type Judge } from './table.ts'

/** Types whose values are all that their column can hold, as far as no option narrows them. */
const PLAIN: ReadonlySet<string> = new Set([
  'string',
  'text',
  'integer',
  'bigint',
  'decimal',
  'boolean',
  'date',
  'timestamp',
  'uuid',
  'json',
])

/** Options that the type of the column says, and those that say nothing of a stored value. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  string: ['max'],
  decimal: ['precision', 'scale'],
  slug: ['from'],
  enum: ['becomes'],
  list: ['becomes'],
  sequence: ['start'],
}

/**
 * The judge of a field; undefined where callers cannot write it, where it refers to a record, or where it is stored in another form than it is sent.
 */
export function judgeOf(field: Field): Judge | undefined {
  const { options, type } = field
  const isWritten = isStored(field) && field.stored === undefined && field.relation === undefined
  if (!isWritten || type.internal === true || type.hidden === true) return undefined
  const said = SAID[type.name] ?? []
  const own = Object.entries(options.own).filter(([name]) => !said.includes(name))
  const isPlain = PLAIN.has(type.name) && own.length === 0
  return {
    ...(isPlain ? {} : { mark: contentHash([type.name, own]) }),
    kind: type.name === 'enum' ? 'words' : type.name === 'list' ? 'list' : 'value',
    fits: (text, former = []) => fits(field, JSON.parse(wireJson(type.wire, text)) as Json, former),
  }
}

/** As a body is read: texts are trimmed, and an empty one is null. */
function fits({ options, type }: Field, value: Json, former: readonly string[]): boolean {
  const sent = typeof value === 'string' && type.verbatim !== true ? value.trim() : value
  if (sent === null || sent === '') return true
  const known =
    former.length === 0 || !Array.isArray(sent) ? sent : sent.filter((item) => !former.includes(String(item)))
  const decoded = type.decode(known, options)
  // Searches in lower case would not find the value as it is.
  return 'value' in decoded && (type.lowered !== true || decoded.value === value)
}
