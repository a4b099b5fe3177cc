/**
 * Protects secrets that are stored as they were sent ⇄: seals them with the present secret of the application, or
 * hashes them.
 */
import type { Catalog, Resource } from '../../catalog/catalog.ts'
import { idType, type ProtectedField, protectedFields } from '../../catalog/stored.ts'
import type { Runner } from '../../database/database.ts'
import { quoted as q } from '../../filter/sql.ts'
import { LIMITS } from '../../limits.ts'
import { protectedAnew, protectedPrefix } from '../../seal.ts'
import type { Settings } from '../../settings.ts'

const IS_THERE = `select 1 from pg_attribute where attrelid = to_regclass($1) and attname = $2 and not attisdropped`

/**
 * Protects the values in all tables; returns how many. After a kill, the next run goes on with the remaining batches.
 */
export async function protectSecrets(catalog: Catalog, settings: Settings, runner: Runner): Promise<number> {
  let taken = 0
  for (const resource of catalog.resources.values()) {
    if (resource.owner !== resource.name || resource.existing) continue
    for (const kept of protectedFields(catalog, resource))
      taken += await protectColumn(resource, kept, settings, runner)
  }
  return taken
}

async function protectColumn(
  { key, table }: Resource,
  { field, how }: ProtectedField,
  settings: Settings,
  runner: Runner,
): Promise<number> {
  const [there] = await runner.run({ text: IS_THERE }, [q(table), field.column])
  if (there === undefined) return 0
  const [id, column, type] = [q(key.column), q(field.column), idType({ key })]
  const open = `starts_with(${column}, $1) is false`
  const read = (behind: string) =>
    `select ${id}::text as plinth_key, ${column} from ${q(table)} where ${open}${behind} order by ${id} limit ${LIMITS.migrationBatch}`
  // Values that were written meanwhile are protected already.
  const write = `update ${q(table)} t set ${column} = v.becomes
    from unnest($1::text[], $2::text[], $3::text[]) as v(id, was, becomes) where t.${id} = v.id::${type} and t.${column} = v.was`
  const prefix = await protectedPrefix(settings, how)
  let taken = 0
  for (let last: string | undefined; ; ) {
    const values = last === undefined ? [prefix] : [prefix, last]
    const rows = await runner.run({ text: read(last === undefined ? '' : ` and ${id} > $2::${type}`) }, values)
    const changed = await Promise.all(
      rows.map(async ([own, was]) => [own, was, await protectedAnew(settings, how, was ?? '')] as const),
    )
    const due = changed.filter(([, , becomes]) => becomes !== undefined)
    if (due.length > 0)
      await runner.run(
        { text: write },
        [0, 1, 2].map((at) => due.map((one) => one[at])),
      )
    taken += due.length
    if (rows.length < LIMITS.migrationBatch) return taken
    last = rows.at(-1)?.[0] ?? undefined
  }
}
