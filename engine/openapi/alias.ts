/** Component schemas that are equal but for their descriptions are written once; the others refer to the first of them. */
import type { JsonSchema } from '../json.ts'
import { isWorthReference, schemaRef, split } from './schema.ts'

/** The schemas by name; one that says what an earlier one says is a reference to it, with its own description. */
export function aliased(schemas: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const first = new Map<string, string>()
  const short: Record<string, JsonSchema> = {}
  for (const [name, schema] of Object.entries(schemas)) {
    const [about, value] = split(schema)
    const text = JSON.stringify(value)
    // One without a description would be shown with that of the other.
    const key = `${'description' in about} ${text}`
    const known = isWorthReference(text) ? first.get(key) : undefined
    short[name] = known === undefined ? schema : { ...schemaRef(known), ...about }
    if (known === undefined) first.set(key, name)
  }
  return short
}
