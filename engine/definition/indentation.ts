/** Finds what stands beside an empty map and belongs into it: lines that are indented too little. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import { branchesOf, resolveSchema } from './branch.ts'
import { isKind } from './sentence.ts'

/** The entries of a map that belong into an empty one above them, by its key. */
export type Fallen = ReadonlyMap<string, JsonObject>

const NOTHING: Fallen = new Map()

/** The schema of the value under a key of a map. */
export function schemaUnder(schema: JsonSchema, key: string): unknown {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  return Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties
}

/** What fell out of the maps without a value among the entries of `value`, which `schema` judges. */
export function fallenOut(schema: JsonSchema, value: JsonObject, root: JsonSchema): Fallen {
  if (!Object.values(value).includes(null)) return NOTHING
  const fallen = new Map<string, JsonObject>()
  const entries = Object.entries(value)
  let taken = 0
  for (const [index, [key, child]] of entries.entries()) {
    if (child !== null || index < taken) continue
    const within = ownBranches(schemaUnder(schema, key), root)
    if (within.length === 0 || !within.every((branch) => isKind(branch, {}) && !isKind(branch, null))) continue
    const rest = entries.slice(index + 1)
    const end = rest.findIndex(([name, one]) => isAtHome(schema, name, one, root) || !fits(within, name, one, root))
    const those = end === -1 ? rest : rest.slice(0, end)
    taken = index + 1 + those.length
    if (those.length > 0) fallen.set(key, Object.fromEntries(those))
  }
  return fallen
}

function ownBranches(schema: unknown, root: JsonSchema): readonly JsonSchema[] {
  if (!isObject(schema)) return []
  const resolved = resolveSchema(schema as JsonSchema, root)
  return branchesOf(resolved, root) ?? [resolved]
}

/** Whether an entry may stand where it is written. */
function isAtHome(schema: JsonSchema, key: string, value: Json, root: JsonSchema): boolean {
  const properties = (schema.properties ?? {}) as object
  if (Object.hasOwn(properties, key)) return true
  return value === null || ownBranches(schema.additionalProperties, root).some((branch) => isKind(branch, value))
}

/** Whether an entry may stand in a map of one of these branches. */
function fits(branches: readonly JsonSchema[], key: string, value: Json, root: JsonSchema): boolean {
  return branches.some((branch) => {
    if (Object.hasOwn((branch.properties ?? {}) as object, key)) return true
    return ownBranches(branch.additionalProperties, root).some((one) => isKind(one, value))
  })
}
