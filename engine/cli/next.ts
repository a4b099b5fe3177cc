/** What comes after a change of the files: the plan for the database, if there is one. */
import type { Boot } from '../boot/boot.ts'
import { connect, isMade } from '../database/connect.ts'
import { sentenceOf } from '../error.ts'
import { planFor } from '../migration/migrate.ts'
import { renderPlan } from '../migration/plan-text.ts'
import { rehearse } from '../run/rehearse.ts'
import type { Invocation } from './command.ts'

/** The plan for the database, or what comes next where there is none. */
export async function nextOf({ catalog }: Boot, { log, settings }: Invocation): Promise<string> {
  if (!isMade(settings)) return 'There is no database yet: `plinth start` makes it with all of this.'
  let database: Awaited<ReturnType<typeof connect>> | undefined
  try {
    database = await connect(settings, { log, joins: true })
    const planned = await planFor(catalog, database, new Date(), (runner, fresh, tried) =>
      rehearse(catalog, runner, fresh, tried),
    )
    return `\`plinth plan\` says of the database:\n${renderPlan(planned.value).trimEnd()}`
  } catch (error) {
    return `The database cannot be asked (${sentenceOf(error)}): \`plinth plan\` tells what will change there.`
  } finally {
    await database?.close()
  }
}
