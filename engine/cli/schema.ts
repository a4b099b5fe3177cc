/** ⇄ `plinth schema`: writes the JSON Schemas that editors complete the YAML from, beside the folder of resources. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { appSchema, resourceSchema } from '../definition/schema.ts'
import type { Vocabulary } from '../definition/vocabulary.ts'
import type { Settings } from '../settings.ts'
import { readApplication } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

/** Writes both schemas, with the words of the application's plugins, and gives their paths. Rejects where that is not allowed. */
export async function writeSchemas(
  vocabulary: Vocabulary,
  { resourcesDir }: Pick<Settings, 'resourcesDir'>,
): Promise<readonly string[]> {
  const folder = join(dirname(resolve(resourcesDir)), '.plinth')
  const schemas = { 'resource.schema.json': resourceSchema(vocabulary), 'app.schema.json': appSchema(vocabulary) }
  await mkdir(folder, { recursive: true })
  const written = Object.entries(schemas).map(async ([name, schema]) => {
    const path = join(folder, name)
    await writeFile(path, `${JSON.stringify(schema, null, 2)}\n`)
    return relative(process.cwd(), path)
  })
  return Promise.all(written)
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  const paths = await writeSchemas(application.composition.vocabulary, invocation.settings)
  invocation.say(paths.map((path) => `wrote ${path}`).join('\n'))
  return 0
}
