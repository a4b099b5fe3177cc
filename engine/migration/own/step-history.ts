/** The rows of `plinth_step` ⇄: every step that was begun, with its time, cause, instance, duration and error. */
import { hostname } from 'node:os'
import type { Runner } from '../../database/database.ts'
import type { Step } from '../step.ts'
import { STEP_TABLE } from './engine-tables.ts'

/** The cause of a change: a start, or a person with `plinth apply`. */
export type Cause = 'start' | 'apply'

/** Records the steps of a plan; each has a row of its own, so that a killed step is recorded too. */
export interface History {
  /** Notes that a step begins; nothing where it has begun. */
  began(step: Step): Promise<void>
  /**
   * Notes that it is finished, in its transaction where it has one: then it is noted if and only if it was committed.
   */
  ended(step: Step): Promise<void>
  /** Notes that a step failed which had begun and not ended, and why. */
  failed(step: Step, reason: string): Promise<void>
}

interface Noted {
  /** Of its row; undefined before the table of steps is there. */
  readonly id: string | undefined
  readonly began: string
}

const THERE = `select to_regclass('${STEP_TABLE.name}') is not null, clock_timestamp()::text`
const BEGIN = `insert into plinth_step (plan, title, cause, instance, began_at) values ($1, $2, $3, $4, $5::timestamptz) returning id`
const END = `update plinth_step set ended_at = clock_timestamp() where id = $1::integer`
const FAIL = `update plinth_step set ended_at = clock_timestamp(), error = $2 where id = $1::integer`
const LATE = `insert into plinth_step (plan, title, cause, instance, began_at, ended_at)
  values ($1, $2, $3, $4, $5::timestamptz, clock_timestamp())`

/** The process as operators know it. */
function instance(): string {
  return `${hostname()}, process ${process.pid}`
}

/** The history of one plan. A plan makes the table first, so steps before that are recorded afterwards. */
export function createHistory(runner: Runner, plan: string, cause: Cause): History {
  const by = instance()
  const noted = new Map<Step, Noted>()
  return {
    async began(step) {
      if (noted.has(step)) return
      const [there] = await runner.run({ text: THERE }, [])
      const began = there?.[1] ?? ''
      const [row] = there?.[0] === 't' ? await runner.run({ text: BEGIN }, [plan, step.title, cause, by, began]) : []
      noted.set(step, { id: row?.[0] ?? undefined, began })
    },
    async ended(step) {
      const note = noted.get(step)
      if (note === undefined) return
      if (note.id !== undefined) await runner.run({ text: END }, [note.id])
      else if ((await runner.run({ text: THERE }, []))[0]?.[0] === 't')
        await runner.run({ text: LATE }, [plan, step.title, cause, by, note.began])
    },
    async failed(step, reason) {
      const note = noted.get(step)
      // Where the database itself is gone, the step stays as one that was not finished.
      if (note?.id !== undefined) await runner.run({ text: FAIL }, [note.id, reason]).catch(() => undefined)
    },
  }
}

/** A step that was begun. */
export interface KeptStep {
  readonly id: number
  readonly plan: string
  readonly title: string
  readonly cause: Cause
  /** The machine and the process. */
  readonly instance: string
  /** As PostgreSQL writes it, UTC. */
  readonly beganAt: string
  /** Null: it is under way, or the process or the database was ended before. */
  readonly endedAt: string | null
  readonly seconds: number | null
  /** Why it failed. */
  readonly error: string | null
}

/**
 * The steps that were begun last, at most `most`, the latest first; undefined while the database has no table of them.
 */
export async function keptSteps(runner: Runner, most: number): Promise<readonly KeptStep[] | undefined> {
  const [there] = await runner.run({ text: THERE }, [])
  if (there?.[0] !== 't') return undefined
  const text = `select id, plan, title, cause, instance, began_at, ended_at, extract(epoch from ended_at - began_at), error
    from plinth_step order by id desc limit $1::int`
  const rows = await runner.run({ text }, [most])
  return rows.map(([id, plan, title, cause, by, beganAt, endedAt, seconds, error]) => ({
    id: Number(id),
    plan: plan ?? '',
    title: title ?? '',
    cause: cause === 'apply' ? 'apply' : 'start',
    instance: by ?? '',
    beganAt: beganAt ?? '',
    endedAt: endedAt ?? null,
    seconds: seconds === null || seconds === undefined ? null : Number(seconds),
    error: error ?? null,
  }))
}
