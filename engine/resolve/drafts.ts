/** Pass: makes a draft of every resource, with what needs no other resource: id, names, path, table, fields, actions, codes. */

import type { Resource, WriteAction } from '../catalog/catalog.ts'
import { plural, resourceHeading, resourceLabel } from '../catalog/name.ts'
import { isStored, typed } from '../catalog/stored.ts'
import type { ActionName, IdDefinition, ResourceDefinition } from '../definition/definition.ts'
import { bigint, bigintId } from '../field/bigint.ts'
import { alsoNotANumber } from '../field/column-type.ts'
import type { Decoded, FieldOptions, FieldType } from '../field/field-type.ts'
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Pieces } from '../turns.ts'
import { renameOf } from './document-part.ts'
import { resolveField } from './fields.ts'
import type { Draft, DraftField, Resolution, Written } from './resolution.ts'

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
function keyField(resolution: Resolution, written: Written, owner: Written): DraftField | undefined {
  if (owner !== written && written.document.value.id !== undefined) {
    resolution.report(
      'of_mismatch',
      `"${written.name}" has the ids of "${owner.name}"`,
      written.document.place(['id'], 'key'),
      { hint: 'leave "id" out' },
    )
  }
  const { column, type: name, chosen } = idOf(owner)
  const plain = name === 'bigint' ? bigintId : resolution.extensions.fieldTypes.get(name)
  const type = plain && idOver(plain, owner)
  if (type === undefined) return undefined
  refuseCounted(resolution, written)
  // An id that is a word is chosen by the caller who creates the record.
  const isChosen = name === 'string' || chosen
  const own = type.verbatim === true ? { ...OWN[name], min: 1 } : OWN[name]
  const options: FieldOptions = { name: 'id', required: isChosen, nullable: false, own }
  return {
    name: 'id',
    column,
    ...typed(type, options),
    label: 'ID',
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

const ANY_INTEGER = { minimum: -LIMITS.idMax - 1, maximum: LIMITS.idMax }

/** What answers and paths have of ids that other programs count from 0, or below it; a new record gets none of these. */
const ANY_NUMBER: Readonly<Record<string, Partial<FieldType>>> = {
  integer: { schema: () => ({ type: 'integer', ...ANY_INTEGER }) },
  bigint: { parse: bigint.parse, schema: () => ({ type: 'string', pattern: '^-?[0-9]{1,19}$' }) },
}

/** The ids of records of a table of others, as references take them. */
export function idOfOthers({ options, type }: Pick<DraftField, 'options' | 'type'>, value: Json): Decoded {
  if (type.name === 'bigint') return bigint.decode(value, options)
  if (type.name !== 'integer') return type.decode(value, options)
  return type.decode(value, { ...options, own: { min: ANY_INTEGER.minimum, max: ANY_INTEGER.maximum } })
}

function idOf({ document }: Written): { readonly type: IdTypeName; readonly column: string; readonly chosen: boolean } {
  const { id } = document.value
  const written = typeof id === 'string' ? { type: id } : (id ?? {})
  return { type: written.type ?? 'integer', column: written.column ?? 'id', chosen: written.chosen ?? false }
}

/** The type of the ids over a column of another type; as they are sent where the table is that of others. */
function idOver(type: FieldType, { document }: Written): FieldType {
  const { existing, id } = document.value
  if (existing !== true || type.name === 'uuid') return type
  if (type.name !== 'string') return { ...type, ...ANY_NUMBER[type.name] }
  const { column_type: column, values } = typeof id === 'object' ? id : {}
  const sent: FieldType = { ...type, verbatim: true, ...(column === undefined ? {} : { column: () => column }) }
  if (values === undefined) return sent
  // Another word would be an error of the database and not merely the id of no record.
  const known = (decoded: Decoded): Decoded =>
    'error' in decoded || values.includes(String(decoded.value))
      ? decoded
      : { code: 'not_allowed', error: `must be one of ${values.join(', ')}` }
  return {
    ...sent,
    decode: (value, options) => known(type.decode(value, options)),
    parse: (text, options) => known(type.parse(text, options)),
  }
}

/** In a table of the engine's own the ids are made, and one that somebody chose would be made again. */
function refuseCounted(resolution: Resolution, { document }: Written): void {
  const { id, existing } = document.value
  if (existing === true || typeof id !== 'object' || id.chosen !== true) return
  const message = 'The ids of a table that the engine makes are made with the records'
  const hint = 'take "chosen" away, or write `type: string`; it is for tables with "existing: true"'
  resolution.report('wrong_option', message, document.place(['id', 'chosen'], 'key'), { hint })
}

const ACTIONS: readonly ActionName[] = ['list', 'get', 'create', 'update', 'delete', 'restore']
const STATUS_CODES: Readonly<Record<ActionName, number>> = {
  list: 200,
  get: 200,
  create: 201,
  update: 200,
  delete: 204,
  restore: 200,
}

/** Makes a draft of every written resource, in order of names, so that the order of files never matters. */
export function* draftResources(resolution: Resolution): Pieces<void> {
  for (const name of [...resolution.written.keys()].sort()) {
    const written = resolution.written.get(name)!
    const draft = draftOf(resolution, written)
    if (draft !== undefined) resolution.drafts.set(name, draft)
    yield
  }
}

function draftOf(resolution: Resolution, written: Written): Draft | undefined {
  const { value, place } = written.document
  const owner = ownerOf(resolution, written)
  const key = keyField(resolution, written, owner)
  if (key === undefined) return undefined
  const existing = owner.document.value.existing ?? false
  const fields = fieldsOf(resolution, written, key, existing)
  return {
    name: written.name,
    ...labelsOf(written.name, value.label),
    description: value.description,
    path: (value.path ?? written.name.replaceAll('_', '-')).replace(/^\/+|\/+$/g, ''),
    table: tableOf(resolution, written, owner),
    renamedFrom: renameOf(value.renamed_from)?.name,
    existing,
    owner: owner.name,
    conceal: value.conceal ?? false,
    key,
    lookup: [key],
    fields,
    ...unfilled(key),
    count: countOf(value.count),
    actions: new Set(actionsOf(written)),
    hooks: hooksOf(written),
    statusCodes: { ...STATUS_CODES, ...value.status_codes },
    cached: value.cache ?? false,
    logged: value.log_changes ?? false,
    keepsLog: value.log_changes ?? false,
    batch: value.batch ?? true,
    streamed: value.stream ?? false,
    keys: pluginKeys(resolution, written),
    span: place(['resource']),
  }
}

/** What people call one record, and several of them. */
function labelsOf(name: string, label: ResourceDefinition['label']): Pick<Draft, 'label' | 'plural'> {
  if (typeof label === 'object') return { label: label.one, plural: label.many }
  return label === undefined
    ? { label: resourceLabel(name), plural: resourceHeading(name) }
    : { label, plural: plural(label) }
}

/** What later passes fill in. */
function unfilled(key: DraftField) {
  return {
    scope: undefined,
    live: undefined,
    relations: new Map(),
    filters: new Map(),
    ranges: new Map(),
    specials: new Map(),
    sort: { keys: new Map(), default: [{ path: { relations: [], field: key }, direction: 'asc' }] },
    search: [],
    title: [],
    summary: undefined,
    ranked: false,
    language: undefined,
    nested: [],
    policies: { view: [], create: [], update: [], delete: [], restore: [] },
    deleteSets: undefined,
    restoreSets: undefined,
    updateSets: [],
    scopeSets: [],
    rules: [],
    foreignRules: [],
    linkRules: [],
    counts: [],
    soles: [],
    overlaps: [],
    moves: [],
    follows: [],
    relatedFollows: [],
    automations: new Map(),
    indexes: [],
    seeds: undefined,
    keep: undefined,
    screens: { icon: undefined, views: new Map(), layout: undefined, buttons: new Map() },
  } satisfies Partial<Draft>
}

/** Types whose texts other programs may write with blanks at their ends, or empty. */
const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'json'])

/** Over a table of others a text is what was sent: they may compare it with its blanks, and take null for something else. What their columns hold besides numbers is taken back. */
function asSent(field: DraftField): DraftField {
  const { options, type } = field
  if (type.name === 'integer' && isStored(field)) {
    const own = { min: -LIMITS.idMax - 1, max: LIMITS.idMax, ...options.own }
    return { ...field, ...typed(type, { ...options, own }) }
  }
  if (type.name === 'decimal' && isStored(field)) return { ...field, type: alsoNotANumber(type) }
  return TEXTS.has(field.type.name) ? { ...field, type: { ...field.type, verbatim: true } } : field
}

function fieldsOf(
  resolution: Resolution,
  written: Written,
  key: DraftField,
  isExisting: boolean,
): Map<string, DraftField> {
  const { place } = written.document
  const fields = new Map<string, DraftField>([['id', key]])
  for (const [name, document] of written.fields) {
    if (name === 'id') {
      resolution.report('reserved_name', 'Every record has an "id" already', document.place([], 'key'), {
        hint: 'remove it, or give the field another name; `id: uuid` next to "fields" says which type the ids have',
      })
      continue
    }
    const field = resolveField(resolution, name, document, resolution.extensions.fieldTypes)
    if (field !== undefined) fields.set(name, isExisting ? asSent(field) : field)
  }
  if (fields.size > LIMITS.fieldsPerResource) {
    resolution.report(
      'wrong_value',
      `A resource has at most ${LIMITS.fieldsPerResource} fields; this one has ${fields.size}`,
      place(['fields'], 'key'),
    )
  }
  return fields
}

function ownerOf(resolution: Resolution, written: Written): Written {
  const base = written.base === undefined ? undefined : resolution.written.get(written.base)
  return base === undefined ? written : ownerOf(resolution, base)
}

function tableOf(resolution: Resolution, written: Written, owner: Written): string {
  const own = written.document.value.table
  const table = owner.document.value.table ?? owner.name
  if (owner !== written && written.document.value.existing !== undefined) {
    const message = `Whether the table of "${owner.name}" is there already is said in its own file`
    resolution.report('of_mismatch', message, written.document.place(['existing'], 'key'), {
      hint: 'leave "existing" out',
    })
  }
  if (owner !== written && own !== undefined && own !== table) {
    resolution.report(
      'of_mismatch',
      `"${written.name}" uses the table "${table}" of "${owner.name}"`,
      written.document.place(['table']),
      { hint: 'leave "table" out' },
    )
  }
  return table
}

function countOf(count: 'exact' | 'estimated' | { readonly capped: number } | undefined): Resource['count'] {
  if (typeof count === 'object') return { kind: 'capped', at: count.capped }
  return { kind: count ?? 'exact' }
}

/** Without a list of actions: all but restore, and restore where the YAML says how a record comes back. */
function actionsOf(written: Written): readonly ActionName[] {
  const { actions, restore_sets } = written.document.value
  if (actions !== undefined) return ACTIONS.filter((action) => actions.includes(action))
  return ACTIONS.filter((action) => action !== 'restore' || restore_sets !== undefined)
}

function hooksOf(written: Written): Readonly<Record<WriteAction, readonly string[]>> {
  const hooks = written.document.value.hooks ?? {}
  return {
    create: hooks.create ?? [],
    update: hooks.update ?? [],
    delete: hooks.delete ?? [],
    restore: hooks.restore ?? [],
  }
}

function pluginKeys(resolution: Resolution, written: Written): Resource['keys'] {
  const { value } = written.document
  const pairs = Object.entries(value).filter(([key]) => resolution.extensions.keys.has(key))
  return JSON.parse(JSON.stringify(Object.fromEntries(pairs)))
}
