/** ⇄ What plugins ask of many records at once: what their readers see, what the records are, and where relations lead; one statement each. */
import { type Actor, SYSTEM } from '../actor.ts'
import { actorClass } from '../ask/policy.ts'
import type { BelongsTo, Catalog, Relation, Resource } from '../catalog/catalog.ts'
import { endOf, idOf, targetOf } from '../catalog/stored.ts'
import { wireJson } from '../field/wire.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import { memo } from '../memo.ts'
import { identityOf } from '../plan/plan.ts'
import { type Execution, runCompiled } from '../run/execution.ts'
import { pathOf } from '../run/export.ts'
import { type Compiled, type CompiledStatements, parameterValues, type SelectScope } from '../statement/compiled.ts'
import {
  broughtSlot,
  type CompiledSights,
  compileRelated,
  compileSights,
  compileSurvey,
  type Findings,
  ofClass,
  READERS,
  type Related,
  type RelatedPath,
  type Sighting,
  type Survey,
  type Surveyed,
} from '../statement/many-records.ts'

/** Values that replace those of a record, as JSON by the columns of their fields. Only stored fields are included. */
function columnsOf({ fields }: Pick<Resource, 'fields'>, values: JsonObject): string {
  const columns = Object.entries(values).flatMap(([name, value]) => {
    const field = fields.get(name)
    return field === undefined || field.computed !== undefined || field.count !== undefined
      ? []
      : [[field.column, value] as const]
  })
  return JSON.stringify(Object.fromEntries(columns))
}

/** The relations of a path; throws when it leads nowhere, or to many at two steps. */
export function wayOf(catalog: Catalog, resource: Resource, path: string): readonly Relation[] {
  const way: Relation[] = []
  let at = resource
  for (const word of path.split('.')) {
    const relation = at.relations.get(word)
    if (relation === undefined) throw new Error(`${at.name} has no relation ${word}`)
    way.push(relation)
    at = targetOf(catalog, relation)
  }
  if (way.filter(({ kind }) => kind !== 'belongs_to').length > 1) throw new Error(`${path} leads to many at two steps`)
  return way
}

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
    // A reader who is kept from every route sees nothing here either.
    if (reader.restriction !== undefined) continue
    const key = actorClass(reader)
    const places = classes.get(key) ?? []
    classes.set(key, places)
    places.push(at)
  }
  const asked: Reading = { resource, columns, pairs, laid: pairs.some(({ values }) => values !== undefined) }
  for (const group of groupsOf(around, asked, classes)) await readFor(around, asked, group, seen)
  return seen
}

/** What is read for pairs of a record and a reader. */
interface Reading {
  readonly resource: Resource
  readonly columns: readonly string[]
  readonly pairs: readonly Sighting[]
  /** Whether values of a change replace those of the records. */
  readonly laid: boolean
}

/** A class of readers that was asked for at some time, and its pairs of this time, which most classes lack. */
interface Class {
  readonly actor: Actor
  readonly places: readonly number[]
}

/** Classes that share a statement. */
const TOGETHER = 8
/** Classes that are remembered: a role that is changed leaves one behind in which nobody is any more. */
const REMEMBERED = 64

/** The classes that were asked for, by the parts of the statement. */
const shapesOf = memo((_: CompiledStatements) => new Map<string, Map<string, Actor>>())

/**
 * A statement has all classes that were ever asked for, in the order in which they came. So a few statements serve any
 * readers, and connections have planned them already.
 */
function groupsOf(
  { statements }: Execution,
  { columns, laid, pairs, resource }: Reading,
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

/** Reads for the classes of one statement. */
async function readFor(
  around: Execution,
  { columns, laid, pairs, resource }: Reading,
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
  { laid, pairs, resource }: Reading,
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

/** The findings about each record, undefined where it is not there any more. Throws for a path that leads nowhere. */
export async function survey(
  around: Execution,
  resource: Resource,
  asked: Survey,
  records: readonly Surveyed[],
): Promise<readonly (Findings | undefined)[]> {
  const { catalog, statements } = around
  const paths = asked.values.map((path) => pathOf(catalog, resource, path))
  const ways = asked.ways.map((way) => wayOf(catalog, resource, way))
  const found = statements.get(compileAsked, { catalog, actor: SYSTEM }, resource, asked)
  const slots = {
    records: records.map(({ record }) => record),
    now: records.map(({ now = {} }) => columnsOf(resource, now)),
    before: records.map(({ before = {} }) => columnsOf(resource, before)),
  }
  const findings = new Array<Findings | undefined>(records.length).fill(undefined)
  const ends = ways.map((way) => targetOf(catalog, way.at(-1)!))
  for (const [n, ...texts] of await runCompiled({ ...around, actor: SYSTEM }, found, slots)) {
    const [holds, led, values] = [asked.conditions.length, ways.length, paths.length]
    findings[Number(n) - 1] = {
      holds: texts.slice(0, holds).map((text) => text === 't'),
      led: texts
        .slice(holds, holds + led)
        .map((text, at) => (JSON.parse(text ?? '[]') as Json[]).map((id) => idOf(ends[at]!, String(id)))),
      values: texts
        .slice(holds + led, holds + led + values)
        .map((text, at) => JSON.parse(wireJson(paths[at]!.field.type.wire, text ?? null)) as Json),
    }
  }
  return findings
}

function compileAsked(scope: SelectScope, resource: Resource, { conditions, values, ways }: Survey): Compiled {
  const { catalog } = scope
  const asked = {
    conditions,
    ways: ways.map((way) => wayOf(catalog, resource, way)),
    paths: values.map((path) => pathOf(catalog, resource, path)),
  }
  return compileSurvey(scope, resource, asked)
}

/** The relations of a path such as `organization.members`; the last may lead to many. Throws for a path to nowhere. */
export function relatedPath(catalog: Catalog, resource: Resource, path: string): RelatedPath {
  const words = path.split('.')
  const relations: BelongsTo[] = []
  let at = resource
  for (const [index, word] of words.entries()) {
    const relation = at.relations.get(word)
    if (relation === undefined) throw new Error(`${at.name} has no relation ${word}`)
    if (relation.kind !== 'belongs_to') {
      if (index < words.length - 1) throw new Error(`${at.name}.${word} leads to many records, and the path ends there`)
      return { relations, many: relation }
    }
    relations.push(relation)
    at = targetOf(catalog, relation)
  }
  return { relations, many: undefined }
}

function compilePath(scope: SelectScope, resource: Resource, path: string): Compiled {
  return compileRelated(scope, resource, relatedPath(scope.catalog, resource, path))
}

/** The live records to which a path leads, as the program itself sees them. */
export async function relatedOf(
  around: Execution,
  resource: Resource,
  path: string,
  records: readonly Id[],
): Promise<readonly Related[]> {
  const { catalog, statements } = around
  const found = statements.get(compilePath, { catalog, actor: SYSTEM }, resource, path)
  const rows = await runCompiled({ ...around, actor: SYSTEM }, found, { records })
  const { many, relations } = relatedPath(catalog, resource, path)
  const end = endOf(catalog, resource, many === undefined ? relations : [many])
  return rows.map(([record, related]) => ({ record: idOf(resource, record), related: idOf(end, related) }))
}
