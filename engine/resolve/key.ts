/** The id of a resource's records: of which type it is, and in which column. */
import type { IdDefinition } from '../definition/definition.ts'
import type { FieldOptions } from '../field/field-type.ts'
import { LIMITS } from '../limits.ts'
import type { DraftField, Resolution, Written } from './resolution.ts'

export type IdTypeName = NonNullable<IdDefinition['type']>

/** The types that an id may have, and the type of the fields that refer to it. */
export const REFERENCES: Readonly<Record<IdTypeName, string>> = {
  integer: 'reference',
  bigint: 'reference_bigint',
  uuid: 'reference_uuid',
  string: 'reference_string',
}

/** Longer words would be no addresses. */
const LONGEST_WORD = 100

/** The `id` of a resource; one on another's table has the id of that. */
export function keyField(resolution: Resolution, written: Written, owner: Written): DraftField | undefined {
  if (owner !== written && written.document.value.id !== undefined) {
    resolution.report(
      'of_mismatch',
      `"${written.name}" has the ids of "${owner.name}"`,
      written.document.place(['id'], 'key'),
      { hint: 'leave "id" out' },
    )
  }
  const { column, type: name } = idOf(owner)
  const type = resolution.extensions.fieldTypes.get(name)
  if (type === undefined) return undefined
  // What is a word is chosen by whoever creates the record.
  const isWord = name === 'string'
  const options: FieldOptions = { name: 'id', required: isWord, nullable: false, own: OWN[name] }
  return {
    name: 'id',
    column,
    type,
    options,
    label: 'Id',
    description: undefined,
    show: 'always',
    required: isWord,
    nullable: false,
    default: undefined,
    unique: true,
    readOnly: !isWord,
    immutable: true,
    computed: undefined,
    count: undefined,
    read: undefined,
    write: undefined,
    relation: undefined,
    renamedFrom: undefined,
    span:
      written.document.value.id === undefined
        ? written.document.place(['resource'])
        : written.document.place(['id'], 'key'),
  }
}

const OWN: Readonly<Record<IdTypeName, FieldOptions['own']>> = {
  integer: { min: 1, max: LIMITS.idMax },
  bigint: {},
  uuid: {},
  string: { max: LONGEST_WORD },
}

function idOf({ document }: Written): { readonly type: IdTypeName; readonly column: string } {
  const { id } = document.value
  const written = typeof id === 'string' ? { type: id } : (id ?? {})
  return { type: written.type ?? 'integer', column: written.column ?? 'id' }
}
