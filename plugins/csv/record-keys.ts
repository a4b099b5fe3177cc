/**
 * ⇄ Keys of records: which exist already, sequences that stay ahead of imported numbers, and the indexes that find
 * them.
 */
import {
  type FieldDefinition,
  isObject,
  type PluginContext,
  type Resource,
  type ResourceDefinition,
} from '../../engine/index.ts'
import { definitionOf } from './csv-key.ts'
import type { Entry } from './entry.ts'
import type { Sheet } from './parse.ts'

/** A sequence moves ahead by at most this much: a distant number would waste all the numbers between. */
const FURTHEST = 10_000_000

/** The keys of entries that records have, including deleted ones, which may come back. */
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

/** Adds the indexes to a resource that is imported by a key. */
export function findKeys(resource: ResourceDefinition): ResourceDefinition {
  const { fields = {}, indexes = [], live, of } = resource
  const definition = isObject(resource.csv) ? definitionOf(resource.csv) : undefined
  if (of !== undefined || definition?.import === undefined) return resource
  const keys = Object.entries(definition.columns).flatMap(([, column]) =>
    typeof column !== 'string' && column.key === true && isIndexable(fields[column.path]) ? [column.path] : [],
  )
  const found = keys.flatMap((key) => {
    const { unique } = fields[key]!
    const alike = unique === 'exact' ? {} : { alike: true }
    const dead = live === undefined ? [] : [{ fields: [key], where: { not: live }, ...alike }]
    return unique === undefined || unique === false ? [{ fields: [key], ...alike }, ...dead] : dead
  })
  return found.length === 0 ? resource : { ...resource, indexes: [...indexes, ...found] }
}

/** The characters that an index of the engine keeps. */
const INDEXED = 600

/** Whether the resource has the field itself, and an index keeps its longest value. */
function isIndexable(field: FieldDefinition | undefined): boolean {
  if (field === undefined || (field.type !== 'string' && field.type !== 'text')) return field !== undefined
  const longest = field.type === 'text' ? Number.POSITIVE_INFINITY : 255
  return (typeof field.max === 'number' ? field.max : longest) <= INDEXED
}
