/** Puts the records of `seeds:` into a database, each once in its life. ⇄ */
import type { Assignment, Catalog, Field, Filter, Resource, Selection } from '../catalog/catalog.ts'
import type { Database, Runner } from '../database/database.ts'
import { slugify } from '../field/slug.ts'
import type { Json } from '../json.ts'
import { atomically, exclusively } from './apply.ts'
import { conditionSql, pathSql } from './condition.ts'
import { quoteName as q } from './name.ts'

export interface SeedResult {
  /** How many records were made. */
  readonly created: number
}

interface Row {
  readonly resource: Resource
  readonly key: readonly Field[]
  readonly assignments: readonly Assignment[]
}

type Values = ReadonlyMap<Field, Json>

/** What one run of seeding holds. */
interface Seeding {
  readonly catalog: Catalog
  readonly runner: Runner
  readonly now: Date
  /** `<resource> <key>` of everything ever seeded. */
  readonly known: Set<string>
}

async function select({ catalog, runner }: Seeding, { resource: name, where }: Selection): Promise<number | undefined> {
  const target = catalog.resources.get(name)
  if (target === undefined) throw new Error(`There is no resource ${name}.`)
  const sql = (filter: Filter) => conditionSql(filter, (path) => pathSql(catalog, path, 't'))
  const conditions = target.scope === undefined ? [where] : [where, target.scope]
  // A deleted record is named only when no living one is: what was seeded once must not stop a start for good.
  const order = target.live === undefined ? '' : `${sql(target.live)} desc, `
  const id = q(target.key.column)
  const text = `select t.${id} from ${q(target.table)} t where ${conditions.map(sql).join(' and ')} order by ${order}t.${id} limit 1`
  const [row] = await runner.run({ text }, [])
  return row === undefined ? undefined : Number(row[0])
}

/** The values of a row; undefined while a record that it names is not there yet. */
async function valuesOf(seeding: Seeding, { resource, assignments }: Row): Promise<Values | undefined> {
  const values = new Map<Field, Json>()
  for (const assignment of [...resource.scopeSets, ...assignments]) {
    if ('selection' in assignment) {
      const id = await select(seeding, assignment.selection)
      if (id === undefined) return undefined
      values.set(assignment.field, id)
      continue
    }
    const { operand } = assignment
    if (operand.kind === 'literal') values.set(assignment.field, operand.value)
    else if (operand.kind === 'now') values.set(assignment.field, seeding.now.toISOString())
    else if (operand.kind === 'today') values.set(assignment.field, seeding.now.toISOString().slice(0, 10))
    else values.set(assignment.field, null)
  }
  for (const field of resource.fields.values()) {
    const from = field.type.name === 'slug' ? field.options.own.from : undefined
    const source = typeof from === 'string' ? resource.fields.get(from) : undefined
    const text = source && values.get(source)
    if (!values.has(field) && typeof text === 'string') values.set(field, slugify(text))
  }
  return values
}

function bound(field: Field, value: Json): Json {
  return value !== null && field.type.column(field.options) === 'jsonb' ? JSON.stringify(value) : value
}

/** Whether a record of the same key is there already, deleted or not: a person made it, and it stays as it is. */
async function isThere({ runner }: Seeding, { resource, key }: Row, values: Values): Promise<boolean> {
  const conditions = key.map(
    (field, i) => `${q(field.column)} is not distinct from $${i + 1}::${field.type.column(field.options)}`,
  )
  const text = `select 1 from ${q(resource.table)} where ${conditions.join(' and ')} limit 1`
  const found = await runner.run(
    { text },
    key.map((field) => bound(field, values.get(field) ?? null)),
  )
  return found.length > 0
}

/** The name of a row whose key is written out, so that a row of old needs nothing looked up; undefined for others. */
function writtenName({ key, assignments }: Row): string | undefined {
  const values = key.map((field) => {
    const assignment = assignments.find((one) => one.field === field)
    return assignment && 'operand' in assignment && assignment.operand.kind === 'literal'
      ? assignment.operand.value
      : undefined
  })
  return values.includes(undefined) ? undefined : JSON.stringify(values)
}

/** Makes the record unless it was ever made before; `later` when it names one that is not there yet. */
async function plant(seeding: Seeding, row: Row): Promise<'created' | 'known' | 'later'> {
  const { runner, known } = seeding
  const { resource, key } = row
  if (known.has(`${resource.name} ${writtenName(row)}`)) return 'known'
  const values = await valuesOf(seeding, row)
  if (values === undefined) return 'later'
  const name = JSON.stringify(key.map((field) => values.get(field) ?? null))
  if (known.has(`${resource.name} ${name}`)) return 'known'
  const there = await isThere(seeding, row, values)
  if (!there) {
    const fields = [...values.keys()]
    const columns = fields.map((field) => q(field.column)).join(', ')
    const places = fields.map((_, i) => `$${i + 1}`).join(', ')
    const text = `insert into ${q(resource.table)} (${columns}) values (${places})`
    await runner.run(
      { text },
      fields.map((field) => bound(field, values.get(field) ?? null)),
    )
  }
  await runner.run({ text: 'insert into plinth_seed (resource, key) values ($1, $2)' }, [resource.name, name])
  known.add(`${resource.name} ${name}`)
  return there ? 'known' : 'created'
}

function rowsOf(catalog: Catalog): readonly Row[] {
  return [...catalog.resources.values()].flatMap((resource) => {
    const { key = [], rows = [] } = resource.seeds ?? {}
    return rows.map(({ assignments }) => ({ resource, key, assignments }))
  })
}

function place(row: Row): string {
  const names = row.assignments.flatMap((one) =>
    'operand' in one && one.operand.kind === 'literal' ? [String(one.operand.value)] : [],
  )
  return `${row.resource.name} (${names.slice(0, 3).join(', ')})`
}

/**
 * Makes every seed record that was never made before, all of them or none; rows that name other seeded rows wait for them.
 * Throws when a row names a record that nothing makes. Instances that start together wait for each other.
 */
export function seed(catalog: Catalog, database: Database, now: Date): Promise<SeedResult> {
  let waiting = rowsOf(catalog)
  if (waiting.length === 0) return Promise.resolve({ created: 0 })
  return exclusively(database, (runner) =>
    atomically(runner, async () => {
      const seeded = await runner.run({ text: 'select resource, key from plinth_seed' }, [])
      const known = new Set(seeded.map(([resource, key]) => `${resource} ${key}`))
      const seeding: Seeding = { catalog, runner, now, known }
      let created = 0
      while (waiting.length > 0) {
        const later: Row[] = []
        for (const row of waiting) {
          const outcome = await plant(seeding, row)
          if (outcome === 'created') created += 1
          if (outcome === 'later') later.push(row)
        }
        if (later.length === waiting.length) {
          throw new Error(`These seeds name records that are not there: ${later.map(place).join('; ')}.`)
        }
        waiting = later
      }
      return { created }
    }),
  )
}
