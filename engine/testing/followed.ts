/** ⇄ What followed from the steps of a scenario: values of `follows`, runs of automations, and removals of `keep`. */
import type { Actor } from '../actor.ts'
import type { FieldPath, Filter, Follow, RelatedFollow, Resource } from '../catalog/catalog.ts'
import { concerns, concernsUpdate, withFollowing } from '../catalog/stored.ts'
import type { Engine } from '../engine.ts'
import { quoted } from '../filter/sql.ts'
import { comparisons, conjuncts, speaksOf } from '../filter/walk.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { executionOf, runCompiled } from '../run/execution.ts'
import { followsFrom } from '../statement/related-follow.ts'
import { compileCounted } from '../statement/rule-violations.ts'

/** A write that was done. */
export interface Written {
  readonly resource: Resource
  readonly action: 'create' | 'update' | 'delete' | 'restore'
  readonly id: Id | undefined
  readonly body: JsonObject
  readonly actor: Actor
}

/** How many live records a condition admits for an actor. */
export async function counted(
  { app }: Pick<Engine, 'app'>,
  actor: Actor,
  resource: Resource,
  where: Filter | undefined,
): Promise<number> {
  const around = executionOf(app.foundation, { actor, requestId: 'scenario', afterCommit: () => undefined })
  const [row] = await runCompiled(around, compileCounted(around, resource, where), {})
  return Number(row?.[0])
}

/** The entries of `follows` that the write concerned, and whose condition holds of the record as it is now. */
export async function followsOf(engine: Pick<Engine, 'app'>, written: Written): Promise<readonly object[]> {
  const { action, actor, body, id, resource } = written
  const { catalog } = engine.app
  const named = [...resource.fields.values()].filter(({ name, relation }) => name in body || (relation ?? name) in body)
  const own = named.map(({ column }) => column)
  const isWrite = action === 'create' || action === 'update'
  const columns = isWrite ? withFollowing(catalog, resource, action, own) : new Set(own)
  const here = isWrite ? resource.follows.filter((one) => concerns(one, action, columns)) : []
  const elsewhere = resource.relatedFollows.filter((one) => {
    if (!followsFrom(one, actor)) return false
    return action === 'update' ? concernsUpdate(one, columns) : one.on.has(action)
  })
  const held = await Promise.all(
    [...here, ...elsewhere].map(async (one) => ((await holds(engine, written, lastingPart(one), id)) ? [one] : [])),
  )
  return held.flat()
}

/** The condition of an entry without what the entry itself changes, which is otherwise after the write. */
function lastingPart(one: Follow | RelatedFollow): Filter | undefined {
  const { set, when } = one
  if (when === undefined) return undefined
  const way = 'of' in one ? stepsOf(one.of) : []
  const changed = new Set(set.map(({ field }) => field.column))
  const isChanged = (path: FieldPath): boolean => {
    const steps = stepsOf(path)
    return way.every((step, at) => steps[at] === step) && changed.has(steps[way.length] ?? '')
  }
  const kept = conjuncts(when).filter((part) => !comparisons(part).some(({ path }) => isChanged(path)))
  return kept.length === 0 ? undefined : { kind: 'and', of: kept }
}

/** The columns of a path, one after the other. */
function stepsOf({ field, relations }: FieldPath): readonly string[] {
  return [...relations.map((relation) => relation.field.column), field.column]
}

/** A condition about the record before, or about one that is gone, cannot be asked any more. */
async function holds(
  engine: Pick<Engine, 'app'>,
  { action, actor, resource }: Written,
  when: Filter | undefined,
  id: Id | undefined,
): Promise<boolean> {
  if (when === undefined || id === undefined || action === 'delete' || speaksOf('before', when)) return true
  const path = { relations: [], field: resource.key }
  const own: Filter = { kind: 'compare', path, operator: 'eq', operand: { kind: 'literal', value: id } }
  return (await counted(engine, actor, resource, { kind: 'and', of: [own, when] })) > 0
}

const DONE = `select automation, count(*) from plinth_automation_run where outcome = 'done' group by automation`

/** How often each automation acted so far, `<resource>.<name>`; nothing is asked where there are none. */
export async function runsSoFar({
  app,
  database,
}: Pick<Engine, 'app' | 'database'>): Promise<ReadonlyMap<string, number>> {
  if (app.automations.length === 0) return new Map()
  const rows = await database.adhoc.run({ text: DONE }, [])
  return new Map(rows.map(([name, runs]) => [name ?? '', Number(runs)]))
}

/** The automations that acted since then. */
export async function automationsSince(
  engine: Pick<Engine, 'app' | 'database'>,
  before: ReadonlyMap<string, number>,
): Promise<readonly object[]> {
  const now = await runsSoFar(engine)
  const acted = engine.app.automations.filter(({ name }) => (now.get(name) ?? 0) > (before.get(name) ?? 0))
  return acted.map(({ automation }) => automation)
}

/** The numbers of rows that are kept for a limited time, by `keep`. */
export async function rowsKept({
  app,
  database,
}: Pick<Engine, 'app' | 'database'>): Promise<ReadonlyMap<object, number>> {
  const rows = new Map<object, number>()
  for (const { keep, table } of app.catalog.resources.values()) {
    if (keep === undefined) continue
    const [row] = await database.adhoc.run({ text: `select count(*) from ${quoted(table)}` }, [])
    rows.set(keep, Number(row?.[0]))
  }
  return rows
}
