/** The operators of every list: those of a filter that several lists have in common are one schema. */
import type { Catalog } from '../catalog/catalog.ts'
import type { JsonSchema } from '../json.ts'
import { operatorSchemas } from './parameters.ts'
import { schemaRef } from './schema.ts'
import { pascal, type TypeNames } from './type-name.ts'

/** The schemas of filters by name, and those that they refer to; `taken` are names of other schemas. */
export function filterSchemas(
  { resources }: Pick<Catalog, 'resources'>,
  names: ReadonlyMap<string, TypeNames>,
  taken: readonly string[],
): Readonly<Record<string, JsonSchema>> {
  const lists = [...resources.values()].filter(({ filters }) => filters.size > 0)
  const all = lists.map((resource) => ({ name: names.get(resource.name)!.filters, of: operatorSchemas(resource) }))
  const times = new Map<string, number>()
  for (const { of } of all) {
    for (const schema of of.values()) {
      const text = JSON.stringify(schema)
      times.set(text, (times.get(text) ?? 0) + 1)
    }
  }
  const used = new Set(taken)
  const shared = new Map<string, string>()
  const schemas: Record<string, JsonSchema> = {}
  for (const { name, of } of all) {
    const refs: JsonSchema[] = []
    const own: Record<string, unknown> = {}
    for (const [filter, schema] of of) {
      const text = JSON.stringify(schema)
      if ((times.get(text) ?? 0) < 2) Object.assign(own, schema.properties)
      else {
        const part = shared.get(text) ?? freeName(filter, used)
        shared.set(text, part)
        used.add(part)
        schemas[part] = schema
        refs.push(schemaRef(part))
      }
    }
    const rest = { type: 'object', properties: own }
    schemas[name] =
      refs.length === 0
        ? { ...rest, additionalProperties: false }
        : { allOf: Object.keys(own).length === 0 ? refs : [...refs, rest], unevaluatedProperties: false }
  }
  return schemas
}

function freeName(filter: string, used: ReadonlySet<string>): string {
  const name = `${pascal(filter)}Operators`
  let free = name
  for (let number = 2; used.has(free); number += 1) free = `${name}${number}`
  return free
}
