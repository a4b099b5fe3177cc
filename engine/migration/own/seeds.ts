/** Puts the records of `seeds:` into a database, each once in its life. ⇄ */
import type { Assignment, Catalog, Field, Filter, Resource, SeedRow, Selection } from '../../catalog/catalog.ts'
import { idOf, storedFields } from '../../catalog/stored.ts'
import type { Database, Runner } from '../../database/database.ts'
import { ApiError } from '../../error.ts'
import { slugify } from '../../field/slug.ts'
import type { FieldErrors } from '../../field-error.ts'
import { quoted as q } from '../../filter/sql.ts'
import type { Id } from '../../id.ts'
import type { Json } from '../../json.ts'
import type { Collected, Diagnostic } from '../../text/diagnostic.ts'
import { atomically, exclusively } from '../exclusive.ts'
import { fixedConditionSql, pathSql } from '../fixed-condition.ts'

export interface SeedResult {
  /** How many records were made. */
  readonly created: number
}

interface Row {
  readonly resource: Resource
  readonly key: readonly Field[]
  readonly seed: SeedRow
}

type Values = ReadonlyMap<Field, Json>

/** A reference of a row that leads to no record yet. */
interface Missing {
  readonly row: Row
  readonly field: Field
  readonly target: string
}

/** The context of one run of seeding. */
interface Seeding {
  readonly catalog: Catalog
  readonly runner: Runner
  readonly now: Date
  /** `<resource> <key>` of everything ever seeded. */
  readonly known: Set<string>
}

async function select({ catalog, runner }: Seeding, { resource: name, where }: Selection): Promise<Id | undefined> {
  const target = catalog.resources.get(name)
  if (target === undefined) throw new Error(`There is no resource ${name}.`)
  const sql = (filter: Filter) => fixedConditionSql(filter, (path) => pathSql(catalog, path, 't'))
  const conditions = target.scope === undefined ? [where] : [where, target.scope]
  // A deleted record counts only where no living one matches: a seed of before must not stop every start.
  const order = target.live === undefined ? '' : `${sql(target.live)} desc, `
  const id = q(target.key.column)
  const text = `select t.${id} from ${q(target.table)} t where ${conditions.map(sql).join(' and ')} order by ${order}t.${id} limit 1`
  const [row] = await runner.run({ text }, [])
  return row === undefined ? undefined : idOf(target, row[0])
}

/** The values of a row, or its first reference to a record that is not there yet. */
async function valuesOf(seeding: Seeding, row: Row): Promise<Values | Missing> {
  const { resource } = row
  const values = new Map<Field, Json>()
  for (const assignment of [...resource.scopeSets, ...row.seed.assignments, ...standIns(seeding.catalog, row)]) {
    const { field } = assignment
    if ('selection' in assignment) {
      const id = await select(seeding, assignment.selection)
      if (id === undefined) return { row, field, target: assignment.selection.resource }
      values.set(field, id)
      continue
    }
    const { operand } = assignment
    if (operand.kind === 'literal') values.set(field, operand.value)
    else if (operand.kind === 'now') values.set(field, seeding.now.toISOString())
    else if (operand.kind === 'today') values.set(field, seeding.now.toISOString().slice(0, 10))
    else values.set(field, null)
  }
  for (const field of resource.fields.values()) {
    const from = field.type.name === 'slug' ? field.options.own.from : undefined
    const source = typeof from === 'string' ? resource.fields.get(from) : undefined
    const text = source && values.get(source)
    if (!values.has(field) && typeof text === 'string') values.set(field, slugify(text))
  }
  return values
}

/** The default records of required relations that the row does not name. */
function standIns(catalog: Catalog, { resource, seed }: Row): readonly Assignment[] {
  const owner = catalog.resources.get(resource.owner) ?? resource
  const filled = new Set([...resource.scopeSets, ...seed.assignments].map(({ field }) => field.column))
  return [...owner.relations.values()].flatMap((relation): Assignment[] => {
    if (relation.kind !== 'belongs_to' || relation.default === undefined) return []
    if (!relation.field.required || filled.has(relation.field.column)) return []
    return [{ field: relation.field, selection: { resource: relation.target, where: relation.default } }]
  })
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

/** Stores the record; a refusal of the database is a complaint about the row. */
async function insert({ runner }: Seeding, row: Row, values: Values): Promise<Diagnostic | undefined> {
  const fields = [...values.keys()]
  const columns = fields.map((field) => q(field.column)).join(', ')
  const places = fields.map((_, i) => `$${i + 1}`).join(', ')
  const text = `insert into ${q(row.resource.table)} (${columns}) values (${places})`
  try {
    await runner.run(
      { text },
      fields.map((field) => bound(field, values.get(field) ?? null)),
    )
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.params.errors !== undefined) return refused(row, error.params.errors)
    throw error
  }
}

function refused(row: Row, errors: FieldErrors): Diagnostic {
  const [column = ''] = Object.keys(errors)
  const field = storedFields(row.resource).find((one) => one.column === column)
  const sentences = Object.values(errors).flat().join('; ')
  const message = `The seed ${shown(row)} cannot be stored: ${sentences}`
  return { code: 'wrong_seed', message, span: row.seed.places.get(field?.name ?? column) ?? row.seed.span }
}

async function remember({ runner, known }: Seeding, resource: Resource, name: string): Promise<void> {
  if (known.has(`${resource.name} ${name}`)) return
  await runner.run({ text: 'insert into plinth_seed (resource, key) values ($1, $2)' }, [resource.name, name])
  known.add(`${resource.name} ${name}`)
}

/**
 * Writes the record of a row that was never written; returns the missing reference where it names a record that is not
 * there yet.
 */
async function write(seeding: Seeding, row: Row): Promise<'created' | 'known' | Missing | Diagnostic> {
  const { resource, key, seed } = row
  // A row is written once only: clients may have renamed or deleted its record, or those that it names.
  if (seeding.known.has(`${resource.name} ${seed.name}`)) return 'known'
  const values = await valuesOf(seeding, row)
  if ('target' in values) return values
  // A name of old has the ids of the records that the key names.
  const name = JSON.stringify(key.map((field) => values.get(field) ?? null))
  const done = seeding.known.has(`${resource.name} ${name}`) || (await isThere(seeding, row, values))
  const complaint = done ? undefined : await insert(seeding, row, values)
  if (complaint !== undefined) return complaint
  await remember(seeding, resource, seed.name)
  return done ? 'known' : 'created'
}

/** Whether an earlier version wrote the row under a name with ids, which cannot be looked up any more. */
function writtenOfOld({ known }: Seeding, { resource, key, seed }: Row): boolean {
  const byId = key.map((field) => seed.assignments.some((one) => one.field === field && 'selection' in one))
  if (!byId.includes(true)) return false
  const values: readonly Json[] = JSON.parse(seed.name)
  return [...known].some((entry) => {
    if (!entry.startsWith(`${resource.name} [`)) return false
    const old: readonly Json[] = JSON.parse(entry.slice(resource.name.length + 1))
    return values.every((value, i) => (byId[i] ? typeof old[i] === 'number' : value === old[i]))
  })
}

function rowsOf(catalog: Catalog): readonly Row[] {
  return [...catalog.resources.values()].flatMap((resource) => {
    const { key = [], rows = [] } = resource.seeds ?? {}
    return rows.map((seed) => ({ resource, key, seed }))
  })
}

/** The row by its first written values, for people: `keepers (ada, Ada)`. */
function shown({ resource, seed }: Row): string {
  const names = seed.assignments.flatMap((one) =>
    'operand' in one && one.operand.kind === 'literal' ? [String(one.operand.value)] : [],
  )
  return `${resource.name} (${names.slice(0, 3).join(', ')})`
}

function unresolved({ row, field, target }: Missing): Diagnostic {
  return {
    code: 'wrong_seed',
    message: `"${field.relation ?? field.name}" of the seed ${shown(row)} names a record of "${target}" that is not there`,
    span: row.seed.places.get(field.name) ?? row.seed.span,
    hint: 'correct the row, or make that record; a row that was written once needs it no more',
  }
}

/** Writes all rows; a row that names another one waits until that is there. */
async function writeAll(seeding: Seeding, rows: readonly Row[]): Promise<Collected<SeedResult>> {
  let waiting = rows
  let created = 0
  while (waiting.length > 0) {
    const missing: Missing[] = []
    for (const row of waiting) {
      const outcome = await write(seeding, row)
      if (outcome === 'created') created += 1
      else if (typeof outcome === 'object' && 'code' in outcome) return { diagnostics: [outcome] }
      else if (typeof outcome === 'object') missing.push(outcome)
    }
    if (missing.length === waiting.length) {
      const never = missing.filter(({ row }) => !writtenOfOld(seeding, row))
      return never.length > 0 ? { diagnostics: never.map(unresolved) } : { value: { created }, diagnostics: [] }
    }
    waiting = missing.map(({ row }) => row)
  }
  return { value: { created }, diagnostics: [] }
}

class Refused extends Error {
  readonly diagnostics: readonly Diagnostic[]
  constructor(diagnostics: readonly Diagnostic[]) {
    super('refused')
    this.diagnostics = diagnostics
  }
}

/**
 * Makes every seed record that was never made before, all of them or none; rows that name other seeded rows wait for them.
 * A row that cannot be stored is a diagnostic at its place. Instances that start together wait for each other.
 */
export function seed(catalog: Catalog, database: Database, now: Date): Promise<Collected<SeedResult>> {
  return exclusively(database, (runner) => seedBy(runner, catalog, now))
}

/** The same on a connection that has its turn already. */
export async function seedBy(runner: Runner, catalog: Catalog, now: Date): Promise<Collected<SeedResult>> {
  const rows = rowsOf(catalog)
  if (rows.length === 0) return { value: { created: 0 }, diagnostics: [] }
  try {
    return await atomically(runner, async () => {
      const seeded = await runner.run({ text: 'select resource, key from plinth_seed' }, [])
      const known = new Set(seeded.map(([resource, key]) => `${resource} ${key}`))
      const done = await writeAll({ catalog, runner, now, known }, rows)
      // Rolled back: the rows before the mistake are written again when the mistake is corrected.
      if (done.value === undefined) throw new Refused(done.diagnostics)
      return done
    })
  } catch (error) {
    if (error instanceof Refused) return { diagnostics: error.diagnostics }
    throw error
  }
}
