/** Conditions in the language of filters, drawn over a drawn application: built from a row of numbers, so that they shrink. */
import fc from 'fast-check'
import type { Json, JsonObject } from '../../engine/json.ts'
import { VALUES } from './rows.ts'
import { type DrawnResource, type FieldName, NAMES, type Shape } from './shape.ts'

/** Numbers that decide how a condition is built, the first of them first. */
export const tapes: fc.Arbitrary<readonly number[]> = fc.array(fc.nat(59), { minLength: 6, maxLength: 40 })

/** What a condition may say where it stands. */
export interface Language {
  readonly withDeleted: boolean
  /** Whether `$record` is the record that is judged. */
  readonly record: boolean
}

const ORDER = ['eq', 'ne', 'in', 'not_in', 'lt', 'lte', 'gt', 'gte', 'between', 'null']
const PLAIN = ['eq', 'ne', 'in', 'not_in', 'null']
const TEXT = [...PLAIN, 'contains', 'starts_with', 'ends_with']
const OPERATORS: Readonly<Record<FieldName, readonly string[]>> = {
  ...{ word: PLAIN, flag: PLAIN, text: TEXT, number: ORDER, day: ORDER, price: ORDER, moment: ORDER },
}
const PIECES = ['al', 'CEDAR', '%', 'birch', 'r']

/** Relations that a condition may follow from its record (`whereRelations`). */
const MOST = 4

/** Builds a condition about records of the resource at a place. */
export function conditionOf(shape: Shape, at: number, tape: readonly number[], language: Language): JsonObject {
  let read = 0
  let inside = 0
  let left = MOST
  const next = (below: number): number => (tape[read++] ?? 0) % below
  const pick = <T>(from: readonly T[]): T => from[next(from.length)]!
  const root = shape[at]!

  const wayFrom = (from: DrawnResource): { readonly path: readonly string[]; readonly end: DrawnResource } => {
    const path: string[] = []
    let end = from
    for (let steps = Math.min(next(3), left); steps > 0 && end.ones.length > 0; steps--) {
      const one = pick(end.ones)
      path.push(one.name)
      end = shape[one.target]!
    }
    return { path, end }
  }

  const literals = (name: FieldName): readonly Json[] => VALUES[name].filter((value) => value !== null)
  const compared = (name: FieldName, other: string | undefined): Json => {
    const operator = pick(OPERATORS[name])
    const values = literals(name)
    if (operator === 'null') return next(2) === 0 ? null : { null: false }
    if (operator === 'in') return [...new Set([pick(values), pick(values)])]
    if (operator === 'not_in') return { not_in: [pick(values)] }
    if (operator === 'between') return { between: [...[pick(values), pick(values)]].sort() }
    if (TEXT.indexOf(operator) >= PLAIN.length) return { [operator]: pick(PIECES) }
    const value = other !== undefined && next(3) === 0 ? other : pick(values)
    return operator === 'eq' && next(2) === 0 ? value : { [operator]: value }
  }
  /** Another value of the judged record; to compare one with itself is a mistake. */
  const otherOf = (name: FieldName, path: readonly string[]): string | undefined => {
    if (!language.record || (inside === 0 && path.length === 0)) return undefined
    const one = inside === 0 || next(2) === 0 ? undefined : root.ones[0]
    return one === undefined ? `$record.${name}` : `$record.${one.name}.${name}`
  }

  const build = (about: DrawnResource, depth: number): JsonObject => {
    const kind = next(depth === 0 ? 3 : 9)
    if (kind < 3) return comparison(about)
    if (kind === 3) return { not: build(about, depth - 1) }
    if (kind === 4) return { any: [build(about, depth - 1), build(about, depth - 1)] }
    if (kind === 5) return { all: [build(about, depth - 1), build(about, depth - 1)] }
    if (kind === 6 && language.withDeleted) return counted(build(about, depth - 1))
    return related(about, depth)
  }
  const comparison = (about: DrawnResource): JsonObject => {
    const { end, path } = wayFrom(about)
    const key = end.ones.length > 0 && next(6) === 0 ? pick(end.ones).name : undefined
    if (key !== undefined) return { [[...path, key].join('.')]: next(2) === 0 ? null : { ne: 1 + next(3) } }
    const name = pick(NAMES)
    return { [[...path, name].join('.')]: compared(name, otherOf(name, path)) }
  }
  const related = (about: DrawnResource, depth: number): JsonObject => {
    const { end, path } = wayFrom(about)
    const many = manyOf(end)
    if (many.length === 0 || path.length >= left) return comparison(about)
    const { name, target } = pick(many)
    const before = left
    left -= path.length + 1
    const inner = (): JsonObject => {
      inside += 1
      const condition = next(4) === 0 ? {} : build(shape[target]!, Math.min(depth - 1, 1))
      inside -= 1
      return condition
    }
    const word = pick(['some', 'none', 'every', 'count'])
    const asked: JsonObject =
      word === 'count'
        ? { count: { [pick(['eq', 'ne', 'lt', 'lte', 'gt', 'gte'])]: next(3) }, where: inner() }
        : { [word]: inner() }
    left = before
    return { [[...path, name].join('.')]: asked }
  }
  return build(root, 3)
}

/** `with_deleted` around a condition that follows a relation; around another it is a mistake. */
function counted(condition: JsonObject): JsonObject {
  return followsRelation(condition) ? { with_deleted: condition } : condition
}

function followsRelation(condition: JsonObject): boolean {
  return /"[^"]*\.[^"]*":|"(?:some|none|every|count)":/.test(JSON.stringify(condition))
}

/** Whether a condition looks at records beside the one that it judges. */
export function looksBeside(condition: JsonObject): boolean {
  return followsRelation(condition) || /\$record\.\w+\./.test(JSON.stringify(condition))
}

/** The relations of a resource that lead to many records. */
export function manyOf({
  far,
  links,
  lists,
}: DrawnResource): readonly { readonly name: string; readonly target: number }[] {
  return [...[...lists, ...far].map(({ from, name }) => ({ name, target: from })), ...links]
}
