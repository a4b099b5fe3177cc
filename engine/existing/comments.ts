/** Reads the comments on objects of a schema ⇄, each as the SQL that makes it again. */
import type { Runner } from '../database/database.ts'
import { type Dependence, RANKS, type SchemaObject } from './schema-object.ts'

const HERE = 'current_schema()::regnamespace'

/** Comments on objects with a catalog of their own: the name of the object as SQL over the row `k`. */
const NAMED = Object.entries({
  pg_collation: ['coll', `format('collation %I', k.collname)`],
  pg_operator: [
    'opr',
    `format('operator %s (%s, %s)', k.oprname, coalesce(format_type(nullif(k.oprleft, 0), null), 'none'), coalesce(format_type(nullif(k.oprright, 0), null), 'none'))`,
  ],
  pg_opclass: [
    'opc',
    `format('operator class %I using %I', k.opcname, (select amname from pg_am where oid = k.opcmethod))`,
  ],
  pg_opfamily: [
    'opf',
    `format('operator family %I using %I', k.opfname, (select amname from pg_am where oid = k.opfmethod))`,
  ],
  pg_conversion: ['con', `format('conversion %I', k.conname)`],
  pg_ts_parser: ['prs', `format('text search parser %I', k.prsname)`],
  pg_ts_template: ['tmpl', `format('text search template %I', k.tmplname)`],
  pg_ts_dict: ['dict', `format('text search dictionary %I', k.dictname)`],
  pg_ts_config: ['cfg', `format('text search configuration %I', k.cfgname)`],
  pg_statistic_ext: ['stx', `format('statistics %I', k.stxname)`],
}).map(
  ([catalog, [prefix, words]]) => `select '${catalog}:' || k.oid, format('comment on %s is %L', ${words}, d.description)
    from pg_description d join ${catalog} k on k.oid = d.objoid and k.${prefix}namespace = ${HERE} where d.classoid = '${catalog}'::regclass`,
)

/**
 * The object, as `pg_depend` names it, and the statement. An index is made with its constraint, the sequence of an
 * identity with its table.
 */
const COMMENTS = `select 'pg_class:' || coalesce((select i.refobjid from pg_depend i
      where i.classid = 'pg_class'::regclass and i.objid = c.oid and i.refclassid = i.classid and i.deptype = 'i'), c.oid), case d.objsubid when 0
      then format('comment on %s %I is %L', case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end, c.relname, d.description)
      else format('comment on column %I.%I is %L', c.relname, a.attname, d.description) end
    from pg_description d join pg_class c on c.oid = d.objoid and c.relnamespace = ${HERE} and c.relkind in ('r', 'p', 'v', 'm', 'S')
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid where d.classoid = 'pg_class'::regclass
  union all
  select coalesce('pg_constraint:' || k.oid, 'pg_class:' || c.oid), format('comment on index %I is %L', c.relname, d.description)
    from pg_description d join pg_class c on c.oid = d.objoid and c.relnamespace = ${HERE} and c.relkind in ('i', 'I')
    left join pg_constraint k on k.conindid = c.oid and k.contype in ('p', 'u', 'x') where d.classoid = 'pg_class'::regclass
  union all
  select 'pg_constraint:' || k.oid, format('comment on constraint %I on %I is %L', k.conname, c.relname, d.description)
    from pg_description d join pg_constraint k on k.oid = d.objoid
    join pg_class c on c.oid = k.conrelid and c.relnamespace = ${HERE} where d.classoid = 'pg_constraint'::regclass
  union all
  select 'pg_type:' || t.oid, format('comment on constraint %I on domain %s is %L', k.conname, format_type(t.oid, null), d.description)
    from pg_description d join pg_constraint k on k.oid = d.objoid
    join pg_type t on t.oid = k.contypid and t.typnamespace = ${HERE} where d.classoid = 'pg_constraint'::regclass
  union all
  select 'pg_type:' || t.oid, format('comment on %s %s is %L', case t.typtype when 'd' then 'domain' else 'type' end, format_type(t.oid, null), d.description)
    from pg_description d join pg_type t on t.oid = d.objoid and t.typnamespace = ${HERE} where d.classoid = 'pg_type'::regclass
  union all
  select 'pg_type:' || t.oid, format('comment on column %I.%I is %L', c.relname, a.attname, d.description)
    from pg_description d join pg_class c on c.oid = d.objoid and c.relnamespace = ${HERE} and c.relkind = 'c'
    join pg_type t on t.typrelid = c.oid join pg_attribute a on a.attrelid = c.oid and a.attnum = d.objsubid
    where d.classoid = 'pg_class'::regclass
  union all
  select 'pg_proc:' || p.oid, case p.prokind
      when 'a' then format('comment on aggregate %I(%s) is %L', p.proname, coalesce(nullif(pg_get_function_identity_arguments(p.oid), ''), '*'), d.description)
      else format('comment on routine %I(%s) is %L', p.proname, pg_get_function_identity_arguments(p.oid), d.description) end
    from pg_description d join pg_proc p on p.oid = d.objoid and p.pronamespace = ${HERE} where d.classoid = 'pg_proc'::regclass
  union all
  select 'pg_trigger:' || g.oid, format('comment on trigger %I on %I is %L', g.tgname, c.relname, d.description)
    from pg_description d join pg_trigger g on g.oid = d.objoid
    join pg_class c on c.oid = g.tgrelid and c.relnamespace = ${HERE} where d.classoid = 'pg_trigger'::regclass
  union all
  select 'pg_rewrite:' || r.oid, format('comment on rule %I on %I is %L', r.rulename, c.relname, d.description)
    from pg_description d join pg_rewrite r on r.oid = d.objoid
    join pg_class c on c.oid = r.ev_class and c.relnamespace = ${HERE} where d.classoid = 'pg_rewrite'::regclass
  union all
  select 'pg_policy:' || p.oid, format('comment on policy %I on %I is %L', p.polname, c.relname, d.description)
    from pg_description d join pg_policy p on p.oid = d.objoid
    join pg_class c on c.oid = p.polrelid and c.relnamespace = ${HERE} where d.classoid = 'pg_policy'::regclass
  union all
  select 'pg_cast:' || k.oid, format('comment on cast (%s as %s) is %L', format_type(k.castsource, null), format_type(k.casttarget, null), d.description)
    from pg_description d join pg_cast k on k.oid = d.objoid where d.classoid = 'pg_cast'::regclass
  union all ${NAMED.join(' union all ')}
  order by 2`

/** The comments on these objects, each after its object. */
export async function readComments(
  runner: Runner,
  on: readonly SchemaObject[],
): Promise<{ readonly objects: readonly SchemaObject[]; readonly dependences: readonly Dependence[] }> {
  const known = new Set(on.map(({ key }) => key))
  const rows = (await runner.run({ text: COMMENTS }, [])).filter(([key]) => known.has(key ?? ''))
  const objects = rows.map(([key, sql], age): SchemaObject => {
    return { key: `comment:${age}`, rank: RANKS.comment, age, of: key ?? '', sql: sql ?? undefined }
  })
  const dependences = objects.map(({ key, of = '' }): Dependence => ({ from: key, on: of, kind: 'n' }))
  return { objects, dependences }
}
