/** Plans steps that update names stored as data after a rename ⇄. */
import type { Catalog, Resource } from '../../catalog/catalog.ts'
import { singular } from '../../catalog/name.ts'
import { targetOf } from '../../catalog/stored.ts'
import type { Runner } from '../../database/database.ts'
import { quoted as q } from '../../filter/sql.ts'
import type { Json } from '../../json.ts'
import { catalogOf } from '../catalog-tables.ts'
import { quoteText as text } from '../sql-name.ts'
import { changing, type Step } from '../step.ts'
import type { Present, Table } from '../table.ts'
import { type Carry, carriesOf, type Renames } from './carry-sql.ts'
import {
  isKnown,
  type NameChange,
  nameChanges,
  namesOf,
  presentFilter,
  presentNested,
  presentValues,
  type Reading,
  turned,
} from './name-change.ts'
import { type NameColumn, nameColumns } from './name-columns.ts'

/** The update of one column that holds names. */
interface Move {
  readonly holder: NameColumn
  /** The names of its table and column before this plan. */
  readonly table: string
  readonly counted: string
  readonly sql: readonly string[]
}

/** Moves of one change, counted by their tables. */
interface Group {
  readonly change: NameChange | undefined
  readonly moves: readonly Move[]
}

/**
 * The steps that update stored names: for each renamed resource and field, all rows that still have the earlier name;
 * `known` are renames that the YAML does not mention. None without renames; one statement counts the rows.
 */
export async function namesToCarry(
  runner: Runner,
  wanted: readonly Table[],
  present: Present,
  known: readonly NameChange[] = [],
): Promise<readonly Step[]> {
  const catalog = catalogOf(wanted)
  const changes = catalog === undefined ? [] : [...nameChanges(catalog), ...known]
  if (catalog === undefined || changes.length === 0) return []
  return storedNameSteps(runner, { catalog, changes }, present)
}

/** The same for whatever changes are known. */
async function storedNameSteps(runner: Runner, renaming: Renames, present: Present): Promise<readonly Step[]> {
  const holders = nameColumns(renaming.catalog).flatMap((holder) => placed(holder, present) ?? [])
  const groups: Group[] = renaming.changes.map((change) => ({
    change,
    moves: holders.flatMap((at) => {
      const before = carriesOf(renaming, change, { ...at.holder, column: at.column })
      return carriesOf(renaming, change, at.holder).map((after, i) => moveOf(at, before[i] ?? after, after))
    }),
  }))
  const written = [...seeds(renaming, holders), ...(await filters(runner, renaming, holders))]
  const all = [...groups, { change: undefined, moves: written }].filter(({ moves }) => moves.length > 0)
  const counts = await countsOf(runner, all)
  return all.flatMap((group, i) => stepOf(group, counts[i] ?? new Map()) ?? [])
}

/** A column that is there, under its present name or the one before. */
interface Placed {
  readonly holder: NameColumn
  readonly table: string
  readonly column: string
}

function placed(holder: NameColumn, { tables }: Present): Placed | undefined {
  const named = (name: string | undefined) => tables.find((one) => one.name === name)
  const table = named(holder.table) ?? named(holder.resource?.renamedFrom)
  const has = (name: string | undefined) => table?.columns.some((one) => one.name === name)
  const before = holder.field?.renamedFrom
  const column = has(holder.column) ? holder.column : has(before) ? before : undefined
  return table === undefined || column === undefined ? undefined : { holder, table: table.name, column }
}

/** `before` is over the columns that are there now, `after` over those that are wanted. */
function moveOf({ holder, table }: Placed, before: Carry, after: Carry): Move {
  const { among, column } = holder
  const update = `update ${q(holder.table)} set ${q(column)} = ${after.value} where ${after.where}`
  return {
    holder,
    table,
    counted: before.where,
    sql: among === undefined ? [update] : [withoutTaken(holder, among, after), update],
  }
}

/** Where a row has the later name already, it is the one that counts. */
function withoutTaken({ column, table }: NameColumn, among: readonly string[], { value, where }: Carry): string {
  const same = among.map((one) => ` and n.${q(one)} = o.${q(one)}`).join('')
  const moved = `select ctid as row, ${value} as later, ${among.map(q).join(', ') || 'null'} from ${q(table)} where ${where}`
  const names = ['row', 'later', ...(among.length === 0 ? ['none'] : among.map(q))].join(', ')
  return `delete from ${q(table)} d using (${moved}) o(${names}), ${q(table)} n where d.ctid = o.row and n.${q(column)} = o.later${same}`
}

/** Seeds are known by the values of their key as the YAML writes them, with conditions that name other records. */
function seeds({ catalog, changes }: Renames, holders: readonly Placed[]): readonly Move[] {
  const at = holders.find(({ holder }) => holder.holds === 'seed')
  const reading: Reading = { catalog, names: turned(namesOf(catalog, changes)) }
  if (at === undefined || reading.names.size === 0) return []
  return [...catalog.resources.values()].flatMap((resource) =>
    (resource.seeds?.rows ?? []).flatMap(({ name }) => {
      const was = seedBefore(reading, resource, name)
      if (was === name) return []
      const called = [resource.name, resource.renamedFrom ?? resource.name].map(text).join(', ')
      const carry = { where: `resource in (${called}) and key = ${text(was)}`, value: text(name) }
      return [moveOf(at, carry, carry)]
    }),
  )
}

function seedBefore(reading: Reading, { relations, seeds }: Resource, name: string): string {
  const values = JSON.parse(name) as readonly Json[]
  const before = values.map((value, i) => {
    const relation = relations.get(seeds?.key[i]?.relation ?? '')
    return presentFilter(reading, relation && targetOf(reading.catalog, relation), value)
  })
  return JSON.stringify(before)
}

/** Conditions and values that people wrote: few, so that they are read, and each is written again. */
async function filters(
  runner: Runner,
  { catalog, changes }: Renames,
  holders: readonly Placed[],
): Promise<readonly Move[]> {
  const reading: Reading = { catalog, names: namesOf(catalog, changes) }
  const called = [...[...reading.names.values()].flatMap((known) => [...known.keys()]), ...pathsBefore(catalog)]
  if (called.length === 0) return []
  const moves: Move[] = []
  for (const at of holders) {
    const { holds, resource } = at.holder
    if (resource === undefined || !isWritten(holds)) continue
    const beside = holders.find(
      ({ holder }) => holder.resource === resource && (holder.holds === 'event' || holder.holds === 'resource'),
    )
    if (beside === undefined) continue
    const key = q(resource.key.column)
    const [column, about] = [q(at.column), q(beside.column)]
    const names = `\\y(${[...new Set(called)].join('|')})\\y`
    const read = `select ${key}::text, to_jsonb(${about})::text, ${column}::text from ${q(at.table)} where ${column}::text ~ ${text(names)} order by ${key}`
    for (const [id, said, was] of await runner.run({ text: read }, [])) {
      const among = resourcesIn({ catalog, changes }, JSON.parse(said ?? 'null') as Json)
      const value = rewritten(reading, holds, among, JSON.parse(was ?? 'null') as Json)
      if (value === undefined) continue
      const isIt = (name: string) => `${key}::text = ${text(id ?? '')} and ${name} = ${text(was ?? '')}::jsonb`
      const now = `${text(JSON.stringify(value))}::jsonb`
      moves.push(moveOf(at, { where: isIt(column), value: now }, { where: isIt(q(at.holder.column)), value: now }))
    }
  }
  return moves
}

/** The paths that resources had, by which values of records below others are known. */
function pathsBefore({ resources }: Catalog): readonly string[] {
  return [...resources.values()].flatMap(({ earlier }) => earlier?.path ?? [])
}

/** The resources that a row is about, by its name of one or by events; all of the application for `*`. */
function resourcesIn({ catalog, changes }: Renames, said: Json): readonly Resource[] {
  const words = (Array.isArray(said) ? said : [said]).map(String)
  if (words.includes('*')) return [...catalog.resources.values()]
  const later = new Map(changes.flatMap((one) => (one.kind === 'resource' ? [[one.from, one.to]] : [])))
  const names = words.map((word) => word.split('.', 1)[0] ?? '').map((name) => later.get(name) ?? name)
  return [...new Set(names)].flatMap((name) => catalog.resources.get(name) ?? [])
}

/** The readers of conditions and values that people wrote. */
const READERS = {
  filter: presentFilter,
  values: presentValues,
  nested: presentNested,
}
type Written = keyof typeof READERS

function isWritten(holds: NameColumn['holds']): holds is Written {
  return holds in READERS
}

/** The value with the present names; undefined where that is the same, or differs between the resources. */
function rewritten(reading: Reading, holds: Written, among: readonly Resource[], was: Json): Json | undefined {
  const read = READERS[holds]
  // One that knows none of its names was never asked by it.
  const asked = holds === 'filter' ? among.filter((resource) => isKnown(reading, resource, was)) : among
  const all = new Set(asked.map((resource) => JSON.stringify(read(reading, resource, was))))
  const [only = ''] = all
  return all.size !== 1 || only === JSON.stringify(was) ? undefined : (JSON.parse(only) as Json)
}

/** How many rows of each table a group concerns, by one statement. */
async function countsOf(runner: Runner, groups: readonly Group[]): Promise<readonly ReadonlyMap<string, number>[]> {
  const asked = groups.flatMap(({ moves }, i) =>
    [...new Set(moves.map(({ table }) => table))].map((table) => {
      const where = moves.filter((move) => move.table === table).map(({ counted }) => `(${counted})`)
      return `select ${i}, ${text(table)}, count(*) from ${q(table)} where ${where.join(' or ')}`
    }),
  )
  const counts = groups.map(() => new Map<string, number>())
  if (asked.length === 0) return counts
  const rows = await runner.run({ text: asked.join(' union all ') }, [])
  for (const [i, table, count] of rows) counts[Number(i)]?.set(table ?? '', Number(count))
  return counts
}

function stepOf({ change, moves }: Group, counts: ReadonlyMap<string, number>): Step | undefined {
  const concerned = moves.filter(({ table }) => (counts.get(table) ?? 0) > 0)
  if (concerned.length === 0) return undefined
  const told = [...new Map(concerned.map((move) => [move.table, move]))].map(([table, { holder }]) =>
    counted(nounOf(holder), counts.get(table) ?? 0),
  )
  const from = change === undefined ? '' : ` from ${placeOf(change, change.from)}`
  const to = change === undefined ? 'to the present names' : `to ${placeOf(change, change.to)}`
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
  // Tables without such rows too: one may get there before the step is taken.
  const sql = moves.flatMap((move) => move.sql)
  return { ...changing(`carry ${listed(told)} over${from} ${to}`, ...sql), answer: { rows, ids: [] } }
}

function placeOf(change: NameChange, name: string): string {
  return change.kind === 'resource' ? name : `${change.resource}.${name}`
}

/** The noun for one row of a table. */
const NOUNS: Readonly<Record<string, string>> = {
  plinth_automation: 'automation',
  plinth_automation_run: 'run of automations',
  plinth_automation_turn: 'turn of automations',
  plinth_change: 'change',
  plinth_deferred_change: 'deferred change',
  plinth_idempotency: 'kept answer',
  plinth_job: 'job',
  plinth_listener: 'listener',
  plinth_seed: 'seed',
}

function nounOf({ resource, table }: NameColumn): readonly [one: string, many: string] {
  const name = (resource?.name ?? table).replaceAll('_', ' ')
  const noun = NOUNS[table]
  if (noun === undefined) return [singular(name), name]
  return [noun, noun.replace(/^((?:deferred |kept )?\w+)/, '$1s')]
}

function counted([one, many]: readonly [string, string], count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
