/** `plinth client` ⇄: a typed client of the application that the YAML describes, printed, or with `--out` written. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { sentenceOf } from '../error.ts'
import { clientOfApplication } from '../openapi/routes.ts'
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

const RUNTIME = new URL('../openapi/client-runtime.ts.template', import.meta.url)

export async function run(invocation: Invocation): Promise<ExitCode> {
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
