/** Files that were served once, for commands that compare with them. */
import * as assert from 'uvu/assert'
import { createEngine } from '../../engine/engine.ts'
import { servedLast } from '../../engine/migration/own/facts.ts'
import { readSettings } from '../../engine/settings.ts'
import { SILENT, type TestDatabase } from '../support/database.ts'
import { until } from '../support/wait.ts'
import type { Folder } from './world.ts'

/** The same database for a server that is begun and for a command: a server's, or a folder. */
export function placeOf(folder: Folder, base: TestDatabase | undefined): Readonly<Record<string, string | undefined>> {
  return {
    RESOURCES_DIR: `${folder.path}/resources`,
    DATA_DIR: `${folder.path}/data`,
    PORT: '0',
    BASE_URL: 'http://desk.example',
    DATABASE_URL: base?.url,
  }
}

/** Serves what the YAML says until it was written down; gives when it was. */
export async function serveOnce(env: Readonly<Record<string, string | undefined>>, sql = 'select 1'): Promise<string> {
  const settings = readSettings(env).value
  assert.ok(settings)
  const made = await createEngine({ settings, log: SILENT })
  assert.ok(made.value, JSON.stringify(made.diagnostics))
  const { database } = made.value
  const before = (await servedLast(database.adhoc))?.text
  await made.value.listen()
  let last = before
  await until(async () => {
    last = (await servedLast(database.adhoc))?.text
    return last !== before
  })
  await database.adhoc.run({ text: sql }, [])
  await made.value.close()
  return last ?? ''
}
