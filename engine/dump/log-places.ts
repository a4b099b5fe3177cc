/**
 * The log of changes outside of its database: transactions of one database say nothing in another.
 *
 * What listeners have worked is kept as an order. Their places are snapshots of one database, so each sees all that an
 * earlier one sees. A change has the number of places that do not see it, and is stored with transaction 3 + n; a place has
 * its rank, and is stored as the snapshot that sees the transactions below 4 + rank. Every database is beyond those, so a
 * loaded change is new to exactly the listeners that had not worked it.
 */
import type { Runner } from '../database/database.ts'
import { quoteText } from '../migration/name.ts'

/** The first transaction that a database can have. */
const FIRST = 3

/** The places of listeners, the earliest first. */
export type Places = readonly string[]

function orderOf(snapshot: string): readonly [most: bigint, open: number] {
  const [, most = '0', open = ''] = snapshot.split(':')
  return [BigInt(most), open === '' ? 0 : open.split(',').length]
}

/** The places in the log that listeners hold. */
export async function readPlaces(runner: Runner): Promise<Places> {
  const text = 'select distinct p::text from plinth_listener, unnest(array[done, upto]) as p where p is not null'
  const found = (await runner.run({ text }, [])).map(([place]) => place ?? '')
  return found.sort((a, b) => {
    const [[mostA, openA], [mostB, openB]] = [orderOf(a), orderOf(b)]
    return mostA < mostB ? -1 : mostA > mostB ? 1 : openB - openA
  })
}

/** SQL of a column as a dump holds it, of the row `t`. */
export function portable(column: string, type: string, places: Places): string {
  if (type === 'xid8') {
    const unseen = places.map(
      (place) => `(not pg_visible_in_snapshot(${column}, ${quoteText(place)}::pg_snapshot))::int`,
    )
    return [FIRST, ...unseen].join(' + ')
  }
  if (type !== 'pg_snapshot') return column
  const ranks = places.map((place, rank) => `when ${quoteText(place)} then '${FIRST + 1 + rank}:${FIRST + 1 + rank}:'`)
  return ranks.length === 0 ? column : `case ${column}::text ${ranks.join(' ')} end`
}
