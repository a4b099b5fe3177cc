/** Questions about rows to the database ⇄: which rows are in the way of each step of a plan, and which stored values their fields do not allow. */

import type { Catalog, Field, Resource } from '../catalog/catalog.ts'
import { storedFields } from '../catalog/stored.ts'
import type { Runner } from '../database/database.ts'
import { ifThere } from '../database/failure.ts'
import { quoted as q } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import { position } from '../text/source.ts'
import { tables } from './catalog-tables.ts'
import type { MigrationPlan } from './plan.ts'
import { type Answer, type Concern, type Judging, keyOf, type Step, statementsOf } from './step.ts'
import type { Table } from './table.ts'

/** For each value, the rows in which it does not fit; reads a batch at a time in the order of the key. */
async function judgedRows(runner: Runner, { table, key, values }: Judging): Promise<readonly Answer[]> {
  const found = values.map(() => ({ rows: 0, ids: [] as string[] }))
  const columns = values.map(({ sql }) => `(${sql})::text`).join(', ')
  const all = `select ${key === undefined ? 'null' : `${q(key.name)}::text`}, ${columns} from ${q(table)}`
  for (let last: string | undefined; ; ) {
    const behind = last === undefined ? '' : ` where ${q(key?.name ?? '')} > $1::${key?.type}`
    const part = key === undefined ? '' : `${behind} order by ${q(table)}.${q(key.name)} limit ${LIMITS.migrationBatch}`
    const rows = await runner.run({ text: `${all}${part}` }, last === undefined ? [] : [last])
    for (const [id, ...texts] of rows) {
      for (const [at, text] of texts.entries()) {
        if (text === null || text === undefined || values[at]!.fits(text)) continue
        found[at]!.rows += 1
        if (typeof id === 'string' && found[at]!.ids.length < LIMITS.obstaclesShown) found[at]!.ids.push(id)
      }
    }
    last = rows.at(-1)?.[0] ?? undefined
    if (key === undefined || rows.length < LIMITS.migrationBatch || last === undefined) return found
  }
}

async function answerOf(runner: Runner, concern: Concern): Promise<Answer | undefined> {
  if (concern.kind === 'none' || concern.kind === 'other name') return undefined
  const { examples, judging, question } = { examples: undefined, judging: undefined, ...concern }
  if (judging !== undefined) return (await judgedRows(runner, judging))[0]
  if (question === undefined) return undefined
  const [row] = await runner.run({ text: question }, [])
  const rows = Number(row?.[0] ?? 0)
  const found = rows === 0 || examples === undefined ? [] : await runner.run({ text: examples }, [])
  return { rows, ids: found.flatMap(([id]) => id ?? []) }
}

/** The end of a title: ` with 3 values`; `, in 3 rows`. */
function tally({ rows }: Answer, concern: Concern): string {
  if (concern.kind !== 'counted' || concern.unit === undefined) return ''
  const isChange = concern.unit === 'changed row'
  if (isChange && rows === 0) return ''
  const what = isChange ? 'row' : concern.unit
  return `${isChange ? ', in' : ' with'} ${rows.toLocaleString('en')} ${what}${rows === 1 ? '' : 's'}`
}

/** Whether a step has nothing to do once no row is concerned. */
function isSpared(step: Step): boolean {
  return statementsOf(step).length === 0 || (step.concern.kind === 'counted' && step.concern.onlyWithRows === true)
}

/** The plan with the answers of the database to its questions; a step that `asks` does not choose stays as planned. */
export async function answered(
  plan: MigrationPlan,
  runner: Runner,
  asks: (step: Step) => boolean,
): Promise<MigrationPlan> {
  const steps: Step[] = []
  for (const step of plan.steps) {
    const answer = asks(step) ? await answerOf(runner, step.concern) : undefined
    if (answer === undefined) steps.push(step)
    else if (answer.rows > 0 || !isSpared(step))
      steps.push({ ...step, title: `${step.title}${tally(answer, step.concern)}`, answer })
  }
  return Object.freeze({ ...plan, steps: Object.freeze(steps) })
}

/** The records in which one field has a value that it does not allow. */
export interface Stray {
  readonly resource: Resource
  readonly field: Field
  readonly count: number
  /** The first ids. */
  readonly ids: readonly string[]
}

/** Reads every table once; a table or a column that is not in the database yet has no values. */
export async function strayValues(catalog: Catalog, runner: Runner): Promise<readonly Stray[]> {
  const found: Stray[] = []
  for (const table of tables(catalog)) {
    const columns = table.columns.flatMap(({ judge, name }) => (judge === undefined ? [] : [{ judge, name }]))
    if (columns.length === 0) continue
    const values = columns.map(({ judge, name }) => ({ sql: q(name), fits: (text: string) => judge.fits(text) }))
    const answers = await ifThere(judgedRows(runner, { table: table.name, key: keyOf(table), values }))
    for (const [at, { ids, rows }] of (answers ?? []).entries()) {
      const about = fieldOf(catalog, table, columns[at]!.name)
      if (rows > 0 && about !== undefined) found.push({ ...about, count: rows, ids })
    }
  }
  return found
}

/** The field of a column: of the resource that owns the table, or of another one on the same table. */
function fieldOf(catalog: Catalog, table: Table, column: string): Pick<Stray, 'resource' | 'field'> | undefined {
  const all = [...catalog.resources.values()].filter((resource) => resource.table === table.name)
  const owners = all.filter(({ name, owner }) => owner === name)
  for (const resource of [...owners, ...all]) {
    const field = storedFields(resource).find((one) => one.column === column)
    if (field !== undefined) return { resource, field }
  }
  return undefined
}

/** One line about it: `lines: 2 records have a value that code does not allow (lines.yaml:4:3): 4, 9`. */
export function strayLine({ count, field, ids, resource }: Stray): string {
  const { source, start } = field.span
  const { line, column } = position(source, start)
  const have = count === 1 ? '1 record has' : `${count.toLocaleString('en')} records have`
  const list = ids.length === 0 ? '' : `: ${ids.join(', ')}${count > ids.length ? ', …' : ''}`
  return `${resource.name}: ${have} a value that ${field.name} does not allow (${source.file}:${line}:${column})${list}`
}
