/** Reads the objects of a schema other than rows ⇄, each as the SQL that makes it again, and on what it depends. */
import type { Row, Runner } from '../database/database.ts'
import { quoteText } from '../migration/sql-name.ts'
import { visible } from '../text/visible.ts'
import { OWNERS, RELATION_KINDS, RELATION_PARTS, WITH_PARTITIONS } from './relations.ts'
import { FAMILY_MEMBERS, ROUTINE_KINDS } from './routines.ts'
import {
  collation,
  type Dependence,
  dictionary,
  type Kind,
  operatorClass,
  own,
  parser,
  RANKS,
  reachable,
  routine,
  type SchemaObject,
  template,
} from './schema-object.ts'

const PARSERS = `select p.oid, format('create text search parser %I (%s)', p.prsname, concat_ws(', ', 'start = ' || ${routine('p.prsstart')},
    'gettoken = ' || ${routine('p.prstoken')}, 'end = ' || ${routine('p.prsend')}, 'lextypes = ' || ${routine('p.prslextype')},
    'headline = ' || ${routine('p.prsheadline')}))
  from pg_ts_parser p where ${own('pg_ts_parser', 'p', 'p.prsnamespace')} order by p.oid`

const TEMPLATES = `select t.oid, format('create text search template %I (%s)', t.tmplname, concat_ws(', ', 'init = ' || ${routine('t.tmplinit')},
    'lexize = ' || ${routine('t.tmpllexize')}))
  from pg_ts_template t where ${own('pg_ts_template', 't', 't.tmplnamespace')} order by t.oid`

const DICTIONARIES = `select d.oid, format('create text search dictionary %I (%s)', d.dictname, concat_ws(', ', 'template = ' || ${template('d.dicttemplate')},
    d.dictinitoption)) from pg_ts_dict d where ${own('pg_ts_dict', 'd', 'd.dictnamespace')} order by d.oid`

const CONFIGURATIONS = `select c.oid, format('create text search configuration %I (parser = %s)', c.cfgname, ${parser('c.cfgparser')})
  from pg_ts_config c where ${own('pg_ts_config', 'c', 'c.cfgnamespace')} order by c.oid`

const TEXT_SEARCH_KINDS: readonly Kind[] = [
  { rank: RANKS.routine, catalog: 'pg_ts_parser', text: PARSERS },
  { rank: RANKS.routine, catalog: 'pg_ts_template', text: TEMPLATES },
  { rank: RANKS.routine, catalog: 'pg_ts_dict', text: DICTIONARIES },
  { rank: RANKS.routine, catalog: 'pg_ts_config', text: CONFIGURATIONS },
]

/** Which dictionaries a configuration asks about each kind of token. */
const MAPPINGS = `select ${RANKS.routine - RANKS.part}, c.oid::bigint * 1000 + m.maptokentype, format('mapping of pg_ts_config:%s.%s', c.oid, m.maptokentype), 'pg_ts_config:' || c.oid,
    format('alter text search configuration %I add mapping for %I with %s', c.cfgname,
      (select alias from ts_token_type(c.cfgparser) where tokid = m.maptokentype), string_agg(${dictionary('m.mapdict')}, ', ' order by m.mapseqno)), null
  from pg_ts_config c join pg_ts_config_map m on m.mapcfg = c.oid
  where ${own('pg_ts_config', 'c', 'c.cfgnamespace')} group by c.oid, c.cfgname, c.cfgparser, m.maptokentype order by 2`

/** Versions of PostgreSQL keep the locale under different names. */
const COLLATIONS = `select o.oid, format('create collation %s (%s)', ${collation('o.oid')}, concat_ws(', ',
    'provider = ' || case o.collprovider when 'i' then 'icu' when 'b' then 'builtin' else 'libc' end,
    case when o.collprovider in ('i', 'b') then 'locale = ' || quote_literal(coalesce(to_jsonb(o)->>'colllocale', to_jsonb(o)->>'colliculocale', o.collcollate))
      else format('lc_collate = %L, lc_ctype = %L', o.collcollate, o.collctype) end,
    case when not o.collisdeterministic then 'deterministic = false' end,
    'rules = ' || quote_literal(to_jsonb(o)->>'collicurules')))
  from pg_collation o where ${reachable('pg_collation', 'o', 'o.collnamespace')} order by o.oid`

/**
 * A range with a function for its canonical form needs a type that is not whole yet, which no language but C can take.
 */
const TYPES = `select t.oid, format_type(t.oid, null), t.typtype,
    (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
    format_type(t.typbasetype, t.typtypmod), t.typnotnull, pg_get_expr(t.typdefaultbin, 0),
    (select string_agg('constraint ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid), ' ' order by k.conname)
      from pg_constraint k where k.contypid = t.oid and k.contype = 'c' and k.convalidated),
    (select string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
        || case when a.attcollation not in (0, f.typcollation) then ' collate ' || ${collation('a.attcollation')} else '' end, ', ' order by a.attnum)
      from pg_attribute a join pg_type f on f.oid = a.atttypid where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped),
    (select concat_ws(', ', 'subtype = ' || format_type(r.rngsubtype, null),
        case when not s.opcdefault then 'subtype_opclass = ' || ${operatorClass('s.oid')} end,
        case when r.rngcollation not in (0, f.typcollation) then 'collation = ' || ${collation('r.rngcollation')} end,
        'subtype_diff = ' || ${routine('r.rngsubdiff')},
        'multirange_type_name = ' || format_type((to_jsonb(r)->>'rngmultitypid')::oid, null))
      from pg_range r join pg_opclass s on s.oid = r.rngsubopc join pg_type f on f.oid = r.rngsubtype where r.rngtypid = t.oid and r.rngcanonical = 0),
    case when t.typcollation not in (0, b.typcollation) then ${collation('t.typcollation')} end
  from pg_type t left join pg_class c on c.oid = t.typrelid left join pg_type b on b.oid = t.typbasetype
  where (t.typtype in ('e', 'd', 'r') or c.relkind = 'c') and ${reachable('pg_type', 't', 't.typnamespace')} order by t.oid`

function typeSql([name, kind, words, base, required, preset, checks, parts, range, collated]: Row): string | undefined {
  if (kind === 'e') return `create type ${name} as enum (${words ?? ''})`
  if (kind === 'r') return range === null ? undefined : `create type ${name} as range (${range})`
  if (kind === 'c') return `create type ${name} as (${parts ?? ''})`
  const more = [
    collated === null ? '' : ` collate ${collated}`,
    preset === null ? '' : ` default ${preset}`,
    required === 't' ? ' not null' : '',
    checks ? ` ${checks}` : '',
  ]
  return `create domain ${name} as ${base}${more.join('')}`
}

const TYPE_KINDS: readonly Kind[] = [
  { rank: RANKS.type, catalog: 'pg_collation', text: COLLATIONS },
  { rank: RANKS.type, catalog: 'pg_type', text: TYPES, sqlOf: typeSql },
]

/** Checks of domains that older values need not meet. */
const TYPE_PARTS = `select 3, k.oid, 'pg_constraint:' || k.oid, 'pg_type:' || t.oid,
    format('alter domain %s add constraint %I %s', format_type(t.oid, null), k.conname, pg_get_constraintdef(k.oid)), null
  from pg_constraint k join pg_type t on t.oid = k.contypid
  where k.contype = 'c' and not k.convalidated and ${reachable('pg_type', 't', 't.typnamespace')} order by k.oid`

/** Objects of PostgreSQL itself have lower oids. */
const DEPENDENCES = `select distinct classid::regclass || ':' || objid, refclassid::regclass || ':' || refobjid, deptype from pg_depend
  where objid >= 16384 and (refobjid >= 16384 or refclassid = 'pg_namespace'::regclass and refobjid = current_schema()::regnamespace) order by 1, 2, 3`

/** Types, collations and functions of other schemas. */
const ELSEWHERE = `select o.key, n.nspname from (
    select 'pg_type:' || oid as key, typnamespace as schema from pg_type union all
    select 'pg_collation:' || oid, collnamespace from pg_collation union all
    select 'pg_proc:' || oid, pronamespace from pg_proc) o
  join pg_namespace n on n.oid = o.schema where n.oid <> current_schema()::regnamespace and n.nspname !~ '^pg_'`

const KINDS: readonly (Kind & { readonly ofTables?: true })[] = [
  ...TYPE_KINDS,
  ...ROUTINE_KINDS,
  ...TEXT_SEARCH_KINDS,
  ...RELATION_KINDS,
]

/** Parts of anything but tables. */
const PARTS: readonly string[] = [TYPE_PARTS, FAMILY_MEMBERS, MAPPINGS]

/**
 * All objects of the schema that can be made again together with the tables of these names, types, collations and
 * functions of other schemas, and their dependences.
 */
export async function readObjects(
  runner: Runner,
  tables: readonly string[],
): Promise<{ readonly objects: readonly SchemaObject[]; readonly dependences: readonly Dependence[] }> {
  const ask = (text: string, values: readonly unknown[] = []) => runner.run({ text }, values)
  const whole = [(await ask(WITH_PARTITIONS, [tables])).map(([name]) => name ?? '')]
  const objects: SchemaObject[] = []
  for (const { rank, catalog, text, sqlOf = ([sql]: Row) => sql ?? undefined, ofTables } of KINDS)
    for (const [oid, ...more] of await ask(text, ofTables ? whole : []))
      objects.push({ key: `${catalog}:${oid}`, rank, age: Number(oid), sql: sqlOf(more) })
  for (const text of PARTS) objects.push(...(await ask(text)).map(partOf))
  for (const text of [RELATION_PARTS, OWNERS]) objects.push(...(await ask(text, whole)).map(partOf))
  const dependences = (await ask(DEPENDENCES)).map(([from, on, kind]): Dependence => {
    return { from: from ?? '', on: on ?? '', kind: kind ?? '' }
  })
  const schemas = new Map((await ask(ELSEWHERE)).map(([key, schema]) => [key, schema ?? undefined]))
  const placed = objects.map((object) => ({ ...object, elsewhere: schemas.get(object.of ?? object.key) }))
  return { objects: placed, dependences }
}

function partOf([rank, age, key, of, sql, needs]: Row): SchemaObject {
  return {
    key: key ?? '',
    rank: RANKS.part + Number(rank),
    age: Number(age),
    of: of ?? '',
    needs: [of ?? '', ...(needs?.split(',') ?? [])],
    sql: sql ?? undefined,
  }
}

/** These objects in words of PostgreSQL: `view sold_by_day`. */
export async function describe(runner: Runner, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 0) return []
  const named = keys.map((key) => key.split(':')).map(([catalog, oid]) => `(${quoteText(catalog ?? '')}, ${oid}::oid)`)
  const text = `select pg_describe_object(catalog::regclass, oid, 0) from (values ${named.join(', ')}) as k (catalog, oid)`
  return (await runner.run({ text }, [])).map(([name]) => visible(name ?? 'something that is gone'))
}
