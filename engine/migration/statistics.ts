/** Gathers statistics of tables ⇄, without which PostgreSQL plans large tables as if they had one row. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Database } from '../database/database.ts'
import { quoted } from '../filter/sql.ts'
import { tables } from './catalog-tables.ts'

/** Tables of some size that have doubled since their statistics, or have a column without statistics. */
const WANTING = `with t as (
  select c.oid, c.relname, c.relpages, c.reltuples, pg_relation_size(c.oid) / current_setting('block_size')::integer as pages
  from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname = any($1::text[]))
select t.relname from t where t.pages > 2 and (t.pages > 2 * t.relpages or t.reltuples <> 0 and exists (
  select 1 from pg_attribute a where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attstattarget is distinct from 0
    and not exists (select 1 from pg_stats s
      where s.schemaname = current_schema() and s.tablename = t.relname and s.attname = a.attname)))
order by t.relname`

/**
 * Runs ANALYZE on these tables; returns how many. The embedded database never does by itself,
 * and a server does when a tenth of the rows have changed, which a new column is not.
 */
export async function gatherStatistics(catalog: Catalog, database: Database, signal: AbortSignal): Promise<number> {
  const names = tables(catalog).map(({ name }) => name)
  const wanting = await database.adhoc.run({ text: WANTING }, [names])
  for (const [name] of wanting) {
    signal.throwIfAborted()
    await database.session((runner) => runner.run({ text: `analyze ${quoted(String(name))}` }, []))
  }
  return wanting.length
}
