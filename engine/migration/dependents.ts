/** What others made over the columns of the engine's tables ⇄: views, rules, policies, functions, checks, indexes. */
import type { Runner } from '../database/database.ts'

/** Table → column → what depends on it, as PostgreSQL calls it: `view sizes`. */
export type Dependents = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

/** References, keys and what bears the engine's mark are the engine's own; so is an index with a name of its form, which a killed start left unmarked. */
const READ = `select distinct t.relname, a.attname, case when v.oid is not null then pg_describe_object('pg_class'::regclass, v.oid, 0)
      when d.classid = 'pg_attrdef'::regclass
      then pg_describe_object('pg_class'::regclass, f.adrelid, f.adnum)
      else pg_describe_object(d.classid, d.objid, 0) end
  from pg_class t
  join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid and d.refobjsubid > 0
  join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid and not a.attisdropped
  left join pg_rewrite w on d.classid = 'pg_rewrite'::regclass and w.oid = d.objid
  left join pg_class v on v.oid = w.ev_class and v.relkind in ('v', 'm')
  left join pg_attrdef f on d.classid = 'pg_attrdef'::regclass and f.oid = d.objid
  left join pg_trigger g on d.classid = 'pg_trigger'::regclass and g.oid = d.objid
  left join pg_constraint k on d.classid = 'pg_constraint'::regclass and k.oid = d.objid
  left join pg_class i on d.classid = 'pg_class'::regclass and i.oid = d.objid and i.relkind = 'i'
  left join pg_description m on m.objoid = coalesce(i.oid, k.conindid) and m.classoid = 'pg_class'::regclass and m.objsubid = 0
  where t.relnamespace = current_schema()::regnamespace and t.relkind in ('r', 'p')
    and (d.classid in ('pg_rewrite'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass)
      or f.oid is not null and (f.adrelid, f.adnum) <> (t.oid, a.attnum)
        and coalesce(col_description(f.adrelid, f.adnum), '') not like $1 || '%'
      or g.oid is not null and not g.tgisinternal and coalesce(obj_description(g.oid, 'pg_trigger'), '') not like $1 || '%'
      or k.contype = 'c' and k.conname !~ '_(required|fits)$'
      or k.contype in ('u', 'x') and coalesce(m.description, '') not like $1 || '%' and k.conname !~ $2
      or i.oid is not null and coalesce(m.description, '') not like $1 || '%' and i.relname !~ $2
        and not exists (select 1 from pg_constraint c where c.conindid = i.oid)
        and not exists (select 1 from pg_index x where x.indexrelid = i.oid and not x.indisvalid))
  order by 1, 2, 3`

/** What depends on a column, whatever is done with it. */
export function dependentsOf(dependents: Dependents, table: string, column: string): readonly string[] {
  return dependents.get(table)?.get(column) ?? []
}

/** How the names of the engine's indexes end: name.ts gives them. */
const OWN_NAME = '(_[0-9a-f]{8}_(key|idx|excl)|__converting)$'

/** Reads what depends on columns of the connection's own schema; `mark` is how the engine marks its own. */
export async function readDependents(runner: Runner, mark: string): Promise<Dependents> {
  const found = new Map<string, Map<string, string[]>>()
  for (const [table, column, what] of await runner.run({ text: READ }, [mark, OWN_NAME])) {
    if (typeof table !== 'string' || typeof column !== 'string' || typeof what !== 'string') continue
    const columns = found.get(table) ?? new Map<string, string[]>()
    columns.set(column, [...(columns.get(column) ?? []), what])
    found.set(table, columns)
  }
  return found
}
