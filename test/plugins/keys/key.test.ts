/** Keys: made from the application's secret, which is made once where APP_SECRET gives none. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { PluginContext } from '../../../engine/index.ts'
import { keysOf } from '../../../engine/secret.ts'

const test = suite('keys')

function settingsWith(folder: string, appSecrets: readonly string[]): PluginContext['settings'] {
  return { dataDir: folder, appSecrets } as PluginContext['settings']
}

test('without APP_SECRET a secret is made once, for this user only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-keys-'))
  const made = await keysOf(settingsWith(folder, []))
  const file = join(folder, 'secret')
  assert.ok((await readFile(file, 'utf8')).trim().length >= 32)
  assert.is((await stat(file)).mode & 0o077, 0)
  assert.is((await keysOf(settingsWith(folder, []))).current, made.current)
  const fresh = join(folder, 'together')
  const together = await Promise.all(Array.from({ length: 8 }, () => keysOf(settingsWith(fresh, []))))
  assert.is(new Set(together.map(({ current }) => current)).size, 1)
  assert.equal(await readdir(fresh), ['secret'])
  await rm(folder, { recursive: true })
})

test.run()
