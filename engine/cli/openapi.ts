/** `plinth openapi`: the OpenAPI document of the application that the YAML describes, without starting it. */

import { describeApplication } from '../openapi/routes.ts'
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const { catalog, composition, routes } = application
  invocation.say(JSON.stringify(describeApplication(catalog, routes, composition), null, 2))
  return 0
}
