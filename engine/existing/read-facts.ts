/** Reads the facts of a database ⇄: its tables, columns, keys, references, checks and triggers. */
import type { Database, Runner } from '../database/database.ts'
import { nameBefore } from '../migration/sql-name.ts'
import { quotedName } from './column.ts'
import type { ColumnFacts, DatabaseFacts, ReferenceFacts, TableFacts } from './facts.ts'

const ABOUT = `select json_build_object('name', current_database(), 'user', current_user, 'schema', current_schema(),
  'mayCreate', coalesce(has_schema_privilege(current_schema(), 'create'), false),
  'readOnly', pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on')`

const OTHERS = `select coalesce(json_agg(o order by o.schema), '[]') from (
  select n.nspname as schema, count(*)::int as tables from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition and n.nspname is distinct from current_schema()
    and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' group by 1) o`

/** Partitions are read through their table; tables of extensions are left out. */
const OWN = `c.relnamespace = current_schema()::regnamespace and not c.relispartition and not exists (
    select 1 from pg_depend x where x.classid = 'pg_class'::regclass and x.objid = c.oid and x.deptype = 'e')`

const TABLES = `select c.relname, json_build_object('name', c.relname, 'kind', c.relkind,
    'comment', obj_description(c.oid, 'pg_class'), 'rowSecurity', c.relrowsecurity,
    'instead', (select coalesce(json_agg(distinct case r.ev_type when '2' then 'update' when '3' then 'insert' else 'delete' end), '[]')
      from pg_rewrite r where r.ev_class = c.oid and r.is_instead and r.ev_type <> '1' and r.ev_enabled <> 'D'),
    'may', json_build_object('select', has_table_privilege(c.oid, 'select'), 'insert', has_table_privilege(c.oid, 'insert'),
      'update', has_table_privilege(c.oid, 'update'), 'delete', has_table_privilege(c.oid, 'delete')))
  from pg_class c where c.relkind in ('r', 'p', 'v', 'm', 'f') and ${OWN} order by c.relname`

/** A domain is shown as the type under it, through any number of domains. */
const COLUMNS = `with recursive under as (
    select oid, oid as type, typtypmod as modifier, false as required from pg_type
    union all
    select u.oid, t.typbasetype, t.typtypmod, u.required or t.typnotnull from under u join pg_type t on t.oid = u.type and t.typtype = 'd'
  ), base as (
    select distinct on (u.oid) u.oid, u.type, u.modifier, u.required from under u join pg_type t on t.oid = u.type
    where t.typtype <> 'd' order by u.oid)
  select c.relname, json_build_object('name', a.attname,
    'type', format_type(b.type, case when b.type = a.atttypid then a.atttypmod else b.modifier end),
    'kind', case when t.typcategory = 'A' then 'A' else t.typtype::text end,
    'words', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
    'nullable', not (a.attnotnull or b.required),
    'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
    'identity', a.attidentity, 'generated', a.attgenerated <> '', 'comment', col_description(c.oid, a.attnum))
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join base b on b.oid = a.atttypid join pg_type t on t.oid = b.type
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and ${OWN} order by c.relname, a.attnum`

const NAMES = (key: string, table: string): string =>
  `(select json_agg(a.attname order by u.position) from unnest(${key}) with ordinality as u(attnum, position)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = u.attnum)`

const INDEXES = `select c.relname, json_build_object('primary', x.indisprimary, 'columns', ${NAMES('x.indkey::int2[]', 'c.oid')})
  from pg_index x join pg_class c on c.oid = x.indrelid
  where x.indisunique and x.indisvalid and x.indpred is null and x.indexprs is null and x.indnkeyatts = x.indnatts and ${OWN}
  order by c.relname, x.indisprimary desc, x.indexrelid`

/** A reference to a table with partitions has one more for each of them, below it. */
const REFERENCES = `select c.relname, json_build_object('columns', ${NAMES('k.conkey', 'c.oid')}, 'table', f.relname,
    'otherSchema', f.relnamespace <> c.relnamespace, 'targets', ${NAMES('k.confkey', 'f.oid')},
    'onDelete', case k.confdeltype when 'c' then 'cascade' when 'n' then 'set_null' else 'restrict' end)
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class f on f.oid = k.confrelid
  where k.contype = 'f' and k.conparentid = 0 and ${OWN} order by c.relname, k.conkey, k.oid`

const CHECKS = `select c.relname, json_build_object('column', a.attname, 'sql', pg_get_expr(k.conbin, k.conrelid))
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
  where k.contype = 'c' and cardinality(k.conkey) = 1 and ${OWN} order by c.relname, k.oid`

const TRIGGERS = `select c.relname, to_json(g.tgname) from pg_trigger g join pg_class c on c.oid = g.tgrelid
  where not g.tgisinternal and ${OWN} order by c.relname, g.tgname`

/** Columns to which a trigger before each insert assigns a value, by the text of its function or by its arguments. */
const FILLED = `select c.relname, to_json(case when n.name like '"%' then btrim(n.name, '"') else lower(n.name) end)
  from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_proc p on p.oid = g.tgfoid
  cross join lateral (
    select m[1] as name from regexp_matches(p.prosrc, '(?:^|;|\\mbegin\\M|\\mthen\\M|\\melse\\M|\\minto\\M)\\s*new\\.("?[a-z_][a-z0-9_]*"?)(?=\\s*(?::?=|from\\M|;))', 'gi') m
    union all select split_part(encode(g.tgargs, 'escape'), '\\000', 1) where p.proname like 'tsvector_update_trigger%') n
  where not g.tgisinternal and g.tgenabled <> 'D' and g.tgqual is null and g.tgtype & 7 = 7 and ${OWN}`

/** Tables that Plinth itself made there, by its own record of them; none where it was never there. */
const MADE = `select m.owned from plinth_migration m order by m.id desc limit 1`

type Grouped = ReadonlyMap<string, readonly unknown[]>

async function grouped(runner: Runner, text: string): Promise<Grouped> {
  const groups = new Map<string, unknown[]>()
  for (const [table, value] of await runner.run({ text }, [])) {
    const group = groups.get(table ?? '') ?? []
    group.push(JSON.parse(value ?? 'null'))
    groups.set(table ?? '', group)
  }
  return groups
}

async function single<T>(runner: Runner, text: string): Promise<T> {
  const [row] = await runner.run({ text }, [])
  return JSON.parse(row?.[0] ?? 'null') as T
}

function of<T>(groups: Grouped, table: string): readonly T[] {
  return (groups.get(table) ?? []) as readonly T[]
}

/** Asked of the index of the key. */
async function hasOddIds(
  runner: Runner,
  { name, may, kind }: TableHead,
  key: ColumnFacts | undefined,
): Promise<boolean> {
  if (key === undefined || !may.select || (kind !== 'r' && kind !== 'p')) return false
  const column = quotedName(key.name)
  const odd = /^(?:text|character)/.test(key.type) ? `char_length(${column}) not between 1 and 100` : undefined
  if (odd === undefined) return false
  return single<boolean>(runner, `select to_json(exists (select 1 from ${quotedName(name)} where ${odd}))`)
}

type TableHead = Pick<TableFacts, 'name' | 'kind' | 'comment' | 'instead' | 'may' | 'rowSecurity'>

interface UniqueIndex {
  readonly primary: boolean
  readonly columns: readonly string[]
}

/** The primary key, or else the shortest unique index over columns that are never null. */
function keyOf(unique: readonly UniqueIndex[], columns: readonly ColumnFacts[]): UniqueIndex | undefined {
  const isSet = (name: string) => columns.some((column) => column.name === name && !column.nullable)
  const others = unique.filter((index) => index.columns.every(isSet))
  return unique.find(({ primary }) => primary) ?? others.sort((a, b) => a.columns.length - b.columns.length)[0]
}

/**
 * The tables of the schema of the connection without those of Plinth: its own, those that it made, and those set aside.
 */
export function readFacts(database: Database): Promise<DatabaseFacts> {
  return database.session(async (runner) => {
    const about = await single<Omit<DatabaseFacts, 'tables' | 'others'>>(runner, ABOUT)
    const others = await single<DatabaseFacts['others']>(runner, OTHERS)
    if (about.schema === null) return { ...about, others, tables: [] }
    const tables = await grouped(runner, TABLES)
    const [columns, indexes] = [await grouped(runner, COLUMNS), await grouped(runner, INDEXES)]
    const [references, checks] = [await grouped(runner, REFERENCES), await grouped(runner, CHECKS)]
    const [triggers, filled] = [await grouped(runner, TRIGGERS), await grouped(runner, FILLED)]
    const made = tables.has('plinth_migration') ? await single<Record<string, unknown> | null>(runner, MADE) : {}
    const isOwn = (name: string): boolean =>
      name.startsWith('plinth_') || nameBefore(name) !== undefined || Object.hasOwn(made ?? {}, name)
    const facts: TableFacts[] = []
    for (const [name, [head]] of [...tables].filter(([table]) => !isOwn(table))) {
      const table = head as TableHead
      const unique = of<UniqueIndex>(indexes, name)
      const key = keyOf(unique, of<ColumnFacts>(columns, name))
      const primaryKey = key?.columns ?? []
      const all = of<Omit<ColumnFacts, 'filled'>>(columns, name).map((column): ColumnFacts => {
        return { ...column, filled: of<string>(filled, name).includes(column.name) }
      })
      const only = primaryKey.length === 1 ? all.find((column) => column.name === primaryKey[0]) : undefined
      facts.push({
        ...table,
        ...{ columns: all, primaryKey, oddIds: await hasOddIds(runner, table, only) },
        unique: unique.filter((index) => index !== key).map((index) => index.columns),
        references: of<ReferenceFacts>(references, name),
        checks: of<TableFacts['checks'][number]>(checks, name),
        triggers: of<string>(triggers, name),
      })
    }
    return { ...about, others, tables: facts }
  })
}
