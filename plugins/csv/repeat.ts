/** ⇄ Rows without a key: their cells identify them when their file is sent again. */
import { createHash } from 'node:crypto'
import type { Id, PluginContext, Resource } from '../../engine/index.ts'
import { unguarded } from './cell.ts'
import type { Entry } from './entry.ts'
import type { Row } from './records.ts'
import type { Around } from './transactions.ts'

/** The resource of records that earlier imports have made of such rows. */
const ROWS = 'import_rows'

/** Gives each row of a file its digest, from all its cells; equal rows of one file have different digests. */
export function digester(): (row: Row) => string {
  const counts = new Map<string, number>()
  return ({ cells }) => {
    const texts = cells.map((cell) => unguarded(cell).trim())
    const filled = texts.slice(0, texts.findLastIndex((text) => text !== '') + 1)
    const digest = createHash('sha256').update(JSON.stringify(filled)).digest('base64url')
    const nth = (counts.get(digest) ?? 0) + 1
    counts.set(digest, nth)
    return nth === 1 ? digest : `${digest} ${nth}`
  }
}

/** The records that earlier imports have made of the entries, also deleted ones, by digest. */
export async function earlierRecords(
  context: Around,
  { key, name }: Resource,
  entries: readonly Entry[],
): Promise<ReadonlyMap<string, Id>> {
  const digests = entries.flatMap(({ digest }) => digest ?? [])
  if (digests.length === 0) return new Map()
  const rows: { digest: string; record_id: string }[] = await context.connection
    .knex(tableOf(context))
    .whereRaw('resource = ? and digest = any(?)', [name, digests])
    .select('digest', 'record_id')
  // A note under another type of id names no record.
  const noted = rows.map(({ record_id }) => record_id).filter((id) => 'value' in key.type.parse(id, key.options))
  if (noted.length === 0) return new Map()
  const found = await context.model(name).query().findByIds(noted).select(`${key.column} as id`).castTo<{ id: Id }[]>()
  const ids = new Map(found.map(({ id }) => [String(id), id]))
  return new Map(
    rows.flatMap(({ digest, record_id }) => {
      const id = ids.get(record_id)
      return id === undefined ? [] : [[digest, id] as const]
    }),
  )
}

/** Lets one import at a time write such rows of a resource, until the open transaction ends. */
export async function takeTurn(context: Around, { name }: Resource): Promise<void> {
  const text = 'select pg_advisory_xact_lock(hashtextextended(?, 0))'
  await context.connection.knex.raw(text, [`plinth import of ${name}`])
}

/** Notes the records that were made of rows, in the same transaction. */
export async function noteRecords(
  context: Around,
  { name }: Resource,
  made: readonly { readonly digest: string; readonly id: Id }[],
): Promise<void> {
  if (made.length === 0) return
  const text = `insert into "${tableOf(context)}" (resource, digest, record_id, done_at)
    select ?, digest, record_id, ? from unnest(?::text[], ?::text[]) as made(digest, record_id)
    on conflict (digest, resource) do update set record_id = excluded.record_id, done_at = excluded.done_at`
  const values = [made.map(({ digest }) => digest), made.map(({ id }) => String(id))]
  await context.connection.knex.raw(text, [name, context.now().toISOString(), ...values])
}

function tableOf({ catalog }: PluginContext): string {
  return catalog.resources.get(ROWS)!.table
}
