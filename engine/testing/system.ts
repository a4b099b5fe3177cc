/** ⇄ A test's work outside requests: writes as the system, and waiting for what follows from writes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { listenerStates } from '../change/state.ts'
import type { Engine } from '../engine.ts'
import { dueJobs } from '../job/state.ts'
import { asSystem } from '../plugin/as-system.ts'
import type { Records } from '../run/context.ts'
import type { AnyRecord, RecordTypes, TypesOf } from '../run/resource-types.ts'

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

/** The longest time for what follows, and the time between two looks, in milliseconds. */
const LONGEST_MS = 10_000
const LOOK_MS = 20

/** Waits until every listener has processed the writes so far, and no job is due; rejects when that takes too long. */
export async function settled({ app, database }: Pick<Engine, 'app' | 'database'>): Promise<void> {
  const end = performance.now() + LONGEST_MS
  for (;;) {
    const states = await listenerStates(database.adhoc, app.catalog, new Date())
    const behind = states.filter(({ waiting, deferred }) => waiting + deferred > 0).map(({ name }) => name)
    const open = [...behind, ...(await dueJobs(database.adhoc))]
    if (open.length === 0) return
    if (performance.now() > end) throw new Error(`Not done after ${LONGEST_MS / 1000} s: ${open.join(', ')}`)
    await sleep(LOOK_MS)
  }
}
