/** ⇄ What editors and compilers work from: the schemas of the YAML, and the types of its records. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Boot } from '../boot/boot.ts'
import type { Vocabulary } from '../definition/definition.ts'
import { SCENARIO_SCHEMA } from '../definition/scenario.ts'
import { appSchema, resourceSchema } from '../definition/schema.ts'
import { typesOfRecords } from '../openapi/types.ts'
import type { Settings } from '../settings.ts'
import { atOnce, type Doing } from '../turns.ts'

type Place = Pick<Settings, 'resourcesDir'>
type Described = Pick<Boot, 'catalog' | 'composition'>

/** Writes one file below .plinth beside the resources, unless it is the same already; gives its path. */
async function write({ resourcesDir }: Place, name: string, text: string): Promise<string> {
  const path = join(dirname(resolve(resourcesDir)), '.plinth', name)
  // Compilers and editors read again what was written, changed or not.
  const before = await readFile(path, 'utf8').catch(() => undefined)
  if (before !== text) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  return relative(process.cwd(), path)
}

/** Writes the schemas, with the words of the application's plugins, and gives their paths. Rejects where that is not allowed. */
export function writeSchemas(vocabulary: Vocabulary, place: Place): Promise<readonly string[]> {
  const schemas = {
    'resource.schema.json': resourceSchema(vocabulary),
    'app.schema.json': appSchema(vocabulary),
    'test.schema.json': SCENARIO_SCHEMA,
  }
  const files = Object.entries(schemas)
  return Promise.all(files.map(([name, schema]) => write(place, name, `${JSON.stringify(schema, null, 2)}\n`)))
}

/** Writes the types of the records, and gives the file's path. Rejects where that is not allowed. */
export async function writeTypes(
  { catalog, composition }: Described,
  place: Place,
  doing: Doing = atOnce,
): Promise<string> {
  return write(place, 'types.d.ts', await doing(typesOfRecords({ catalog, hooks: composition.hooks })))
}

/** Both, for what is served; a folder that may not be written to is no reason not to serve. */
export async function writeForEditors(described: Described, place: Place, doing?: Doing): Promise<void> {
  await Promise.allSettled([writeSchemas(described.composition.vocabulary, place), writeTypes(described, place, doing)])
}
