/** Single reads that arrive together: one statement for several, every caller with its own answer. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Id } from '../../engine/id.ts'
import { LIMITS } from '../../engine/limits.ts'
import { createGather } from '../../engine/run/read.ts'
import { ANN, BEN, type Library, library, STAFF } from './library.ts'

const test = suite('gather')

let app: Library
test.before(async () => {
  app = await library()
})
test.after(() => app.close())

test('a lone read runs at once, those that come while all statements run share the next', async () => {
  const asked: (readonly Id[])[] = []
  const answers: (() => void)[] = []
  const gather = createGather(0)
  const read = (ids: readonly Id[]) => {
    asked.push(ids)
    return new Promise<string[][]>((resolve) => answers.push(() => resolve(ids.map((id) => [String(id)]))))
  }
  const all = Array.from({ length: LIMITS.gatheringStatements + 5 }, (_, i) => gather(i + 1, read))
  assert.equal(
    asked,
    Array.from({ length: LIMITS.gatheringStatements }, (_, i) => [i + 1]),
  )
  while (answers.length > 0) {
    answers.shift()?.()
    await new Promise((done) => setImmediate(done))
  }
  assert.equal(asked.length, LIMITS.gatheringStatements + 1)
  assert.equal(
    (await Promise.all(all)).map((row) => Number(row?.[0])),
    all.map((_, i) => i + 1),
  )
})

test('a statement that fails is the failure of all who shared it, and of nobody after', async () => {
  const gather = createGather(0)
  const failing = () => Promise.reject(new Error('gone'))
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => gather(i, failing)))
  assert.ok(results.every(({ status }) => status === 'rejected'))
  assert.equal(await gather(7, async (ids) => ids.map((id) => [String(id)])), ['7'])
})

test('many readers at once get each their own record, refusal or 404', async () => {
  const ids: number[] = []
  for (let i = 0; i < 12; i++) {
    const { id } = await app.expect(201, 'POST', '/books', i % 2 === 0 ? ANN : BEN, { title: `Gathered ${i}` })
    ids.push(id)
  }
  // A busy machine admits no fewer than these at a time.
  const most = LIMITS.inFlightLeast
  for (let from = 0; from < 4 * most; from += most) {
    const calls = Array.from({ length: most }, (_, at) => {
      const [token, place] = [[STAFF, ANN, BEN][(from + at) % 3] ?? STAFF, (from + at) % 13]
      return app
        .call('GET', `/api/v1/books/${ids[place] ?? 99_999}`, { token })
        .then((answer) => ({ token, place, answer }))
    })
    for (const { token, place, answer } of await Promise.all(calls)) {
      const owner = place % 2 === 0 ? ANN : BEN
      const expected = place === 12 ? 404 : token === STAFF || token === owner ? 200 : 403
      assert.is(answer.status, expected, `${token} reads ${place}`)
      if (expected === 200) assert.is(answer.body.data.title, `Gathered ${place}`)
    }
  }
})

test.run()
