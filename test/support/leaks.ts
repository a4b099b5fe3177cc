/**
 * Whether answers depend on what their reader may not see: the hidden values of a database are changed, and requests made
 * from the catalog are asked before and after. What differs is a leak.
 */
import type { Actor } from '../../engine/actor.ts'
import { readable } from '../../engine/ask/policy.ts'
import type { Catalog, EmbedEntry, Field, Filter, Resource } from '../../engine/catalog/catalog.ts'
import { READ_TABLES, storedFields, targetOf } from '../../engine/catalog/stored.ts'
import type { Database } from '../../engine/database/database.ts'
import type { Json } from '../../engine/json.ts'
import { readableSql } from '../../engine/statement/readable.ts'
import { seeded } from '../faults/generate.ts'
import { type Hidden, requestsFor, sample } from './leak-requests.ts'

export interface Reader {
  readonly name: string
  readonly token: string
  readonly actor: Actor
}

interface World {
  readonly catalog: Catalog
  readonly database: Database
  /** Resources without which nobody is known any more. */
  readonly kept?: readonly string[]
  /** Sends `GET /path`, and gives status and answer without times. */
  ask(request: string, token: string): Promise<string>
  /** Called before requests are asked of values that are new. */
  settle?(): Promise<void>
}

/** What was asked and differed, and how much was changed and asked. */
export interface Leaks {
  readonly found: readonly string[]
  readonly hidden: number
  readonly asked: number
  readonly answered: number
}

/** Looks for leaks to one reader; everything is as before afterwards but for the values that were hidden. */
export async function leaksTo(world: World, reader: Reader, seed: number, each: number): Promise<Leaks> {
  const random = seeded(seed)
  const sight = await visible(world, reader.actor)
  const before = new Map<string, string>()
  const plan = await hiddenColumns(world, reader.actor, sight)
  const values = await Promise.all(plan.map((one) => valuesOf(world, one)))
  // The second values are known before they are written, so that requests can ask for them too.
  const made = requestsFor(world.catalog, reader.actor, hiddenOf(plan, values), random, each)
  const asked = tellable(world, plan, made)
  for (const request of asked) before.set(request, await world.ask(request, reader.token))
  let hidden = 0
  for (const one of plan) hidden += await change(world, one)
  if (JSON.stringify([...(await visible(world, reader.actor))]) !== JSON.stringify([...sight]))
    throw new Error(`what ${reader.name} sees has changed: a value that policies compare was taken for a hidden one`)
  const found: string[] = []
  for (const request of asked) {
    const after = await world.ask(request, reader.token)
    if (after !== before.get(request))
      found.push(`${reader.name}: ${decodeURIComponent(request)}\n  ${before.get(request)}\n  ${after}`)
  }
  const answered = [...before.values()].filter((text) => text.startsWith('200')).length
  return { found, hidden, asked: asked.length, answered }
}

/**
 * Looks for leaks to one reader where databases differ in a single hidden value: each of so many values is changed alone,
 * and is as before afterwards.
 */
export async function leaksOfEach(
  world: World,
  reader: Reader,
  seed: number,
  { each, values }: { readonly values: number; readonly each: number },
): Promise<Leaks> {
  const random = seeded(seed)
  const sight = JSON.stringify([...(await visible(world, reader.actor))])
  const plan = await hiddenFrom(world, reader.actor)
  const single = plan.flatMap((one) => one.ids.map((id): Plan => ({ ...one, ids: [id] })))
  const found: string[] = []
  let [asked, answered, hidden] = [0, 0, 0]
  for (const one of sample(random, single, values)) {
    const known = hiddenOf([one], [await valuesOf(world, one)])
    const requests = tellable(world, [one], requestsFor(world.catalog, reader.actor, known, random, each))
    const ask = async (): Promise<readonly string[]> => {
      const answers: string[] = []
      await world.settle?.()
      for (const request of requests) answers.push(await world.ask(request, reader.token))
      return answers
    }
    const before = await ask()
    const kept = await keptOf(world, one)
    if ((await change(world, one)) === 0) continue
    if (JSON.stringify([...(await visible(world, reader.actor))]) !== sight)
      throw new Error(`what ${reader.name} sees has changed by ${one.resource.name}.${one.field.name}`)
    const after = await ask()
    await restore(world, one, kept)
    hidden += 1
    asked += requests.length
    answered += before.filter((text) => text.startsWith('200')).length
    for (const [at, request] of requests.entries())
      if (before[at] !== after[at])
        found.push(
          `${reader.name}: ${one.resource.name} ${one.ids[0]} ${one.field.name}: ${decodeURIComponent(request)}\n  ${before[at]}\n  ${after[at]}`,
        )
  }
  return { found, hidden, asked, answered }
}

/** What an actor may not see: columns, each with the rows in which it is hidden. */
export async function hiddenFrom(world: World, actor: Actor): Promise<readonly Plan[]> {
  return hiddenColumns(world, actor, await visible(world, actor))
}

async function keptOf({ database }: World, { field, ids, resource }: Plan): Promise<unknown> {
  const [row] = await database.knex(resource.table).where({ id: ids[0] }).select(field.column)
  return row?.[field.column]
}

async function restore({ database }: World, { field, ids, resource }: Plan, kept: unknown): Promise<void> {
  await database
    .knex(resource.table)
    .where({ id: ids[0] })
    .update({ [field.column]: kept })
}

function hiddenOf(plan: readonly Plan[], values: readonly (readonly Json[])[]): ReadonlyMap<string, Hidden> {
  return new Map(
    plan.map(({ field, resource }, at) => [`${resource.table}.${field.column}`, { field, values: values[at] ?? [] }]),
  )
}

/** Whether the table is the engine's own, which moves while it is looked at. */
function isEngines({ table }: Resource): boolean {
  return READ_TABLES.has(table)
}

/** The ids of what an actor sees, by resource. */
async function visible({ catalog, database }: World, actor: Actor): Promise<ReadonlyMap<string, readonly string[]>> {
  const asking = { catalog, actor, now: () => new Date() }
  const seen = new Map<string, readonly string[]>()
  for (const { name, table } of [...catalog.resources.values()].filter((one) => !isEngines(one))) {
    const values: unknown[] = []
    const where = readableSql(asking, name, 't', values)
    const text = `select t.id from "${table}" t where ${where} order by t.id`
    seen.set(
      name,
      (await database.adhoc.run({ text }, values)).map(([id]) => id ?? ''),
    )
  }
  return seen
}

/** A column to change, in some of the rows. */
export interface Plan {
  readonly resource: Resource
  readonly field: Field
  readonly ids: readonly string[]
}

async function hiddenColumns(
  { catalog, database, kept = [] }: World,
  actor: Actor,
  sight: ReadonlyMap<string, readonly string[]>,
): Promise<readonly Plan[]> {
  const judged = judgedColumns(catalog)
  const shown = shownColumns(catalog)
  const plan: Plan[] = []
  for (const resource of catalog.resources.values()) {
    if (resource.owner !== resource.name || kept.includes(resource.name) || isEngines(resource)) continue
    const siblings = [...catalog.resources.values()].filter(({ owner }) => owner === resource.name)
    const { table } = resource
    const all = (await database.adhoc.run({ text: `select id from "${table}" order by id` }, [])).map(
      ([id]) => id ?? '',
    )
    const seen = new Set(siblings.flatMap(({ name }) => sight.get(name) ?? []))
    const unseen = all.filter((id) => !seen.has(id))
    for (const field of storedFields(resource)) {
      const column = `${table}.${field.column}`
      if (field === resource.key || judged.has(column)) continue
      const isRead = siblings.some((one) =>
        [...one.fields.values()].some((other) => readable(other, actor) && mentions(other, field.column)),
      )
      const ids = isRead ? (shown.has(column) ? [] : unseen) : all
      if (ids.length > 0) plan.push({ resource, field, ids })
    }
  }
  return plan
}

function mentions({ column, computed }: Field, wanted: string): boolean {
  return computed === undefined ? column === wanted : new RegExp(`\\bt\\."?${wanted}\\b`).test(computed)
}

/** The columns that the YAML's own conditions compare: they decide who sees what. */
function judgedColumns(catalog: Catalog): ReadonlySet<string> {
  return comparedColumns(catalog, (walk) => {
    for (const resource of catalog.resources.values()) {
      const { live, policies, relations, scope, specials } = resource
      for (const filter of [live, scope, ...policies.view.map(({ where }) => where)]) walk(resource, filter)
      for (const { values } of specials.values()) for (const filter of values.values()) walk(resource, filter)
      for (const relation of relations.values()) walk(targetOf(catalog, relation), relation.where)
    }
  })
}

/** The requests without those changes whose policies compare what is hidden: a refusal is what such a policy is for. */
function tellable({ catalog }: World, plan: readonly Plan[], requests: readonly string[]): readonly string[] {
  const hidden = new Set(plan.map(({ field, resource }) => `${resource.table}.${field.column}`))
  const told = [...catalog.resources.values()].filter((resource) => {
    const judged = comparedColumns(catalog, (walk) => {
      for (const { where } of resource.policies.update) walk(resource, where)
    })
    return [...judged].some((column) => hidden.has(column))
  })
  const paths = told.map(({ path }) => `PATCH ${catalog.prefix}/${path}/`)
  return requests.filter((request) => !paths.some((path) => request.startsWith(path)))
}

type Walk = (resource: Resource, filter: Filter | undefined) => void

/** The columns that some conditions compare. */
function comparedColumns(catalog: Catalog, conditions: (walk: Walk) => void): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (resource: Resource, field: Field): void => {
    for (const { column } of storedFields(catalog.resources.get(resource.owner)!))
      if (mentions(field, column)) found.add(`${resource.table}.${column}`)
  }
  const walk = (resource: Resource, filter: Filter | undefined): void => {
    if (filter === undefined) return
    if (filter.kind === 'not') walk(resource, filter.of)
    else if (filter.kind === 'and' || filter.kind === 'or') for (const part of filter.of) walk(resource, part)
    else {
      let at = resource
      for (const relation of filter.path.relations) {
        add(at, relation.field)
        at = targetOf(catalog, relation)
      }
      if (filter.kind === 'compare') add(at, filter.path.field)
      else {
        const { many } = filter.path
        const target = targetOf(catalog, many)
        walk(target, filter.of)
        for (const { field } of many.kind === 'has_many' ? many.by : []) add(target, field)
      }
    }
  }
  conditions(walk)
  return found
}

/** The columns that answers show of other records, whoever may see those. */
function shownColumns(catalog: Catalog): ReadonlySet<string> {
  const found = new Set<string>()
  const walk = (from: string, entries: readonly EmbedEntry[]): void => {
    for (const { value } of entries) {
      if (value.kind === 'embed') {
        walk(value.relation.target, value.entries)
        continue
      }
      const holder = catalog.resources.get(value.path.relations.at(-1)?.target ?? from)!
      for (const { column } of storedFields(catalog.resources.get(holder.owner)!))
        if (mentions(value.path.field, column)) found.add(`${holder.table}.${column}`)
    }
  }
  for (const { relations } of catalog.resources.values())
    for (const { embed, target } of relations.values()) if (embed !== undefined) walk(target, embed)
  return found
}

/** Another value of the same type, as SQL over the column `c` of the row. */
function otherValue(catalog: Catalog, resource: Resource, field: Field): string | undefined {
  const c = `"${field.column}"`
  const { options, type } = field
  const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
  if (relation !== undefined) {
    const { table } = targetOf(catalog, relation)
    return `(select x.id from "${table}" x where x.id is distinct from ${c} order by x.id desc limit 1)`
  }
  switch (type.name) {
    case 'enum': {
      const words = options.own.values as readonly string[]
      return words.length < 2 ? undefined : `case ${c} when '${words[0]}' then '${words[1]}' else '${words[0]}' end`
    }
    case 'boolean':
      return `not coalesce(${c}, false)`
    case 'integer':
      return `case when ${c} = 3 then 4 else 3 end`
    case 'decimal':
      return `case when ${c} = 3 then 4 else 3 end`
    case 'date':
      return `coalesce(${c}, '2001-01-01') + 400`
    case 'timestamp':
      return `coalesce(${c}, '2001-01-01') + interval '400 days'`
    case 'email':
      return `'q' || md5(coalesce(${c}, '') || id) || '@q.example'`
    case 'json':
      return `'["q"]'::jsonb`
    case 'list':
      return options.own.of === 'email' ? `'["q@q.example"]'::jsonb` : `'["q"]'::jsonb`
    default:
      if (!['string', 'text', 'slug', 'url', 'secret', 'color'].includes(type.name)) return undefined
      return `left('q' || md5(coalesce(${c}, '') || id), ${Number(options.own.max ?? 40)})`
  }
}

/** Values that stand in the rows, and those that they will get. */
async function valuesOf({ catalog, database }: World, { field, ids, resource }: Plan): Promise<readonly Json[]> {
  const other = otherValue(catalog, resource, field)
  if (other === undefined) return []
  const text = `select "${field.column}"::text, (${other})::text from "${resource.table}" where id = any($1::integer[]) limit 3`
  const rows = await database.adhoc.run({ text }, [ids])
  return rows.flat().flatMap((value): Json[] => {
    if (value === null) return []
    if (field.type.name === 'integer' || field.relation !== undefined) return [Number(value)]
    return [field.type.wire === 'boolean' ? value === 't' || value === 'true' : value]
  })
}

/** Changes the column in the rows; gives how many, none where the database keeps it as it is. */
async function change({ catalog, database }: World, { field, ids, resource }: Plan): Promise<number> {
  const other = otherValue(catalog, resource, field)
  if (other === undefined) return 0
  const text = `with c as (update "${resource.table}" set "${field.column}" = ${other} where id = any($1::integer[]) returning 1) select count(*) from c`
  try {
    const rows = await database.adhoc.run({ text }, [ids])
    return Number(rows[0]?.[0] ?? 0)
  } catch {
    // Two columns that must fit each other, a reference that holds: other values are hidden there too.
    return 0
  }
}
