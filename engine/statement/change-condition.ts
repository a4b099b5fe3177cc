/** Conditions on a change: on the record as it left it, and by paths behind `before.` on the record as it was. */
import type { Catalog, Filter, Resource } from '../catalog/catalog.ts'
import { speaksOf } from '../filter/walk.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { type ConditionProblem, type Readable, readCondition } from './written-condition.ts'

/** A condition on a change. */
export type ChangeCondition =
  | { readonly kind: 'now' | 'before'; readonly filter: Filter }
  | { readonly kind: 'not'; readonly of: ChangeCondition }
  | { readonly kind: 'all' | 'any'; readonly of: readonly ChangeCondition[] }

/** A condition that can be asked, or everything that is wrong with it. */
export type ReadChangeCondition =
  | { readonly condition: ChangeCondition; readonly problems?: never }
  | { readonly condition?: never; readonly problems: readonly ConditionProblem[] }

const BEFORE = /^before\./
const ALL: Readable = { field: () => true, everyRecord: () => true }

/** Reads a condition of a file of the application. Such a condition may ask for everything. */
export function readChangeCondition(catalog: Catalog, resource: Resource, written: Json): ReadChangeCondition {
  const problems: ConditionProblem[] = []
  const condition = read(catalog, resource, written, [], problems)
  return condition === undefined || problems.length > 0 ? { problems } : { condition }
}

type At = ConditionProblem['at']

function read(
  catalog: Catalog,
  resource: Resource,
  written: Json,
  at: At,
  problems: ConditionProblem[],
): ChangeCondition | undefined {
  if (!isObject(written) || !speaksOfBefore(written)) return plain(catalog, resource, 'now', written, at, problems)
  const now: JsonObject = Object.fromEntries(Object.entries(written).filter(([key, value]) => isPlain(key, value)))
  const parts = Object.entries(written).flatMap(([key, value]) => {
    const inner = [...at, key]
    if (BEFORE.test(key)) {
      const former = { [key.replace(BEFORE, '')]: value }
      const found: ConditionProblem[] = []
      const part = plain(catalog, resource, 'before', former, at, found)
      problems.push(...found.map((one) => ({ ...one, at: [...inner, ...one.at.slice(at.length + 1)] })))
      return part ?? []
    }
    if (isPlain(key, value)) return []
    if (key === 'not') {
      const of = read(catalog, resource, value, inner, problems)
      return of === undefined ? [] : [{ kind: 'not', of } as const]
    }
    const all = Array.isArray(value) ? value : [value]
    const of = all.flatMap((one, index) => read(catalog, resource, one, [...inner, index], problems) ?? [])
    return [{ kind: key === 'any' ? 'any' : 'all', of } as const]
  })
  const beside = Object.keys(now).length === 0 ? [] : [plain(catalog, resource, 'now', now, at, problems) ?? []].flat()
  return { kind: 'all', of: [...beside, ...parts] }
}

/** Whether an entry of a condition says nothing of before. */
function isPlain(key: string, value: Json): boolean {
  return !BEFORE.test(key) && !(['any', 'all', 'not'].includes(key) && speaksOfBefore(value))
}

function speaksOfBefore(written: Json): boolean {
  if (Array.isArray(written)) return written.some(speaksOfBefore)
  return isObject(written) && Object.entries(written).some(([key, value]) => !isPlain(key, value))
}

function plain(
  catalog: Catalog,
  resource: Resource,
  kind: 'now' | 'before',
  written: Json,
  at: At,
  problems: ConditionProblem[],
): ChangeCondition | undefined {
  const { condition: filter, problems: found } = readCondition(catalog, resource, written, ALL, true)
  if (filter === undefined) {
    problems.push(...found.map((one) => ({ ...one, at: [...at, ...one.at] })))
    return undefined
  }
  if (speaksOf('actor', filter)) problems.push({ message: 'Nobody asks here, so there is no $actor', at })
  return { kind, filter }
}
