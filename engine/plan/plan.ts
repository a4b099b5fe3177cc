/** Plans, each made once of its parts, and what tells one plan, filter or order from another, whatever the values of a request. */

import { createHash } from 'node:crypto'
import type { Catalog, FieldPath, Filter, FilterPath, SortTerm, WayPath } from '../catalog/catalog.ts'
import type { Operator } from '../field/field-type.ts'
import type { Comparison, OnTheWay } from '../filter/filter.ts'
import { comparisons, fold } from '../filter/walk.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'

/** A value that says what a statement does, without the values of one request. */
export interface Plan {
  /** What tells it from other plans of its kind; written by the function that makes the plan, and by nothing else. */
  readonly planId: string
  /** Whether a caller made it up, so that any number of such plans may come. */
  readonly madeUp?: boolean
}

/**
 * A part of a plan: a word, a number, a plan, a list or a set of parts, or an object of the catalog, which is known by
 * itself. An object that is made anew for each request is no part: it would never be the same.
 */
export type Part = string | number | boolean | null | undefined | object

let numbered = 0

/** The number of an object: the same for as long as the object lives, and never that of another. */
export const numberOf = memo((_: object): number => ++numbered)

/** Parts as one text: different parts never have the same, because each says where it ends. */
export function identityOf(parts: Iterable<Part>): string {
  let text = ''
  for (const part of parts) text += identityOfPart(part)
  return text
}

/** One part as a text that says where it ends. */
function identityOfPart(part: Part): string {
  switch (typeof part) {
    case 'string':
      return `${part.length}'${part}`
    case 'number':
      return `${part};`
    case 'boolean':
      return part ? 'y' : 'n'
    case 'undefined':
      return 'u'
    case 'function':
      return `@${numberOf(part)};`
  }
  if (part === null) return 'o'
  if (Array.isArray(part) || part instanceof Set) return `(${identityOf(part as Iterable<Part>)})`
  return isPlan(part) ? `${part.planId.length}"${part.planId}` : `@${numberOf(part)};`
}

/** Whether an object is a plan, which says itself what tells it from others. */
export function isPlan(part: Part): part is Plan {
  return typeof part === 'object' && part !== null && typeof (part as Partial<Plan>).planId === 'string'
}

/** What a plan is made of, by name; nothing else reaches the function that makes it. */
export type Parts = Readonly<Record<string, Part>>

/** Plans by their parts. */
export interface Plans {
  /**
   * The plan that `make`, a function of its own module, makes of the parts: made the first time, and found again. A plan
   * of a part that a caller made up is made up too; at most `LIMITS.madeUpShapes` of these are kept, and `LIMITS.plans` others.
   */
  get<G extends object, P extends object>(make: (catalog: Catalog, parts: G) => P, parts: G): P & Plan
}

/** The plans of a catalog, none yet. */
export function createPlans(catalog: Catalog): Plans {
  const usual = createMemory<Plan>(LIMITS.plans)
  const madeUp = createMemory<Plan>(LIMITS.madeUpShapes)
  let made = 0
  return {
    get<G extends object, P extends object>(make: (catalog: Catalog, parts: G) => P, parts: G): P & Plan {
      let isOfCaller = false
      for (const name in parts) isOfCaller ||= isMadeUpPart(parts[name] as Part)
      const plan = (isOfCaller ? madeUp : usual).get(identityOfParts(make, parts as Parts), () =>
        Object.freeze({ ...make(catalog, parts), planId: `p${++made}`, madeUp: isOfCaller }),
      )
      // Only one function makes the plans of a key, so what is found has the type that this function gives.
      return plan as P & Plan
    },
  }
}

/** Whether a caller made one of the parts up. */
export function isMadeUp(parts: readonly Part[]): boolean {
  return parts.some(isMadeUpPart)
}

function isMadeUpPart(part: Part): boolean {
  return isPlan(part) && part.madeUp === true
}

/** Values by a text that says what each was made of. */
export interface Memory<T> {
  get(key: string, make: () => T): T
}

/** A memory of at most so many values, from which the one that was not asked for the longest goes first; `isKept` may refuse one. */
export function createMemory<T extends object>(most: number, isKept: (value: T) => boolean = () => true): Memory<T> {
  const known = new Map<string, T>()
  return {
    get(key, make) {
      const found = known.get(key)
      const value = found ?? make()
      if (found !== undefined) known.delete(key)
      else if (!isKept(value)) return value
      known.set(key, value)
      if (known.size > most) known.delete(known.keys().next().value!)
      return value
    },
  }
}

function identityOfParts(make: object, parts: Parts): string {
  let key = `${numberOf(make)}`
  for (const name in parts) key += ` ${name}=${identityOfPart(parts[name])}`
  return key
}

/** The shape of a filter, everything but the values in its slots: filters of one resource with the same text have the same SQL. */
export function shapeOf(filter: Filter): string {
  return fold<FieldPath, WayPath, string>(filter, {
    compare: (part) => `${pathName(part.path)} ${part.operator}${flagsOf(part)} ${operandName(part.operand)}`,
    related: (part) => {
      const { relations, many } = part.path
      const way = [...relations, many].map(({ name }) => name).join('.')
      const { operator = '', value = '' } = part.count ?? {}
      const number = typeof value === 'object' ? operandName(value) : value
      // Which records the caller sees follows from the resource and the caller's class, which tell statements apart.
      return `${way} ${operator}${flagsOf(part)} ${number}${part.seen === undefined ? '' : '~'}(${shapeOf(part.of)})`
    },
    not: (of) => `not(${of})`,
    and: (of) => `and(${of.join()})`,
    or: (of) => `or(${of.join()})`,
  })
}

function flagsOf({ decides, withDeleted }: OnTheWay): string {
  return `${decides === true ? '!' : ''}${withDeleted === true ? '+' : ''}`
}

/** The name of a path as authors write it: `status.name`. */
export function pathName({ relations, field }: FieldPath): string {
  return relations.length === 0 ? field.name : `${relations.map(({ name }) => name).join('.')}.${field.name}`
}

/** The name of a path as callers write it, which may lead over many records: `comments.user.name`. */
export function writtenPath({ through, ...path }: FilterPath): string {
  if (through === undefined) return pathName(path)
  return `${[...through.relations, through.many].map(({ name }) => name).join('.')}.${pathName(path)}`
}

function operandName(operand: Comparison<FieldPath>['operand']): string {
  switch (operand.kind) {
    case 'slot':
      return `$${operand.index}`
    case 'literal':
      return JSON.stringify(operand.value)
    case 'actor':
      return operand.attribute === undefined ? 'actor' : `actor.${operand.attribute}`
    case 'record':
    case 'before':
      return `${operand.kind}.${pathName(operand.path)}`
    default:
      return operand.kind
  }
}

/** A text that tells shapes apart, of limited length. */
export function shortened(shape: string): string {
  return shape.length <= LIMITS.shapeLength ? shape : createHash('sha256').update(shape).digest('base64url')
}

/** The operators that compare parts of texts. */
export const TEXTUAL: readonly Operator[] = ['contains', 'starts_with', 'ends_with']

/** Whether the best plan of a filter depends on the values in its slots, so that it must not be planned once for all. */
export function dependsOnValues(filter: Filter): boolean {
  return comparisons(filter).some(({ operand, operator }) => operand.kind === 'slot' && TEXTUAL.includes(operator))
}

/** What a sort is, as text: cursors go with one sort only. */
export function sortSignature(sort: readonly SortTerm[]): string {
  return sort.map(({ path, direction }) => `${direction === 'desc' ? '-' : ''}${pathName(path)}`).join(',')
}
