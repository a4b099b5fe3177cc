/** Compares what an application answers with what the model holds, and learns what nobody could know. */
import { isDeepStrictEqual } from 'node:util'
import { type Held, heldOf, type Model, type Value, visible } from './model.ts'
import { answerName, type Resource, STEADY, type Version } from './shape.ts'

export type Row = Readonly<Record<string, Value>>

/** The data of each resource's list, by the key of the resource. */
export type Lists = ReadonlyMap<string, readonly Row[]>

interface Expected {
  readonly name: string
  readonly key: string
  readonly value: Value
}

const ascending = (one: unknown, other: unknown): number => Number(one) - Number(other)

function linked(model: Model, version: Version, target: string, ids: Value): Value {
  if (!Array.isArray(ids)) return ids
  const resource = version.find(({ key }) => key === target)
  const shown = new Set(resource && visible(model, resource).map(({ id }) => id))
  return ids.filter((id) => shown.has(Number(id))).sort(ascending)
}

/** What an answer has under each name: earlier names have the value too. */
function expectedOf(model: Model, version: Version, resource: Resource, held: Held): readonly Expected[] {
  const under = (key: string, value: Value, names: readonly (string | undefined)[]): readonly Expected[] =>
    names.flatMap((name) => (name === undefined ? [] : [{ name, key, value }]))
  const get = (key: string) => held.values.get(key)
  return [
    ...under(STEADY, get(STEADY), [STEADY]),
    ...resource.fields.flatMap(({ key, name, earlier }) => under(key, get(key), [name, earlier])),
    ...resource.relations.flatMap((one) => {
      const value = one.kind === 'one' ? get(one.key) : linked(model, version, one.target, get(one.key))
      return under(one.key, value, [answerName(one)])
    }),
    ...(resource.timestamps ? under('created_at', get('created_at'), ['created_at']) : []),
  ]
}

function plain(value: Value): Value {
  if (!Array.isArray(value)) return value
  return value.every((one) => typeof one === 'object' && one !== null && 'id' in one)
    ? value.map((one) => (one as Readonly<Record<string, number>>).id ?? null).sort(ascending)
    : value
}

/** Seeds get their ids from the answers: the ones that no record of the model has, in order. */
function name(model: Model, resource: Resource, rows: readonly Row[]): void {
  const all = heldOf(model, resource)
  const known = new Set(all.map(({ id }) => id))
  const free = rows.map(({ id }) => Number(id)).filter((id) => !known.has(id))
  const field = resource.fields.find(({ key }) => key === resource.seeds?.field)
  for (const [at, held] of all.entries()) {
    if (!Number.isNaN(held.id)) continue
    const row = rows.find(
      (one) => free.includes(Number(one.id)) && one[field?.name ?? ''] === held.values.get(field?.key ?? ''),
    )
    if (row !== undefined) all[at] = { ...held, id: Number(row.id) }
  }
}

/** The first difference between answers and model, for people; undefined where there is none. */
export function firstDifference(model: Model, version: Version, lists: Lists): string | undefined {
  for (const resource of version) name(model, resource, lists.get(resource.key) ?? [])
  for (const resource of version) {
    const rows = lists.get(resource.key) ?? []
    const held = visible(model, resource)
    const [ids, wanted] = [rows.map(({ id }) => Number(id)), held.map(({ id }) => id)]
    const sorted = [...wanted].sort((one, other) => one - other)
    if (!isDeepStrictEqual(ids, sorted)) return `${resource.name} has the records ${ids}, not ${sorted}`
    for (const row of rows) {
      const one = held.find(({ id }) => id === Number(row.id))
      const found = one && differs(expectedOf(model, version, resource, one), one, row)
      if (found !== undefined) return `${resource.name}/${row.id} ${found}`
    }
  }
  return undefined
}

function differs(expected: readonly Expected[], held: Held, row: Row): string | undefined {
  for (const { name: field, key, value } of expected) {
    if (!(field in row)) return `has no ${field} (${key})`
    const found = plain(row[field])
    if (value === undefined) held.values.set(key, found)
    else if (!isDeepStrictEqual(found, value))
      return `has ${field} (${key}) = ${JSON.stringify(found)}, not ${JSON.stringify(value)}`
  }
  return undefined
}

/** Lists without what the client writes while a version is tried, and what follows from that. */
export function settled(version: Version, lists: Lists): string {
  const following = version.flatMap(({ fields }) => fields.filter(({ follows }) => follows !== undefined))
  const names = following.flatMap(({ name, earlier }) => (earlier === undefined ? [name] : [name, earlier]))
  const written = new Set([STEADY, 'updated_at', ...names])
  return JSON.stringify([...lists], (field, value: unknown) => (written.has(field) ? undefined : value))
}
