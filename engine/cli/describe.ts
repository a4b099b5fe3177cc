/**
 * Commands that describe the application of the YAML without starting it: `plinth openapi`, `types`, `client`,
 * `schema`.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { sentenceOf } from '../error.ts'
import { clientOfApplication, describeApplication } from '../openapi/routes.ts'
import { typescript } from '../openapi/types.ts'
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { writeSchemas, writeTypes } from './for-editors.ts'

export async function openapi(invocation: Invocation): Promise<ExitCode> {
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const { catalog, composition, routes } = application
  invocation.say(JSON.stringify(describeApplication(catalog, routes, composition), null, 2))
  return 0
}

export async function types(invocation: Invocation): Promise<ExitCode> {
  const { options, say, settings } = invocation
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const { catalog, composition } = application
  if (options.write === true) say(`wrote ${await writeTypes(application, settings)}`)
  else say(typescript({ catalog, hooks: composition.hooks }).trimEnd())
  return 0
}

const RUNTIME = new URL('../openapi/client/runtime.ts.template', import.meta.url)

export async function client(invocation: Invocation): Promise<ExitCode> {
  const { complain, options, say } = invocation
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const { catalog, composition, routes } = application
  const text = clientOfApplication(catalog, routes, composition, await readFile(RUNTIME, 'utf8'))
  if (typeof options.out !== 'string') {
    say(text.trimEnd())
    return 0
  }
  try {
    await mkdir(dirname(resolve(options.out)), { recursive: true })
    await writeFile(options.out, text)
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  }
  say(`wrote ${options.out}`)
  return 0
}

export async function schema(invocation: Invocation): Promise<ExitCode> {
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const paths = await writeSchemas(application.composition.vocabulary, invocation.settings)
  invocation.say(paths.map((path) => `wrote ${path}`).join('\n'))
  return 0
}
