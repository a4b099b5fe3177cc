/** Functions, aggregates, operators, casts and conversions of a schema as the SQL that makes them again. */
import type { Row } from '../database/database.ts'
import { type Kind, ofNoExtension, operator, operatorFamily, own, RANKS, reachable, routine } from './schema-object.ts'

/** The library of a function in C cannot be copied, so the function has no SQL. */
const FUNCTIONS = `select p.oid, case when l.lanname <> 'c' then pg_get_functiondef(p.oid) end, p.pronamespace <> current_schema()::regnamespace
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.prokind <> 'a' and ${reachable('pg_proc', 'p', 'p.pronamespace')} and not exists (
    select 1 from pg_depend i where i.classid = 'pg_proc'::regclass and i.objid = p.oid and i.deptype = 'i') order by p.oid`

function modifies(column: string): string {
  return `case ${column} when 'r' then 'read_only' when 's' then 'shareable' else 'read_write' end`
}

const AGGREGATES = `select p.oid, 'create aggregate ' || quote_ident(p.proname) || '(' || coalesce(nullif(pg_get_function_arguments(p.oid), ''), '*')
    || ') (' || concat_ws(', ', 'sfunc = ' || ${routine('a.aggtransfn')}, 'stype = ' || format_type(a.aggtranstype, null),
      'sspace = ' || nullif(a.aggtransspace, 0), 'finalfunc = ' || ${routine('a.aggfinalfn')},
      case when a.aggfinalextra then 'finalfunc_extra' end,
      case when a.aggfinalfn::oid <> 0 then 'finalfunc_modify = ' || ${modifies('a.aggfinalmodify')} end,
      'combinefunc = ' || ${routine('a.aggcombinefn')}, 'serialfunc = ' || ${routine('a.aggserialfn')},
      'deserialfunc = ' || ${routine('a.aggdeserialfn')}, 'initcond = ' || quote_literal(a.agginitval),
      'msfunc = ' || ${routine('a.aggmtransfn')}, 'minvfunc = ' || ${routine('a.aggminvtransfn')},
      case when a.aggmtranstype <> 0 then 'mstype = ' || format_type(a.aggmtranstype, null) end,
      'msspace = ' || nullif(a.aggmtransspace, 0), 'mfinalfunc = ' || ${routine('a.aggmfinalfn')},
      case when a.aggmfinalextra then 'mfinalfunc_extra' end,
      case when a.aggmfinalfn::oid <> 0 then 'mfinalfunc_modify = ' || ${modifies('a.aggmfinalmodify')} end,
      'minitcond = ' || quote_literal(a.aggminitval), 'sortop = ' || ${operator('a.aggsortop')},
      'parallel = ' || case p.proparallel when 's' then 'safe' when 'r' then 'restricted' else 'unsafe' end,
      case when a.aggkind = 'h' then 'hypothetical' end) || ')'
  from pg_aggregate a join pg_proc p on p.oid = a.aggfnoid where ${own('pg_proc', 'p', 'p.pronamespace')} order by p.oid`

/** An operator that others name before it is made has no function yet. */
const OPERATORS = `select o.oid, format('create operator %s (%s)', o.oprname, concat_ws(', ', 'function = ' || ${routine('o.oprcode')},
    'leftarg = ' || format_type(nullif(o.oprleft, 0), null), 'rightarg = ' || format_type(nullif(o.oprright, 0), null),
    'commutator = ' || ${operator('o.oprcom')}, 'negator = ' || ${operator('o.oprnegate')},
    'restrict = ' || ${routine('o.oprrest')}, 'join = ' || ${routine('o.oprjoin')},
    case when o.oprcanhash then 'hashes' end, case when o.oprcanmerge then 'merges' end))
  from pg_operator o where o.oprcode <> 0 and ${own('pg_operator', 'o', 'o.oprnamespace')} order by o.oid`

const FAMILIES = `select f.oid, format('create operator family %I using %I', f.opfname, m.amname)
  from pg_opfamily f join pg_am m on m.oid = f.opfmethod where ${own('pg_opfamily', 'f', 'f.opfnamespace')} order by f.oid`

const MEMBER_OPERATOR = `format('operator %s %s (%s, %s)%s', q.amopstrategy, ${operator('q.amopopr')}, format_type(q.amoplefttype, null),
  format_type(q.amoprighttype, null), ' for order by ' || ${operatorFamily('q.amopsortfamily')})`
const MEMBER_FUNCTION = `format('function %s (%s, %s) %s', q.amprocnum, format_type(q.amproclefttype, null), format_type(q.amprocrighttype, null), q.amproc::oid::regprocedure)`

/** SQL of the members that belong to a class or a family itself, as pairs of a text and its needed objects. */
function members(catalog: 'pg_opclass' | 'pg_opfamily', oid: string): string {
  const belongs = (
    of: string,
  ) => `exists (select 1 from pg_depend d where d.classid = '${of}'::regclass and d.objid = q.oid
    and d.refclassid = '${catalog}'::regclass and d.refobjid = ${oid})`
  return `(select 0 as kind, q.oid, ${MEMBER_OPERATOR} as text, case when q.amopopr >= 16384 then 'pg_operator:' || q.amopopr end as needs from pg_amop q where ${belongs('pg_amop')}
    union all select 1, q.oid, ${MEMBER_FUNCTION}, case when q.amproc >= 16384 then 'pg_proc:' || q.amproc::oid end from pg_amproc q where ${belongs('pg_amproc')})`
}

const CLASSES = `select c.oid, format('create operator class %I %sfor type %s using %I family %s as %s', c.opcname, case when c.opcdefault then 'default ' else '' end,
    format_type(c.opcintype, null), m.amname, ${operatorFamily('c.opcfamily')}, concat_ws(', ',
      'storage ' || format_type(coalesce(nullif(c.opckeytype, 0), c.opcintype), null),
      (select string_agg(e.text, ', ' order by e.kind, e.oid) from ${members('pg_opclass', 'c.oid')} e)))
  from pg_opclass c join pg_am m on m.oid = c.opcmethod where ${own('pg_opclass', 'c', 'c.opcnamespace')} order by c.oid`

/** A cast has no schema, so it has that of its types and of its function. Ranges have one by themselves. */
const CASTS = `select c.oid, format('create cast (%s as %s) %s%s', format_type(c.castsource, null), format_type(c.casttarget, null),
    case c.castmethod when 'f' then 'with function ' || c.castfunc::regprocedure when 'i' then 'with inout' else 'without function' end,
    case c.castcontext when 'a' then ' as assignment' when 'i' then ' as implicit' else '' end)
  from pg_cast c where ${ofNoExtension('pg_cast', 'c')}
    and not exists (select 1 from pg_depend i where i.classid = 'pg_cast'::regclass and i.objid = c.oid and i.deptype = 'i') and (
    exists (select 1 from pg_type t where t.oid in (c.castsource, c.casttarget) and t.typnamespace = current_schema()::regnamespace)
    or exists (select 1 from pg_proc p where p.oid = c.castfunc and p.pronamespace = current_schema()::regnamespace)) order by c.oid`

const CONVERSIONS = `select c.oid, format('create %sconversion %I for %L to %L from %s', case when c.condefault then 'default ' else '' end, c.conname,
    pg_encoding_to_char(c.conforencoding), pg_encoding_to_char(c.contoencoding), ${routine('c.conproc')})
  from pg_conversion c where ${own('pg_conversion', 'c', 'c.connamespace')} order by c.oid`

/** Without the schema of the connection, which may be another one where it is made. */
function functionSql([sql, elsewhere]: Row): string | undefined {
  if (elsewhere === 't') return sql ?? undefined
  return sql?.replace(/^(CREATE OR REPLACE (?:FUNCTION|PROCEDURE) )(?:"(?:[^"]|"")+"|[^\s."(]+)\./, '$1')
}

export const ROUTINE_KINDS: readonly Kind[] = [
  { rank: RANKS.routine, catalog: 'pg_proc', text: FUNCTIONS, sqlOf: functionSql },
  { rank: RANKS.routine, catalog: 'pg_proc', text: AGGREGATES },
  { rank: RANKS.routine, catalog: 'pg_operator', text: OPERATORS },
  { rank: RANKS.routine, catalog: 'pg_opfamily', text: FAMILIES },
  { rank: RANKS.routine, catalog: 'pg_opclass', text: CLASSES },
  { rank: RANKS.routine, catalog: 'pg_conversion', text: CONVERSIONS },
  { rank: RANKS.cast, catalog: 'pg_cast', text: CASTS },
]

/** Members of operator families that belong to none of their classes. */
export const FAMILY_MEMBERS = `select ${RANKS.routine - RANKS.part}, f.oid, 'members of pg_opfamily:' || f.oid, 'pg_opfamily:' || f.oid,
    format('alter operator family %I using %I add %s', f.opfname, m.amname, string_agg(e.text, ', ' order by e.kind, e.oid)), string_agg(e.needs, ',')
  from pg_opfamily f join pg_am m on m.oid = f.opfmethod cross join lateral ${members('pg_opfamily', 'f.oid')} e
  where ${own('pg_opfamily', 'f', 'f.opfnamespace')} group by f.oid, f.opfname, m.amname order by f.oid`
