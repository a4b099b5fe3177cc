/** Operations of a PATCH on the attributes of a resource (RFC 7644, section 3.5.2), in the forms that clients send. */
import { isObject, type Json, type JsonObject } from '../../engine/index.ts'
import { refused } from './error.ts'
import { holdsFor, valueAt } from './filter/holds.ts'
import { type Filter, parsePath, plainName, type Target } from './filter/parse.ts'

const MOST = 1_000

interface Operation {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string | undefined
  readonly value: Json | undefined
}

/** The attributes of a resource: those with several values, those that nobody writes, and those that are taken and not kept. */
export interface Shape {
  readonly several: readonly string[]
  readonly complex: readonly string[]
  readonly known: readonly string[]
  readonly ignored: (name: string) => boolean
}

type Draft = Record<string, Json>

/** A resource after the operations of a body; keys of both are in lower case. Throws a refusal for a wrong operation. */
export function patched(before: JsonObject, body: JsonObject, shape: Shape): JsonObject {
  const draft: Draft = structuredClone({ ...before })
  for (const operation of operationsIn(body)) apply(draft, operation, shape)
  return draft
}

function operationsIn(body: JsonObject): readonly Operation[] {
  const list = valueAt(body, 'operations')
  if (!Array.isArray(list) || list.length === 0)
    throw refused('invalidSyntax', 'A PATCH has a list of "Operations", each with an "op"')
  if (list.length > MOST) throw refused('tooMany', `A PATCH has at most ${MOST} operations`)
  return list.map((one) => {
    const op = String(valueAt(one, 'op') ?? '').toLowerCase()
    const path = valueAt(one, 'path')
    if (op !== 'add' && op !== 'remove' && op !== 'replace')
      throw refused('invalidSyntax', `The op "${op.slice(0, 40)}" is none of add, remove, replace`)
    if (path !== undefined && path !== null && typeof path !== 'string')
      throw refused('invalidPath', 'A path must be text')
    return {
      op,
      path: path === null || path === '' ? undefined : (path as string | undefined),
      value: valueAt(one, 'value'),
    }
  })
}

function apply(draft: Draft, { op, path, value }: Operation, shape: Shape): void {
  if (path !== undefined) {
    applyAt(draft, op, parsePath(path), value, shape)
    return
  }
  if (op === 'remove') throw refused('noTarget', 'A remove needs a path')
  if (!isObject(value)) throw refused('invalidValue', 'Without a path, the value is an object of attributes')
  for (const [key, one] of Object.entries(flattened(value))) applyAt(draft, op, parsePath(key), one, shape)
}

/** An object of attributes; one of the extension's has its attributes under their full names. */
function flattened(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      plainName(key) === 'enterprise.' && isObject(one)
        ? Object.entries(one).map(([name, inner]) => [`${key}:${name}`, inner] as const)
        : [[key, one] as const],
    ),
  )
}

function applyAt(draft: Draft, op: Operation['op'], target: Target, value: Json | undefined, shape: Shape): void {
  const { name, sub, where } = target
  if (shape.ignored(name) || name === 'schemas' || name === 'id' || name === 'meta') return
  if (!shape.known.includes(name)) throw refused('invalidPath', `There is no attribute "${name}"`)
  if (op !== 'remove' && value === undefined) throw refused('invalidValue', `"${name}" has no value`)
  if (shape.several.includes(name)) several(draft, op, target, value)
  else if (where !== undefined) throw refused('invalidPath', `"${name}" has one value, so nothing chooses among them`)
  else if (sub === undefined) whole(draft, op, name, value, shape)
  else if (shape.complex.includes(name)) part(draft, op, name, sub, value)
  else throw refused('invalidPath', `"${name}" has no parts`)
}

/** An attribute of one value; of one with parts, those that are sent. */
function whole(draft: Draft, op: Operation['op'], name: string, value: Json | undefined, shape: Shape): void {
  if (op === 'remove') delete draft[name]
  else if (shape.complex.includes(name) && isObject(value))
    draft[name] = { ...asObject(draft[name]), ...lowered(value) }
  else draft[name] = value!
}

function part(draft: Draft, op: Operation['op'], name: string, sub: string, value: Json | undefined): void {
  const { [sub]: _, ...others } = asObject(draft[name])
  draft[name] = op === 'remove' ? others : { ...others, [sub]: value! }
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {}
}

/** An object with its keys in lower case. */
export function lowered(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [plainName(key), one]))
}

/** The values of an attribute, each an object; a value alone is its `value`. */
export function elementsOf(value: Json | undefined): readonly JsonObject[] {
  const all = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]
  return all.map((one) => (isObject(one) ? lowered(one) : { value: one }))
}

function several(draft: Draft, op: Operation['op'], { name, sub, where }: Target, value: Json | undefined): void {
  const present = elementsOf(draft[name])
  if (where !== undefined) {
    draft[name] = [...chosen(present, op, where, sub, value, name)]
    return
  }
  if (sub !== undefined) {
    draft[name] = present.map((one) => ({ ...one, [sub]: value ?? null }))
    return
  }
  const given = elementsOf(value)
  const keys = new Set(given.map((one) => String(one.value)))
  const others = present.filter((one) => !keys.has(String(one.value)))
  if (op === 'remove') draft[name] = value === undefined || value === null ? [] : [...others]
  else draft[name] = op === 'replace' ? [...given] : [...withOnePrimary(others, given), ...given]
}

/** A value that becomes the primary one takes that from the others. */
function withOnePrimary(others: readonly JsonObject[], given: readonly JsonObject[]): readonly JsonObject[] {
  return given.some((one) => one.primary === true) ? others.map((one) => ({ ...one, primary: false })) : others
}

function chosen(
  present: readonly JsonObject[],
  op: Operation['op'],
  where: Filter,
  sub: string | undefined,
  value: Json | undefined,
  name: string,
): readonly JsonObject[] {
  const isChosen = (one: JsonObject): boolean => holdsFor(where, one)
  if (op === 'remove' && sub === undefined) return present.filter((one) => !isChosen(one))
  const change = sub === undefined ? lowered(asObject(value)) : { [sub]: op === 'remove' ? null : (value ?? null) }
  if (present.some(isChosen)) return present.map((one) => (isChosen(one) ? { ...one, ...change } : one))
  if (op === 'remove') return present
  // Clients name a value that is not there yet by what it shall be.
  const named = equalities(where)
  if (named === undefined) throw refused('noTarget', `No value of "${name}" is the one that the path names`)
  return [...present, { ...named, ...change }]
}

/** What a value must be by a filter of equalities alone. */
function equalities(where: Filter): JsonObject | undefined {
  if (where.kind === 'compare') return where.by === 'eq' ? { [where.name]: where.value } : undefined
  if (where.kind !== 'all') return undefined
  const parts = where.parts.map(equalities)
  return parts.includes(undefined) ? undefined : Object.assign({}, ...parts)
}
