/** What a form asks for, and what it sends: the fields and relations that its writer may set. */

import { type Field, isRecord, type Json, type RecordData, type Relation, type Resource } from '../client/catalog.ts'
import { type Values, valuesOf } from '../client/holds.ts'
import type { Condition } from '../client/screens.ts'

/** One question of a form. */
export interface Input {
  /** The key of the body. */
  readonly name: string
  readonly label: string
  readonly description?: string
  readonly field: Field | undefined
  /** The relation that it sets. */
  readonly relation?: Relation
  readonly relationName?: string
  readonly isMany: boolean
  readonly isRequired: boolean
  /** It is asked only where the record is so. */
  readonly when?: Condition
}

export type Draft = { readonly [name: string]: Json }
export type Action = 'create' | 'update'

/** The questions of a form; `hidden` is the relation that its address decides already. */
export function inputsOf(resource: Resource, action: Action, hidden: string | undefined): readonly Input[] {
  const fields = Object.entries(resource.fields).flatMap(([name, field]): Input[] => {
    if (field[action] === undefined || (field.relation !== undefined && field.relation === hidden)) return []
    const relation = field.relation === undefined ? undefined : resource.relations[field.relation]
    const related =
      relation === undefined || field.relation === undefined ? {} : { relation, relationName: field.relation }
    return [{ ...inputOf(name, field), ...related, isMany: false, isRequired: isNeeded(field, action) }]
  })
  const extra = Object.entries(resource.extra?.[action] ?? {}).map(
    ([name, field]): Input => ({ ...inputOf(name, field), isMany: false, isRequired: field.required === true }),
  )
  const many = Object.entries(resource.relations).flatMap(([relationName, relation]): Input[] => {
    if (relation.writes === undefined || relation[action] === undefined) return []
    const { help: description, label, when, writes } = relation
    const said = { ...(description === undefined ? {} : { description }), ...(when === undefined ? {} : { when }) }
    return [{ name: writes, label, ...said, field: undefined, relation, relationName, isMany: true, isRequired: false }]
  })
  const all = [...fields, ...extra, ...many]
  const first = [resource.layout?.form ?? []].flat(2)
  const place = (input: Input): number => {
    const at = first.findIndex((name) => name === input.name || name === input.relationName)
    return at === -1 ? first.length + (input.isRequired ? 0 : 1) : at
  }
  return all.sort((a, b) => place(a) - place(b))
}

/** The questions in rows, as the layout puts them side by side. */
export function rowsOf(resource: Resource, inputs: readonly Input[]): readonly (readonly Input[])[] {
  const rows: Input[][] = []
  const rowOf = (input: Input): number =>
    (resource.layout?.form ?? []).findIndex(
      (part) => Array.isArray(part) && (part.includes(input.name) || part.includes(input.relationName ?? input.name)),
    )
  let before = -1
  for (const input of inputs) {
    const row = rowOf(input)
    if (row !== -1 && row === before) rows.at(-1)?.push(input)
    else rows.push([input])
    before = row
  }
  return rows
}

/** What conditions of a form look at: what was answered, and what is stored; what another record would say is not known. */
export function valuesIn(inputs: readonly Input[], record: RecordData, valueFor: (input: Input) => Json): Values {
  const stored = valuesOf(record)
  return (path) => {
    const [first = '', ...rest] = path.split('.')
    const input = inputs.find(({ name, relationName }) => name === first || relationName === first)
    if (input === undefined || input.isMany) return stored(path)
    const value = valueFor(input)
    if (rest.length === 0) return value
    if (isSame(value, storedValue(input, record))) return stored(path)
    return value === null ? null : undefined
  }
}

function inputOf(name: string, field: Field): Pick<Input, 'name' | 'label' | 'description' | 'field' | 'when'> {
  const { description, help, label, when } = field
  const said = help ?? description
  return {
    name,
    label,
    field,
    ...(said === undefined ? {} : { description: said }),
    ...(when === undefined ? {} : { when }),
  }
}

function isNeeded(field: Field, action: Action): boolean {
  return action === 'create' ? field.create === 'required' : !field.nullable && field.type !== 'boolean'
}

/** The stored value of an input in a record. */
export function storedValue({ isMany, name, relation, relationName }: Input, record: RecordData): Json {
  if (isMany) {
    const parts = record[relationName ?? '']
    return Array.isArray(parts) ? (parts as readonly Json[]).filter(isRecord).map((part) => part.id ?? null) : []
  }
  if (record[name] !== undefined || relation === undefined) return record[name] ?? null
  const part = record[relationName ?? '']
  return isRecord(part) ? (part.id ?? null) : null
}

/** The way back from a change of these inputs: the values that the record had, and whether another still has the changed ones. */
export function wayBack(
  inputs: readonly Input[],
  record: RecordData,
  change: RecordData,
): { readonly before: RecordData; readonly isStill: (now: RecordData) => boolean } {
  return {
    before: Object.fromEntries(inputs.map((input) => [input.name, storedValue(input, record)])),
    isStill: (now) => inputs.every((input) => isSame(storedValue(input, now), change[input.name] ?? null)),
  }
}

/** The value that a new record gets without an answer; null where the server decides. */
export function usualValue({ field, relation }: Input): Json {
  const usual = field?.default
  if (usual === undefined || relation !== undefined || isRecord(usual)) return null
  return typeof usual === 'string' && usual.startsWith('$') ? null : usual
}

/** Whether two values are the same; the order of related records has no meaning. */
export function isSame(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** The inputs of a draft that differ from the record it began with. */
export function changedInputs(inputs: readonly Input[], draft: Draft, record: RecordData): readonly Input[] {
  return inputs.filter((input) => {
    const value = draft[input.name]
    return value !== undefined && !isSame(value, storedValue(input, record))
  })
}

/** The body of an update: what changed, and nothing else. */
export function changesOf(inputs: readonly Input[], draft: Draft, record: RecordData): RecordData {
  return Object.fromEntries(changedInputs(inputs, draft, record).map(({ name }) => [name, draft[name] ?? null]))
}

/** A field that others changed at the same time to something else. */
export interface Clash {
  readonly input: Input
  readonly before: Json
  readonly yours: Json
  readonly theirs: Json
}

/** Where a draft of `before` and the record as it is `now` disagree. */
export function clashesOf(
  inputs: readonly Input[],
  draft: Draft,
  before: RecordData,
  now: RecordData,
): readonly Clash[] {
  return changedInputs(inputs, draft, before).flatMap((input) => {
    const [was, theirs] = [storedValue(input, before), storedValue(input, now)]
    const yours = draft[input.name] ?? null
    return isSame(was, theirs) || isSame(yours, theirs) ? [] : [{ input, before: was, yours, theirs }]
  })
}

/** The input that an error of the API is about: `comments.0.comment` belongs to `comments`. */
export function inputAt(inputs: readonly Input[], key: string): Input | undefined {
  const first = key.split('.')[0]
  return (
    inputs.find(({ name }) => name === key) ??
    inputs.find(({ name, relationName }) => name === first || relationName === first)
  )
}
