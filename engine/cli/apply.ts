/** `plinth apply <hash>`: takes the steps of the plan that a person has seen, the unsafe ones too. */
import { rehearse } from '../action/rehearse.ts'
import { applyPlan } from '../migration/migrate.ts'
import { showDiagnostics, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export function run(invocation: Invocation): Promise<ExitCode> {
  const { positionals, log, say } = invocation
  const [hash = ''] = positionals
  return withDatabase(invocation, async (database, { catalog }) => {
    const applied = await applyPlan(catalog, database, hash, {
      log,
      now: new Date(),
      rehearse: (runner, fresh, whole) => rehearse(catalog, runner, fresh, whole),
    })
    showDiagnostics(applied, invocation)
    if (applied.value === undefined) return 1
    say(applied.value.applied.join('\n') || 'Nothing to do: the database is as the YAML says.')
    return 0
  })
}
