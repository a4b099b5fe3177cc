/** `plinth doctor`: checks each part of a deployment, and says what to do about a part that fails. */
import { thisProgram } from '../program.ts'
import { connect, isMade } from '../database/connect.ts'
import { examine } from '../doctor/examine.ts'
import { type Checked, THRESHOLDS } from '../doctor/finding.ts'
import { visible } from '../text/visible.ts'
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { settings, options, log, say } = invocation
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const { catalog, composition } = application
  const found = await examine({
    settings,
    catalog,
    program: await thisProgram(),
    checks: composition.checks,
    open: async () => {
      if (!isMade(settings)) throw new Error(`there is no database in ${settings.dataDir} yet`)
      return connect(settings, { log, joins: true })
    },
    now: () => new Date(),
    thresholds: THRESHOLDS,
  })
  const problems = found.filter(({ level }) => level === 'problem').length
  const warnings = found.filter(({ level }) => level === 'warning').length
  if (options.json === true) say(JSON.stringify({ problems, warnings, checks: found }, null, 2))
  else say([...lines(found), summary(problems, warnings)].join('\n'))
  return problems > 0 ? 1 : 0
}

function lines(found: readonly Checked[]): readonly string[] {
  const width = Math.max(...found.map(({ check }) => check.length))
  return found.map(({ advice, check, level, message, place }) => {
    const where = place === undefined ? '' : ` (${place})`
    const what = advice === undefined ? '' : `: ${advice}`
    return visible(`${level.padEnd(7)}  ${check.padEnd(width)}  ${message}${what}${where}`)
  })
}

function summary(problems: number, warnings: number): string {
  if (problems + warnings === 0) return 'All is well.'
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? '' : 's'}`
  return `${count(problems, 'problem')} and ${count(warnings, 'warning')}.`
}
