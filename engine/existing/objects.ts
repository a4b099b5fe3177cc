/** ⇄ What stands in a schema beside its rows, each as the SQL that makes it anew, and what of it needs what. */
import type { Row, Runner } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { quoteText } from '../migration/name.ts'

/** Something that one statement makes: a type, a table, a constraint, a trigger. */
export interface SchemaObject {
  /** `<catalog>:<oid>`, as `pg_depend` names it. */
  readonly key: string
  /** What comes first among those that wait for nothing, and then by their age. */
  readonly rank: number
  readonly age: number
  /** Of a part: the table or the view that has it. */
  readonly of?: string
  /** What it needs beside what `pg_depend` says. */
  readonly needs?: readonly string[]
  /** Undefined: it can not be written as SQL. */
  readonly sql: string | undefined
}

/** One row of `pg_depend`. */
export interface Dependence {
  readonly from: string
  readonly on: string
  readonly kind: string
}

/** Which kinds come first. */
export const RANKS = Object.freeze({
  type: 0,
  sequence: 1,
  routine: 2,
  table: 3,
  part: 4,
  view: 20,
  stored: 21,
  owner: 29,
  comment: 30,
})

/** An object of the schema's own; what an extension made comes with it. */
function own(catalog: string, row: string, namespace: string): string {
  return `${namespace} = current_schema()::regnamespace and not exists (select 1 from pg_depend x
    where x.classid = '${catalog}'::regclass and x.objid = ${row}.oid and x.deptype = 'e')`
}

const TYPES = `select t.oid, format_type(t.oid, null), t.typtype,
    (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
    format_type(t.typbasetype, t.typtypmod), t.typnotnull, pg_get_expr(t.typdefaultbin, 0),
    (select string_agg('constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid), ' ' order by k.conname)
      from pg_constraint k where k.contypid = t.oid and k.contype = 'c'),
    (select string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod), ', ' order by a.attnum)
      from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped),
    (select 'subtype = ' || format_type(r.rngsubtype, null) || coalesce(', subtype_diff = ' || nullif(r.rngsubdiff::text, '-'), '')
      from pg_range r where r.rngtypid = t.oid)
  from pg_type t left join pg_class c on c.oid = t.typrelid
  where (t.typtype in ('e', 'd', 'r') or c.relkind = 'c') and ${own('pg_type', 't', 't.typnamespace')} order by t.oid`

/** What tables that are left out count by belongs to them. */
const SEQUENCES = `select c.oid, c.relname, format_type(s.seqtypid, null), s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcycle
  from pg_sequence s join pg_class c on c.oid = s.seqrelid
  where ${own('pg_class', 'c', 'c.relnamespace')}
    and not exists (select 1 from pg_depend i where i.classid = 'pg_class'::regclass and i.objid = c.oid and i.deptype = 'i')
    and not exists (select 1 from pg_depend d join pg_attrdef f on f.oid = d.objid join pg_class t on t.oid = f.adrelid
      where d.classid = 'pg_attrdef'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid
        and t.relkind in ('r', 'p') and t.relname <> all($1))
  order by c.oid`

const FUNCTIONS = `select p.oid, case when p.prokind in ('f', 'p') and l.lanname in ('sql', 'plpgsql', 'internal') then pg_get_functiondef(p.oid) end
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.prokind <> 'a' and ${own('pg_proc', 'p', 'p.pronamespace')} and not exists (
    select 1 from pg_depend i where i.classid = 'pg_proc'::regclass and i.objid = p.oid and i.deptype = 'i') order by p.oid`

function modifies(column: string): string {
  return `case ${column} when 'r' then 'read_only' when 's' then 'shareable' else 'read_write' end`
}

const AGGREGATES = `select p.oid, 'create aggregate ' || quote_ident(p.proname) || '(' || coalesce(nullif(pg_get_function_arguments(p.oid), ''), '*')
    || ') (' || concat_ws(', ', 'sfunc = ' || a.aggtransfn::text, 'stype = ' || format_type(a.aggtranstype, null),
      'sspace = ' || nullif(a.aggtransspace, 0), 'finalfunc = ' || nullif(a.aggfinalfn::text, '-'),
      case when a.aggfinalextra then 'finalfunc_extra' end,
      case when a.aggfinalfn::oid <> 0 then 'finalfunc_modify = ' || ${modifies('a.aggfinalmodify')} end,
      'combinefunc = ' || nullif(a.aggcombinefn::text, '-'), 'serialfunc = ' || nullif(a.aggserialfn::text, '-'),
      'deserialfunc = ' || nullif(a.aggdeserialfn::text, '-'), 'initcond = ' || quote_literal(a.agginitval),
      'msfunc = ' || nullif(a.aggmtransfn::text, '-'), 'minvfunc = ' || nullif(a.aggminvtransfn::text, '-'),
      case when a.aggmtranstype <> 0 then 'mstype = ' || format_type(a.aggmtranstype, null) end,
      'msspace = ' || nullif(a.aggmtransspace, 0), 'mfinalfunc = ' || nullif(a.aggmfinalfn::text, '-'),
      case when a.aggmfinalextra then 'mfinalfunc_extra' end,
      case when a.aggmfinalfn::oid <> 0 then 'mfinalfunc_modify = ' || ${modifies('a.aggmfinalmodify')} end,
      'minitcond = ' || quote_literal(a.aggminitval),
      (select 'sortop = operator(' || quote_ident(n.nspname) || '.' || o.oprname || ')' from pg_operator o
        join pg_namespace n on n.oid = o.oprnamespace where o.oid = a.aggsortop),
      'parallel = ' || case p.proparallel when 's' then 'safe' when 'r' then 'restricted' else 'unsafe' end,
      case when a.aggkind = 'h' then 'hypothetical' end) || ')'
  from pg_aggregate a join pg_proc p on p.oid = a.aggfnoid where ${own('pg_proc', 'p', 'p.pronamespace')} order by p.oid`

const TABLES = `select c.oid, c.relname, string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when o.oid is not null and o.oid <> t.typcollation and a.attcollation <> 0 then ' collate ' || quote_ident(o.collname) else '' end
      || case a.attidentity when 'a' then ' generated always as identity' when 'd' then ' generated by default as identity' else '' end
      || case when a.attgenerated <> '' and a.attinhcount = 0 then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || case a.attgenerated when 's' then ') stored' else ')' end else '' end
      || case when a.attnotnull then ' not null' else '' end, E',\\n  ' order by a.attnum) filter (where a.attislocal or a.attinhcount = 0),
    case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end,
    (select p.relname from pg_inherits i join pg_class p on p.oid = i.inhparent where i.inhrelid = c.oid and c.relispartition),
    pg_get_expr(c.relpartbound, c.oid),
    (select string_agg(quote_ident(p.relname), ', ' order by i.inhseqno) from pg_inherits i join pg_class p on p.oid = i.inhparent
      where i.inhrelid = c.oid and not c.relispartition)
  from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_type t on t.oid = a.atttypid left join pg_collation o on o.oid = a.attcollation
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname = any($1)
  group by c.oid order by c.oid`

const VIEWS = `select c.oid, c.relkind, format('create %sview %I%s as%s', case c.relkind when 'm' then 'materialized ' else '' end, c.relname,
    ' with (' || array_to_string(c.reloptions, ', ') || ')', E'\\n' || rtrim(pg_get_viewdef(c.oid, true), '; ')
      || case when c.relkind = 'm' and not c.relispopulated then E'\\nwith no data' else '' end)
  from pg_class c where c.relkind in ('v', 'm') and ${own('pg_class', 'c', 'c.relnamespace')} order by c.oid`

/** What tables and views have: defaults, what constraints and indexes hold, triggers; last which sequence is whose. */
const PARTS = `with whole as (select c.oid, c.relname, c.relkind, c.relispartition from pg_class c
    where c.relnamespace = current_schema()::regnamespace
      and (c.relkind in ('r', 'p') and c.relname = any($1) or c.relkind in ('v', 'm') and ${own('pg_class', 'c', 'c.relnamespace')}))
  select 0, c.oid::bigint * 10000 + a.attnum, 'pg_attrdef', d.oid, c.oid,
      format('alter %s %I alter column %I set default %s', case c.relkind when 'v' then 'view' else 'table' end, c.relname, a.attname, pg_get_expr(d.adbin, d.adrelid))
    from pg_attrdef d join whole c on c.oid = d.adrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum where a.attgenerated = '' and not c.relispartition
  union all
  select case k.contype when 'p' then 1 when 'u' then 2 when 'f' then 5 else 3 end, k.oid::bigint, 'pg_constraint', k.oid, c.oid,
      format('alter table %I add constraint %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid))
    from pg_constraint k join whole c on c.oid = k.conrelid
    where k.contype in ('p', 'u', 'c', 'x', 'f') and k.conparentid = 0 and k.conislocal
  union all
  select 4, x.indexrelid::bigint, 'pg_class', x.indexrelid, c.oid, pg_get_indexdef(x.indexrelid, 0, true)
    from pg_index x join whole c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    where x.indisvalid and not i.relispartition and not exists (select 1 from pg_constraint k where k.conindid = i.oid and k.contype in ('p', 'u', 'x'))
      and obj_description(i.oid, 'pg_class') is distinct from 'plinth'
  union all
  select 26, g.oid::bigint, 'pg_trigger', g.oid, c.oid, pg_get_triggerdef(g.oid, true)
    from pg_trigger g join whole c on c.oid = g.tgrelid where not g.tgisinternal and g.tgparentid = 0
  union all
  select 27, g.oid::bigint, 'state of pg_trigger', g.oid, c.oid, format('alter table %I %s trigger %I', c.relname,
      case g.tgenabled when 'D' then 'disable' when 'R' then 'enable replica' else 'enable always' end, g.tgname)
    from pg_trigger g join whole c on c.oid = g.tgrelid where not g.tgisinternal and g.tgparentid = 0 and g.tgenabled <> 'O'
  order by 1, 2`

const OWNERS = `select s.oid, c.oid, format('alter sequence %I owned by %I.%I', s.relname, c.relname, a.attname)
  from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S' join pg_class c on c.oid = d.refobjid
  join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
  where d.classid = 'pg_class'::regclass and d.deptype = 'a' and c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
  order by s.relname`

/** Tables with those that are parts of them. */
const WITH_PARTITIONS = `with recursive whole as (select c.oid, c.relname from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname = any($1)
    union select c.oid, c.relname from whole w join pg_inherits i on i.inhparent = w.oid join pg_class c on c.oid = i.inhrelid
      where c.relnamespace = current_schema()::regnamespace and c.relispartition)
  select relname from whole order by relname`

/** What PostgreSQL itself brings has lower numbers. */
const DEPENDENCES = `select distinct classid::regclass || ':' || objid, refclassid::regclass || ':' || refobjid, deptype from pg_depend
  where objid >= 16384 and (refobjid >= 16384 or refclassid = 'pg_namespace'::regclass and refobjid = current_schema()::regnamespace) order by 1, 2, 3`

/** Everything of the schema that can be made anew with the tables of these names, and on what it depends. */
export async function readObjects(
  runner: Runner,
  tables: readonly string[],
): Promise<{ readonly objects: readonly SchemaObject[]; readonly dependences: readonly Dependence[] }> {
  const ask = (text: string, values: readonly unknown[] = []) => runner.run({ text }, values)
  const whole = [(await ask(WITH_PARTITIONS, [tables])).map(([name]) => name ?? '')]
  const simple = (rank: number, catalog: string, rows: readonly Row[], sqlOf: (row: Row) => string | undefined) =>
    rows.map((row): SchemaObject => {
      return { key: `${catalog}:${row[0]}`, rank, age: Number(row[0]), sql: sqlOf(row.slice(1)) }
    })
  const parts = await ask(PARTS, whole)
  const owners = await ask(OWNERS, whole)
  const objects: readonly SchemaObject[] = [
    ...simple(RANKS.type, 'pg_type', await ask(TYPES), typeSql),
    ...simple(RANKS.sequence, 'pg_class', await ask(SEQUENCES, whole), sequenceSql),
    ...simple(RANKS.routine, 'pg_proc', await ask(FUNCTIONS), functionSql),
    ...simple(RANKS.routine, 'pg_proc', await ask(AGGREGATES), ([sql]) => sql ?? undefined),
    ...simple(RANKS.table, 'pg_class', await ask(TABLES, whole), tableSql),
    ...(await ask(VIEWS)).map(([oid, kind, sql]): SchemaObject => {
      const rank = kind === 'm' ? RANKS.stored : RANKS.view
      return { key: `pg_class:${oid}`, rank, age: Number(oid), sql: sql ?? undefined }
    }),
    ...parts.map(([rank, age, catalog, oid, of, sql]): SchemaObject => {
      const trigger = catalog?.startsWith('state of ') ? { needs: [`pg_trigger:${oid}`] } : {}
      const named = { key: `${catalog}:${oid}`, of: `pg_class:${of}`, ...trigger }
      return { ...named, rank: RANKS.part + Number(rank), age: Number(age), sql: sql ?? undefined }
    }),
    ...owners.map(([sequence, table, sql], age): SchemaObject => {
      const needs = [`pg_class:${sequence}`, `pg_class:${table}`]
      return { key: `owner:${sequence}`, rank: RANKS.owner, age, of: needs[1]!, needs, sql: sql ?? undefined }
    }),
  ]
  const dependences = (await ask(DEPENDENCES)).map(([from, on, kind]): Dependence => {
    return { from: from ?? '', on: on ?? '', kind: kind ?? '' }
  })
  return { objects, dependences }
}

function typeSql([name, kind, words, base, required, preset, checks, parts, range]: Row): string {
  if (kind === 'e') return `create type ${name} as enum (${words ?? ''})`
  if (kind === 'r') return `create type ${name} as range (${range})`
  if (kind === 'c') return `create type ${name} as (${parts ?? ''})`
  const more = [
    preset === null ? '' : ` default ${preset}`,
    required === 't' ? ' not null' : '',
    checks ? ` ${checks}` : '',
  ]
  return `create domain ${name} as ${base}${more.join('')}`
}

function sequenceSql([name, type, start, increment, least, most, cycles]: Row): string {
  const range = `minvalue ${least} maxvalue ${most}${cycles === 't' ? ' cycle' : ''}`
  return `create sequence ${q(name ?? '')} as ${type} start ${start} increment ${increment} ${range}`
}

/** Without the schema, which may be another one where it is made. */
function functionSql([sql]: Row): string | undefined {
  return sql?.replace(/^(CREATE OR REPLACE (?:FUNCTION|PROCEDURE) )(?:"(?:[^"]|"")+"|[^\s."(]+)\./, '$1')
}

function tableSql([name, columns, partitioned, parent, bound, parents]: Row): string {
  const by = partitioned === null ? '' : ` partition by ${partitioned}`
  if (parent !== null) return `create table ${q(name ?? '')} partition of ${q(parent ?? '')} ${bound}${by}`
  const inherits = parents === null ? '' : ` inherits (${parents})`
  return `create table ${q(name ?? '')} (\n  ${columns ?? ''}\n)${inherits}${by}`
}

/** What is depended on, in words of PostgreSQL: `view sold_by_day`. */
export async function describe(runner: Runner, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 0) return []
  const named = keys.map((key) => key.split(':')).map(([catalog, oid]) => `(${quoteText(catalog ?? '')}, ${oid}::oid)`)
  const text = `select pg_describe_object(catalog::regclass, oid, 0) from (values ${named.join(', ')}) as k (catalog, oid)`
  return (await runner.run({ text }, [])).map(([name]) => name ?? 'something that is gone')
}
