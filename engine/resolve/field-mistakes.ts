/** Pass: keys of one field of which one takes the meaning from the other, or that could never do anything. */
import type { Field } from '../catalog/catalog.ts'
import type { HeldNames } from '../catalog/field.ts'
import { isStored } from '../catalog/stored.ts'
import type { Document, FieldDefinition } from '../definition/definition.ts'
import type { Json } from '../json.ts'
import { INDEXED_CHARACTERS } from './indexes.ts'
import { type Draft, eachDraft, type Resolution } from './resolution.ts'

/** Some keys of a field that do not go together: whether they stand so, where, and what is said. */
interface Clash {
  /** The key at which it is told, then those that it clashes with. */
  readonly keys: readonly [string, ...string[]]
  readonly isSo: (value: FieldDefinition, field: Field) => boolean
  readonly message: (name: string, field: Field) => string
  readonly hint: string
}

/** Keys that speak of a value which somebody writes. */
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

const isSequence = ({ type }: Field): boolean => type.generated !== undefined
const isHidden = ({ type }: Field): boolean => type.hidden === true
const isTextual = ({ type }: Field): boolean => type.name === 'string' || type.name === 'text'

const CLASHES: readonly Clash[] = [
  {
    keys: ['nullable', 'required'],
    isSo: ({ nullable, required }) => nullable === true && required === true,
    message: (name) => `"${name}" is required, so it is never null`,
    hint: 'take "nullable" away, or "required"',
  },
  {
    keys: ['default'],
    isSo: ({ default: given, nullable, required }) => given === null && (nullable === false || required === true),
    message: (name) => `"${name}" is never null, so null cannot be its default`,
    hint: 'write the value that a new record gets, or take "default" away',
  },
  {
    keys: ['write', 'read_only'],
    isSo: ({ read_only, write }) => write !== undefined && read_only === true,
    message: (name) => `Nobody writes "${name}", which is read-only, so "write" lets nobody in`,
    hint: 'take "read_only" away where some may write it, or "write" where nobody may',
  },
  ...(['default', 'write'] as const).map(
    (key): Clash => ({
      keys: [key],
      isSo: (value, field) => isSequence(field) && (value[key] ?? null) !== null,
      message: (name) => `The database gives "${name}" its values, so "${key}" means nothing`,
      hint: `take "${key}" away`,
    }),
  ),
  {
    keys: ['computed'],
    isSo: ({ computed }, field) => isSequence(field) && computed !== undefined,
    message: (name) => `"${name}" is a sequence, whose numbers the database counts, and cannot be computed`,
    hint: 'take "computed" away, or give the field another type',
  },
  {
    keys: ['nullable'],
    isSo: ({ nullable }, field) => isSequence(field) && nullable === true,
    message: (name) => `The database gives "${name}" its values, so it is never null`,
    hint: 'take "nullable" away',
  },
  {
    keys: ['unique'],
    isSo: ({ unique }, field) => isSequence(field) && unique === false,
    message: (name) => `The database gives each value of "${name}" once, so it is always unique`,
    hint: 'take "unique" away, or make it an integer',
  },
  {
    keys: ['default'],
    isSo: ({ default: given }, field) => isHidden(field) && (given ?? null) !== null,
    message: (name) => `A default of the secret "${name}" is known to everybody who reads this file`,
    hint: 'take "default" away; a hook can make a secret for each record',
  },
  {
    keys: ['unique'],
    isSo: ({ unique }, field) => isHidden(field) && unique === true && !field.readOnly,
    message: (name) => `If "${name}" were unique, a refusal would tell the secret of another record`,
    hint: 'take "unique" away',
  },
  {
    keys: ['unique', 'protect'],
    isSo: ({ unique }, field) =>
      isHidden(field) && unique === true && field.readOnly && field.options.own.protect !== 'as_sent',
    message: (name) => `Of the secret "${name}" no two values are kept equal, so "unique" compares nothing`,
    hint: 'write `protect: as_sent` where its values are hashes already, or take "unique" away',
  },
  ...(['show', 'read'] as const).map(
    (key): Clash => ({
      keys: [key],
      isSo: (value, field) => isHidden(field) && value[key] !== undefined && value[key] !== 'never',
      message: (name) => `"${name}" is a secret, which no answer shows, so "${key}" means nothing`,
      hint: `take "${key}" away`,
    }),
  ),
  {
    keys: ['unique'],
    isSo: ({ unique }, field) => unique === true && field.type.wire === 'json',
    message: (name, { type }) => `"${name}" (${type.name}) may be too large for the index that keeps values unique`,
    hint: 'make a field of its own of what is to be unique',
  },
  {
    keys: ['unique'],
    isSo: ({ unique }, field) =>
      unique === true && isTextual(field) && Number(field.options.own.max ?? longestOf(field)) > INDEXED_CHARACTERS,
    message: (name) => `"${name}" may be too long for the index that keeps values unique`,
    hint: `let it have at most ${INDEXED_CHARACTERS} characters: max: ${INDEXED_CHARACTERS}`,
  },
  {
    keys: ['unique'],
    isSo: ({ unique }, field) => unique === true && field.type.name === 'boolean' && !field.nullable,
    message: (name) => `If "${name}" is unique, there can be one record with true and one with false`,
    hint: 'write a rule for a single yes: rules: { one: { only_one: … } }',
  },
  {
    keys: ['default', 'unique'],
    isSo: ({ default: given, unique }) => unique === true && (given ?? null) !== null && !isVariable(given),
    message: (name) => `Only one record can have the default, because "${name}" is unique`,
    hint: 'take "default" away, or "unique"',
  },
  {
    keys: ['default', 'from'],
    isSo: ({ default: given, from }, { type }) =>
      type.name === 'slug' && from !== undefined && (given ?? null) !== null,
    message: (name) => `"${name}" is made of another field where none is given, so the default is never taken`,
    hint: 'take "default" away, or "from"',
  },
]

/** Judges the fields of every table where they are written; what stands in two files is not one author's. */
export function fieldMistakes(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    if (draft.owner !== draft.name) continue
    for (const [name, document] of written.fields) {
      const field = draft.fields.get(name)
      if (field === undefined || written.added.has(name)) continue
      computedIsNotWritten(resolution, field, document)
      for (const clash of CLASHES) judge(resolution, field, document, clash)
      renamedInTime(resolution, document)
      namesAreHeld(resolution, draft, field, document)
    }
    for (const document of written.relations.values()) renamedInTime(resolution, document)
    renamedInTime(resolution, written.document)
  }
}

function judge(resolution: Resolution, field: Field, document: Document<FieldDefinition>, clash: Clash): void {
  const { keys, hint, isSo, message } = clash
  if (!isSo(document.value, field) || !isOfOneFile(document, keys)) return
  resolution.report('wrong_option', message(field.name, field), document.place([keys[0]], 'key'), { hint })
}

/** Whether the keys were written in one file: what an application's file says of a plugin's field is no mistake of either. */
function isOfOneFile({ place }: Document<FieldDefinition>, keys: readonly string[]): boolean {
  return new Set(keys.map((key) => place([key], 'key').source.file)).size === 1
}

function computedIsNotWritten(resolution: Resolution, field: Field, document: Document<FieldDefinition>): void {
  if (field.computed === undefined && field.count === undefined) return
  const { place, value } = document
  const by = value.computed === undefined ? 'type' : 'computed'
  for (const [key, isSaid] of Object.entries(OF_WRITTEN)) {
    if (value[key] === undefined || !isSaid(value[key]) || !isOfOneFile(document, [key, by])) continue
    const message = `"${field.name}" is computed when it is read, so "${key}" means nothing`
    resolution.report('wrong_option', message, place([key], 'key'), { hint: `take "${key}" away` })
  }
}

/** The days of an earlier name are days, the first before the last. */
function renamedInTime(resolution: Resolution, { place, value }: Document<{ readonly renamed_from?: unknown }>): void {
  const renamed = value.renamed_from
  if (typeof renamed !== 'object' || renamed === null) return
  const { since, until } = renamed as { readonly since?: string; readonly until?: string }
  for (const [key, day] of Object.entries({ since, until })) {
    if (day === undefined || new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)) continue
    resolution.report('wrong_value', `There is no day ${day}`, place(['renamed_from', key]), {
      hint: 'write a day of the calendar, as 2027-01-31',
    })
  }
  if (since === undefined || until === undefined || since < until) return
  resolution.report('wrong_value', 'The earlier name ends before it begins', place(['renamed_from', 'until']), {
    hint: '"since" is the day of the renaming, "until" the last day of the earlier name',
  })
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

/** What a field holds goes with its type, and a filter has a field beside it that says which records it is about. */
function namesAreHeld(resolution: Resolution, draft: Draft, field: Field, { place }: Document<FieldDefinition>): void {
  const { holds, name, type } = field
  if (holds === undefined) return
  const fitting = HOLDING[holds]
  const beside = [...draft.fields.values()].filter((one) => one.holds === 'event' || one.holds === 'resource')
  if (!fitting.includes(type.name) || !isStored(field)) {
    resolution.report('wrong_option', `"${name}" (${type.name}) cannot hold "${holds}"`, place(['holds']), {
      hint: `write a column of the type ${fitting.join(' or ')}`,
    })
  } else if (['filter', 'values', 'nested'].includes(holds) && beside.length !== 1) {
    const which = beside.length === 0 ? 'none' : beside.map((one) => `"${one.name}"`).join(', ')
    const message = `Which records "${name}" is about is said by one other field that holds "resource" or "event", and there is ${which}`
    resolution.report('wrong_option', message, place(['holds']), {
      hint: 'let one field beside it hold the name of the resource, or events',
    })
  }
}

function longestOf({ options, type }: Field): number {
  return type.longest?.(options) ?? Number.POSITIVE_INFINITY
}

function isVariable(value: Json | undefined): boolean {
  return typeof value === 'string' && value.startsWith('$')
}
