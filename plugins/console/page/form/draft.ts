/** What a form asks for, and what it sends: the fields and relations that its writer may set. */
import { type Field, isRecord, type Json, type RecordData, type Relation, type Resource } from '../client/catalog.ts'

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
    const { label, writes } = relation
    return [{ name: writes, label, field: undefined, relation, relationName, isMany: true, isRequired: false }]
  })
  const all = [...fields, ...extra, ...many]
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)]
}

function inputOf(name: string, field: Field): Pick<Input, 'name' | 'label' | 'description' | 'field'> {
  const { description, label } = field
  return { name, label, field, ...(description === undefined ? {} : { description }) }
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
