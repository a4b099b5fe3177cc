/** `plinth types`: TypeScript types of every resource, for plugins and clients. */
import { typescript } from '../openapi/types.ts'
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const { catalog, composition } = application
  invocation.say(typescript({ catalog, hooks: composition.hooks }).trimEnd())
  return 0
}
