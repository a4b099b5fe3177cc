/** What several readers see of several records ⇄: one statement for all of them, however many classes of readers there are. */
import type { Actor } from '../actor.ts'
import type { Resource } from '../catalog/catalog.ts'
import { wireJson } from '../field/wire.ts'
import type { Json } from '../json.ts'
import { memo } from '../memo.ts'
import { identityOf } from '../plan/plan.ts'
import { type CompiledStatements, parameterValues } from '../query/compiled.ts'
import { broughtSlot, READERS } from '../query/per-reader.ts'
import { actorClass } from '../query/policy.ts'
import type { SelectScope } from '../query/scope.ts'
import { type CompiledSights, compileSights, ofClass } from '../query/sight.ts'
import type { Sighting } from './asked.ts'
import { type Execution, runCompiled } from './execution.ts'
import { columnsOf } from './laid-over.ts'
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
  const asked: Asked = { resource, columns, pairs, laid: pairs.some(({ values }) => values !== undefined) }
  for (const group of groupsOf(around, asked, classes)) await see(around, asked, group, seen)
  return seen
}

interface Asked {
  readonly resource: Resource
  readonly columns: readonly string[]
  readonly pairs: readonly Sighting[]
  readonly laid: boolean
}

/** A class of readers that was asked for before, and the pairs of this time, none for most. */
interface Class {
  readonly actor: Actor
  readonly places: readonly number[]
}

/** So many classes share a statement. */
const TOGETHER = 8
/** Roles that were changed leave classes behind that nobody is in any more. */
const REMEMBERED = 64

/** The classes that were asked for, by the shape of the statement. */
const shapesOf = memo((_: CompiledStatements) => new Map<string, Map<string, Actor>>())

/**
 * The classes of a statement are all that were ever asked for, in the order in which they came: whoever takes part this
 * time, the statement is one of a few that connections have planned already.
 */
function groupsOf(
  { statements }: Execution,
  { columns, laid, pairs, resource }: Asked,
  classes: ReadonlyMap<string, readonly number[]>,
): readonly (readonly Class[])[] {
  const shapes = shapesOf(statements)
  const shape = identityOf([resource, columns, laid])
  const found = shapes.get(shape)
  const actors = found === undefined || found.size > REMEMBERED ? new Map<string, Actor>() : found
  shapes.set(shape, actors)
  for (const [key, [first]] of classes) if (!actors.has(key)) actors.set(key, pairs[first!]!.reader)
  const all = [...actors].map(([key, actor]): Class => ({ actor, places: classes.get(key) ?? [] }))
  return Array.from({ length: Math.ceil(all.length / TOGETHER) }, (_, at) =>
    all.slice(at * TOGETHER, (at + 1) * TOGETHER),
  ).filter((group) => group.some(({ places }) => places.length > 0))
}

async function see(
  around: Execution,
  { columns, laid, pairs, resource }: Asked,
  group: readonly Class[],
  seen: (readonly Json[] | undefined)[],
): Promise<void> {
  const { catalog, statements } = around
  const paths = columns.map((column) => pathOf(catalog, resource, column))
  const actors = group.map(({ actor }) => actor)
  const found = statements.get(compileColumns, { catalog }, actors, resource, columns, laid)
  const slots: Record<string, unknown> = {}
  for (const [at, { places }] of group.entries())
    for (const [name, value] of slotsOf(around, { columns, laid, pairs, resource }, places, found.brought[at]!))
      slots[ofClass(at, name)] = value
  for (const [place, ...texts] of await runCompiled(around, found, slots))
    seen[Number(place)] = paths.map(
      ({ field }, at): Json => JSON.parse(wireJson(field.type.wire, texts[at] ?? null)) as Json,
    )
}

function compileColumns(
  { catalog }: Pick<SelectScope, 'catalog'>,
  actors: readonly Actor[],
  resource: Resource,
  columns: readonly string[],
  laid: boolean,
): CompiledSights {
  const paths = columns.map((column) => pathOf(catalog, resource, column))
  return compileSights(catalog, actors, { resource, paths, laid })
}

/** What one class of readers asks for: its pairs, and what each of its readers brings along. */
function slotsOf(
  { now }: Execution,
  { laid, pairs, resource }: Asked,
  places: readonly number[],
  brings: CompiledSights['brought'][number],
): readonly (readonly [string, unknown])[] {
  const readers = new Map<Actor, number>()
  for (const at of places) if (!readers.has(pairs[at]!.reader)) readers.set(pairs[at]!.reader, readers.size)
  const brought = [...readers.keys()].map((actor) => parameterValues(brings, { actor, now: now(), slots: {} }))
  const values = places.map((at) => columnsOf(resource, pairs[at]!.values ?? {}))
  return [
    ['places', places],
    ['records', places.map((at) => pairs[at]!.record)],
    ['readers', places.map((at) => readers.get(pairs[at]!.reader))],
    ...(laid ? [['values', values] as const] : []),
    [READERS, [...readers.values()]],
    ...brings.map((_, at) => [broughtSlot(at), brought.map((all) => textOf(all[at]))] as const),
  ]
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}
