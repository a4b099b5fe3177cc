/** By which permissions the requests of a key were let in, so that its owner can take the others away. */
import { type Database, type JsonObject, memo, type PluginContext } from '../../engine/index.ts'

/** A use is written at most this often, so that not every request writes. */
const NOTE_MS = 3_600_000
/** The uses that are remembered, before the memory is emptied. */
const KEPT = 10_000
const SHOWN_MS = 30 * 86_400_000

/** When each use was written last, by key and permission. */
const noted = memo((_: Database) => new Map<string, number>())

/** Notes that a permission let a request of a key in; no request waits for it. */
export function noteUse(
  { catalog, database, now }: Pick<PluginContext, 'catalog' | 'database' | 'now'>,
  key: number,
  permission: string,
): void {
  const time = now()
  const last = noted(database)
  const name = `${key} ${permission}`
  if ((last.get(name) ?? 0) > time.getTime() - NOTE_MS) return
  if (last.size >= KEPT) last.clear()
  last.set(name, time.getTime())
  const { table } = catalog.resources.get('access_key_uses')!
  const text = `insert into "${table}" (key_id, permission, used_at) values ($1::integer, $2::text, $3::timestamptz)
    on conflict (key_id, permission) do update set used_at = excluded.used_at`
  database.adhoc.run({ text }, [key, permission, time]).catch(() => void last.delete(name))
}

/** The permissions that a key used in the last thirty days, each with when it did last. */
export async function usesOf(
  { model, now }: Pick<PluginContext, 'model' | 'now'>,
  key: number,
): Promise<readonly JsonObject[]> {
  const rows = await model('access_key_uses')
    .query()
    .where({ key_id: key })
    .where('used_at', '>', new Date(now().getTime() - SHOWN_MS))
    .orderBy('permission')
    .select('permission', 'used_at')
    .castTo<{ readonly permission: string; readonly used_at: Date | string }[]>()
  return rows.map(({ permission, used_at }) => ({ permission, used_at: new Date(used_at).toISOString() }))
}
