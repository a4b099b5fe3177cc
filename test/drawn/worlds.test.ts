/** No answer depends on what its reader may not see: two databases of a drawn application differ in one hidden value, and are asked the same. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor } from '../../engine/actor.ts'
import { reach } from '../../engine/ask/policy.ts'
import { follow } from '../stream/client.ts'
import { application, type TestApplication } from '../support/application.ts'
import { sentOf } from '../support/leak-requests.ts'
import { hiddenFrom, leaksOfEach, type Plan } from '../support/leaks.ts'
import { until } from '../support/wait.ts'
import { insert, type Rows, rowsOf, VALUES } from './rows.ts'
import { filesOf, MEMBER, NAMES, type Shape, STAFF, shapes } from './shape.ts'

const test = suite('a machine of hidden values')

const { MACHINE_RUNS, MACHINE_SEED, TEST_DATABASE_URL } = process.env

/** A busy machine runs fewer than a quiet one. */
const LONGEST_MS = 60_000

/** The usual run is the same each time; MACHINE_RUNS draws anew. */
const USUAL = MACHINE_RUNS === undefined ? '20261126' : undefined
const [seed, path] = (MACHINE_SEED ?? USUAL)?.split(',') ?? []

interface World {
  readonly shape: Shape
  readonly rows: Rows
  readonly chance: number
}

const worlds: fc.Arbitrary<World> = shapes.chain((shape) =>
  fc.record({ shape: fc.constant(shape), rows: rowsOf(shape), chance: fc.nat(100_000) }),
)

const actor: Actor = { kind: 'user', id: 2, role: 'member', permissions: new Set(), attributes: {} }

/** Status, tag and body without the moment; of a list by cursor the next page too. */
async function read(app: TestApplication, request: string, token: string): Promise<string> {
  const { path: at, method, ...sent } = sentOf(request)
  const { body, headers, status, text } = await app.call(method, at, { token, ...sent })
  const told = `${status} ${headers.etag} ${text.replace(/"timestamp":"[^"]*"/, '')}`
  const next = at.includes('cursor=first') ? body.meta?.pagination?.next_cursor : undefined
  if (!next) return told
  return told + (await read(app, `${method} ${at.replace('cursor=first', `cursor=${next}`)}`, token))
}

async function leaks({ chance, rows, shape }: World): Promise<readonly string[]> {
  const app = await application({ resources: filesOf(shape), plugins: 'test/support/plugins' })
  try {
    const { catalog } = app.engine.app
    const { database } = app.engine
    await insert(database, catalog, shape, rows)
    const tables = [...catalog.resources.values()].map(({ table }) => `"${table}"`).join(', ')
    const ask = (request: string, token: string): Promise<string> => read(app, request, token)
    // Estimates are made of statistics, so each world has those of its own values.
    const settle = async (): Promise<void> => void (await database.knex.raw(`analyze ${tables}`))
    const reader = { name: 'a member', token: MEMBER, actor }
    const world = { catalog, database, ask, settle }
    const { found } = await leaksOfEach(world, reader, chance, { values: 4, each: 2 })
    return [...found, ...(await streamLeaks(app, rows, await hiddenFrom(world, actor), chance))]
  } finally {
    await app.close()
  }
}

/** What a member's streams say of writes that give a hidden value one and then another value: twice the same. */
async function streamLeaks(
  app: TestApplication,
  rows: Rows,
  hidden: readonly Plan[],
  chance: number,
): Promise<readonly string[]> {
  const { resources } = app.engine.app.catalog
  const written = hidden.flatMap(({ field, ids, resource }) => {
    const live = rows[Number(resource.name.slice(1))]?.filter(({ deleted }) => !deleted) ?? []
    const name = NAMES.find((one) => one === field.name)
    return name === undefined
      ? []
      : live.filter(({ id }) => ids.includes(String(id))).map((row) => ({ name, resource, row }))
  })
  const one = written[chance % Math.max(written.length, 1)]
  if (one === undefined) return []
  const paths = [...resources.values()]
    .filter(({ policies, streamed }) => streamed && reach(policies.view, actor).kind !== 'none')
    .flatMap(({ path: at }) => [`/${at}/stream`, `/${at}/stream?word=a`])
  const readings = await Promise.all(paths.map((at) => follow(app.address, at, { authorization: `Bearer ${MEMBER}` })))
  const open = readings.filter(({ status }) => status === 200)
  try {
    await Promise.all(open.map((reading) => reading.come(1)))
    const tell = async (value: unknown): Promise<string> => {
      const from = open.map(({ events, lastId }) => [events.length, lastId()] as const)
      const body = { [one.name]: value }
      const answer = await app.call('PATCH', `/${one.resource.path}/${one.row.id}`, { token: STAFF, body })
      assert.is(answer.status, 200, answer.text)
      // Each stream has a newer id once it is beyond the write.
      await until(() => open.every((reading, at) => reading.lastId() !== from[at]![1]), 20_000)
      return JSON.stringify(
        open.map(({ events }, at) => events.slice(from[at]![0]).map(({ data, event }) => [event, data])),
      )
    }
    const values = VALUES[one.name].filter((value) => value !== null && value !== one.row.values[one.name])
    const [first, second] = [await tell(values[0]), await tell(values.find((value) => value !== values[0]) ?? null)]
    const what = `streams: ${one.resource.name} ${one.row.id} ${one.name}`
    return first === second ? [] : [`${what}\n  ${paths.join()}\n  ${first}\n  ${second}`]
  } finally {
    for (const reading of readings) reading.close()
  }
}

test('no answer tells of a hidden value', async () => {
  const told: string[] = []
  const property = fc.asyncProperty(worlds, async (world) => {
    const found = await leaks(world)
    told.push(...found)
    if (found.length > 0) throw new Error(`${JSON.stringify(filesOf(world.shape), null, 1)}\n${found.join('\n')}`)
  })
  const found = await fc.check(property, {
    numRuns: Number(MACHINE_RUNS ?? (TEST_DATABASE_URL ? 4 : 2)),
    ...(MACHINE_RUNS === undefined ? { interruptAfterTimeLimit: LONGEST_MS } : {}),
    endOnFailure: process.env.MACHINE_SHRINK === undefined,
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  })
  const again = `MACHINE_SEED=${found.seed},${found.counterexamplePath} runs it again.`
  assert.not.ok(found.failed, `${again}\n${String(found.errorInstance)}`)
})

test.run()
