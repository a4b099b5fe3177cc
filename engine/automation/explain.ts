/** Why an automation did or did not act for a record ⇄: its moment, the parts of its condition, what set it off, its runs. */
import { type Execution, inTransaction, runCompiled } from '../action/execution.ts'
import { pluginContext } from '../action/plugin-context.ts'
import type { Change } from '../change/listener.ts'
import { changesOf } from '../change/log.ts'
import { sql } from '../filter/sql.ts'
import { compileStanding } from '../query/automation-due.ts'
import { pathValueSql } from '../query/condition.ts'
import type { Acting } from './acting.ts'
import { setsOff } from './on-write.ts'

/** A part of the condition, as written, and as it is for the record now. */
export interface PartVerdict {
  readonly span: NonNullable<Acting['automation']['when']>[number]['span']
  readonly holds: boolean
  /** The value that it compares, as text; undefined where it compares more than one. */
  readonly value: string | null | undefined
}

export interface RunTold {
  readonly cause: string
  readonly outcome: string
  readonly what: readonly string[]
  readonly at: string
}

export interface AutomationExplanation {
  /** Whether the record is there; undefined: there never was one. */
  readonly exists: boolean | undefined
  /** When its moment comes or came; null where it has none. */
  readonly moment: string | null
  readonly parts: readonly PartVerdict[]
  /** The latest first, ten at most. */
  readonly runs: readonly RunTold[]
  /** Writes that the log of changes holds, the latest first, and whether each sets it off. */
  readonly changes: readonly { readonly change: Change; readonly setsOff: boolean }[]
  /** What its actions of plugins would do for the record as it is now, where they can tell. */
  readonly would: readonly { readonly action: string; readonly lines: readonly string[] }[]
  /** When it began, and when a schedule comes next; undefined for what writes set off, and before its first start. */
  readonly began: string | undefined
  readonly next: string | null
  /** The time of the database. */
  readonly now: string
}

const MOST = 10
const ISO = (moment: string): string => `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

const RUNS = `select cause, outcome, what, ${ISO('at')} from plinth_automation_run
  where automation = $1 and record_id = $2::int order by at desc limit ${MOST}`

const PLACE = `select ${ISO('clock_timestamp()')}, ${ISO('a.began_at')}, ${ISO('a.next_at')}
  from (select 1) one left join plinth_automation a on a.name = $1`

/** Looks; nothing is written. */
export async function explainActing(around: Execution, acting: Acting, id: number): Promise<AutomationExplanation> {
  const { automation, name, resource } = acting
  const { when = [], trigger } = automation
  const values = when.map(({ filter }) =>
    filter.kind === 'compare' ? sql`(${pathValueSql(around.catalog, filter.path, 't')})::text` : sql`null::text`,
  )
  const [row] = await runCompiled(around, compileStanding(around, resource, automation, values), { id })
  const parts = when.map(({ filter, span }, i) => ({
    span,
    holds: row?.[2 + i] === 't',
    value: filter.kind === 'compare' ? (row?.[2 + when.length + i] ?? null) : undefined,
  }))
  const runs = await around.adhoc.run({ text: RUNS }, [name, id])
  const [place] = await around.adhoc.run({ text: PLACE }, [name])
  const changes =
    trigger.kind === 'write'
      ? await changesOf(around.adhoc, around.catalog, { resource: resource.owner, id }, MOST)
      : []
  const exists = row === undefined ? undefined : row[0] === 't'
  return {
    exists,
    would: exists === true ? await actionsOf(around, acting, id) : [],
    moment: row?.[1] ?? null,
    parts,
    runs: runs.map(([cause, outcome, what, at]) => ({
      cause: cause ?? '',
      outcome: outcome ?? '',
      what: JSON.parse(what ?? '[]') as string[],
      at: at ?? '',
    })),
    changes: changes.map((change) => ({ change, setsOff: setsOff(acting, change) })),
    began: place?.[1] ?? undefined,
    next: place?.[2] ?? null,
    now: place?.[0] ?? '',
  }
}

/** What each action of a plugin would do, in a transaction that writes nothing. */
function actionsOf(around: Execution, acting: Acting, id: number): Promise<AutomationExplanation['would']> {
  const { actions, automation, name, resource } = acting
  return inTransaction(around, async (within) => {
    const told: AutomationExplanation['would'][number][] = []
    for (const one of automation.actions) {
      const bound = one.kind === 'run' ? actions.get(one.action) : undefined
      if (one.kind !== 'run' || bound?.value.explain === undefined) continue
      const work = { resource, automation: name, given: one.given, records: [{ id }] }
      const { transaction } = within
      const lines = await bound.value.explain({ ...pluginContext(within, bound.options), transaction, work })
      told.push({ action: bound.value.key ?? one.action, lines })
    }
    return told
  })
}
