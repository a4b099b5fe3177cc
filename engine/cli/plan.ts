/** `plinth plan`: what the YAML as it is now would change in the database, for clients and in access; changes nothing. */
import { callersOf } from '../access/callers.ts'
import { compareAccess } from '../access/compare.ts'
import { counted } from '../access/count.ts'
import { rehearse } from '../action/rehearse.ts'
import { violations } from '../action/rule-violations.ts'
import type { Boot } from '../boot/boot.ts'
import { describeServed, readServed } from '../boot/served-description.ts'
import type { Runner } from '../database/database.ts'
import { onFutureTables } from '../migration/future-rows.ts'
import { planFor } from '../migration/migrate.ts'
import { servedLast } from '../migration/own/facts.ts'
import { compareDocuments } from '../openapi/compare.ts'
import { describeApplication } from '../openapi/routes.ts'
import { showDiagnostics, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { type Differences, type Outside, planAsJson, planAsText } from './plan-told.ts'

/** Where `--exit-code` asks for it: there is something to do. 2 is a wrong command line. */
const CHANGES: ExitCode = 3

export function run(invocation: Invocation): Promise<ExitCode> {
  const { options, say } = invocation
  return withDatabase(invocation, async (database, application) => {
    const { catalog } = application
    const now = new Date()
    const planned = await planFor(catalog, database, now, (runner, fresh, whole) =>
      rehearse(catalog, runner, fresh, whole),
    )
    showDiagnostics(planned, invocation)
    const differences: Differences = {
      plan: planned.value,
      violations: await onFutureTables(catalog, database, (runner) => violations(catalog, runner, now)),
      outside: await outsideOf(application, database.adhoc, now),
    }
    say(options.json === true ? planAsJson(differences) : planAsText(differences))
    if (planned.diagnostics.length > 0) return 1
    return options['exit-code'] === true && isAnything(differences) ? CHANGES : 0
  })
}

function isAnything({ plan, outside }: Differences): boolean {
  return plan.steps.length > 0 || (outside !== undefined && outside.api.length + outside.access.length > 0)
}

async function outsideOf(
  { catalog, routes, composition }: Boot,
  runner: Runner,
  now: Date,
): Promise<Outside | undefined> {
  const last = await servedLast(runner)
  const before = last && readServed(last.text)
  if (last === undefined || before === undefined) return undefined
  const after = describeServed(catalog, routes, describeApplication(catalog, routes, composition), true)
  const callers = await callersOf(catalog, runner, now, [before.access, after.access])
  const changes = compareAccess(before.access, after.access, callers)
  return {
    since: last.since,
    api: compareDocuments(before.api, after.api),
    access: await counted({ catalog, runner, now }, changes),
  }
}
