/** The promises of both stores: counts in windows, messages that arrive, and no rejections. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createWindows } from '../../engine/store/memory.ts'
import { openStore } from '../../engine/store/open-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { quiet } from '../http/log.ts'

const redisUrl = process.env.TEST_REDIS_URL

function contract(name: string, open: () => Promise<Store>): void {
  const test = suite<{ store: Store }>(`store: ${name}`)
  test.before.each(async (context) => {
    context.store = await open()
  })
  test.after.each(async (context) => {
    await context.store.close()
  })

  test('counts each request of a window', async ({ store }) => {
    const now = Date.now()
    const counts = []
    for (let i = 0; i < 3; i += 1) counts.push((await store.hit('general', 'a', 60_000, now)).count)
    assert.equal(counts, [1, 2, 3])
  })

  test('says when the window ends', async ({ store }) => {
    const now = Date.now()
    const { resetAt } = await store.hit('general', 'a', 60_000, now)
    assert.ok(resetAt > now + 59_000 && resetAt <= now + 60_000, String(resetAt - now))
  })

  test('counts callers and buckets apart', async ({ store }) => {
    const now = Date.now()
    await store.hit('general', 'a', 60_000, now)
    assert.is((await store.hit('general', 'b', 60_000, now)).count, 1)
    assert.is((await store.hit('auth', 'a', 60_000, now)).count, 1)
  })

  test('starts again at one when the window has ended', async ({ store }) => {
    await store.hit('general', 'a', 60, Date.now())
    await store.hit('general', 'a', 60, Date.now())
    // The window is 60 ms long.
    await sleep(90)
    assert.is((await store.hit('general', 'a', 60, Date.now())).count, 1)
  })

  test('counts a hundred simultaneous requests exactly', async ({ store }) => {
    const now = Date.now()
    const hits = await Promise.all(Array.from({ length: 100 }, () => store.hit('general', 'a', 60_000, now)))
    assert.equal(
      hits.map(({ count }) => count).sort((a, b) => a - b),
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
  })

  test('tells the own listeners before publish resolves', async ({ store }) => {
    const heard: string[] = []
    store.subscribe('lookup', (message) => heard.push(message))
    store.subscribe('other', () => heard.push('wrong channel'))
    await store.publish('lookup', 'statuses')
    assert.equal(heard, ['statuses'])
  })

  test('keeps telling the others when one listener throws', async ({ store }) => {
    const heard: string[] = []
    store.subscribe('lookup', () => {
      throw new Error('listener')
    })
    store.subscribe('lookup', (message) => heard.push(message))
    await store.publish('lookup', 'x')
    assert.equal(heard, ['x'])
  })
  test.run()
}

contract('memory', () => openStore({ redisUrl: undefined }, quiet, ''))
if (redisUrl !== undefined) contract('redis', () => openStore({ redisUrl }, quiet, `test-${randomUUID()}`))

const windows = suite('store: windows')

windows('never remember more callers than their capacity', () => {
  const counted = createWindows(10)
  for (let i = 0; i < 1_000; i += 1) counted.hit(String(i), 60_000, 0)
  assert.is(counted.size, 10)
  assert.is(counted.hit('999', 60_000, 0).count, 2)
})

windows('forget the callers whose window has ended', () => {
  const counted = createWindows()
  for (let i = 0; i < 100; i += 1) counted.hit(String(i), 1_000, 0)
  counted.hit('later', 1_000, 5_000)
  assert.is(counted.size, 1)
})

windows('go on from a count that was shared', () => {
  const counted = createWindows()
  counted.adopt('a', { count: 5, resetAt: 1_000 }, 60_000, 0)
  assert.equal({ ...counted.hit('a', 60_000, 500) }, { count: 6, resetAt: 1_000 })
})

windows('of shared counts never remember more than their capacity, nor what has ended', () => {
  const counted = createWindows(10)
  for (let i = 0; i < 1_000; i += 1) counted.adopt(String(i), { count: 1, resetAt: 1_000 }, 1_000, 0)
  assert.is(counted.size, 10)
  counted.adopt('later', { count: 1, resetAt: 6_000 }, 1_000, 5_000)
  assert.is(counted.size, 1)
})
windows.run()
