/** The questions of a plan to the database ⇄: how many rows are in the way of each step, and which. */
import type { Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import type { MigrationPlan } from './plan.ts'
import type { Judging, Step } from './step.ts'

export interface Answer {
  readonly rows: number
  /** The keys of the first of them, where they are known. */
  readonly ids: readonly string[]
}

/** For each value the rows whose value does not fit, read a batch at a time in the order of the key. */
export async function judgedRows(runner: Runner, { table, key, values }: Judging): Promise<readonly Answer[]> {
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

/** Asks what a step asks; undefined where it asks nothing. */
export async function asked(runner: Runner, { examples, judging, question }: Step): Promise<Answer | undefined> {
  if (judging !== undefined) return (await judgedRows(runner, judging))[0]
  if (question === undefined) return undefined
  const [row] = await runner.run({ text: question }, [])
  const rows = Number(row?.[0] ?? 0)
  const found = rows === 0 || examples === undefined ? [] : await runner.run({ text: examples }, [])
  return { rows, ids: found.flatMap(([id]) => id ?? []) }
}

/** `with 3 values`; `, in 3 rows`. */
function tallied(rows: number, tally: NonNullable<Step['tally']>): string {
  const isChange = tally === 'changed row'
  const what = isChange ? 'row' : tally
  return `${isChange ? ', in' : ' with'} ${rows.toLocaleString('en')} ${what}${rows === 1 ? '' : 's'}`
}

/**
 * The plan with its questions answered by the database; a step that no row stands in the way of is safe.
 * A step that `asks` refuses stays as it is planned.
 */
export async function judged(
  plan: MigrationPlan,
  runner: Runner,
  asks: (step: Step) => boolean,
): Promise<MigrationPlan> {
  const steps: Step[] = []
  for (const step of plan.steps) {
    const answer = asks(step) ? await asked(runner, step) : undefined
    if (answer === undefined) {
      steps.push(step)
      continue
    }
    const { ids, rows } = answer
    if (rows === 0 && (step.sql.length === 0 || step.onlyWithRows)) continue
    const isUntold = step.tally === undefined || (step.tally === 'changed row' && rows === 0)
    const title = isUntold ? step.title : `${step.title}${tallied(rows, step.tally ?? 'row')}`
    steps.push({
      ...step,
      title,
      rows,
      ...(ids.length === 0 ? {} : { ids }),
      risk: rows === 0 ? 'safe' : step.risk,
    })
  }
  return Object.freeze({ ...plan, steps: Object.freeze(steps) })
}
