/** Asks the database the questions of a plan ⇄. */
import type { Runner } from '../database/database.ts'
import { asked } from './ask.ts'
import type { MigrationPlan } from './plan.ts'
import type { Step } from './step.ts'

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
