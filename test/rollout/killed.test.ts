/** `plinth apply` is killed, and run again: the instances finish or undo its work, and go on serving. */
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { allThere, apply, ask, beginAll, HANGS_MS, notes, places, rows, served, under, world } from './world.ts'

const killed = suite('apply killed')
/** How many moments are drawn beside those that have a name. */
const DRAWN = Number(process.env.ROLLOUT_KILLS ?? 2)

/** Looks at the database and stands in the way there. */
interface Watcher {
  /** Resolves when the rollout is in one of these phases. */
  phase(...names: string[]): Promise<void>
  /** Resolves when every instance has answered so. */
  answers(name: string): Promise<void>
  /** Resolves when the column is there. */
  column(name: string): Promise<void>
  /** Keeps what a statement locks until it is called. */
  lock(sql: string): Promise<() => Promise<void>>
  /** Ends the sessions that wait with such a statement. */
  lose(like: string): Promise<void>
}

/** Resolves when the process is to be killed, with what is done behind that. */
type Moment = (watcher: Watcher, next: string) => Promise<void | (() => Promise<void>)>

/** The change is whole but for its entry, while every request waits. */
const NO_ENTRY = 'lock table plinth_migration in share mode'
const ROLLOUT = `select 1 from plinth_fact where name = 'rollout' for update`

/** When the process is killed. */
const MOMENTS: Readonly<Record<string, Moment>> = {
  'while instances are asked': ({ phase }) => phase('prepare'),
  'when all are ready': ({ answers }) => answers('ready'),
  async 'while requests wait'({ lock, phase }) {
    const unlock = await lock(NO_ENTRY)
    await phase('hold')
    return unlock
  },
  async 'while requests wait on every instance'({ lock, answers }) {
    const unlock = await lock(NO_ENTRY)
    await answers('holding')
    return unlock
  },
  async 'when the tables are altered'({ lock, phase, column, lose }, next) {
    const unlock = await lock(NO_ENTRY)
    await phase('hold')
    const decide = await lock(ROLLOUT)
    await unlock()
    await column(next)
    return async () => {
      // What it waits for is not done behind its end.
      await lose('update "plinth_fact"%')
      await decide()
    }
  },
  'when it is served': ({ phase }) => phase('serve'),
}

async function watcherOn(connection: string): Promise<Watcher & { end(): Promise<void> }> {
  const client = new pg.Client(connection)
  await client.connect()
  const before = await client.query(`select value::jsonb ->> 'id' as id from plinth_fact where name = 'rollout'`)
  const holds = (sql: string): Promise<void> =>
    until(async () => Boolean((await client.query(`select ${sql} as holds`)).rows[0]?.holds), 30_000)
  const now = `select value::jsonb ->> 'phase' from plinth_fact where name = 'rollout' and value::jsonb ->> 'id' <> '${before.rows[0]?.id ?? ''}'`
  return {
    phase: (...names) => holds(`(${now}) in (${names.map((name) => `'${name}'`).join()})`),
    answers: (name) =>
      holds(`(${now}) is not null and (select count(*) filter (where answer = '${name}' and rollout =
        (select value::jsonb ->> 'id' from plinth_fact where name = 'rollout')) = ${places.length} from plinth_instance)`),
    column: (name) =>
      holds(`exists (select 1 from information_schema.columns where table_name = 'notes' and column_name = '${name}')`),
    async lock(sql) {
      const other = new pg.Client(connection)
      await other.connect()
      await other.query('begin')
      await other.query(sql)
      return () => other.end()
    },
    lose: (like) =>
      holds(`exists (select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and query like '${like}')`),
    end: () => client.end(),
  }
}

/** Rolls the next world.version out, killed at this moment; then once more, and looks at everything. */
async function trial(moment: Moment, atOnce: boolean): Promise<void> {
  const next = world.version + 1
  const first = places[0]!
  const { status, text } = await ask(first, '/api/notes', {
    title: 'kept',
    [`c${world.version}`]: `of ${world.version}`,
  })
  assert.is(status, 201, text)
  rows.set(JSON.parse(text).data.id, `of ${world.version}`)
  for (const { files } of places) files.write('resources/notes.yaml', notes(next))
  let again: { readonly code: number | null; readonly said: string } | undefined
  let names: readonly (string | undefined)[] = []
  const wrong = await under(async () => {
    const watcher = world.url === undefined ? undefined : await watcherOn(world.url)
    const applying = apply(first)
    const behind = await moment(watcher as Watcher, `c${next}`)
    applying.child.kill('SIGKILL')
    await applying.ended
    await behind?.()
    await watcher?.end()
    if (!atOnce) for (const place of places) await until(async () => (await served(place)) !== undefined, HANGS_MS)
    const second = apply(first)
    const code = await second.ended
    again = { code, said: second.output() }
    names = await Promise.all(places.map(served))
  })
  assert.is(again?.code, 0, again?.said)
  assert.equal(
    names,
    places.map(() => `c${next}`),
    again?.said,
  )
  assert.equal(wrong, [])
  world.version = next
  await allThere()
}

let end: () => Promise<void>
killed.before(async () => {
  end = await beginAll()
})
killed.after(() => end())

const onServer = process.env.TEST_DATABASE_URL === undefined ? killed.skip : killed

for (const [name, moment] of Object.entries(MOMENTS)) {
  onServer(`${name}, what was begun is finished or taken back at once, and the next apply ends with 0`, () =>
    trial(moment, false),
  )
}

killed('at any moment, also where the next apply follows at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 3_000 }), fc.boolean(), (ms, atOnce) => trial(() => sleep(ms), atOnce)),
    { numRuns: DRAWN, endOnFailure: true },
  )
})

killed.run()
