/** Judges fields: keys that contradict each other or do nothing, columns, and values that nothing could fill. */
import type { Field, HeldNames } from '../../catalog/field.ts'
import { isStored } from '../../catalog/stored.ts'
import { CONNECTIVES } from '../../filter/parse-yaml.ts'
import type { Json } from '../../json.ts'
import { memo } from '../../memo.ts'
import type { Place } from '../document-part.ts'
import { INDEXED_CHARACTERS } from '../indexes.ts'
import { isBroken } from '../link-path.ts'
import { type Draft, fieldNames, isFilledByItself, type Resolution, suggest } from '../resolution.ts'
import {
  hasOwnTable,
  isCreatable,
  isMadeSlug,
  type JudgedField,
  judge,
  judgedFields,
  judgedResources,
  listed,
  type Row,
  table,
} from './judgement.ts'

/** Judges every field where it is written. */
export function judgeFields(resolution: Resolution): void {
  for (const resource of judgedResources(resolution))
    for (const one of judgedFields(resource)) {
      judge(resolution, FIELD, one)
      if (!hasOwnTable(resource)) continue
      judge(resolution, COLUMN, one)
      if (!resource.written.added.has(one.field.name)) judge(resolution, KEYS, one)
    }
}

/** Names that columns have while another column of the table changes. */
const OF_CHANGES = /__(converting|filling)$/
/** Columns that every table of PostgreSQL has of its own. */
const SYSTEM_COLUMNS: ReadonlySet<string> = new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid'])

const FIELD = table<JudgedField>('reserved_name', [
  {
    code: 'wrong_option',
    at: ['from'],
    says: (one) => {
      const from = slugSource(one)
      const source = one.draft.fields.get(from ?? '')
      const reason = source && (source === one.field ? 'is the slug itself' : whyNoText(source))
      return reason && `"${from}" ${reason}, so no slug can be made from it`
    },
    hint: 'name a field with a text that people write, such as name',
  },
  {
    code: 'unknown_field',
    at: ['from'],
    says: (one) => {
      const { draft, resolution } = one
      const from = slugSource(one)
      if (from === undefined || draft.fields.has(from) || isBroken(resolution, draft, from)) return undefined
      return `"${draft.name}" has no field "${from}" to make a slug from`
    },
    details: ({ draft, field }) => {
      const texts = fieldNames(draft, (one) => one !== field && one.type.operators.includes('contains'))
      return suggest(String(field.options.own.from), texts)
    },
  },
  {
    code: 'name_too_long',
    at: ({ field }) => field.span,
    says: ({ field }) => Buffer.byteLength(field.column) > 63 && `The column "${field.column}" is longer than 63 bytes`,
  },
  {
    code: 'name_clash',
    at: ({ field }) => field.span,
    says: ({ draft, field }) => {
      const other = earlierOfColumn(draft, field)
      return other && `"${field.name}" and "${other.name}" are the same column "${field.column}"`
    },
    hint: 'give one of them another "column"',
  },
  {
    at: ({ field }) => field.span,
    when: ({ field }) => OF_CHANGES.test(field.column),
    says: ({ field }) => `The column "${field.column}" ends as the engine's own do while a column changes`,
    hint: 'choose another name, or give it another "column"',
  },
  {
    at: ({ field }) => field.span,
    says: ({ field }) => isConnective(field.name) && `"${field.name}" is a word of the filter language`,
    hint: 'choose another name: a filter could not speak of it',
  },
  {
    code: 'wrong_option',
    at: ({ field, place }) => place([field.readOnly ? 'read_only' : 'nullable']),
    when: isNeverFilled,
    says: ({ draft, field }) => {
      const what = field.required ? 'is required' : 'is never null'
      const lack = field.readOnly ? '' : ' where its body leaves it out'
      return `"${field.relation ?? field.name}" ${what}, and nothing gives a new "${draft.name}" its value${lack}`
    },
    hint: ({ field }) =>
      field.readOnly
        ? 'give it a default, set it in a clause of "create", or take read_only away'
        : 'write required: true instead, or give it a default',
  },
])

/** The field of the record that a slug is made of. */
function slugSource({ field: { options, type } }: JudgedField): string | undefined {
  return isMadeSlug({ options, type }) ? String(options.own.from) : undefined
}

/** Why a field has no text when a record is written. */
function whyNoText({ computed, count, stored, type }: Field): string | undefined {
  if (computed !== undefined || count !== undefined || stored !== undefined) return 'is computed after the write'
  if (type.generated !== undefined) return 'is given by the database after the write'
  if (type.hidden === true) return 'is a secret'
  return type.wire === 'json' || type.wire === 'boolean' ? `(${type.name}) is no text` : undefined
}

/** The last field before this one that is stored in the same column. */
function earlierOfColumn({ fields }: Draft, field: Field): Field | undefined {
  let found: Field | undefined
  for (const one of fields.values()) {
    if (one === field) break
    if (one.column === field.column && isStored(one)) found = one
  }
  return found
}

/** Words such as `any` and `not` mean something in filters. */
export function isConnective(name: string): boolean {
  return (CONNECTIVES as readonly string[]).includes(name)
}

/** Whether a new record needs a value that neither a body, a rule, a default nor a hook gives. */
function isNeverFilled({ draft, field }: JudgedField): boolean {
  const { hooks, key, nested, policies } = draft
  if (!isCreatable(draft) || policies.create.length === 0 || hooks.create.length > 0 || field === key) return false
  if (field.required ? !field.readOnly : field.nullable || !isStored(field) || field.stored !== undefined) return false
  if (isFilledByItself(draft, field) || isMadeSlug(field) || columnsSet(draft).has(field.column)) return false
  return !nested.some(({ relation }) => relation.field.name === field.name)
}

/** The columns that the scope, the clauses and what always follows give a new record. */
const columnsSet = memo(({ follows, policies, scopeSets }: Draft): ReadonlySet<string> => {
  const always = follows.filter(({ on, when }) => on.has('create') && when === undefined)
  const sets = [scopeSets, ...[...policies.create, ...always].map(({ set }) => set)].flat()
  return new Set(sets.map(({ field }) => field.column))
})

const COLUMN = table<JudgedField>('reserved_name', [
  {
    at: ({ field, place, value }) => (value.column === undefined ? field.span : place(['column'])),
    when: ({ field }) => isStored(field) && SYSTEM_COLUMNS.has(field.column),
    says: ({ field }) => `"${field.column}" is a column of PostgreSQL's own`,
    hint: 'choose another name, or another "column"',
  },
  {
    code: 'wrong_option',
    key: ['column_type'],
    when: ({ draft, value }) => value.column_type !== undefined && !draft.existing,
    says: ({ field, value }) =>
      `The column of "${field.name}" is made by the engine, with the type that ${value.type} has`,
    hint: 'take "column_type" away; it is for tables with "existing: true"',
  },
  {
    code: 'wrong_option',
    key: ['filled_by'],
    when: ({ draft, value }) => value.filled_by !== undefined && !draft.existing,
    says: ({ field }) => `The table of "${field.name}" is made by the engine, without triggers that would fill it`,
    hint: 'write a default, or what follows; "filled_by" is for tables with "existing: true"',
  },
])

/** Keys of a field that do not go together. */
interface Clash {
  /** The key that is reported, then those with which it clashes. */
  readonly keys: readonly [string, ...string[]]
  readonly when: (value: JudgedField['value'], field: Field) => boolean
  readonly says: (name: string, field: Field) => string
  readonly hint: string
}

const isSequence = ({ type }: Field): boolean => type.generated !== undefined
const isHidden = ({ type }: Field): boolean => type.hidden === true
const isTextual = ({ type }: Field): boolean => type.name === 'string' || type.name === 'text'

const CLASHES: readonly Clash[] = [
  {
    keys: ['nullable', 'required'],
    when: ({ nullable, required }) => nullable === true && required === true,
    says: (name) => `"${name}" is required, so it is never null`,
    hint: 'take "nullable" away, or "required"',
  },
  {
    keys: ['required', 'filled_by'],
    when: ({ filled_by, required }) => required === true && filled_by !== undefined,
    says: (name) => `The database fills "${name}", so no body has to name it`,
    hint: 'take "required" away, and write nullable: false where the column is never null',
  },
  {
    keys: ['default'],
    when: ({ default: given, nullable, required }) => given === null && (nullable === false || required === true),
    says: (name) => `"${name}" is never null, so null cannot be its default`,
    hint: 'write the value that a new record gets, or take "default" away',
  },
  {
    keys: ['write', 'read_only'],
    when: ({ read_only, write }) => write !== undefined && read_only === true,
    says: (name) => `Nobody writes "${name}", which is read-only, so "write" lets nobody in`,
    hint: 'take "read_only" away where some may write it, or "write" where nobody may',
  },
  ...(['default', 'write'] as const).map(
    (key): Clash => ({
      keys: [key],
      when: (value, field) => isSequence(field) && (value[key] ?? null) !== null,
      says: (name) => `The database gives "${name}" its values, so "${key}" means nothing`,
      hint: `take "${key}" away`,
    }),
  ),
  {
    keys: ['computed'],
    when: ({ computed }, field) => isSequence(field) && computed !== undefined,
    says: (name) => `"${name}" is a sequence, whose numbers the database counts, and cannot be computed`,
    hint: 'take "computed" away, or give the field another type',
  },
  {
    keys: ['nullable'],
    when: ({ nullable }, field) => isSequence(field) && nullable === true,
    says: (name) => `The database gives "${name}" its values, so it is never null`,
    hint: 'take "nullable" away',
  },
  {
    keys: ['unique'],
    when: ({ unique }, field) => isSequence(field) && unique === false,
    says: (name) => `The database gives each value of "${name}" once, so it is always unique`,
    hint: 'take "unique" away, or make it an integer',
  },
  {
    keys: ['default'],
    when: ({ default: given }, field) => isHidden(field) && (given ?? null) !== null,
    says: (name) => `A default of the secret "${name}" is known to everybody who reads this file`,
    hint: 'take "default" away; a hook can make a secret for each record',
  },
  {
    keys: ['unique'],
    when: ({ unique }, field) => isHidden(field) && unique === true && !field.readOnly,
    says: (name) => `If "${name}" were unique, a refusal would tell the secret of another record`,
    hint: 'take "unique" away',
  },
  {
    keys: ['unique', 'protect'],
    when: ({ unique }, field) =>
      isHidden(field) && unique === true && field.readOnly && field.options.own.protect !== 'as_sent',
    says: (name) => `Of the secret "${name}" no two values are kept equal, so "unique" compares nothing`,
    hint: 'write `protect: as_sent` where its values are hashes already, or take "unique" away',
  },
  ...(['show', 'read'] as const).map(
    (key): Clash => ({
      keys: [key],
      when: (value, field) => isHidden(field) && value[key] !== undefined && value[key] !== 'never',
      says: (name) => `"${name}" is a secret, which no answer shows, so "${key}" means nothing`,
      hint: `take "${key}" away`,
    }),
  ),
  {
    keys: ['searched'],
    when: ({ searched }, field) => searched === true && isHidden(field),
    says: (name) => `"${name}" is a secret, which nobody asks for, so "searched" says nothing`,
    hint: 'take "searched" away',
  },
  {
    keys: ['unique'],
    when: ({ unique }, field) => unique === true && field.type.wire === 'json',
    says: (name, { type }) => `"${name}" (${type.name}) may be too large for the index that keeps values unique`,
    hint: 'make a field of its own of what is to be unique',
  },
  {
    keys: ['unique'],
    when: ({ unique }, field) =>
      unique === true && isTextual(field) && Number(field.options.own.max ?? longestOf(field)) > INDEXED_CHARACTERS,
    says: (name) => `"${name}" may be too long for the index that keeps values unique`,
    hint: `let it have at most ${INDEXED_CHARACTERS} characters: max: ${INDEXED_CHARACTERS}`,
  },
  {
    keys: ['unique'],
    when: ({ unique }, field) => unique === true && field.type.name === 'boolean' && !field.nullable,
    says: (name) => `If "${name}" is unique, there can be one record with true and one with false`,
    hint: 'write a rule for a single yes: rules: { one: { only_one: … } }',
  },
  {
    keys: ['default', 'unique'],
    when: ({ default: given, unique }) => unique === true && (given ?? null) !== null && !isVariable(given),
    says: (name) => `Only one record can have the default, because "${name}" is unique`,
    hint: 'take "default" away, or "unique"',
  },
  {
    keys: ['default', 'from'],
    when: ({ default: given, from }, { type }) =>
      type.name === 'slug' && from !== undefined && (given ?? null) !== null,
    says: (name) => `"${name}" is made of another field where none is given, so the default is never taken`,
    hint: 'take "default" away, or "from"',
  },
]

/** Keys that speak of a written value → whether their value does. */
const OF_WRITTEN: Readonly<Record<string, (value: unknown) => boolean>> = {
  required: (value) => value === true,
  default: (value) => value !== null,
  unique: (value) => value === true,
  immutable: (value) => value === true,
  read_only: (value) => value === false,
  backfill: () => true,
  column: () => true,
  write: () => true,
}

/** The types that can hold each kind of names. */
const HOLDING: Readonly<Record<HeldNames, readonly string[]>> = {
  resource: ['string', 'list', 'json'],
  event: ['string', 'list'],
  permission: ['string', 'list'],
  filter: ['json'],
  values: ['json'],
  nested: ['json'],
}

const KEYS = table<JudgedField>('wrong_option', [
  ...Object.entries(OF_WRITTEN).map(
    ([key, isSaid]): Row<JudgedField> => ({
      key: [key],
      when: ({ field, place, value }) =>
        (field.computed !== undefined || field.count !== undefined) &&
        value[key] !== undefined &&
        isSaid(value[key]) &&
        isOfOneFile(place, [key, value.computed === undefined ? 'type' : 'computed']),
      says: ({ field }) => `"${field.name}" is computed when it is read, so "${key}" means nothing`,
      hint: `take "${key}" away`,
    }),
  ),
  ...CLASHES.map(
    ({ hint, keys, says, when }): Row<JudgedField> => ({
      key: [keys[0]],
      when: ({ field, place, value }) => when(value, field) && isOfOneFile(place, keys),
      says: ({ field }) => says(field.name, field),
      hint,
    }),
  ),
  {
    key: ['searched'],
    when: ({ field }) => field.searched === true && field.show !== 'never',
    says: ({ field: { name, relation } }) => `Answers show "${relation ?? name}", so "searched" says nothing`,
    hint: 'take "searched" away, or write "show: never"',
  },
  {
    words: ({ draft, value }) => listed(['values'], draft.existing ? [] : ((value.values ?? []) as readonly string[])),
    says: ({ value }, word) => {
      const said = (one: string): string => one.toLowerCase().replaceAll(/[_-]/g, ' ')
      const other = (value.values as readonly string[]).find((one) => said(one) === said(word))
      return other !== word && `"${word}" and "${other}" are two words, and people take them for one`
    },
    hint: 'leave one of them out, and write `becomes` where records have it',
    details: () => ({ severity: 'warning' }),
  },
  {
    at: ['holds'],
    when: ({ field }) => field.holds !== undefined && !canHold(field),
    says: ({ field: { holds, name, type } }) => `"${name}" (${type.name}) cannot hold "${holds}"`,
    hint: ({ field }) => `write a column of the type ${HOLDING[field.holds!].join(' or ')}`,
  },
  {
    at: ['holds'],
    says: ({ draft, field }) => {
      if (!['filter', 'values', 'nested'].includes(field.holds ?? '') || !canHold(field)) return undefined
      const naming = fieldNames(draft, ({ holds }) => holds === 'event' || holds === 'resource')
      const which = naming.length === 0 ? 'none' : naming.map((name) => `"${name}"`).join(', ')
      return naming.length === 1
        ? undefined
        : `Which records "${field.name}" is about is said by one other field that holds "resource" or "event", and there is ${which}`
    },
    hint: 'let one other field hold the name of the resource, or events',
  },
])

/** Whether the keys were written in one file: what an application's file says of a plugin's field is no mistake of either. */
export function isOfOneFile(place: Place, keys: readonly string[]): boolean {
  return new Set(keys.map((key) => place([key], 'key').source.file)).size === 1
}

function canHold(field: Field): boolean {
  return field.holds !== undefined && HOLDING[field.holds].includes(field.type.name) && isStored(field)
}

function longestOf({ options, type }: Field): number {
  return type.longest?.(options) ?? Number.POSITIVE_INFINITY
}

function isVariable(value: Json | undefined): boolean {
  return typeof value === 'string' && value.startsWith('$')
}
