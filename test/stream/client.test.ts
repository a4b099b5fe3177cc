/** The client that resources/guide/streams.md shows, as it stands there. */
import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { AGENT, ANN, HELPER, LEAD, openWorld, type World } from './world.ts'

type Records = ReadonlyMap<number, object>
type Follow = (
  api: string,
  path: string,
  token: string,
  changed: (records: Records) => void,
  signal: AbortSignal,
) => Promise<void>

const [, source = ''] =
  /```js\n(async function follow[\s\S]*?)```/.exec(readFileSync('resources/guide/streams.md', 'utf8')) ?? []
const follow = new Function(`return ${source}`)() as Follow

let world: World
const test = suite('streams: the client of the documentation')

test.before(async () => {
  world = await openWorld()
})
test.after(() => world.close())

/** Numbers from 0 to 1 that come again in each run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

test('whatever is written, readers of five kinds know what their lists give them, and no more', async () => {
  const readers = [AGENT, ANN, '12:customer:', LEAD, HELPER].map((token) => ({ token, known: new Map() as Records }))
  const controller = new AbortController()
  const done = readers.map((reader) =>
    follow(world.address, '/tickets', reader.token, (records) => (reader.known = records), controller.signal),
  )
  const next = numbers(7)
  const one = (of: readonly number[]): number => of[Math.floor(next() * of.length)]!
  const teams = [
    await world.make('/teams', { name: 'a', lead: 21 }),
    await world.make('/teams', { name: 'b', lead: 22 }),
  ]
  const live: number[] = []
  const dead: number[] = []
  const comments: number[] = []
  for (let step = 0; step < 150; step++) {
    const kind = next()
    if (kind < 0.3 || live.length < 3)
      live.push(await world.make('/tickets', { title: `t${step}`, owner: one([11, 12, 13]), team_id: one(teams) }))
    else if (kind < 0.6)
      await world.write('PUT', `/tickets/${one(live)}`, {
        owner: one([11, 12, 13]),
        team_id: one(teams),
        title: `u${step}`,
      })
    else if (kind < 0.7) {
      const id = one(live)
      live.splice(live.indexOf(id), 1)
      dead.push(id)
      await world.write('DELETE', `/tickets/${id}`)
    } else if (kind < 0.75 && dead.length > 0) {
      const id = dead.shift()!
      live.push(id)
      await world.write('POST', `/tickets/${id}/restore`)
    } else if (kind < 0.85)
      comments.push(await world.make('/comments', { text: 'c', ticket_id: one(live), author: one([31, 32]) }))
    else if (kind < 0.93 && comments.length > 0)
      await world.write('PUT', `/comments/${one(comments)}`, { author: one([31, 32]) })
    else await world.write('PUT', `/teams/${one(teams)}`, { lead: one([21, 22]) })
    // Some pause for readers to be told in many batches.
    if (step % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 30))
  }
  for (const { token } of readers) {
    const listed = await world.list(token)
    const reader = readers.find((candidate) => candidate.token === token)!
    const sorted = (records: Records) => [...records].sort(([a], [b]) => a - b)
    const told = (): boolean => isDeepStrictEqual(sorted(reader.known), sorted(listed))
    // The last event may still be on its way.
    await until(told).catch(() => assert.equal(sorted(reader.known), sorted(listed), token))
  }
  controller.abort()
  await Promise.all(done)
})

test.run()
