/** `plinth apply [<hash>]`: the database and every running instance come to the files as they are now. */
import { rehearse } from '../action/rehearse.ts'
import type { Boot } from '../boot/boot.ts'
import { aloneOn, type SettleOptions, settle } from '../boot/settle.ts'
import { fileVersion } from '../boot/version.ts'
import type { Database } from '../database/database.ts'
import { applyPlan } from '../migration/migrate.ts'
import { rollOut } from '../rollout/roll-out.ts'
import type { Collected } from '../text/diagnostic.ts'
import { showDiagnostics, shownInstances, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

/** Titles of what was done in the database. */
type Applied = Collected<readonly string[]>

/** With a hash, the steps of the plan that a person has seen, the unsafe ones too; then whatever a start does. */
async function bring(
  hash: string | undefined,
  database: Database,
  { catalog }: Boot,
  { log, alone }: Pick<Invocation, 'log'> & Required<Pick<SettleOptions, 'alone'>>,
): Promise<Applied> {
  const now = new Date()
  const done: string[] = []
  if (hash !== undefined) {
    const { value, diagnostics } = await applyPlan(catalog, database, hash, {
      log,
      now,
      alone: await aloneOn(database, alone, async () => true),
      rehearse: (runner, fresh, whole) => rehearse(catalog, runner, fresh, whole),
    })
    if (value === undefined) return { diagnostics }
    done.push(...value.applied)
  }
  const settled = await settle(catalog, database, { log, now, edited: true, alone })
  return settled.value === undefined
    ? { diagnostics: settled.diagnostics }
    : { value: [...done, ...settled.value], diagnostics: settled.diagnostics }
}

export function run(invocation: Invocation): Promise<ExitCode> {
  const { positionals, say, settings } = invocation
  const [hash] = positionals
  return withDatabase(invocation, async (database, application) => {
    const rolledOut = await rollOut({
      runner: database.adhoc,
      version: await fileVersion(application, settings),
      settle: (alone) => bring(hash, database, application, { ...invocation, alone }),
    })
    showDiagnostics(rolledOut, invocation)
    if (rolledOut.value === undefined) return 1
    const { settled, serving } = rolledOut.value
    say(settled.join('\n') || 'Nothing to do: the database is as the YAML says.')
    if (serving.length > 0) say(shownInstances(serving))
    return rolledOut.diagnostics.some(({ severity }) => severity !== 'warning') ? 1 : 0
  })
}
