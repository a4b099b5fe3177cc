/** Files for editors and compilers ⇄: the schemas of the YAML, and the types of its records. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Boot } from '../boot/boot.ts'
import type { Vocabulary } from '../definition/definition.ts'
import { SCENARIO_SCHEMA } from '../definition/scenario.ts'
import { appSchema, extendingSchema } from '../definition/schema.ts'
import { WORDS_SCHEMA } from '../definition/words-schema.ts'
import { typesOfRecords } from '../openapi/types.ts'
import type { Settings } from '../settings.ts'
import { atOnce, type Doing } from '../turns.ts'

type Place = Pick<Settings, 'resourcesDir'>
type Described = Pick<Boot, 'catalog' | 'composition'>

/** Writes one file below .plinth next to the resources, unless it has that content already; returns its path. */
async function write({ resourcesDir }: Place, name: string, text: string): Promise<string> {
  const path = join(dirname(resolve(resourcesDir)), '.plinth', name)
  // Compilers and editors read a file again when it is written, even without a change.
  const before = await readFile(path, 'utf8').catch(() => undefined)
  if (before !== text) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  return relative(process.cwd(), path)
}

/**
 * Writes the schemas, with the words of the application's plugins; returns their paths. Rejects where that is not
 * allowed.
 */
export function writeSchemas(vocabulary: Vocabulary, place: Place): Promise<readonly string[]> {
  const schemas = {
    'resource.schema.json': extendingSchema(vocabulary),
    'app.schema.json': appSchema(vocabulary),
    'test.schema.json': SCENARIO_SCHEMA,
    'words.schema.json': WORDS_SCHEMA,
  }
  const files = Object.entries(schemas)
  return Promise.all(files.map(([name, schema]) => write(place, name, `${JSON.stringify(schema, null, 2)}\n`)))
}

/** Writes the types of the records; returns the path. Rejects where that is not allowed. */
export async function writeTypes(
  { catalog, composition }: Described,
  place: Place,
  doing: Doing = atOnce,
): Promise<string> {
  return write(place, 'types.d.ts', await doing(typesOfRecords({ catalog, hooks: composition.hooks })))
}

/** Writes both for a running application, which is served even where its folder cannot be written. */
export async function writeForEditors(described: Described, place: Place, doing?: Doing): Promise<void> {
  await Promise.allSettled([writeSchemas(described.composition.vocabulary, place), writeTypes(described, place, doing)])
}
