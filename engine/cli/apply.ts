/** `plinth apply [<hash>]`: brings the database and every running instance to the present files. */
import { type DatabaseSetup, type SetupOptions, setUpByPlan, setUpDatabase } from '../boot/database-setup.ts'
import { rollOut } from '../rollout/roll-out.ts'
import { showDiagnostics, shownInstances, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export function run(invocation: Invocation): Promise<ExitCode> {
  const { positionals, say, settings, log } = invocation
  const [hash] = positionals
  return withDatabase(invocation, async (database, application) => {
    const { catalog } = application
    const rolledOut = await rollOut({
      runner: database.adhoc,
      presence: database.presence,
      version: application.version,
      settle(pause) {
        const options: SetupOptions = { log, now: new Date(), settings, edited: true, logsLeft: false, pause }
        return hash === undefined
          ? setUpDatabase(catalog, database, options)
          : setUpByPlan(hash, catalog, database, options)
      },
    })
    showDiagnostics(rolledOut, invocation)
    if (rolledOut.value === undefined) return 1
    const { settled, serving } = rolledOut.value
    say(told(settled))
    if (serving.length > 0) say(shownInstances(serving))
    return rolledOut.diagnostics.some(({ severity }) => severity !== 'warning') ? 1 : 0
  })
}

function told({ applied, left }: DatabaseSetup): string {
  if (left.length === 0) return applied.join('\n') || 'Nothing to do: the database is as the YAML says.'
  const kept = left.map((title) => `  ${title}`)
  return [...applied, 'Left as it is until a person applies the plan that `plinth plan` shows:', ...kept].join('\n')
}
