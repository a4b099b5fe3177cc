/** `plinth check`: the diagnostics and nothing else, but for what only a database can judge. */
import { computedFields } from '../action/rehearse.ts'
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const names = computedFields(application.catalog).map(({ resource, field }) => `${resource.name}.${field.name}`)
  if (names.length > 0)
    invocation.say(`Not tried without a database: the SQL of ${names.join(', ')}. \`plinth plan\` tries it.`)
  return 0
}
