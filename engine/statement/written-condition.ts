/** Conditions that people write while the application runs, in the words of the YAML: linked within what their writer may read, and as SQL that a plugin writes itself. */

import { filterable, reach } from '../ask/policy.ts'
import type { BelongsTo, Catalog, FieldPath, Filter, Resource } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import type { FieldErrorCode } from '../field-error.ts'
import { OF_AUTHORS } from '../filter/parse-yaml.ts'
import { comparedPaths, comparisons, leaves } from '../filter/walk.ts'
import { isObject, type Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { linkFilter } from '../resolve/link.ts'
import type { Details, Draft, Resolution } from '../resolve/resolution.ts'
import type { DiagnosticCode } from '../text/diagnostic.ts'
import type { Span } from '../text/source.ts'
import { conditionSql } from './condition.ts'
import { type Asking, appended, resourceNamed } from './readable.ts'

/** What is wrong with a condition, with the keys that lead to the place: `['status.category', 'eq']`. */
export interface ConditionProblem {
  readonly message: string
  /** What it means to programs that sent the condition; `invalid` if absent. */
  readonly fault?: FieldErrorCode
  readonly at: readonly (string | number)[]
  /** The nearest word, or what to do. */
  readonly hint?: string
}

/** A condition that can be asked, or everything that is wrong with it. */
export type ReadCondition =
  | { readonly condition: Filter; readonly problems?: never }
  | { readonly condition?: never; readonly problems: readonly ConditionProblem[] }

/** What a writer may ask about; decided by the policies of those who read. */
export interface Readable {
  /** Filters within filters, and relations from the record, at most; undefined: as many as the writer of a file wants. */
  readonly most?: { readonly depth: number; readonly relations: number }
  readonly field: (path: FieldPath) => boolean
  /** Whether the actor sees every record of a resource, so that asking about one tells nothing. */
  readonly everyRecord: (resource: Resource) => boolean
}

/** A place that remembers the keys that lead to it. */
interface PlacedSpan extends Span {
  readonly at: ConditionProblem['at']
}

const NOWHERE = { source: { file: '', text: '' }, start: 0, end: 0 } as const

/**
 * Reads a condition on the records of a resource; `readable` says what its writer may ask about, and `compares` whether it
 * may compare with other values of the record, `$record.<path>`.
 */
export function readCondition(
  catalog: Catalog,
  resource: Pick<Resource, 'name' | 'owner' | 'fields' | 'relations'>,
  written: Json,
  readable: Readable,
  compares = false,
): ReadCondition {
  if (!isObject(written))
    return { problems: [{ message: 'A condition is a map of fields and what they must be', at: [] }] }
  const problems: ConditionProblem[] = []
  const resolution = resolutionOf(catalog, problems, readable)
  const place = (at: ConditionProblem['at']) => ({ ...NOWHERE, at }) as PlacedSpan
  const judging = compares ? { record: resource as Draft, before: false } : undefined
  const reading = { ...OF_AUTHORS, depth: readable.most?.depth ?? OF_AUTHORS.depth }
  const condition = linkFilter(resolution, resource as Draft, written, place, judging, reading)
  if (condition === undefined || problems.length > 0) return { problems }
  const hidden = beyondReach(catalog, condition, readable)
  const unread = attributesIn(condition).find((name) => catalog.accounts?.attributes.has(name) !== true)
  if (hidden !== undefined) problems.push({ message: hidden, at: [] })
  if (unread !== undefined) problems.push({ message: `An actor has no "${unread}"`, at: [] })
  return problems.length > 0 ? { problems } : { condition }
}

/** As much of a resolution as linking a filter looks at, made from what is linked already. */
function resolutionOf(catalog: Catalog, problems: ConditionProblem[], readable: Readable): Resolution {
  const accounts = catalog.accounts && { resource: catalog.accounts.resource }
  const report = (_: DiagnosticCode, message: string, span: Span, { hint, expected, fault }: Details = {}): void => {
    const near = hint !== undefined && namesHidden(catalog, hint, readable) ? undefined : hint
    const more = near ?? (expected === undefined ? undefined : `one of: ${expected.join(', ')}`)
    const told = { ...(fault === undefined ? {} : { fault }), ...(more === undefined ? {} : { hint: more }) }
    problems.push({ message, at: (span as PlacedSpan).at, ...told })
  }
  const known = { drafts: catalog.resources, extensions: { accounts }, unusable: new Set(), written: new Map() }
  return Object.assign(Object.create(null), { ...known, attributes: new Set(), report })
}

/** Whether a hint quotes the name of a field, or of a relation by its field, that the writer may not read. */
function namesHidden({ resources }: Catalog, hint: string, readable: Readable): boolean {
  const words = [...hint.matchAll(/"([^"]+)"/g)].map(([, word = '']) => word)
  return [...resources.values()].some(({ fields, relations }) =>
    words.some((word) => {
      const relation = relations.get(word)
      const field = relation?.kind === 'belongs_to' ? relation.field : fields.get(word)
      return field !== undefined && !readable.field({ relations: [], field })
    }),
  )
}

/** Why a condition asks for more than its writer may read; undefined where it does not. `steps` were followed to its records. */
function beyondReach(catalog: Catalog, filter: Filter, readable: Readable, steps = 0): string | undefined {
  for (const leaf of leaves(filter)) {
    const found =
      leaf.kind === 'compare'
        ? beyondPaths(catalog, comparedPaths(leaf), readable, steps)
        : beyondRelated(catalog, leaf, readable, steps)
    if (found !== undefined) return found
  }
  return undefined
}

function beyondRelated(
  catalog: Catalog,
  { of, path: { many, relations } }: Extract<Filter, { kind: 'related' }>,
  readable: Readable,
  steps: number,
): string | undefined {
  const further = steps + relations.length + 1
  return (
    tooFar(further, readable) ??
    closedWay(catalog, [...relations, many], readable) ??
    (relations.every((relation) => readable.field({ relations: [], field: relation.field }))
      ? beyondReach(catalog, of, readable, further)
      : notReadable(many.name))
  )
}

function beyondPaths(
  catalog: Catalog,
  paths: readonly FieldPath[],
  readable: Readable,
  steps: number,
): string | undefined {
  for (const one of paths) {
    const found = tooFar(steps + one.relations.length, readable) ?? closedWay(catalog, one.relations, readable)
    if (found !== undefined) return found
    if (!readable.field(one)) return notReadable(one.field.name)
  }
  return undefined
}

function tooFar(steps: number, { most }: Readable): string | undefined {
  if (most === undefined || steps <= most.relations) return undefined
  return `A condition follows at most ${most.relations} relations`
}

function notReadable(name: string): string {
  return `You may not read "${name}", so you cannot ask for it`
}

function closedWay(
  catalog: Catalog,
  relations: readonly Pick<BelongsTo, 'name' | 'target'>[],
  { everyRecord }: Readable,
): string | undefined {
  const closed = relations.find((relation) => !everyRecord(targetOf(catalog, relation)))
  return closed && `"${closed.name}" leads to records that you don't all see, so you cannot ask for them`
}

function attributesIn(filter: Filter): readonly string[] {
  return comparisons(filter).flatMap(({ operand }) =>
    operand.kind === 'actor' && operand.attribute !== undefined ? [operand.attribute] : [],
  )
}

/** Reads a condition on the records of a resource, in the words of the YAML; only what the actor may read can be asked for, and no deeper than in `where`. */
export function writtenCondition({ actor, catalog }: Asking, resource: string, written: Json): ReadCondition {
  return readCondition(catalog, resourceNamed(catalog, resource), written, {
    most: { depth: LIMITS.whereDepth, relations: LIMITS.whereRelations },
    field: (path) => path.field.show !== 'never' && filterable(path, actor),
    everyRecord: ({ policies }) => reach(policies.view, actor).kind === 'all',
  })
}

/** The SQL condition that the record of `alias` is as a written condition asks; false where there is no record. */
export function matchingSql(asking: Asking, condition: Filter, alias: string, values: unknown[]): string {
  return appended(conditionSql(asking.catalog, condition, alias), values, asking)
}
