/** `plinth restore-field <resource>[.<field>]`: brings back what was set aside when it was taken out of the YAML. */
import { restoreField } from '../migration/set-aside.ts'
import { tableAndColumn, withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export function run(invocation: Invocation): Promise<ExitCode> {
  const [name = ''] = invocation.positionals
  return withDatabase(invocation, async (database, { catalog }) => {
    invocation.say(await restoreField(database, ...tableAndColumn(name, catalog)))
    return 0
  })
}
