/** What several readers see of several records ⇄: a statement for each class of readers, however many there are. */
import type { Actor } from '../actor.ts'
import type { Resource } from '../catalog/catalog.ts'
import { wireJson } from '../field/wire.ts'
import type { Json } from '../json.ts'
import { parameterValues } from '../query/compiled.ts'
import { broughtSlot, READERS } from '../query/per-reader.ts'
import { actorClass } from '../query/policy.ts'
import { compileSight } from '../query/sight.ts'
import type { Sighting } from './context.ts'
import { type Execution, runCompiled } from './execution.ts'
import { pathOf } from './stream.ts'

/**
 * For each pair the values of the paths as that reader sees them, null where it may not read one; undefined where the
 * reader may not see the record, or there is none. Throws for a path that leads nowhere.
 */
export async function sightings(
  around: Execution,
  resource: Resource,
  columns: readonly string[],
  pairs: readonly Sighting[],
): Promise<readonly (readonly Json[] | undefined)[]> {
  const seen = new Array<readonly Json[] | undefined>(pairs.length).fill(undefined)
  const classes = new Map<string, number[]>()
  for (const [at, { reader }] of pairs.entries()) {
    // Whoever is kept from every route is shown nothing here either.
    if (reader.restriction !== undefined) continue
    const key = actorClass(reader)
    const places = classes.get(key) ?? []
    classes.set(key, places)
    places.push(at)
  }
  for (const places of classes.values()) await see(around, resource, columns, pairs, places, seen)
  return seen
}

async function see(
  around: Execution,
  resource: Resource,
  columns: readonly string[],
  pairs: readonly Sighting[],
  places: readonly number[],
  seen: (readonly Json[] | undefined)[],
): Promise<void> {
  const { catalog, now, statements } = around
  const paths = columns.map((column) => pathOf(catalog, resource, column))
  const readers = new Map<Actor, number>()
  for (const at of places) if (!readers.has(pairs[at]!.reader)) readers.set(pairs[at]!.reader, readers.size)
  const [actor] = readers.keys()
  const key = `sight ${resource.name} ${columns.join()} ${actorClass(actor!)}`
  const found = statements.get(key, () => compileSight({ catalog, actor: actor! }, resource, paths))
  const brought = [...readers.keys()].map((reader) =>
    parameterValues(found.brought, { actor: reader, now: now(), slots: {} }),
  )
  const slots: Record<string, unknown> = {
    records: places.map((at) => pairs[at]!.record),
    readers: places.map((at) => readers.get(pairs[at]!.reader)),
    [READERS]: [...readers.values()],
  }
  for (const at of found.brought.keys()) slots[broughtSlot(at)] = brought.map((values) => textOf(values[at]))
  for (const [n, ...texts] of await runCompiled({ ...around, actor: actor! }, found, slots)) {
    const values = paths.map(({ field }, at): Json => JSON.parse(wireJson(field.type.wire, texts[at] ?? null)) as Json)
    seen[places[Number(n) - 1]!] = values
  }
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}
