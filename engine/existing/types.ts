/** Types and collations of a schema as the SQL that makes them anew. */
import type { Row } from '../database/database.ts'
import { collation, type Kind, operatorClass, own, RANKS, routine } from './schema-object.ts'

/** Versions of PostgreSQL keep the locale under different names. */
const COLLATIONS = `select o.oid, format('create collation %I (%s)', o.collname, concat_ws(', ',
    'provider = ' || case o.collprovider when 'i' then 'icu' when 'b' then 'builtin' else 'libc' end,
    case when o.collprovider in ('i', 'b') then 'locale = ' || quote_literal(coalesce(to_jsonb(o)->>'colllocale', to_jsonb(o)->>'colliculocale', o.collcollate))
      else format('lc_collate = %L, lc_ctype = %L', o.collcollate, o.collctype) end,
    case when not o.collisdeterministic then 'deterministic = false' end,
    'rules = ' || quote_literal(to_jsonb(o)->>'collicurules')))
  from pg_collation o where ${own('pg_collation', 'o', 'o.collnamespace')} order by o.oid`

/** A range with a function for its canonical form needs a type that is not whole yet, which no language but C can take. */
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
  where (t.typtype in ('e', 'd', 'r') or c.relkind = 'c') and ${own('pg_type', 't', 't.typnamespace')} order by t.oid`

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

export const TYPE_KINDS: readonly Kind[] = [
  { rank: RANKS.type, catalog: 'pg_collation', text: COLLATIONS },
  { rank: RANKS.type, catalog: 'pg_type', text: TYPES, sqlOf: typeSql },
]

/** Checks of domains that older values need not meet. */
export const TYPE_PARTS = `select 3, k.oid, 'pg_constraint:' || k.oid, 'pg_type:' || t.oid,
    format('alter domain %s add constraint %I %s', format_type(t.oid, null), k.conname, pg_get_constraintdef(k.oid)), null
  from pg_constraint k join pg_type t on t.oid = k.contypid
  where k.contype = 'c' and not k.convalidated and ${own('pg_type', 't', 't.typnamespace')} order by k.oid`
