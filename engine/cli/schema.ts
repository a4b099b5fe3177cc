/** `plinth schema`: writes the JSON Schemas that editors complete the YAML from, beside the folder of resources. */
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { writeSchemas } from './for-editors.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const paths = await writeSchemas(application.composition.vocabulary, invocation.settings)
  invocation.say(paths.map((path) => `wrote ${path}`).join('\n'))
  return 0
}
