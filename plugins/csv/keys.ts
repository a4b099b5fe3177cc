/** ⇄ The keys of rows: which are taken already, and a sequence that stays ahead of those that are kept. */
import type { PluginContext, Resource } from '../../engine/index.ts'
import type { Entry } from './entry.ts'
import type { Sheet } from './parse.ts'

/** A sequence moves ahead by at most this much: a number further away would waste all the numbers between. */
const FURTHEST = 10_000_000

/** The identities of keys among the entries' that a record has, deleted ones too, which may come back. */
export async function takenKeys(
  { records }: PluginContext,
  resource: Resource,
  entries: readonly Entry[],
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>()
  const keys = entries.flatMap(({ key }) => key ?? [])
  for (const field of new Set(keys.map((key) => key.field))) {
    const { options, type } = field
    // No record has a key that the field cannot hold; the row is refused for it later.
    const possible = keys.flatMap((key) =>
      key.field === field && 'value' in type.decode(key.value, options) ? [key.value] : [],
    )
    const found = await records(resource.name).valuesTaken(field.name, possible)
    for (const key of keys) if (key.field === field && found.has(key.value)) taken.add(key.identity)
  }
  return taken
}

/** Moves the sequences of kept fields past the highest number that is about to be written. */
export async function keepAhead(
  { database }: PluginContext,
  resource: Resource,
  sheet: Sheet,
  entries: readonly Entry[],
): Promise<void> {
  for (const { field } of sheet.columns.keys()) {
    const sequence = field.type.generated?.(field.options, resource.table).sequence
    if (sequence === undefined) continue
    const highest = entries.reduce((most, { fixed }) => Math.max(most, Number(fixed[field.name] ?? 0)), 0)
    if (highest === 0) continue
    const name = `"${sequence.name.replaceAll('"', '""')}"`
    const text = `select setval('${name.replaceAll("'", "''")}', $1::bigint) from ${name} where last_value < $1::bigint and last_value + ${FURTHEST} > $1::bigint`
    await database.adhoc.run({ text }, [highest])
  }
}
