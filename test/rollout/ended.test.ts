/** Files that are put back after a rollout: an instance serves the version that fits the tables. */
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LIMITS } from '../../engine/limits.ts'
import { serve } from '../migration/machine/served.ts'
import { filesOf, type Version } from '../migration/machine/shape.ts'

const test = suite('a rollout that has ended')

const BARE = { key: 'R0', name: 'apples', softDelete: false, timestamps: false, relations: [] }
const version = (name: string, earlier?: string): Version => [
  { ...BARE, fields: [{ key: 'f', name, type: 'string', earlier }] },
]

test('an instance that begins behind it does not serve its files again on the tables of a later version', async () => {
  const served = await serve(filesOf(version('colour')))
  try {
    await served.write(filesOf(version('shade', 'colour')))
    assert.is(await served.rollOut(), '')
    await served.write(filesOf(version('tint', 'shade')))
    assert.is(await served.restart(), '')
    await served.write(filesOf(version('shade', 'colour')))
    await sleep(LIMITS.rolloutPollMs * 3)
    const { status, body } = await served.send('POST', '/api/apples', { tint: 'red' })
    assert.is(status, 201, JSON.stringify(body))
    assert.is((await served.send('GET', '/api/apples')).status, 200)
  } finally {
    await served.close()
  }
})

test.run()
