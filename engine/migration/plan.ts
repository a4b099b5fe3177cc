/** Plans the way from the tables that are there to the tables that are wanted; never loses a value on its own. */
import { createHash } from 'node:crypto'
import { addForeignKey, createIndex, createTable, dropForeignKey, validateForeignKey } from './ddl.ts'
import { asideName, quoteName as q } from './name.ts'
import { type Circumstances, type Pair, planColumns } from './plan-column.ts'
import { planIndexes, planReferences } from './plan-key.ts'
import { type Step, safe } from './step.ts'
import type { Present, Table } from './table.ts'

export interface MigrationPlan {
  readonly steps: readonly Step[]
  /** Of the wanted and the present tables: a plan holds only while both are what it was made from. */
  readonly hash: string
}

function hashOf(wanted: readonly Table[], { tables, setAside, trigrams }: Present): string {
  return createHash('sha256')
    .update(JSON.stringify([wanted, tables, setAside, trigrams]))
    .digest('hex')
    .slice(0, 16)
}

/** The table that a wanted one is now, under its own or its earlier name. */
function presentTable(wanted: readonly Table[], table: Table, { tables }: Present): Table | undefined {
  const same = tables.find((other) => other.name === table.name)
  if (same || table.renamedFrom === undefined || wanted.some((other) => other.name === table.renamedFrom)) return same
  return tables.find((other) => other.name === table.renamedFrom)
}

function sequenceSteps(wanted: readonly Table[], present: Present): readonly Step[] {
  const known = new Set(present.tables.flatMap((table) => table.sequences.map((sequence) => sequence.name)))
  return wanted.flatMap((table) =>
    table.sequences
      .filter((sequence) => !known.has(sequence.name))
      .map(({ name, start }) =>
        safe(`create sequence ${name} from ${start}`, `create sequence if not exists ${q(name)} start with ${start}`),
      ),
  )
}

function createSteps(fresh: readonly Table[]): readonly Step[] {
  const creating = fresh.map((table) => {
    const indexes = table.indexes.flatMap((index) => createIndex(table.name, index, false))
    return safe(`create table ${table.name} (${table.columns.length} columns)`, createTable(table), ...indexes)
  })
  const referring = fresh
    .filter((table) => table.foreignKeys.length > 0)
    .map((table) => {
      const sql = table.foreignKeys.flatMap((key) => [
        addForeignKey(table.name, key),
        validateForeignKey(table.name, key),
      ])
      return safe(`reference ${table.foreignKeys.map((key) => `${table.name}.${key.column}`).join(', ')}`, ...sql)
    })
  return [...creating, ...referring]
}

function setTableAside(table: Table, { present, day }: Circumstances): Step {
  const taken = new Set([...present.tables, ...present.setAside].map((named) => named.name))
  const name = asideName(table.name, day, taken)
  return {
    title: `set aside table ${table.name} as ${name}`,
    sql: [
      ...table.foreignKeys.map((key) => dropForeignKey(table.name, key.column)),
      ...table.indexes.map((index) => `drop index if exists ${q(index.name)}`),
      `alter table ${q(table.name)} rename to ${q(name)}`,
    ],
    risk: 'unsafe',
    question: `select count(*) from ${q(table.name)}`,
    consequence: 'are kept but no longer served',
    advice: `plinth restore-field ${table.name} brings it back`,
  }
}

function wrongKey({ wanted, actual }: Pair): readonly Step[] {
  if (wanted.primaryKey.join() === actual.primaryKey.join()) return []
  const title = `primary key of ${wanted.name} is (${actual.primaryKey.join(', ')}), not (${wanted.primaryKey.join(', ')})`
  return [{ title, sql: [], risk: 'blocked', advice: 'change the key by hand, or give the resource another table' }]
}

/** The steps from `present` to `wanted`, in an order that works and is always the same; none when they are equal. Pure. */
export function plan(wanted: readonly Table[], circumstances: Circumstances): MigrationPlan {
  const { present } = circumstances
  const pairs = new Map<string, Pair>()
  for (const table of wanted) {
    const actual = presentTable(wanted, table, present)
    if (actual) pairs.set(table.name, { wanted: table, actual })
  }
  const there = [...pairs.values()]
  const taken = new Set(there.map((pair) => pair.actual.name))
  const gone = present.tables.filter((table) => !taken.has(table.name) && present.owned.has(table.name))
  const renamed = there.filter((pair) => pair.actual.name !== pair.wanted.name)
  const searches = wanted.some((table) => table.indexes.some((index) => index.kind === 'trigram'))
  const steps = [
    ...(searches && !present.trigrams
      ? [safe('install pg_trgm for search', 'create extension if not exists pg_trgm')]
      : []),
    ...sequenceSteps(wanted, present),
    ...renamed.map(({ wanted: { name }, actual }) =>
      safe(`rename table ${actual.name} to ${name}`, `alter table ${q(actual.name)} rename to ${q(name)}`),
    ),
    ...there.flatMap(wrongKey),
    ...createSteps(wanted.filter((table) => !pairs.has(table.name))),
    ...there.flatMap((pair) => planColumns(pair, circumstances)),
    ...there.flatMap((pair) => planReferences(pair, pairs)),
    ...gone.map((table) => setTableAside(table, circumstances)),
    ...there.flatMap((pair) => planIndexes(pair, circumstances)),
  ]
  return Object.freeze({ steps: Object.freeze(steps), hash: hashOf(wanted, present) })
}

/** A plan for people: one line a step, with what stands in the way and what to do about it. */
export function renderPlan({ steps, hash }: MigrationPlan): string {
  if (steps.length === 0) return 'Nothing to do: the database is as the YAML says.\n'
  const lines = steps.map((step) => {
    const why = step.risk === 'safe' ? '' : `: ${reason(step)}`
    return `  ${step.risk.padEnd(7)}  ${step.title}${why}${step.advice && step.risk !== 'safe' ? `\n           → ${step.advice}` : ''}`
  })
  return `Plan ${hash}\n${lines.join('\n')}\n`
}

const SINGULAR: Readonly<Record<string, string>> = {
  are: 'is',
  have: 'has',
  do: 'does',
  point: 'points',
  share: 'shares',
}

/** Why a step is not safe: `312 rows are null`. */
export function reason({ rows, consequence }: Step): string {
  if (consequence === undefined) return 'this can not be done while running'
  if (rows === undefined) return `rows ${consequence}`
  if (rows !== 1) return `${rows.toLocaleString('en')} rows ${consequence}`
  return `1 row ${consequence.replace(/^\w+/, (verb) => SINGULAR[verb] ?? verb)}`
}
