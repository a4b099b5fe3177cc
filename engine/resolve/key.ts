/** The id of a resource's records: of which type it is, and in which column. */
import type { IdDefinition } from '../definition/definition.ts'
import { bigintId } from '../field/bigint.ts'
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
  const { column, type: name, chosen } = idOf(owner)
  const type = name === 'bigint' ? bigintId : resolution.extensions.fieldTypes.get(name)
  if (type === undefined) return undefined
  refuseCounted(resolution, written)
  // What is a word is chosen by whoever creates the record.
  const isChosen = name === 'string' || chosen
  const options: FieldOptions = { name: 'id', required: isChosen, nullable: false, own: OWN[name] }
  return {
    name: 'id',
    column,
    type,
    options,
    label: 'Id',
    description: undefined,
    show: 'always',
    required: isChosen,
    nullable: false,
    default: undefined,
    unique: true,
    readOnly: !isChosen,
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

function idOf({ document }: Written): { readonly type: IdTypeName; readonly column: string; readonly chosen: boolean } {
  const { id } = document.value
  const written = typeof id === 'string' ? { type: id } : (id ?? {})
  return { type: written.type ?? 'integer', column: written.column ?? 'id', chosen: written.chosen ?? false }
}

/** In a table of the engine's own the ids are made, and one that somebody chose would be made again. */
function refuseCounted(resolution: Resolution, { document }: Written): void {
  const { id, existing } = document.value
  if (existing === true || typeof id !== 'object' || id.chosen !== true) return
  const message = 'The ids of a table that the engine makes are made with the records'
  const hint = 'take "chosen" away, or write `type: string`; it is for tables with "existing: true"'
  resolution.report('wrong_option', message, document.place(['id', 'chosen'], 'key'), { hint })
}
