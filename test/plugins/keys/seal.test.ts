/** Seals: opened with the same secret and for the same use only, also what earlier releases stored. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { PluginContext } from '../../../engine/index.ts'
import { seal, unseal } from '../../../plugins/keys/seal.ts'

const test = suite('seals')

const SECRET = 'a secret of thirty-two characters'
const OTHER = 'another secret of many characters'

function settingsWith(...appSecrets: string[]): PluginContext['settings'] {
  return { dataDir: 'nowhere', appSecrets } as Partial<PluginContext['settings']> as PluginContext['settings']
}

test('a sealed text is opened with the same secret, for the same use, and never when it was changed', async () => {
  const settings = settingsWith(SECRET)
  const sealed = await seal(settings, 'mail', 'a link')
  assert.is.not(await seal(settings, 'mail', 'a link'), sealed)
  assert.is(await unseal(settings, 'mail', sealed), 'a link')
  assert.is(await unseal(settings, 'ai', sealed), undefined)
  assert.is(await unseal(settingsWith(OTHER), 'mail', sealed), undefined)
  const at = sealed.length - 5
  const touched = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`
  assert.is(await unseal(settings, 'mail', touched), undefined)
  for (const text of ['', '.', sealed.slice(0, 20), `${sealed.split('.')[0]}.`]) {
    assert.is(await unseal(settings, 'mail', text), undefined, text)
  }
})

test('after a rotation the old secret still opens, and the new one seals', async () => {
  const sealed = await seal(settingsWith(SECRET), 'ai', 'a key')
  const rotated = settingsWith(OTHER, SECRET)
  assert.is(await unseal(rotated, 'ai', sealed), 'a key')
  assert.is(await unseal(settingsWith(OTHER), 'ai', await seal(rotated, 'ai', 'a key')), 'a key')
})

test('what earlier releases sealed is still opened: mails in the queue and the key of an AI server', async () => {
  const settings = settingsWith(OTHER, SECRET)
  const mail = '238c9723295a.eeSWzj8uS7xIvJ1iw92YY65xQghDhWtbavVczUTwr-JZIg'
  const key = 'fYF00FSO8C/QjFyl352Icvts393l61ZkjUbKSgpEYZGK'
  assert.is(await unseal(settings, 'mail', mail), 'a link')
  assert.is(await unseal(settings, 'ai', key), 'a key')
  assert.is(await unseal(settings, 'mail', key), undefined)
  assert.is(await unseal(settingsWith(OTHER), 'ai', key), undefined)
})

test.run()
