/** Rows of people's notification lists, written by one statement. */
import type { JsonObject, ListenerContext } from '../../../engine/index.ts'

/** A row of a person's list. */
export interface ListRow {
  readonly user_id: number
  readonly type: string
  readonly title: string
  readonly message: string
  readonly data: JsonObject
}

/** Writes the rows in their order, and logs them. */
export async function listRows(
  { catalog, logWrites, now, transaction }: Pick<ListenerContext, 'catalog' | 'logWrites' | 'now' | 'transaction'>,
  rows: readonly ListRow[],
): Promise<void> {
  if (rows.length === 0) return
  const { table } = catalog.resources.get('notifications')!
  const text = `insert into "${table}" (user_id, type, title, message, data, created_at)
    select r.user_id, r.type, r.title, r.message, r.data, $2::timestamptz
    from rows from (jsonb_to_recordset($1::jsonb) as (user_id int, type text, title text, message text, data jsonb))
      with ordinality as r(user_id, type, title, message, data, nth)
    order by r.nth returning id`
  const ids = await transaction.run({ text, name: 'notifications add' }, [JSON.stringify(rows), now()])
  await logWrites(
    'notifications',
    ids.map(([id]) => Number(id)),
  )
}
