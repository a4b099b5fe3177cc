/** A table with a key as a resource: its fields, and its references. */
import { overColumn } from '../field/column-type.ts'
import { FIELD_TYPES } from '../field/index.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { INDEXED_CHARACTERS, INDEXED_FIELDS } from '../resolve/indexes.ts'
import { defaultOf, type FieldForm, fieldOf, LONGEST, quotedName } from './column.ts'
import type { ColumnFacts, TableFacts } from './facts.ts'
import { fieldName, isNameable, relationName } from './free-name.ts'
import type { Remark } from './remark.ts'
import { type Keyed, type Reference, referencesOf } from './table-roles.ts'

/** Keys of the YAML, with remarks for people. */
interface Uniqueness {
  readonly words: JsonObject
  readonly note?: { readonly what: string; readonly done: string }
}

const REFUSED = 'the database refuses a second one, as before'

/** Whether some value of a field would be too long for an index. */
function isLong({ column_type, max, type }: JsonObject): boolean {
  if (type === 'json' || type === 'list') return true
  if (column_type !== undefined && !/citext$/.test(String(column_type))) return false
  const longest = type === 'text' ? LONGEST.text : type === 'string' ? LONGEST.line : 0
  return Number(max ?? longest) > INDEXED_CHARACTERS
}

/** Of a field that is unique alone. */
function uniqueField(field: JsonObject): Uniqueness {
  const { type, default: given, required, nullable } = field
  const unsaid = (why: string): Uniqueness => {
    return { words: {}, note: { what: 'is unique', done: `the YAML does not say so, because ${why}; ${REFUSED}` } }
  }
  if (type === 'json' || type === 'list') return unsaid(type === 'json' ? 'it is json' : 'it is a list')
  if (type === 'boolean' && (required === true || nullable === false)) return unsaid('it is a boolean')
  if (given !== undefined && !(typeof given === 'string' && given.startsWith('$'))) return unsaid('it has a default')
  if (!isLong(field)) return { words: { unique: true } }
  const done = `the YAML takes at most ${INDEXED_CHARACTERS} characters; longer ones that are there are answered`
  return { words: { unique: true, max: INDEXED_CHARACTERS }, note: { what: 'is unique, and may be long', done } }
}

/**
 * Of fields that are unique together; no words where one of them may be too long for an index, or there are too many.
 */
function uniqueTogether(names: readonly string[], fields: ReadonlyMap<string, JsonObject>): Uniqueness {
  const long = names.filter((name) => isLong(fields.get(name) ?? {}))
  if (long.length === 0 && names.length <= INDEXED_FIELDS) return { words: { fields: [...names], unique: true } }
  const what = `is unique by ${names.join(', ')}`
  const why = long.length === 0 ? 'they are too many' : `${long.join(', ')} may be long`
  return { words: {}, note: { what, done: `the YAML does not say so, because ${why}; ${REFUSED}` } }
}

type Action = 'list' | 'get' | 'create' | 'update' | 'delete'

/** A resource before it is text. */
export interface ResourceForm {
  readonly name: string
  readonly table: TableFacts
  readonly key: Keyed['key']
  readonly fields: Map<string, JsonObject>
  readonly relations: Map<string, JsonObject>
  readonly indexes: readonly JsonObject[]
  readonly updateSets: JsonObject
  readonly actions: readonly Action[]
  /** The field that identifies a record for people. */
  readonly title: string | undefined
  /** Names of fields and relations. */
  readonly taken: Set<string>
  readonly remarks: readonly Remark[]
}

/** Common column names for the moments of creation and change. */
const MADE = /^(?:created|inserted)_?(?:at|on)$/i
const CHANGED = /^(?:(?:updated|modified|changed)_?(?:at|on)|last_?updated?)$/i
const TITLE = [/^(?:name|label)$/i, /^last_?name$/i, /^title$/i, /(?:name|title|label)$/i]

/** The state while the columns of a table are read. */
interface ResourceDraft {
  readonly table: TableFacts
  readonly fields: Map<string, JsonObject>
  readonly relations: Map<string, JsonObject>
  readonly remarks: Remark[]
  readonly taken: Set<string>
  /** The field of each column that can be written. */
  readonly written: Map<string, string>
  readonly updateSets: Record<string, Json>
  /** Columns that every row needs and no body can give. */
  readonly missing: string[]
}

export function resourceOf(
  { table, key }: Keyed,
  name: string,
  keyed: ReadonlyMap<string, Keyed>,
  names: ReadonlyMap<string, string>,
): ResourceForm {
  const references = new Map(referencesOf(table, keyed).map((reference) => [reference.column, reference]))
  const columns = table.columns.filter((column) => column !== key.column)
  const draft: ResourceDraft = {
    ...{ table, fields: new Map(), relations: new Map(), remarks: [], written: new Map(), updateSets: {}, missing: [] },
    // A foreign key has the name of its column, so no other field may have it.
    taken: new Set(columns.flatMap((column) => (references.has(column.name) ? [column.name] : []))),
  }
  for (const [at, column] of columns.entries()) {
    const reference = references.get(column.name)
    if (at >= LIMITS.fieldsPerResource - 1) remark(draft, column, 'is one too many for a resource', 'left out')
    else if (reference !== undefined && isReferable(column) && !isComputed(column))
      refer(draft, column, reference, names)
    else addField(draft, column)
  }
  if (references.has(key.column.name))
    remark(draft, key.column, 'is key and reference at once', 'served as the id; it is no relation')
  tellOfTable(draft, references, keyed)
  return {
    ...{ name, table, key, fields: draft.fields, relations: draft.relations, taken: draft.taken },
    indexes: indexesOf(draft),
    updateSets: draft.updateSets,
    actions: actionsOf(draft, key),
    title: titleOf(draft),
    remarks: draft.remarks,
  }
}

function remark({ table, remarks }: ResourceDraft, { name: column }: ColumnFacts, what: string, done: string): void {
  remarks.push({ table: table.name, column, what, done })
}

/** A foreign key is a field by the name of its column, so that has to be one. */
function isReferable({ name }: ColumnFacts): boolean {
  return isNameable(name) && name !== 'id' && fieldName(name, new Set()) === name
}

function refer(
  draft: ResourceDraft,
  column: ColumnFacts,
  reference: Reference,
  names: ReadonlyMap<string, string>,
): void {
  const target = names.get(reference.target) ?? reference.target
  const others = new Set([...draft.taken, ...draft.table.columns.map(({ name }) => name)])
  const name = relationName(column.name, target, others)
  draft.taken.add(name)
  const required = !column.nullable && !isFilled(column)
  const onDelete = reference.onDelete === 'restrict' || (reference.onDelete === 'set_null' && !column.nullable)
  draft.relations.set(name, {
    belongs_to: target,
    ...(`${name}_id` === column.name ? {} : { column: column.name }),
    ...(required ? { required: true } : {}),
    ...(onDelete ? {} : { on_delete: reference.onDelete }),
    ...described(column.comment),
  })
  draft.written.set(column.name, column.name)
}

/** Whether the database gives a value where an insert names none. */
function isFilled(column: ColumnFacts): boolean {
  return column.default !== null || column.identity !== '' || column.generated || column.filled
}

function described(comment: string | null): JsonObject {
  const text = oneLine(comment)
  return text === '' ? {} : { description: text }
}

/** A comment without signs that nobody sees. */
export function oneLine(comment: string | null): string {
  return comment?.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim() ?? ''
}

function addField(draft: ResourceDraft, column: ColumnFacts): void {
  const checks = draft.table.checks.filter((check) => check.column === column.name)
  const form = fieldOf(
    column,
    checks.map(({ sql }) => sql),
  )
  if ('leftOut' in form) {
    remark(draft, column, `is ${column.type}`, `left out, because ${form.leftOut}`)
    if (isNeeded(column)) draft.missing.push(column.name)
    return
  }
  const name = fieldName(column.name, draft.taken)
  const reads = readsOf(column, form)
  tellOfField(draft, column, form, name)
  const { type, options } = form
  if (reads !== undefined) {
    if (isNeeded(column)) draft.missing.push(column.name)
    draft.fields.set(name, { type, ...options, computed: reads, ...described(column.comment) })
    return
  }
  draft.written.set(column.name, name)
  const filled = filling(draft, column, form, name)
  const { words, note }: Uniqueness = isUnique(draft.table, column.name)
    ? uniqueField({ type, ...options, ...filled })
    : { words: {} }
  if (note !== undefined) remark(draft, column, note.what, note.done)
  const { max, ...unique } = words
  draft.fields.set(name, {
    type,
    ...(name === column.name ? {} : { column: column.name }),
    ...filled,
    ...unique,
    ...options,
    ...(max === undefined ? {} : { max }),
    ...described(column.comment),
  })
}

function isNeeded(column: ColumnFacts): boolean {
  return !column.nullable && !isFilled(column)
}

/** Whether the database refuses any value but its own. */
function isComputed(column: ColumnFacts): boolean {
  return column.generated || column.identity === 'a'
}

/** The SQL of a field that can only be read. */
function readsOf(column: ColumnFacts, { reads }: FieldForm): string | undefined {
  if (reads !== undefined) return reads
  return isComputed(column) || !isNameable(column.name) ? `t.${quotedName(column.name)}` : undefined
}

function tellOfField(draft: ResourceDraft, column: ColumnFacts, { note }: FieldForm, name: string): void {
  const own = name === column.name ? '' : `served as the field ${name}`
  if (!isNameable(column.name)) remark(draft, column, 'has a name that the YAML cannot write', `${own}, read only`)
  else if (own !== '') remark(draft, column, 'has a name that means something else in the YAML', own)
  if (isComputed(column)) remark(draft, column, 'is computed by the database', 'read only')
  if (note !== undefined) remark(draft, column, note.what, note.done)
}

function isUnique({ unique }: TableFacts, column: string): boolean {
  return unique.some((columns) => columns.length === 1 && columns[0] === column)
}

/** Required, or the default where the YAML can say it. */
function filling(draft: ResourceDraft, column: ColumnFacts, form: FieldForm, name: string): JsonObject {
  if (column.filled && column.default === null)
    return { filled_by: 'database', ...(column.nullable ? {} : { nullable: false }) }
  if (form.type === 'timestamp') {
    if (CHANGED.test(column.name)) draft.updateSets[name] = '$now'
    const isKept = MADE.test(column.name) || CHANGED.test(column.name)
    if (isKept && column.default === null) return { default: '$now', ...(column.nullable ? {} : { nullable: false }) }
  }
  if (form.type === 'date' && MADE.test(column.name) && isNeeded(column)) return { default: '$today', nullable: false }
  if (isNeeded(column)) return { required: true }
  const value = column.default === null ? undefined : fitting(form, defaultOf(form.type, column.default))
  if (value === undefined) return {}
  return { default: value, ...(column.nullable ? {} : { nullable: false }) }
}

/** A default that the field itself would take. */
function fitting({ type, options }: FieldForm, value: Json | undefined): Json | undefined {
  if (value === undefined || value === '$now' || value === '$today') return value
  const plain = FIELD_TYPES.find(({ name }) => name === type)
  const { column_type: over } = options
  const known = plain && typeof over === 'string' ? overColumn(plain, over) : plain
  const decoded = known?.decode(value, { name: type, required: false, nullable: true, own: options })
  return decoded !== undefined && 'value' in decoded ? value : undefined
}

function tellOfTable(
  { table, remarks }: ResourceDraft,
  served: ReadonlyMap<string, Reference>,
  keyed: ReadonlyMap<string, Keyed>,
): void {
  const say = (what: string, done: string) => remarks.push({ table: table.name, what, done })
  if (table.triggers.length > 0) {
    const [names, them] = [table.triggers.join(', '), table.triggers.length === 1 ? 'it' : 'them']
    const word = them === 'it' ? 'trigger' : 'triggers'
    say(
      `has the ${word} ${names}`,
      `the database runs ${them} on each write, as before; the YAML says nothing of ${them}`,
    )
  }
  if (table.oddIds) say('has rows whose id is empty or too long', 'lists show these; none is read or changed alone')
  if (table.rowSecurity)
    say('has row security', 'the database shows only the rows that the user of the connection may see')
  for (const { columns, otherSchema, table: other } of table.references) {
    if (columns.length === 1 && served.get(columns[0] ?? '')?.target === other) continue
    const how = otherSchema
      ? 'in another schema '
      : columns.length === 1 && keyed.has(other)
        ? 'by what is not its key '
        : ''
    say(`refers to ${other} ${how}(${columns.join(', ')})`, 'served without a relation')
  }
}

/** Unique indexes over several columns, and those over a foreign key. */
function indexesOf({ table, written, relations, fields: all, remarks }: ResourceDraft): readonly JsonObject[] {
  const keys = new Set([...relations.values()].map(({ column }) => column))
  return table.unique.flatMap((columns): JsonObject[] => {
    const fields = columns.flatMap((column) => written.get(column) ?? [])
    const isField =
      columns.length === 1 && !keys.has(columns[0] ?? '') && !relations.has(columns[0]?.slice(0, -3) ?? '')
    if (isField || fields.length < columns.length) return []
    const { words, note } = uniqueTogether(fields, all)
    if (note !== undefined) remarks.push({ table: table.name, ...note })
    return note === undefined ? [words] : []
  })
}

/** Whether an id is sent with a new record: neither the database nor the engine makes it. */
export function isChosen({ type, column }: Keyed['key']): boolean {
  return (type === 'integer' || type === 'bigint') && !isFilled(column)
}

function actionsOf(draft: ResourceDraft, key: Keyed['key']): readonly Action[] {
  const { instead, name: table } = draft.table
  const mayBe = (right: 'insert' | 'update' | 'delete'): boolean => draft.table.may[right] && !instead.includes(right)
  const may = { insert: mayBe('insert'), update: mayBe('update'), delete: mayBe('delete') }
  const creates = may.insert && draft.missing.length === 0
  if (may.insert && !creates)
    draft.remarks.push({
      table,
      what: `needs a value in ${draft.missing.join(', ')}, which no body can give`,
      done: 'no records are created',
    })
  if (creates && isChosen(key))
    remark(draft, key.column, 'has no default, so nobody counts the ids', 'the creator of a record sends its id')
  if (instead.length > 0)
    draft.remarks.push({
      table,
      what: `has a rule that does something else instead of ${instead.join(', ')}`,
      done: 'these actions are left out',
    })
  const refused = (['insert', 'update', 'delete'] as const).filter((right) => !draft.table.may[right])
  if (refused.length > 0)
    draft.remarks.push({ table, what: `allows this user no ${refused.join(', ')}`, done: 'these actions are left out' })
  return [
    ...(['list', 'get'] as const),
    ...(creates ? (['create'] as const) : []),
    ...(may.update && draft.written.size > 0 ? (['update'] as const) : []),
    ...(may.delete ? (['delete'] as const) : []),
  ]
}

function titleOf({ fields }: ResourceDraft): string | undefined {
  const texts = [...fields].filter(
    ([, { type, computed }]) => computed === undefined && (type === 'string' || type === 'text'),
  )
  for (const pattern of TITLE) {
    const found = texts.find(([name]) => pattern.test(name))
    if (found !== undefined) return found[0]
  }
  return undefined
}
