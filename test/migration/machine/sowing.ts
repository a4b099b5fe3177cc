/** What seeds make of the records that are held, and which of them the database would not take. */
import type { Json } from '../../../engine/json.ts'
import { type Held, heldOf, type Model, unknownHeld, type Value, visible } from './model.ts'
import { type Resource, type SeedRow, STEADY, type Version } from './shape.ts'

/** Two days that may be absent, as one stretch of time; undefined where the last comes before the first. */
function stretch(held: Held, [from, to]: readonly [string, string]): readonly [string, string] | undefined {
  const [begin, end] = [held.values.get(from) ?? '', held.values.get(to) ?? '9999']
  return String(begin) <= String(end) ? [String(begin), String(end)] : undefined
}

/** Whether two records share a day; undefined where nobody knows. */
export function overlaps(one: Held, other: Held, days: readonly [string, string]): boolean {
  const [a, b] = [stretch(one, days), stretch(other, days)]
  return a !== undefined && b !== undefined && a[0] <= b[1] && b[0] <= a[1]
}

/** Whether the last day of a record comes before the first. */
export function isReversed(held: Held, days: readonly [string, string]): boolean {
  return stretch(held, days) === undefined
}

const isSame = (one: Value, other: Value): boolean => one !== null && one !== undefined && one === other

/** Why the database would not take a record; undefined where it would. */
function refusal(model: Model, resource: Resource, row: Held): string | undefined {
  const { apart, fields, partial } = resource
  const shown = visible(model, resource)
  const twice = fields.find(
    ({ key, unique }) => unique === true && shown.some(({ values }) => isSame(values.get(key), row.values.get(key))),
  )
  if (twice !== undefined) return `${resource.name} would have a value of ${twice.name} twice`
  if (partial !== undefined) {
    const { field, where } = partial
    const isIn = ({ values }: Held) => values.get(where.field) === where.value
    const equal = heldOf(model, resource).filter((one) => isSame(one.values.get(field), row.values.get(field)))
    if (isIn(row) && equal.some(isIn)) return `${resource.name} would have a value twice where one alone may be`
  }
  if (apart !== undefined && (isReversed(row, apart) || shown.some((one) => overlaps(one, row, apart))))
    return `${resource.name} would have two records on one day`
  return undefined
}

/** The record that a row names: one that is not deleted, and the oldest. */
function named(model: Model, version: Version, resource: Resource, { names }: SeedRow): Held | undefined {
  const relation = resource.relations.find(({ key }) => key === names?.relation)
  const target = version.find(({ key }) => key === relation?.target)
  if (target?.seeds === undefined) return undefined
  const { field } = target.seeds
  const all = heldOf(model, target).filter(({ values }) => values.get(field) === names?.word)
  return all.find((one) => !(target.softDelete && one.deleted)) ?? all[0]
}

function rowOf(resource: Resource, { also, names, word }: SeedRow, target: Held | undefined): Held {
  const empty = resource.relations.map(({ key, kind }): [string, Value] => [key, kind === 'one' ? null : []])
  const given = resource.fields.map(({ key, default: value = null, type, sum }): [string, Value] => {
    return [key, type === 'sequence' || sum !== undefined ? undefined : value]
  })
  const id: Value = target === undefined || Number.isNaN(target.id) ? undefined : target.id
  const values: readonly (readonly [string, Value])[] = [
    ...empty,
    ...given,
    [STEADY, null],
    ...(also === undefined ? [] : [[also.field, also.value as Json] as const]),
    ...(names === undefined ? [] : [[names.relation, id] as const]),
    [resource.seeds?.field ?? '', word],
  ]
  // Its id is told by the first answer.
  return unknownHeld(Number.NaN, Object.fromEntries(values))
}

interface Waiting {
  readonly resource: Resource
  readonly row: SeedRow
}

/** Makes seeds once in their life, unless a record of their key is there; gives what stands in their way. */
export function sow(model: Model, version: Version): string | undefined {
  let waiting: readonly Waiting[] = version.flatMap((resource) =>
    (resource.seeds?.rows ?? []).map((row) => ({ resource, row })),
  )
  while (waiting.length > 0) {
    const left: Waiting[] = []
    for (const one of waiting) {
      const { resource, row } = one
      const mark = `${resource.key} ${row.word}`
      if (model.seeded.has(mark)) continue
      const target = row.names && named(model, version, resource, row)
      if (row.names !== undefined && target === undefined) {
        left.push(one)
        continue
      }
      model.seeded.add(mark)
      const all = heldOf(model, resource)
      if (all.some(({ values }) => values.get(resource.seeds?.field ?? '') === row.word)) continue
      const held = rowOf(resource, row, target)
      const why = refusal(model, resource, held)
      if (why !== undefined) return why
      all.push(held)
    }
    if (left.length === waiting.length) return `${left[0]?.resource.name} would name a record that is gone`
    waiting = left
  }
  return undefined
}
