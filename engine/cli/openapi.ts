/** `plinth openapi`: the OpenAPI document of the application that the YAML describes, without starting it. */

import { bindRoutes } from '../boot/bind-routes.ts'
import { describeApplication } from '../openapi/routes.ts'
import { readApplication, showDiagnostics } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

export async function run(invocation: Invocation): Promise<ExitCode> {
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const { catalog, composition } = application
  const bound = bindRoutes(composition, catalog)
  showDiagnostics(bound, invocation)
  if (bound.diagnostics.length > 0) return 1
  invocation.say(JSON.stringify(describeApplication(catalog, bound.value, composition), null, 2))
  return 0
}
