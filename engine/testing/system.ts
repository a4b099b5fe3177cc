/** ⇄ A test's work outside requests: writes as the system, and waiting for what follows from writes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { workAutomations } from '../automation/worker.ts'
import { listenerStates } from '../change/state.ts'
import type { Engine } from '../engine.ts'
import { scheduleJobs } from '../job/schedule.ts'
import { scheduledOf } from '../job/start.ts'
import { dueJobs } from '../job/state.ts'
import { asSystem } from '../plugin/as-system.ts'
import type { SentMail } from '../plugin/plugin.ts'
import type { Records } from '../run/context.ts'
import type { AnyRecord, RecordTypes, TypesOf } from '../run/resource-types.ts'
import type { Clock } from './clock.ts'

/** The records of a resource for the test itself: no policies, but hooks and rules. */
export type SystemRecords<T extends RecordTypes = AnyRecord> = Pick<
  Records<T>,
  'list' | 'get' | 'create' | 'update' | 'delete' | 'restore'
>

/** Each call is an execution of its own, including the work that it left for after its commit. */
export function systemRecords<Name extends string>(
  { app }: Pick<Engine, 'app'>,
  resource: Name,
): SystemRecords<TypesOf<Name>> {
  const run = <T>(work: (records: Records<TypesOf<Name>>) => Promise<T>): Promise<T> =>
    asSystem(app, 'test', (context) => work(context.records(resource, 'system')))
  return {
    list: (query) => run((records) => records.list(query)),
    get: (lookup) => run((records) => records.get(lookup)),
    create: (input, fixed, below) => run((records) => records.create(input, fixed, below)),
    update: (lookup, input, options) => run((records) => records.update(lookup, input, options)),
    delete: (lookup) => run((records) => records.delete(lookup)),
    restore: (lookup) => run((records) => records.restore(lookup)),
  }
}

/** Moves the clock on, and does what has come due by then: automations at moments and on schedules, and jobs. */
export async function waitFor(
  { app, database }: Pick<Engine, 'app' | 'database'>,
  clock: Clock,
  to: string,
): Promise<void> {
  await settled({ app, database }, clock.now)
  // A job whose last run is over waits for the next from here on.
  await scheduleJobs(database.adhoc, scheduledOf(app.composition.jobs, false))
  await clock.move(database, to)
  await workAutomations(Math.random, { app })
  app.foundation.jobs.wake()
  await settled({ app, database }, clock.now)
}

/** The mails that the application sent so far. */
export async function mailsOf({ app }: Pick<Engine, 'app'>): Promise<readonly SentMail[]> {
  const { mails } = app.composition
  return mails === undefined ? [] : mails.value(app.foundation.settings)
}

/** The longest time for what follows, and the time between two looks, in milliseconds. */
const LONGEST_MS = 10_000
const LOOK_MS = 20

/** Waits until every listener has processed the writes so far, and no job is due; rejects when that takes too long. */
export async function settled({ app, database }: Pick<Engine, 'app' | 'database'>, now: () => Date): Promise<void> {
  const end = performance.now() + LONGEST_MS
  for (;;) {
    const states = await listenerStates(database.adhoc, app.catalog, now())
    const behind = states.filter(({ waiting, deferred }) => waiting + deferred > 0).map(({ name }) => name)
    const open = [...behind, ...(await dueJobs(database.adhoc))]
    if (open.length === 0) return
    if (performance.now() > end) throw new Error(`Not done after ${LONGEST_MS / 1000} s: ${open.join(', ')}`)
    await sleep(LOOK_MS)
  }
}
