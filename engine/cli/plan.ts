/** `plinth plan`: what the YAML as it is now would change in the database; changes nothing. */
import { planFor } from '../migration/migrate.ts'
import { renderPlan } from '../migration/plan.ts'
import { withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export function run(invocation: Invocation): Promise<ExitCode> {
  return withDatabase(invocation, async (database, { catalog }) => {
    const { value } = await planFor(catalog, database, new Date())
    invocation.say(renderPlan(value).trimEnd())
    return 0
  })
}
