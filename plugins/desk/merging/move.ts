/** Moves what belongs to one ticket to another; hooks and listeners have nothing to do with it, so it is one statement each. */
import type { Catalog, JsonObject, Transaction } from '../../../engine/index.ts'

/** What moves with a ticket, by resource. */
export const MOVING = ['ticket_comments', 'conversations', 'media'] as const

export type Moving = (typeof MOVING)[number]

interface Within {
  readonly catalog: Catalog
  readonly transaction: Transaction
}

/** Moves all rows of a ticket, or those of the ids that are there, and gives their ids. */
export async function moveRows(
  { catalog, transaction }: Within,
  resource: Moving,
  from: number,
  to: number,
  only?: readonly number[],
): Promise<readonly number[]> {
  const { table } = catalog.resources.get(resource)!
  const text = `update "${table}" set ticket_id = $2::integer
    where ticket_id = $1::integer and ($3::integer[] is null or id = any($3::integer[])) returning id`
  const rows = await transaction.run({ text }, [from, to, only ?? null])
  return rows.map(([id]) => Number(id))
}

/** Lets the watchers of a ticket watch another one too, and gives the ids of those who did not. */
export async function shareWatchers(
  { catalog, transaction }: Within,
  from: number,
  to: number,
): Promise<readonly number[]> {
  const { table } = catalog.resources.get('ticket_watchers')!
  const text = `insert into "${table}" (ticket_id, user_id)
    select $2::integer, user_id from "${table}" where ticket_id = $1::integer on conflict do nothing returning user_id`
  const rows = await transaction.run({ text }, [from, to])
  return rows.map(([id]) => Number(id))
}

/** The ids under a key of what was kept of a merge. */
export function idsIn(moved: JsonObject, key: string): readonly number[] {
  const ids = moved[key]
  return Array.isArray(ids) ? ids.map(Number) : []
}
