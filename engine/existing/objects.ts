/** ⇄ What stands in a schema beside its rows, each as the SQL that makes it anew, and what of it needs what. */
import type { Row, Runner } from '../database/database.ts'
import { quoteText } from '../migration/name.ts'
import { visible } from '../text/visible.ts'
import { OWNERS, RELATION_KINDS, RELATION_PARTS, WITH_PARTITIONS } from './relations.ts'
import { FAMILY_MEMBERS, ROUTINE_KINDS } from './routines.ts'
import { type Dependence, type Kind, RANKS, type SchemaObject } from './schema-object.ts'
import { MAPPINGS, TEXT_SEARCH_KINDS } from './text-search.ts'
import { TYPE_KINDS, TYPE_PARTS } from './types.ts'

/** What PostgreSQL itself brings has lower numbers. */
const DEPENDENCES = `select distinct classid::regclass || ':' || objid, refclassid::regclass || ':' || refobjid, deptype from pg_depend
  where objid >= 16384 and (refobjid >= 16384 or refclassid = 'pg_namespace'::regclass and refobjid = current_schema()::regnamespace) order by 1, 2, 3`

const KINDS: readonly (Kind & { readonly ofTables?: true })[] = [
  ...TYPE_KINDS,
  ...ROUTINE_KINDS,
  ...TEXT_SEARCH_KINDS,
  ...RELATION_KINDS,
]

/** Parts of anything but tables. */
const PARTS: readonly string[] = [TYPE_PARTS, FAMILY_MEMBERS, MAPPINGS]

/** Everything of the schema that can be made anew with the tables of these names, and on what it depends. */
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
  return { objects, dependences }
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

/** What is depended on, in words of PostgreSQL: `view sold_by_day`. */
export async function describe(runner: Runner, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 0) return []
  const named = keys.map((key) => key.split(':')).map(([catalog, oid]) => `(${quoteText(catalog ?? '')}, ${oid}::oid)`)
  const text = `select pg_describe_object(catalog::regclass, oid, 0) from (values ${named.join(', ')}) as k (catalog, oid)`
  return (await runner.run({ text }, [])).map(([name]) => visible(name ?? 'something that is gone'))
}
