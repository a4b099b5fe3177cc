/** `plinth types`: TypeScript types of every resource, for plugins and clients; with `--write`, where plugins find them. */
import { typescript } from '../openapi/types.ts'
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { writeTypes } from './for-editors.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { options, say, settings } = invocation
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const { catalog, composition } = application
  if (options.write === true) say(`wrote ${await writeTypes(application, settings)}`)
  else say(typescript({ catalog, hooks: composition.hooks }).trimEnd())
  return 0
}
