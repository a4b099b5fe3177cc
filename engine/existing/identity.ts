/** ⇄ By what an object of one database is known again in another one: its kind and its names, without the name of the schema. */
import type { Runner } from '../database/database.ts'
import { quoteText } from '../migration/name.ts'

function withoutSchema(names: string): string {
  return `array_to_string(array(select case when u.name = current_schema() then ''
    when starts_with(u.name, quote_ident(current_schema()) || '.') then substr(u.name, length(quote_ident(current_schema())) + 2)
    else u.name end from unnest(${names}) with ordinality as u(name, at) order by u.at), ',')`
}

const IDENTITY = `i.type || ' ' || ${withoutSchema('i.object_names')} || '(' || ${withoutSchema('i.object_args')} || ')'`

/** The catalogs of what can be made by hand before a load; an operator or a type that is only named is not there yet. */
const CATALOGS = Object.entries({
  pg_type: `typisdefined and not exists (select 1 from pg_class c where c.oid = typrelid and c.relkind <> 'c')`,
  pg_collation: 'true',
  pg_proc: 'true',
  pg_operator: 'oprcode <> 0',
  pg_opfamily: 'true',
  pg_opclass: 'true',
  pg_cast: 'true',
  pg_conversion: 'true',
  pg_language: 'true',
  pg_am: 'true',
  pg_ts_parser: 'true',
  pg_ts_template: 'true',
  pg_ts_dict: 'true',
  pg_ts_config: 'true',
  pg_class: `relkind in ('r', 'p', 'v', 'm', 'f', 'S')`,
})

const THERE = `select ${IDENTITY} from (
    ${CATALOGS.map(([name, where]) => `select '${name}'::regclass as catalog, oid from ${name} where oid >= 16384 and ${where}`).join(' union all ')}
    union all select 'pg_authid'::regclass, oid from pg_roles
  ) k cross join lateral pg_identify_object_as_address(k.catalog, k.oid, 0) i`

/** What people or extensions made in this database, and its roles. */
export async function identitiesThere(runner: Runner): Promise<ReadonlySet<string>> {
  return new Set((await runner.run({ text: THERE }, [])).map(([identity]) => identity ?? ''))
}

/** The identity of each of these keys. */
export async function identitiesOf(runner: Runner, keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (keys.length === 0) return new Map()
  const named = keys
    .map((key) => [key, ...key.split(':')])
    .map(([key = '', catalog = '', oid]) => {
      return `(${quoteText(key)}, ${quoteText(catalog)}::regclass, ${oid}::oid)`
    })
  const text = `select k.key, ${IDENTITY} from (values ${named.join(', ')}) as k (key, catalog, oid)
    cross join lateral pg_identify_object_as_address(k.catalog, k.oid, 0) i`
  return new Map((await runner.run({ text }, [])).map(([key, identity]) => [key ?? '', identity ?? '']))
}
