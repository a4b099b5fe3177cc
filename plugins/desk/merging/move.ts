/** Moves what belongs to one ticket to another, by one statement each, without hooks and listeners. */
import type { Catalog, JsonObject, Transaction } from '../../../engine/index.ts'

/** The resources that move with a ticket. */
export const MOVING = ['ticket_comments', 'conversations', 'media'] as const

export type Moving = (typeof MOVING)[number]

interface Within {
  readonly catalog: Catalog
  readonly transaction: Transaction
}

/** Moves all rows of a ticket, or those of the given ids, and returns their ids. */
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

/** Adds the watchers of a ticket to another one; returns the ids of the new ones. */
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

/** The ids under a key in the note of a merge. */
export function idsIn(moved: JsonObject, key: string): readonly number[] {
  const ids = moved[key]
  return Array.isArray(ids) ? ids.map(Number) : []
}
