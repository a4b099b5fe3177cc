/** How long keys last: what a shorter `keys.longest` means for those that were made before. */
import type { Catalog, PlanContribution, PluginContext } from '../../engine/index.ts'
import { authOptions } from './options.ts'

/** SQL: the moment at which a key of the alias `k` ends at the latest. */
function latest(catalog: Catalog): string {
  const { longestDays } = authOptions(catalog.pluginOptions.get('auth') ?? {}).keys
  return `k.created_at + interval '${longestDays} days'`
}

/** Brings the end of keys forward that would last longer than any may now; a session judges it besides. */
export async function shortenKeys({ catalog, database }: PluginContext): Promise<void> {
  const { table } = catalog.resources.get('access_keys')!
  const text = `update "${table}" k set expires_at = ${latest(catalog)} where k.expires_at > ${latest(catalog)}`
  await database.adhoc.run({ text }, [])
}

/** How many keys would end at once or earlier, and of how many accounts. */
export const plannedKeys: PlanContribution = async ({ catalog, now, options, runner }) => {
  const { table } = catalog.resources.get('access_keys')!
  const text = `select count(*) filter (where ${latest(catalog)} <= $1::timestamptz),
      count(*) filter (where ${latest(catalog)} > $1::timestamptz), count(distinct k.user_id)
    from "${table}" k where k.expires_at > $1::timestamptz and k.expires_at > ${latest(catalog)}`
  const [row] = await runner.run({ text }, [now()])
  const [ended, earlier, accounts] = (row ?? []).map(Number)
  const parts = [
    ...(ended ? [`${counted(ended, 'key')} would end at once`] : []),
    ...(earlier ? [`${counted(earlier, 'key')} would end earlier`] : []),
  ]
  const { longestDays } = authOptions(options).keys
  return parts.length === 0
    ? []
    : [
        `auth: no key would last longer than ${longestDays} days: ${parts.join(', and ')}, of ${counted(accounts ?? 0, 'account')}`,
      ]
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}
