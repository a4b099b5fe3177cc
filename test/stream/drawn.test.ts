/** Drawn writes, and followers that leave and come back with a place of theirs: each event is right for what they know. */
import fc from 'fast-check'
import { suite } from 'uvu'
import type { JsonObject } from '../../engine/json.ts'
import { application, type TestApplication } from '../support/application.ts'
import { FILES, FOLLOWERS, Follower, settled, write } from './drawn-world.ts'

const test = suite('streams: drawn writes')
let app: TestApplication

/** A longer search: `DRAWN_STREAMS=500 npm test -- --timeout 3600000 test/stream/drawn.test.ts`. */
const RUNS = Number(process.env.DRAWN_STREAMS ?? 6)

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/support/plugins' })
})
test.after(() => app.close())

const person = fc.constantFrom(11, 21, null)
const at = fc.nat(3)
const BODIES = {
  orgs: fc.record({ lead: person }),
  teams: fc.record({ lead: person, name: fc.constantFrom('a', 'b'), org_id: at }, { requiredKeys: [] }),
  boxes: fc.record({ lead: person }),
  tags: fc.record({ lead: person }),
  tickets: fc.record(
    {
      title: fc.constantFrom('apple', 'pear'),
      status: fc.constantFrom('open', 'closed'),
      owner: person,
      note: fc.constantFrom('x', 'y'),
      team_id: at,
      box_id: at,
      tag_ids: fc.uniqueArray(at, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  ),
  comments: fc.record(
    { text: fc.constantFrom('a', 'b'), internal: fc.boolean(), author: person, ticket_id: at },
    { requiredKeys: [] },
  ),
  parts: fc.record({ text: fc.constantFrom('a', 'b'), owner: person, box_id: at }, { requiredKeys: [] }),
} as const
type Name = keyof typeof BODIES
const NAMES = Object.keys(BODIES) as readonly Name[]
const TARGETS: Readonly<Record<string, Name>> = {
  org_id: 'orgs',
  team_id: 'teams',
  box_id: 'boxes',
  ticket_id: 'tickets',
  tag_ids: 'tags',
}
const FOR_GOOD: ReadonlySet<Name> = new Set(['boxes', 'tags', 'parts'])

const written = (name: Name) =>
  fc.record({ name: fc.constant(name), at, body: BODIES[name] as fc.Arbitrary<JsonObject> })
const some = fc.oneof(
  { weight: 4, arbitrary: written('tickets') },
  { weight: 2, arbitrary: written('teams') },
  { weight: 2, arbitrary: written('comments') },
  ...NAMES.map((name) => ({ weight: 1, arbitrary: written(name) })),
)
const kind = fc.oneof(
  { weight: 2, arbitrary: fc.constant('create' as const) },
  { weight: 4, arbitrary: fc.constant('update' as const) },
  { weight: 2, arbitrary: fc.constant('delete' as const) },
  { weight: 2, arbitrary: fc.constant('restore' as const) },
)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind, some }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), who: fc.nat(FOLLOWERS.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('come back' as const), ago: fc.nat(4) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** The records that there are, by resource: whether each is live. */
type Rows = Readonly<Record<Name, Map<number, boolean>>>

const nth = (rows: Iterable<number>, n: number): number | undefined => {
  const all = [...rows]
  return all[n % Math.max(1, all.length)]
}
const live = (rows: Map<number, boolean>): readonly number[] => [...rows].flatMap(([id, is]) => (is ? [id] : []))

/** A body with the ids of records that are there. */
function bodyOf(rows: Rows, drawn: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(drawn).map(([field, value]) => {
      const target = TARGETS[field]
      if (target === undefined) return [field, value]
      if (Array.isArray(value))
        return [field, [...new Set(value.flatMap((n) => nth(live(rows[target]), Number(n)) ?? []))]]
      return [field, value === 3 ? null : (nth(live(rows[target]), Number(value)) ?? null)]
    }),
  )
}

const emptyRows = (): Rows => Object.fromEntries(NAMES.map((name) => [name, new Map<number, boolean>()])) as Rows

interface World {
  readonly rows: Rows
  /** Records that were deleted, by path. */
  readonly removed: Set<string>
  readonly trace: string[]
}

async function send({ trace }: World, method: string, path: string, body?: JsonObject): Promise<number | undefined> {
  const id = await write(app, method, path, body)
  trace.push(`${method} ${path} ${JSON.stringify(body ?? '')} ${id ?? ''}`)
  return id
}

async function writeOne(world: World, drawn: Extract<Step, { some: unknown }>): Promise<void> {
  const { rows, removed } = world
  const { name, at: n, body } = drawn.some
  const own = rows[name]
  if (drawn.kind === 'create') {
    own.set((await send(world, 'POST', `/${name}`, bodyOf(rows, body)))!, true)
    return
  }
  const isRestore = drawn.kind === 'restore'
  const id = nth(
    [...own].flatMap(([one, is]) => (is !== isRestore ? [one] : [])),
    n,
  )
  if (id === undefined) return
  if (drawn.kind === 'update') await send(world, 'PATCH', `/${name}/${id}`, bodyOf(rows, body))
  if (isRestore) await send(world, 'POST', `/${name}/${id}/restore`)
  if (drawn.kind === 'delete') {
    await send(world, 'DELETE', `/${name}/${id}`)
    if (!FOR_GOOD.has(name)) own.set(id, false)
    else own.delete(id)
    removed.add(`/${name}/${id}`)
    if (name === 'boxes') await forgetParts(rows, removed)
    return
  }
  if (isRestore) own.set(id, true)
}

/** The parts that went with their box. */
async function forgetParts(rows: Rows, removed: Set<string>): Promise<void> {
  const { list } = await app.call('GET', '/parts?per_page=100', { token: FOLLOWERS[0]![0] })
  const there = new Set(list.map(({ id }) => Number(id)))
  for (const id of rows.parts.keys()) {
    if (there.has(id)) continue
    rows.parts.delete(id)
    removed.add(`/parts/${id}`)
  }
}

async function hearAll(followers: readonly Follower[]): Promise<void> {
  await settled(app, followers)
  for (const one of followers) if (one.isHere) await one.hear()
}

/** Brings followers along through drawn steps; what was done is left in `trace`. */
async function follow(steps: readonly Step[], trace: string[]): Promise<void> {
  await app.engine.database.knex.raw(
    'truncate orgs, teams, boxes, tags, tickets, comments, parts, tags_tickets, plinth_change restart identity cascade',
  )
  const world = { rows: emptyRows(), removed: new Set<string>(), trace }
  for (const name of ['orgs', 'teams', 'boxes', 'tickets'] as const)
    for (const lead of [11, 21])
      await writeOne(world, {
        kind: 'create',
        some: { name, at: 0, body: name === 'tickets' ? { owner: lead, team_id: 1 } : { lead } },
      })
  const followers = FOLLOWERS.map((one) => new Follower(app, one, world.removed))
  await Promise.all(followers.map((one) => one.begin()))
  try {
    for (const one of [...steps, { kind: 'come back', ago: 0 } as const]) {
      if ('some' in one) await writeOne(world, one)
      else trace.push(JSON.stringify(one))
      if (one.kind === 'come back') await Promise.all(followers.map((follower) => follower.comeBack(one.ago)))
      if (one.kind === 'come back' || one.kind === 'leave') await hearAll(followers)
      if (one.kind === 'leave') for (const follower of followers.slice(one.who)) follower.leave()
    }
    for (const one of followers) await one.isAsListed()
  } finally {
    for (const one of followers) one.leave()
  }
}

test('a deleted record is known no more, although what decided about it was removed for good after it', () => {
  const ticket = (kind: 'create' | 'delete', at: number): Step => ({
    kind,
    some: { name: 'tickets', at, body: { box_id: 1 } },
  })
  const boxGoes: Step = { kind: 'delete', some: { name: 'boxes', at: 1, body: {} } }
  return follow([ticket('create', 0), { kind: 'leave', who: 0 }, ticket('delete', 2), boxGoes], [])
})

test('each event is right for what its follower knows, and at the end it knows what its list shows', async () => {
  let trace: string[] = []
  const drawn = fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 45 }), (steps) => {
    trace = []
    return follow(steps, trace)
  })
  const { counterexamplePath, errorInstance, failed, seed } = await fc.check(drawn, {
    numRuns: RUNS,
    // Each run takes a second, and what follows from it tells more than a shorter one.
    endOnFailure: true,
    ...(process.env.DRAWN_SEED && { seed: Number(process.env.DRAWN_SEED) }),
    ...(process.env.DRAWN_PATH && { path: process.env.DRAWN_PATH }),
  })
  if (!failed) return
  const again = `DRAWN_SEED=${seed} DRAWN_PATH=${counterexamplePath}`
  throw new Error(
    `${again}\n${trace.join('\n')}\n${(errorInstance as Error)?.message} ${(errorInstance as { details?: string })?.details ?? ''}`,
    { cause: errorInstance },
  )
})

test.run()
