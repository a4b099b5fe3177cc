/** What people make by hand over the columns of an application, and whether it is still there and right. ⇄ */
import type { Database } from '../../../engine/database/database.ts'
import { quoted as q } from '../../../engine/filter/sql.ts'
import { heldOf, type Made, type Model } from './model.ts'
import { columnOf, type Field, type Resource, tableOf, type Version } from './shape.ts'

export const MAKINGS = ['view', 'materialized view', 'function', 'trigger', 'column', 'policy', 'nothing'] as const
export type What = (typeof MAKINGS)[number]

/** One thing that somebody makes, over a field that a number chooses; `nothing` takes the oldest thing away. */
export interface Making {
  readonly what: What
  readonly at: number
}

type Sql = (name: string, table: string, column: string) => string

const MAKES: Readonly<Record<Exclude<What, 'nothing'>, Sql>> = {
  view: (name, table, column) => `create view ${name} as select ${column} as value from ${table}`,
  'materialized view': (name, table, column) =>
    `create materialized view ${name} as select ${column} as value from ${table}`,
  function: (name, table, column) =>
    `create function ${name}() returns bigint language sql begin atomic select count(${column}) from ${table}; end`,
  trigger: (name, table, column) =>
    `create function ${name}() returns trigger language plpgsql as 'begin return new; end';
      create trigger ${name} before update of ${column} on ${table} for each row execute function ${name}()`,
  column: (name, table, column) =>
    `alter table ${table} add column ${name} boolean generated always as (${column} is not null) stored`,
  policy: (name, table, column) => `create policy ${name} on ${table} using (${column} is not null)`,
}

const TAKES: Readonly<Record<Exclude<What, 'nothing'>, (name: string, table: string) => string>> = {
  view: (name) => `drop view ${name}`,
  'materialized view': (name) => `drop materialized view ${name}`,
  function: (name) => `drop function ${name}()`,
  trigger: (name) => `drop function ${name}() cascade`,
  column: (name, table) => `alter table ${table} drop column ${name}`,
  policy: (name, table) => `drop policy ${name} on ${table}`,
}

/** How many values each sees; null: that it is there is all there is to see. */
const COUNTS: Readonly<Record<Exclude<What, 'nothing'>, (name: string, table: string) => string>> = {
  view: (name) => `select count(value) as n from ${name}`,
  'materialized view': (name) => `select count(value) as n from ${name}`,
  function: (name) => `select ${name}() as n`,
  column: (name, table) => `select count(*) filter (where ${name}) as n from ${table}`,
  trigger: (name, table) =>
    `select null as n from pg_trigger where tgname = '${name}' and tgrelid = '${table}'::regclass`,
  policy: (name, table) =>
    `select null as n from pg_policy where polname = '${name}' and polrelid = '${table}'::regclass`,
}

function placeOf(version: Version, made: Made): { readonly resource: Resource; readonly field?: Field } | undefined {
  const resource = version.find(({ key }) => key === made.owner)
  const field = resource?.fields.find(({ key }) => key === made.field)
  return resource && { resource, ...(field && { field }) }
}

async function take(database: Database, model: Model, version: Version): Promise<void> {
  const oldest = model.made.find((made) => placeOf(version, made) !== undefined)
  const place = oldest && placeOf(version, oldest)
  if (oldest === undefined || place === undefined) return
  await database.knex.raw(TAKES[oldest.what](oldest.name, q(tableOf(place.resource))))
  model.made = model.made.filter((one) => one !== oldest)
}

/** Makes one thing in the database, and has the model know it; gives its SQL. */
export async function make(
  database: Database,
  model: Model,
  version: Version,
  { what, at }: Making,
  fresh: () => number,
): Promise<string> {
  if (what === 'nothing') {
    await take(database, model, version)
    return 'drop the oldest thing that somebody made'
  }
  const fields = version.flatMap((resource) => resource.fields.map((field) => ({ resource, field })))
  const able = what === 'column' ? fields.filter(({ field }) => field.sum === undefined) : fields
  const chosen = able[at % Math.max(able.length, 1)]
  if (chosen === undefined) return ''
  const name = `made_${fresh()}`
  const sql = MAKES[what](name, q(tableOf(chosen.resource)), q(columnOf(chosen.field)))
  await database.knex.raw(sql)
  model.made = [...model.made, { what, name, owner: chosen.resource.key, field: chosen.field.key }]
  return sql
}

/** What is wrong with things that people made; undefined where nothing is. */
export async function amiss(database: Database, model: Model, version: Version): Promise<string | undefined> {
  for (const made of model.made) {
    const place = placeOf(version, made)
    if (place === undefined) continue
    const { resource, field } = place
    if (made.what === 'materialized view') await database.knex.raw(`refresh materialized view ${made.name}`)
    const found = await database.knex.raw(COUNTS[made.what](made.name, q(tableOf(resource))))
    const [row] = found.rows as readonly { readonly n: string | null }[]
    if (row === undefined) return `the ${made.what} ${made.name} is gone`
    const values = field && heldOf(model, resource).map((held) => held.values.get(field.key))
    if (row.n === null || values === undefined || values.includes(undefined)) continue
    const wanted = values.filter((value) => value !== null).length
    if (Number(row.n) !== wanted) return `the ${made.what} ${made.name} sees ${row.n} values, not ${wanted}`
  }
  return undefined
}
