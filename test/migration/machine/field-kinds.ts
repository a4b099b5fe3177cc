/** The kinds of changes of a field, each by its name. */
import { addField, backfilled, type Draw, type Edit, isUsed, isWritten, newField, ofField } from './edit.ts'
import { columnOf, type Field, type Resource, TYPES, type TypeName } from './shape.ts'
import { certainValue, WORDS } from './values.ts'

export const UNIQUE: ReadonlySet<TypeName> = new Set<TypeName>([
  'string',
  'integer',
  'decimal',
  'date',
  'enum',
  'timestamp',
])

const typeAt = (drawn: number) => TYPES[drawn % TYPES.length] ?? 'string'

/** The field with another type, and without what only the one before could say. */
function retyped(field: Field, { b }: Draw, isWord = false, to?: TypeName): Field {
  const { values: _, becomes: __, backfill: ___, default: ____, least: _____, unique, ...rest } = field
  const isOpen = (type: TypeName): boolean =>
    isWord ? type === 'enum' : type !== 'enum' && !(type === 'date' && field.type === 'timestamp')
  const others = TYPES.filter((type) => type !== field.type && isOpen(type))
  const type = to ?? others[b % others.length] ?? 'string'
  return {
    ...rest,
    type,
    ...(type === 'enum' ? { values: [...WORDS] } : {}),
    ...(unique && UNIQUE.has(type) ? { unique } : {}),
  }
}

const isNamed = (field: Field): boolean => isWritten(field) || field.total !== undefined
const isFree = (field: Field, resource: Resource): boolean => isWritten(field) && !isUsed(resource, field)
export const isInteger = (field: Field): boolean => field.type === 'integer' && isWritten(field)

function integersOf({ fields }: Resource): readonly [string, string] | undefined {
  const [first, second = first] = fields.filter(isInteger)
  return first && second && [first.key, second.key]
}

/** Without the last word; what rows have of it becomes the first one. */
function lessWords(field: Field, becomes: boolean): Field {
  const [first = '', ...rest] = field.values ?? []
  const gone = rest.at(-1)
  const words = [first, ...rest.slice(0, -1)]
  const { default: _, ...kept } = field
  const next = { ...kept, values: words }
  return becomes && gone !== undefined ? { ...next, becomes: { ...field.becomes, [gone]: first } } : next
}

function sameType(field: Field, { fields }: Resource): Field | undefined {
  return fields.find((one) => one !== field && one.type === field.type && isWritten(one) && one.backfill === undefined)
}

function otherType(field: Field, { fields }: Resource): Field | undefined {
  return fields.find(
    (one) => one.type !== field.type && one.type !== 'enum' && isWritten(one) && one.backfill === undefined,
  )
}

export const FIELD_EDITS = {
  add_field: addField((draw) => newField(typeAt(draw.b), draw)),
  add_default: addField((draw) => {
    const field = newField(typeAt(draw.b), draw)
    return { ...field, default: certainValue(field, draw.b) }
  }),
  add_required: addField((draw) => newField(typeAt(draw.b), draw, { required: true })),
  add_backfilled: addField((draw) => backfilled(newField(typeAt(draw.b), draw, { required: true }), draw.b)),
  add_copied: addField((draw, { fields }) => {
    const source = fields.filter(isWritten)[0]
    if (source === undefined || source.type === 'enum') return undefined
    return newField(source.type, draw, { backfill: { of: source.key } })
  }),
  add_required_copied: addField((draw, { fields }) => {
    const source = fields.filter(isWritten)[0]
    if (source === undefined || source.type === 'enum') return undefined
    return newField(source.type, draw, { required: true, backfill: { of: source.key } })
  }),
  add_long_name: addField((draw) => {
    const field = newField('string', draw)
    return { ...field, name: `${'long'.repeat(11)}x${field.name}` }
  }),
  remove_field: ofField(isFree, () => undefined),
  rename_field: ofField(isNamed, (field, draw) => {
    return { ...field, name: `f${draw.fresh()}`, earlier: field.name }
  }),
  forget_rename: ofField(
    ({ earlier }) => earlier !== undefined,
    ({ earlier: _, ...field }) => field,
  ),
  retype_field: ofField(
    (field, resource) => isFree(field, resource),
    (field, draw) => retyped(field, draw),
  ),
  retype_to_words: ofField(
    (field, resource) => field.type !== 'enum' && isFree(field, resource),
    (field, draw) => retyped(field, draw, true),
  ),
  moment_to_day: ofField(
    (field, resource) => field.type === 'timestamp' && isFree(field, resource),
    ({ key, name, required }) => ({ key, name, type: 'date', ...(required ? { required } : {}) }),
  ),
  retype_backfilled: ofField(
    (field, resource) => isFree(field, resource),
    (field, draw) => {
      return backfilled(retyped(field, draw), draw.b)
    },
  ),
  retype_copied: ofField(
    (field, resource) => isFree(field, resource) && otherType(field, resource) !== undefined,
    (field, draw, resource) => {
      const { key = '', type = 'string' } = otherType(field, resource) ?? {}
      return { ...retyped(field, draw, false, type), required: true, backfill: { of: key } }
    },
  ),
  require_field: ofField(
    (field) => isWritten(field) && field.required !== true,
    (field) => ({ ...field, required: true }),
  ),
  require_backfilled: ofField(
    (field) => isWritten(field) && field.required !== true,
    (field, draw) => ({ ...backfilled(field, draw.b), required: true }),
  ),
  require_copied: ofField(
    (field, resource) => isWritten(field) && field.required !== true && sameType(field, resource) !== undefined,
    (field, _, resource) => ({
      ...field,
      required: true,
      backfill: { of: sameType(field, resource)?.key ?? '' },
    }),
  ),
  relax_field: ofField(
    ({ required }) => required === true,
    ({ required: _, ...field }) => field,
  ),
  make_unique: ofField(
    (field) => UNIQUE.has(field.type) && isWritten(field) && field.unique !== true,
    (field) => ({ ...field, unique: true }),
  ),
  allow_equal: ofField(
    ({ unique }) => unique === true,
    ({ unique: _, ...field }) => field,
  ),
  more_words: ofField(
    ({ type, values = [] }) => type === 'enum' && values.length < WORDS.length,
    (field) => ({ ...field, values: WORDS.slice(0, (field.values ?? []).length + 1) }),
  ),
  less_words: ofField(
    ({ type, values = [] }) => type === 'enum' && values.length > 1,
    (field) => lessWords(field, false),
  ),
  words_become: ofField(
    ({ type, values = [] }) => type === 'enum' && values.length > 1,
    (field) => lessWords(field, true),
  ),
  other_column: ofField(isNamed, (field, draw) => ({ ...field, column: `c${draw.fresh()}` })),
  rename_keeping_column: ofField(isWritten, (field, draw) => {
    return { ...field, column: columnOf(field), name: `f${draw.fresh()}`, earlier: field.name }
  }),
  add_sequence: addField((draw) => newField('sequence', draw)),
  string_to_sequence: ofField(
    (field, resource) => field.type === 'string' && isFree(field, resource),
    ({ key, name }) => ({ key, name, type: 'sequence' }),
  ),
  add_stored: addField((draw, resource) => {
    const sum = integersOf(resource)
    return sum && newField('integer', draw, { sum })
  }),
  write_stored: ofField(
    ({ sum }) => sum !== undefined,
    ({ sum: _, ...field }) => field,
  ),
  store_written: ofField(
    (field, resource) => isInteger(field) && isFree(field, resource) && !integersOf(resource)?.includes(field.key),
    ({ key, name, type }, _, resource) => ({ key, name, type, sum: integersOf(resource) ?? [key, key] }),
  ),
  remove_stored: ofField(
    ({ sum }) => sum !== undefined,
    () => undefined,
  ),
  add_follow: addField((draw, { fields }) => {
    const source = fields.filter(isWritten)[0]
    if (source === undefined || source.type === 'enum' || source.type === 'list') return undefined
    return newField(source.type, draw, { follows: source.key })
  }),
  end_follow: ofField(
    ({ follows }) => follows !== undefined,
    ({ follows: _, ...field }) => field,
  ),
  narrow: ofField(
    (field) => field.type === 'integer' && isWritten(field) && field.least === undefined,
    (field) => ({ ...field, least: 1 }),
  ),
  widen: ofField(
    ({ least }) => least !== undefined,
    ({ least: _, ...field }) => field,
  ),
} satisfies Readonly<Record<string, Edit>>
