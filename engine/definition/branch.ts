/** Decides which branch of a union an author meant, so that only the mistakes of that branch are reported. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import { memo } from '../memo.ts'
import { meant as meantOf } from '../text/synonyms.ts'
import { likelyWord } from './complaint.ts'
import { isKind, words } from './sentence.ts'

export type Picked =
  | { readonly kind: 'branch'; readonly schema: JsonSchema }
  /** No branch takes values of this JSON type, or this word. */
  | { readonly kind: 'none' }
  /** Branches differ by the word under one key, and none knows this word. */
  | {
      readonly kind: 'unknown_word'
      readonly key: string
      readonly value: Json
      /** What the key and the word were probably meant to be. */
      readonly meant: { readonly [tag: string]: string } | undefined
      readonly expected: readonly Json[]
      readonly schema: JsonSchema
    }
  /** No key is there by which the branches differ. */
  | { readonly kind: 'missing_key'; readonly expected: readonly string[]; readonly schema: JsonSchema }

/** A schema behind its `$ref`, which always points into the root's definitions. */
export function resolveSchema(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref } = schema
  if (typeof $ref !== 'string' || !$ref.startsWith('#/definitions/')) return schema
  const definitions = root.definitions as Readonly<Record<string, JsonSchema>>
  const target = definitions[$ref.slice('#/definitions/'.length)]
  return target === undefined ? schema : resolveSchema(target, root)
}

/** The resolved branches of a union, or undefined if the schema is none; the same list each time. */
export const branchesOf = memo((schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] | undefined => {
  const branches = schema.oneOf ?? schema.anyOf
  if (!Array.isArray(branches)) return undefined
  return branches.map((branch: JsonSchema) => resolveSchema(branch, root))
})

/** The branch for a value: by its JSON type, then by the word under a shared key, then by the keys that are there. */
export function pickBranch(branches: readonly JsonSchema[], value: Json): Picked {
  const fitting = isObject(value)
    ? mapBranches(branches)
    : branches.filter((branch) => isKind(branch, value) && (words(branch)?.includes(value) ?? true))
  const [only] = fitting
  if (only === undefined) return { kind: 'none' }
  if (fitting.length === 1 || typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'branch', schema: only }
  return byTag(fitting, value as JsonObject) ?? byKeys(fitting, value as JsonObject)
}

/** The branches that take maps; the same list each time. */
const mapBranches = memo((branches: readonly JsonSchema[]): readonly JsonSchema[] =>
  branches.filter((branch) => isKind(branch, {}) && words(branch) === undefined),
)

/** The key under which every branch has a fixed word, and the branches by that word. */
interface Tag {
  readonly tag: string
  readonly byWord: ReadonlyMap<Json, JsonSchema>
}

const tagOf = memo((branches: readonly JsonSchema[]): Tag | { readonly tag: undefined } => {
  const isTag = (key: string) => branches.every((branch) => 'const' in (propertiesOf(branch)[key] ?? {}))
  const tag = Object.keys(propertiesOf(branches[0])).find(isTag)
  const byWord = (key: string) => new Map(branches.map((branch) => [propertiesOf(branch)[key]?.const as Json, branch]))
  return tag === undefined ? { tag } : { tag, byWord: byWord(tag) }
})

/** By the fixed word that every branch has under the same key, such as `type: string`; undefined where they have none. */
function byTag(branches: readonly JsonSchema[], value: JsonObject): Picked | undefined {
  const found = tagOf(branches)
  if (found.tag === undefined) return undefined
  const { tag, byWord } = found
  const key = Object.hasOwn(value, tag) ? tag : Object.keys(value).find((word) => meantOf(word, [tag]) === tag)
  if (key === undefined) return { kind: 'missing_key', expected: [tag], schema: joined(branches) }
  const word = value[key] ?? null
  const known = byWord.get(word)
  if (known !== undefined) return { kind: 'branch', schema: known }
  const expected = [...byWord.keys()]
  const near = likelyWord(word, expected.map(String))
  const likely = near === undefined ? undefined : byWord.get(near)
  return {
    kind: 'unknown_word',
    key,
    value: word,
    expected,
    schema: without(likely ?? joined(branches), tag),
    meant: near === undefined ? undefined : { [tag]: near },
  }
}

/** By the required keys that are there; where no branch has all of its own, by one that seems misspelled. */
function byKeys(branches: readonly JsonSchema[], value: JsonObject): Picked {
  const given = Object.keys(value)
  const complete = branches.find((branch) => requiredOf(branch).every((key) => given.includes(key)))
  if (complete !== undefined) return { kind: 'branch', schema: complete }
  const expected = [...new Set(branches.flatMap(requiredOf))]
  const meant = given.map((key) => meantOf(key, expected)).find((key) => key !== undefined)
  const likely = meant === undefined ? undefined : branches.find((branch) => requiredOf(branch).includes(meant))
  if (likely !== undefined) return { kind: 'branch', schema: likely }
  return { kind: 'missing_key', expected, schema: joined(branches) }
}

/** A map with the keys of all branches, to judge the rest of a value by when its branch is unknown. */
function joined(branches: readonly JsonSchema[]): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  for (const [key, schema] of branches.flatMap((branch) => Object.entries(propertiesOf(branch)))) {
    const known = properties[key]
    // Where branches disagree about a key, any value of it passes.
    properties[key] = known === undefined || same(known, schema) ? schema : {}
  }
  return { type: 'object', properties, additionalProperties: false }
}

function same(a: JsonSchema, b: JsonSchema): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/** The branch without its word, because the wrong word is reported already. */
function without(branch: JsonSchema, tag: string): JsonSchema {
  return {
    ...branch,
    properties: { ...propertiesOf(branch), [tag]: {} },
    required: requiredOf(branch).filter((key) => key !== tag),
  }
}

function propertiesOf(schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  return (schema?.properties ?? {}) as Readonly<Record<string, JsonSchema>>
}

function requiredOf(schema: JsonSchema): readonly string[] {
  return (schema.required ?? []) as readonly string[]
}
