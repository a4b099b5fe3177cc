/** The state of rollouts in the database ⇄: one row for each instance with its answer, and one fact for the rollout. */
import type { Presence, Runner } from '../database/database.ts'
import { ifThere } from '../database/failure.ts'
import { quoted as q } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import { FACT_TABLE, INSTANCE_TABLE } from '../migration/own/engine-tables.ts'

/**
 * `prepare`: every instance reads its files, answers `ready` or `refused`, and goes on serving. `settle`: all are ready, the
 * database is brought to the version, and the version before is served. `hold`: the tables change now, so a ready instance
 * lets no request in and answers `holding`; back in `settle` it lets requests in and answers `ready`. `serve`: ready
 * instances serve the version from now on. `cancelled`: they go on with the version before.
 */
export type Phase = 'prepare' | 'settle' | 'hold' | 'serve' | 'cancelled'

/** A version on its way to all instances. */
export interface Rollout {
  readonly id: string
  /** The version of the files that every instance must have. */
  readonly version: string
  readonly phase: Phase
}

export type RolloutAnswer = 'ready' | 'holding' | 'refused' | 'serving'

/** A process that serves the application, as its row says. */
export interface Instance {
  readonly id: string
  readonly name: string
  readonly version: string
  /** Its answer to the rollout; undefined where there is none yet. */
  readonly answer: RolloutAnswer | undefined
  readonly reason: string | undefined
}

/** The database, and the keys by which living processes are known: instances and rollouts have their ids as keys. */
export interface Registry {
  readonly runner: Runner
  readonly presence: Presence
}

const FACT = q(FACT_TABLE.name)
const INSTANCE = q(INSTANCE_TABLE.name)
const AGE = (column: string): string => `extract(epoch from clock_timestamp() - ${column}) * 1000`
const OPEN: readonly Phase[] = ['prepare', 'settle', 'hold']
const IS_OPEN = (value: string): string =>
  `${value}::jsonb ->> 'phase' in (${OPEN.map((phase) => `'${phase}'`).join()})`

const READ = `select value, ${AGE('created_at')} from ${FACT} where name = 'rollout'`

const CLAIM = `insert into ${FACT} as held (name, value, created_at) values ('rollout', $1, clock_timestamp())
  on conflict (name) do update set value = excluded.value, created_at = excluded.created_at
  where not ${IS_OPEN('held.value')} or held.value::jsonb ->> 'id' = $2 returning 1`

const WRITE = `update ${FACT} set value = $1, created_at = clock_timestamp()
  where name = 'rollout' and value::jsonb ->> 'id' = $2 and ${IS_OPEN('value')} returning 1`

const SHOW = `with gone as (delete from ${INSTANCE} where ${AGE('seen_at')} > ${LIMITS.instanceKeepMs})
  insert into ${INSTANCE} (id, name, version) values ($1, $2, $3)
  on conflict (id) do update set version = excluded.version, seen_at = clock_timestamp()`

const ANSWER = `update ${INSTANCE} set rollout = $2, answer = $3, reason = $4, version = coalesce($5, version),
  seen_at = clock_timestamp() where id = $1`

const LIST = `select id, name, version, case when rollout = $1 then answer end, case when rollout = $1 then reason end,
  ${AGE('seen_at')} < ${LIMITS.instanceSilenceMs} from ${INSTANCE} order by name, id`

/** The rollout that began last. */
export interface ShownRollout {
  readonly rollout: Rollout
  /** How long ago it came to its phase, in milliseconds. */
  readonly agedMs: number
}

/** Undefined before the first. */
export async function rolloutNow({ runner }: Registry): Promise<ShownRollout | undefined> {
  const [row] = await runner.run({ text: READ }, [])
  if (row?.[0] === undefined || row[0] === null) return undefined
  return { rollout: JSON.parse(row[0]) as Rollout, agedMs: Number(row[1]) }
}

/** Whether a rollout is undecided. */
export function isOpen({ phase }: Rollout): boolean {
  return OPEN.includes(phase)
}

/** Whether the process that drives a rollout lives. */
export async function isDriven({ presence }: Registry, { id }: Rollout): Promise<boolean> {
  return (await presence.held([id])).has(id)
}

/** Begins a rollout, also in the place of the open one with the id `instead`; false where another one is under way. */
export async function claimRollout({ runner }: Registry, rollout: Rollout, instead: string): Promise<boolean> {
  const rows = await runner.run({ text: CLAIM }, [JSON.stringify(rollout), instead])
  return rows.length > 0
}

/** Shows where the rollout is; false where it is decided already. */
export async function tellRollout({ runner }: Registry, rollout: Rollout): Promise<boolean> {
  const rows = await runner.run({ text: WRITE }, [JSON.stringify(rollout), rollout.id])
  return rows.length > 0
}

/**
 * Renews the row of a process with the version that it serves; removes rows that were silent for LIMITS.instanceKeepMs.
 */
export async function showInstance(
  { runner }: Registry,
  { id, name, version }: Pick<Instance, 'id' | 'name' | 'version'>,
): Promise<void> {
  await runner.run({ text: SHOW }, [id, name, version])
}

/** Stores the answer of a process to a rollout; with `version` where it serves another one now. */
export async function answerRollout(
  { runner }: Registry,
  id: string,
  {
    rollout,
    answer,
    reason,
    version,
  }: Pick<Instance, 'answer'> & { rollout: string; reason?: string; version?: string },
): Promise<void> {
  await runner.run({ text: ANSWER }, [id, rollout, answer, reason ?? null, version ?? null])
}

/** Takes the process off the list. */
export async function leaveInstance({ runner }: Registry, id: string): Promise<void> {
  await runner.run({ text: `delete from ${INSTANCE} where id = $1` }, [id])
}

/**
 * The processes that serve the application, with their answers to this rollout: those with a session, or with a row that was
 * renewed in the last LIMITS.instanceSilenceMs. None before the first start.
 */
export async function instances({ runner, presence }: Registry, rollout: string): Promise<readonly Instance[]> {
  const rows = (await ifThere(runner.run({ text: LIST }, [rollout]))) ?? []
  const held = await presence.held(rows.map(([id]) => id ?? ''))
  const living = rows.filter(([id, , , , , isSeen]) => isSeen === 't' || held.has(id ?? ''))
  return living.map(([id, name, version, answer, reason]) => ({
    id: id ?? '',
    name: name ?? '',
    version: version ?? '',
    answer: (answer ?? undefined) as RolloutAnswer | undefined,
    reason: reason ?? undefined,
  }))
}
