/** Changes of providers in app.yaml, seen at the start: who may come in by them is a matter of rights. */
import { createHash } from 'node:crypto'
import { isObject, type JsonObject, type PluginContext } from '../../../engine/index.ts'

/** Writes which providers were named, changed and taken out since the last start; one statement for all of them. */
export async function noteProviders({ catalog, database, now, options }: PluginContext): Promise<void> {
  const { table } = catalog.resources.get('rights_history')!
  const given: JsonObject = isObject(options.providers) ? options.providers : {}
  const marks = Object.entries(given).map(([name, value]) => [name, markOf(value)] as const)
  const text = `insert into "${table}" (act, provider, details, created_at)
    select 'provider_changed', coalesce(n.name, l.provider),
      jsonb_build_object('change', case when l.mark is null then 'named' when n.mark is null then 'taken out' else 'changed' end, 'mark', n.mark),
      $3::timestamptz
    from unnest($1::text[], $2::text[]) as n (name, mark)
    full join (
      select distinct on (provider) provider, details ->> 'mark' as mark from "${table}"
      where act = 'provider_changed' order by provider, id desc
    ) l on l.provider = n.name
    where l.mark is distinct from n.mark`
  await database.adhoc.run({ text }, [marks.map(([name]) => name), marks.map(([, mark]) => mark), now()])
}

/** A hash of the options of a provider. */
function markOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
}
