/** A schema that has all of another one and more, written as the other one and what is added. */
import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema } from '../json.ts'
import { schemaRef } from './schema.ts'

/**
 * `whole` as `allOf` of the schema called `name`, whose content is `base`, and of what differs from it; `whole` itself
 * where that is shorter, or where `base` has a property that `whole` has not.
 */
export function folded(whole: JsonSchema, name: string, base: JsonSchema): JsonSchema {
  if (isDeepStrictEqual(whole, base)) return schemaRef(name)
  const [all, inherited] = [propertiesOf(whole), propertiesOf(base)]
  const required = requiredOf(whole)
  const lost = [...Object.keys(inherited), ...requiredOf(base)]
  if (!lost.every((key) => key in all) || !requiredOf(base).every((key) => required.includes(key))) return whole
  const { properties, required: _, ...about } = whole
  const own = Object.fromEntries(
    Object.entries(all).filter(([key, schema]) => !(key in inherited && isDeepStrictEqual(inherited[key], schema))),
  )
  const more = required.filter((key) => !requiredOf(base).includes(key))
  // Generators read what is required of the other schema's properties beside `allOf`, not inside it.
  const made = {
    ...about,
    allOf: [schemaRef(name)],
    ...(Object.keys(own).length === 0 ? {} : { properties: own }),
    ...(more.length === 0 ? {} : { required: more }),
  }
  return JSON.stringify(made).length < JSON.stringify(whole).length ? made : whole
}

function propertiesOf({ properties }: JsonSchema): Readonly<Record<string, unknown>> {
  return (properties ?? {}) as Readonly<Record<string, unknown>>
}

function requiredOf({ required }: JsonSchema): readonly string[] {
  return (required ?? []) as readonly string[]
}
