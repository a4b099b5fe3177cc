/** Decides which branch of a union an author meant, so that only its mistakes are told. */
import type { Json, JsonObject, JsonSchema } from '../json.ts'
import { nearest } from '../text/nearest.ts'
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
  /** None of the keys that tell the branches apart is there. */
  | { readonly kind: 'missing_key'; readonly expected: readonly string[]; readonly schema: JsonSchema }

/** A schema behind its `$ref`, which always points into the root's definitions. */
export function resolveSchema(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { $ref } = schema
  if (typeof $ref !== 'string' || !$ref.startsWith('#/definitions/')) return schema
  const definitions = root.definitions as Readonly<Record<string, JsonSchema>>
  const target = definitions[$ref.slice('#/definitions/'.length)]
  return target === undefined ? schema : resolveSchema(target, root)
}

/** The resolved branches of a union, or undefined if the schema is none. */
export function branchesOf(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] | undefined {
  const branches = schema.oneOf ?? schema.anyOf
  return Array.isArray(branches) ? branches.map((branch: JsonSchema) => resolveSchema(branch, root)) : undefined
}

/** The branch for a value: by its JSON type, then by the word under a shared key, then by the keys that are there. */
export function pickBranch(branches: readonly JsonSchema[], value: Json): Picked {
  const fitting = branches.filter((branch) => isKind(branch, value) && (words(branch)?.includes(value) ?? true))
  const [only] = fitting
  if (only === undefined) return { kind: 'none' }
  if (fitting.length === 1 || typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'branch', schema: only }
  return byTag(fitting, value as JsonObject) ?? byKeys(fitting, value as JsonObject)
}

function byTag(branches: readonly JsonSchema[], value: JsonObject): Picked | undefined {
  const tag = Object.keys(propertiesOf(branches[0])).find((key) =>
    branches.every((branch) => 'const' in (propertiesOf(branch)[key] ?? {})),
  )
  if (tag === undefined) return undefined
  const expected = branches.flatMap((branch) => words(propertiesOf(branch)[tag] ?? {}) ?? [])
  const key = Object.hasOwn(value, tag) ? tag : Object.keys(value).find((word) => nearest(word, [tag]) === tag)
  if (key === undefined) return { kind: 'missing_key', expected: [tag], schema: joined(branches) }
  const word = value[key] ?? null
  const ofWord = (wanted: Json | undefined) => branches.find((branch) => propertiesOf(branch)[tag]?.const === wanted)
  const known = ofWord(word)
  if (known !== undefined) return { kind: 'branch', schema: known }
  const close = nearest(String(word), expected.map(String))
  const schema = without(ofWord(close) ?? joined(branches), tag)
  return {
    kind: 'unknown_word',
    key,
    value: word,
    expected,
    schema,
    meant: close === undefined ? close : { [tag]: close },
  }
}

function byKeys(branches: readonly JsonSchema[], value: JsonObject): Picked {
  const given = Object.keys(value)
  const complete = branches.find((branch) => requiredOf(branch).every((key) => given.includes(key)))
  if (complete !== undefined) return { kind: 'branch', schema: complete }
  const expected = [...new Set(branches.flatMap(requiredOf))]
  const meant = given.map((key) => nearest(key, expected)).find((key) => key !== undefined)
  const schema = branches.find((branch) => meant !== undefined && requiredOf(branch).includes(meant))
  return schema === undefined ? { kind: 'missing_key', expected, schema: joined(branches) } : { kind: 'branch', schema }
}

/** All keys of all branches: what is left to judge by when no branch can be told. */
function joined(branches: readonly JsonSchema[]): JsonSchema {
  const properties: Record<string, JsonSchema> = {}
  for (const branch of branches) {
    for (const [key, schema] of Object.entries(propertiesOf(branch))) {
      const known = properties[key]
      // Where branches disagree about a key's value, any is let pass.
      properties[key] = known === undefined || same(known, schema) ? schema : {}
    }
  }
  return { type: 'object', properties, additionalProperties: false }
}

function same(a: JsonSchema, b: JsonSchema): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/** The branch without its word, which has been complained of already. */
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
