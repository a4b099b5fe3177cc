/** `plinth plan`: what the YAML as it is now would change in the database; changes nothing. */
import { offences } from '../action/offenders.ts'
import { rehearse } from '../action/rehearse.ts'
import { planFor } from '../migration/migrate.ts'
import { renderPlan } from '../migration/plan.ts'
import { showDiagnostics, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export function run(invocation: Invocation): Promise<ExitCode> {
  return withDatabase(invocation, async (database, { catalog }) => {
    const planned = await planFor(catalog, database, new Date(), (runner, fresh, whole) =>
      rehearse(catalog, runner, fresh, whole),
    )
    showDiagnostics(planned, invocation)
    invocation.say(renderPlan(planned.value).trimEnd())
    for (const { resource, rule, words, ids } of await offences(catalog, database.adhoc, new Date())) {
      const rest = ids.length === 0 ? '' : ' They stay; the next write that the rule concerns must mend them.'
      invocation.say(`${resource.name}: ${words} the rule ${rule.name}.${rest} \`plinth check --data\` lists them.`)
    }
    return planned.diagnostics.length === 0 ? 0 : 1
  })
}
