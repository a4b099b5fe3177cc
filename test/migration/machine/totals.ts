/** What writes of records make of the numbers of those that they belong to. */
import { type Held, heldOf, type Model, type Value } from './model.ts'
import { type Resource, type Totalled, totalsFrom, type Version } from './shape.ts'

function changed(value: Value, amount: Value, sign: 1 | -1): Value {
  return value === undefined || amount === undefined ? undefined : Number(value ?? 0) + sign * Number(amount ?? 0)
}

/** Adds a record to the number of one that it belongs to, or takes it from there; nothing follows in one that is deleted. */
function count(model: Model, { field, resource, total }: Totalled, held: Held, parent: Value, sign: 1 | -1): void {
  const found = heldOf(model, resource).find(({ id }) => id === parent)
  if (found === undefined || (resource.softDelete && found.deleted)) return
  const amount = total.of === undefined ? 1 : held.values.get(total.of)
  found.values.set(field.key, changed(found.values.get(field.key), amount, sign))
}

export function countIn(model: Model, version: Version, resource: Resource, held: Held): void {
  for (const one of totalsFrom(version, resource)) count(model, one, held, held.values.get(one.total.by), 1)
}

export function countOut(model: Model, version: Version, resource: Resource, held: Held): void {
  for (const one of totalsFrom(version, resource)) count(model, one, held, held.values.get(one.total.by), -1)
}

/** A record that gets another one by a relation leaves the number of the one before. */
export function countMoved(
  model: Model,
  version: Version,
  resource: Resource,
  held: Held,
  relation: string,
  before: Value,
): void {
  const now = held.values.get(relation)
  if (now === before) return
  for (const one of totalsFrom(version, resource).filter(({ total }) => total.by === relation)) {
    count(model, one, held, before, -1)
    count(model, one, held, now, 1)
  }
}
