/** What instances and whoever rolls a version out tell each other by the database ⇄: one row an instance, one fact for all. */
import type { Runner } from '../database/database.ts'
import { ifThere } from '../database/failure.ts'
import { quoted as q } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
import { FACT_TABLE, INSTANCE_TABLE } from '../migration/engine-tables.ts'

/**
 * `prepare`: every instance reads its files, answers `ready` or `refused`, and serves what it has. `hold`: tables change
 * under it now; a ready one lets no request in, and answers `holding`. `serve`: those that are ready serve the version
 * from now on. `cancelled`: they go on with what they have.
 */
export type Phase = 'prepare' | 'hold' | 'serve' | 'cancelled'

/** A version on its way to all instances. */
export interface Rollout {
  readonly id: string
  /** That of the files which every instance must have. */
  readonly version: string
  readonly phase: Phase
}

export type RolloutAnswer = 'ready' | 'holding' | 'refused' | 'serving'

/** A process that serves the application, as its row says. */
export interface Instance {
  readonly id: string
  readonly name: string
  readonly version: string
  /** What it answered to the rollout that was asked about; undefined: nothing yet. */
  readonly answer: RolloutAnswer | undefined
  readonly reason: string | undefined
  /** Whether it has shown itself in LIMITS.instanceSilenceMs. */
  readonly lives: boolean
}

const FACT = q(FACT_TABLE.name)
const INSTANCE = q(INSTANCE_TABLE.name)
const AGE = (column: string): string => `extract(epoch from clock_timestamp() - ${column}) * 1000`

const READ = `select value, ${AGE('created_at')} from ${FACT} where name = 'rollout'`

const CLAIM = `insert into ${FACT} as held (name, value, created_at) values ('rollout', $1, clock_timestamp())
  on conflict (name) do update set value = excluded.value, created_at = excluded.created_at
  where held.value::jsonb ->> 'phase' not in ('prepare', 'hold') or ${AGE('held.created_at')} >= ${LIMITS.rolloutSilenceMs} returning 1`

const WRITE = `update ${FACT} set value = $1, created_at = clock_timestamp()
  where name = 'rollout' and value::jsonb ->> 'id' = $2 and value::jsonb ->> 'phase' in ('prepare', 'hold')`

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
  /** For how long whoever began it has not shown that it goes on, in milliseconds; it goes on while that is little. */
  readonly silentMs: number
  readonly goesOn: boolean
}

/** Undefined before the first. */
export async function rolloutNow(runner: Runner): Promise<ShownRollout | undefined> {
  const [row] = await runner.run({ text: READ }, [])
  if (row?.[0] === undefined || row[0] === null) return undefined
  const silentMs = Number(row[1])
  return { rollout: JSON.parse(row[0]) as Rollout, silentMs, goesOn: silentMs < LIMITS.rolloutSilenceMs }
}

/** Whether it is not known yet what becomes of a rollout. */
export function isOpen({ phase }: Rollout): boolean {
  return phase === 'prepare' || phase === 'hold'
}

/** Begins a rollout; false where another one is under way. */
export async function claimRollout(runner: Runner, rollout: Rollout): Promise<boolean> {
  const rows = await runner.run({ text: CLAIM }, [JSON.stringify(rollout)])
  return rows.length > 0
}

/** Shows where the rollout is, and that it goes on. Nothing where it is decided already. */
export async function tellRollout(runner: Runner, rollout: Rollout): Promise<void> {
  await runner.run({ text: WRITE }, [JSON.stringify(rollout), rollout.id])
}

/** Shows that a process lives, and what it serves; rows that have been silent for LIMITS.instanceKeepMs go. */
export async function showInstance(
  runner: Runner,
  { id, name, version }: Pick<Instance, 'id' | 'name' | 'version'>,
): Promise<void> {
  await runner.run({ text: SHOW }, [id, name, version])
}

/** Writes down what the process answers to a rollout; `version` where it serves another one now. */
export async function answerRollout(
  runner: Runner,
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
export async function leaveInstance(runner: Runner, id: string): Promise<void> {
  await runner.run({ text: `delete from ${INSTANCE} where id = $1` }, [id])
}

/** The processes that serve the application, with what they answered to this rollout; none before the first start. */
export async function instances(runner: Runner, rollout: string): Promise<readonly Instance[]> {
  const rows = (await ifThere(runner.run({ text: LIST }, [rollout]))) ?? []
  return rows.map(([id, name, version, answer, reason, lives]) => ({
    id: id ?? '',
    name: name ?? '',
    version: version ?? '',
    answer: (answer ?? undefined) as RolloutAnswer | undefined,
    reason: reason ?? undefined,
    lives: lives === 't',
  }))
}
