/** `plinth history`: the steps of all migrations that began, the latest first. */
import { type KeptStep, keptSteps } from '../migration/own/step-history.ts'
import { isBegun, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

const SHOWN = 100
const ALL = 1_000_000

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, say } = invocation
  if (!isBegun(invocation)) return 1
  return withDatabase(invocation, async ({ adhoc }) => {
    const steps = (await keptSteps(adhoc, options.all === true ? ALL : SHOWN)) ?? []
    if (options.json === true) say(JSON.stringify(steps, null, 2))
    else if (steps.length === 0) say('No step of a migration was kept yet.')
    else
      say(
        [...steps.map(line), ...(steps.length === SHOWN && options.all !== true ? ['Older ones: --all'] : [])].join(
          '\n',
        ),
      )
    return 0
  })
}

function line(step: KeptStep): string {
  const { beganAt, cause, error, instance, plan, title } = step
  const why = error === null ? '' : `: ${error}`
  return `${beganAt.slice(0, 19)}  ${cause}  ${outcome(step).padEnd(20)}  ${title}${why} (plan ${plan}, ${instance})`
}

function outcome({ endedAt, error, seconds }: KeptStep): string {
  if (endedAt === null) return 'not finished'
  return `${error === null ? 'done' : 'failed'} in ${(seconds ?? 0).toFixed(2)} s`
}
