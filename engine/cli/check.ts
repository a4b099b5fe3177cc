/** `plinth check`: the diagnostics and nothing else, but for what only a database can judge; `--data` asks it about the records. */
import { offenceLine, offences } from '../action/offenders.ts'
import { computedFields } from '../action/rehearse.ts'
import { isBegun, readApplication, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
  if (invocation.options.data === true) return checkData(invocation)
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const names = computedFields(application.catalog).map(({ resource, field }) => `${resource.name}.${field.name}`)
  if (names.length > 0)
    invocation.say(`Not tried without a database: the SQL of ${names.join(', ')}. \`plinth plan\` tries it.`)
  return 0
}

async function checkData(invocation: Invocation): Promise<ExitCode> {
  if (!isBegun(invocation)) return 1
  return withDatabase(invocation, async (database, { catalog }) => {
    const found = await offences(catalog, database.adhoc, new Date())
    for (const offence of found) invocation.complain(offenceLine(offence))
    return found.length === 0 ? 0 : 1
  })
}
