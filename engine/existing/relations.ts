/** Tables, sequences and views of a schema with their parts, as the SQL that makes them again. */
import type { Row } from '../database/database.ts'
import { quoted as q } from '../filter/sql.ts'
import { collation, type Kind, own, RANKS, relation } from './schema-object.ts'

const OPTIONS = `format('start %s increment %s minvalue %s maxvalue %s cache %s%s', s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache,
  case when s.seqcycle then ' cycle' else '' end)`

/** Sequences of tables that are left out are left out too. */
const SEQUENCES = `select c.oid, format('create %ssequence %I as %s %s', case c.relpersistence when 'u' then 'unlogged ' else '' end, c.relname, format_type(s.seqtypid, null), ${OPTIONS})
  from pg_sequence s join pg_class c on c.oid = s.seqrelid
  where ${own('pg_class', 'c', 'c.relnamespace')}
    and not exists (select 1 from pg_depend i where i.classid = 'pg_class'::regclass and i.objid = c.oid and i.deptype = 'i')
    and not exists (select 1 from pg_depend d join pg_attrdef f on f.oid = d.objid join pg_class t on t.oid = f.adrelid
      where d.classid = 'pg_attrdef'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid
        and t.relkind in ('r', 'p') and t.relname <> all($1))
  order by c.oid`

const IDENTITY = `(select format(' generated %s as identity (sequence name %I %s)', case a.attidentity when 'a' then 'always' else 'by default' end, n.relname, ${OPTIONS})
  from pg_depend i join pg_class n on n.oid = i.objid join pg_sequence s on s.seqrelid = n.oid
  where i.classid = 'pg_class'::regclass and i.refclassid = i.classid and i.refobjid = c.oid and i.refobjsubid = a.attnum and i.deptype = 'i')`

const TABLES = `select c.oid, c.relname, string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attcollation not in (0, t.typcollation) then ' collate ' || ${collation('a.attcollation')} else '' end
      || case when a.attidentity <> '' then ${IDENTITY} else '' end
      || case when a.attgenerated <> '' and a.attinhcount = 0 then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || case a.attgenerated when 's' then ') stored' else ')' end else '' end
      || case when a.attnotnull then ' not null' else '' end, E',\\n  ' order by a.attnum) filter (where a.attislocal or a.attinhcount = 0),
    case when c.relkind = 'p' then pg_get_partkeydef(c.oid) end,
    (select ${relation('i.inhparent')} from pg_inherits i where i.inhrelid = c.oid and c.relispartition),
    pg_get_expr(c.relpartbound, c.oid),
    (select string_agg(${relation('i.inhparent')}, ', ' order by i.inhseqno) from pg_inherits i where i.inhrelid = c.oid and not c.relispartition),
    case c.relpersistence when 'u' then 'unlogged table' else 'table' end, array_to_string(c.reloptions, ', ')
  from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  left join pg_type t on t.oid = a.atttypid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname = any($1)
  group by c.oid order by c.oid`

function tableSql([name, columns, partitioned, parent, bound, parents, kind, options]: Row): string {
  const by = partitioned === null ? '' : ` partition by ${partitioned}`
  const how = options === null ? '' : ` with (${options})`
  if (parent !== null) return `create ${kind} ${q(name ?? '')} partition of ${parent} ${bound}${by}${how}`
  const inherits = parents === null ? '' : ` inherits (${parents})`
  return `create ${kind} ${q(name ?? '')} (\n  ${columns ?? ''}\n)${inherits}${by}${how}`
}

function views(kind: 'v' | 'm'): string {
  return `select c.oid, format('create %sview %I%s as%s', case c.relkind when 'm' then 'materialized ' else '' end, c.relname,
      ' with (' || array_to_string(c.reloptions, ', ') || ')', E'\\n' || rtrim(pg_get_viewdef(c.oid, true), '; ')
        || case when c.relkind = 'm' and not c.relispopulated then E'\\nwith no data' else '' end)
    from pg_class c where c.relkind = '${kind}' and ${own('pg_class', 'c', 'c.relnamespace')} order by c.oid`
}

/** Of `ofTables` the statement takes the names of the tables. */
export const RELATION_KINDS: readonly (Kind & { readonly ofTables?: true })[] = [
  { rank: RANKS.sequence, catalog: 'pg_class', text: SEQUENCES, ofTables: true },
  { rank: RANKS.table, catalog: 'pg_class', text: TABLES, sqlOf: tableSql, ofTables: true },
  { rank: RANKS.view, catalog: 'pg_class', text: views('v') },
  { rank: RANKS.stored, catalog: 'pg_class', text: views('m') },
]

/** A partition has the defaults of its table; its own come after those. */
const INHERITED = `left join lateral (select pg_get_expr(e.adbin, e.adrelid) as preset, b.attnotnull as required from pg_inherits i
    join pg_attribute b on b.attrelid = i.inhparent and b.attname = a.attname left join pg_attrdef e on e.adrelid = b.attrelid and e.adnum = b.attnum
    where i.inhrelid = c.oid and c.relispartition) h on true`
const AGE = `(case when c.relispartition then (select count(*) from pg_partition_ancestors(c.oid)) else 0 end) * 1000000000000000 + c.oid::bigint * 10000 + a.attnum`

/**
 * The parts of tables and views: defaults, constraints, indexes, rules, triggers, policies. Each with its rank, its age, its key, the key of its owner, its SQL and the keys of needed objects.
 */
export const RELATION_PARTS = `with whole as (select c.* from pg_class c
    where c.relnamespace = current_schema()::regnamespace
      and (c.relkind in ('r', 'p') and c.relname = any($1) or c.relkind in ('v', 'm') and ${own('pg_class', 'c', 'c.relnamespace')})),
  part (rank, age, key, relation, sql, needs) as (
  select 0, ${AGE}, 'pg_attrdef:' || d.oid, c.oid,
      format('alter %s %I alter column %I set default %s', case c.relkind when 'v' then 'view' else 'table' end, c.relname, a.attname, pg_get_expr(d.adbin, d.adrelid)), null
    from pg_attrdef d join whole c on c.oid = d.adrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum ${INHERITED}
    where a.attgenerated = '' and pg_get_expr(d.adbin, d.adrelid) is distinct from h.preset
  union all
  select 0, ${AGE}, format('no default of pg_class:%s.%s', c.oid, a.attnum), c.oid, format('alter table %I alter column %I drop default', c.relname, a.attname), null
    from whole c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and not a.atthasdef ${INHERITED} where h.preset is not null
  union all
  select 0, ${AGE}, format('requirement of pg_class:%s.%s', c.oid, a.attnum), c.oid, format('alter table %I alter column %I set not null', c.relname, a.attname), null
    from whole c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attnotnull ${INHERITED} where not h.required
  union all
  select case k.contype when 'p' then 1 when 'u' then 2 when 'f' then 5 else 3 end, k.oid::bigint, 'pg_constraint:' || k.oid, c.oid,
      format('alter table %I add constraint %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid)), null
    from pg_constraint k join whole c on c.oid = k.conrelid
    where k.contype in ('p', 'u', 'c', 'x', 'f') and k.conparentid = 0 and k.conislocal
  union all
  select 4, x.indexrelid::bigint, 'pg_class:' || x.indexrelid, c.oid, pg_get_indexdef(x.indexrelid, 0, true), null
    from pg_index x join whole c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    where x.indisvalid and not i.relispartition and not exists (select 1 from pg_constraint k where k.conindid = i.oid and k.contype in ('p', 'u', 'x'))
      and obj_description(i.oid, 'pg_class') is distinct from 'plinth'
  union all
  select 6, s.oid::bigint, 'pg_statistic_ext:' || s.oid, c.oid, regexp_replace(pg_get_statisticsobjdef(s.oid), '^(CREATE STATISTICS )("([^"]|"")+"|[^ ."]+)\\.', '\\1'), null
    from pg_statistic_ext s join whole c on c.oid = s.stxrelid where ${own('pg_statistic_ext', 's', 's.stxnamespace')}
  union all
  select 6, ${AGE}, format('storage of pg_class:%s.%s', c.oid, a.attnum), c.oid, format('alter table %I %s', c.relname, e.text), null
    from whole c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped join pg_type t on t.oid = a.atttypid
    cross join lateral (select concat_ws(', ',
      format('alter column %I set storage ', a.attname) || case when a.attstorage <> t.typstorage then case a.attstorage when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end end,
      format('alter column %I set compression ', a.attname) || case a.attcompression when 'p' then 'pglz' when 'l' then 'lz4' end,
      format('alter column %I set statistics ', a.attname) || nullif(a.attstattarget, -1),
      format('alter column %I set (', a.attname) || (select string_agg(o, ', ') from unnest(a.attoptions) o where o ~ '^n_distinct') || ')') as text) e
    where c.relkind in ('r', 'p') and e.text <> ''
  union all
  select 6, c.oid::bigint, 'type of pg_class:' || c.oid, c.oid, format('alter table %I of %s', c.relname, format_type(c.reloftype, null)), 'pg_type:' || c.reloftype
    from whole c where c.reloftype <> 0
  union all
  select 7, x.indexrelid::bigint, format('use of pg_class:%s', x.indexrelid), c.oid, format('alter table %I %s', c.relname, concat_ws(', ',
      case when x.indisreplident then format('replica identity using index %I', i.relname) end,
      case when x.indisclustered then format('cluster on %I', i.relname) end)), coalesce('pg_constraint:' || k.oid, 'pg_class:' || i.oid)
    from pg_index x join whole c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid left join pg_constraint k on k.conindid = i.oid and k.contype in ('p', 'u', 'x')
    where c.relkind = 'r' and (x.indisreplident and c.relreplident = 'i' or x.indisclustered)
  union all
  select 7, c.oid::bigint, 'replica of pg_class:' || c.oid, c.oid, format('alter table %I replica identity %s', c.relname, case c.relreplident when 'f' then 'full' else 'nothing' end), null
    from whole c where c.relkind in ('r', 'p') and c.relreplident in ('f', 'n')
  union all
  select 26, g.oid::bigint, 'pg_trigger:' || g.oid, c.oid, pg_get_triggerdef(g.oid, true), null
    from pg_trigger g join whole c on c.oid = g.tgrelid where not g.tgisinternal and g.tgparentid = 0
  union all
  select 26, r.oid::bigint, 'pg_rewrite:' || r.oid, c.oid, rtrim(pg_get_ruledef(r.oid, true), ';'), null
    from pg_rewrite r join whole c on c.oid = r.ev_class where r.rulename <> '_RETURN'
  union all
  select 27, g.oid::bigint, 'state of pg_trigger:' || g.oid, c.oid, format('alter table %I %s trigger %I', c.relname,
      case g.tgenabled when 'D' then 'disable' when 'R' then 'enable replica' else 'enable always' end, g.tgname), 'pg_trigger:' || g.oid
    from pg_trigger g join whole c on c.oid = g.tgrelid where not g.tgisinternal and g.tgparentid = 0 and g.tgenabled <> 'O'
  union all
  select 27, r.oid::bigint, 'state of pg_rewrite:' || r.oid, c.oid, format('alter table %I %s rule %I', c.relname,
      case r.ev_enabled when 'D' then 'disable' when 'R' then 'enable replica' else 'enable always' end, r.rulename), 'pg_rewrite:' || r.oid
    from pg_rewrite r join whole c on c.oid = r.ev_class where r.rulename <> '_RETURN' and r.ev_enabled <> 'O'
  union all
  select 28, p.oid::bigint, 'pg_policy:' || p.oid, c.oid, format('create policy %I on %I as %s for %s to %s%s%s', p.polname, c.relname,
      case when p.polpermissive then 'permissive' else 'restrictive' end,
      case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
      (select string_agg(case when u.role = 0 then 'public' else quote_ident(pg_get_userbyid(u.role)) end, ', ' order by u.at) from unnest(p.polroles) with ordinality as u(role, at)),
      ' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', ' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')'),
      (select string_agg('pg_authid:' || r.oid, ',' order by r.oid) from pg_roles r where r.oid = any(p.polroles) and r.rolname !~ '^pg_')
    from pg_policy p join whole c on c.oid = p.polrelid
  union all
  select 29, c.oid::bigint, 'security of pg_class:' || c.oid, c.oid, format('alter table %I %s', c.relname, concat_ws(', ',
      case when c.relrowsecurity then 'enable row level security' end, case when c.relforcerowsecurity then 'force row level security' end)), null
    from whole c where c.relrowsecurity or c.relforcerowsecurity)
  select rank, age, key, 'pg_class:' || relation, sql, needs from part order by 1, 2, 3`

/** Which sequence is whose. */
export const OWNERS = `select ${RANKS.owner - RANKS.part}, row_number() over (order by s.relname), 'owner:' || s.oid, 'pg_class:' || c.oid,
    format('alter sequence %I owned by %I.%I', s.relname, c.relname, a.attname), format('pg_class:%s,pg_class:%s', s.oid, c.oid)
  from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S' join pg_class c on c.oid = d.refobjid
  join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
  where d.classid = 'pg_class'::regclass and d.deptype = 'a' and c.relnamespace = current_schema()::regnamespace and c.relname = any($1)
  order by s.relname`

/** Tables with their partitions. */
export const WITH_PARTITIONS = `with recursive whole as (select c.oid, c.relname from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname = any($1)
    union select c.oid, c.relname from whole w join pg_inherits i on i.inhparent = w.oid join pg_class c on c.oid = i.inhrelid
      where c.relnamespace = current_schema()::regnamespace and c.relispartition)
  select relname from whole order by relname`
