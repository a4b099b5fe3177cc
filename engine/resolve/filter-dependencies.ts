/** The dependencies of a filter: columns of the record itself, and other tables, with the path to each and the columns that are read there. */
import type { BelongsTo, FieldPath, Filter, ManyPath, WayStep } from '../catalog/catalog.ts'
import { comparedPaths, comparisons, leaves } from '../filter/walk.ts'
import type { Draft, Resolution } from './resolution.ts'

/** The paths that a filter reads, those of other values of the record among them. */
export function pathsOf(filter: Filter): readonly FieldPath[] {
  return leaves(filter).flatMap((leaf) => {
    if (leaf.kind === 'compare') return comparedPaths(leaf)
    const { relations } = leaf.path
    const last = relations.at(-1)
    const way = last === undefined ? [] : [{ relations: relations.slice(0, -1), field: last.field }]
    return [...way, ...operandsIn(leaf.of)]
  })
}

/** The values of the judged record that a filter about others compares with. */
export function operandsIn(filter: Filter): readonly FieldPath[] {
  return comparisons(filter).flatMap((one) => comparedPaths(one).slice(1))
}

/** What a filter asks of the records that relations lead to. */
export function relatedIn(filter: Filter): readonly Extract<Filter, { kind: 'related' }>[] {
  return leaves(filter).flatMap((leaf) => (leaf.kind === 'compare' ? [] : [leaf, ...relatedIn(leaf.of)]))
}

/** The columns of the record itself that a path begins with. */
export function columnsOf({ relations, field }: FieldPath): readonly string[] {
  const first = relations[0]?.field ?? field
  if (first.computed === undefined) return [first.column]
  return [...first.computed.matchAll(/\bt\."?(\w+)/g)].map((match) => match[1] ?? '')
}

/** Whether a filter compares columns of the record itself with values that are written out, as an index must. */
export function isOfOwnValues(filter: Filter): boolean {
  return leaves(filter).every((leaf) => {
    if (leaf.kind === 'related') return false
    const { operand, path } = leaf
    return path.relations.length === 0 && path.field.computed === undefined && operand.kind === 'literal'
  })
}

export function columnsRead(filter: Filter): readonly string[] {
  return pathsOf(filter).flatMap(columnsOf)
}

/** One step of a way, with what the database does by itself when a record on it is removed. */
export interface PlacedStep {
  readonly step: WayStep
  /** The resources at its two ends. */
  readonly near: string
  readonly far: string
  /** The relation whose foreign key is followed, from whichever end. */
  readonly relation?: BelongsTo
  /** The other key of a joining table's row: it goes with the record that this one leads to. */
  readonly across?: string
}

/** A place where a filter looks. */
export interface Look {
  readonly steps: readonly PlacedStep[]
  /** The resource that is looked at. */
  readonly target: string
  readonly reads: ReadonlySet<string>
  /** Whether it asks which records there are, so that one that comes or goes counts. */
  readonly asked: boolean
  /** The pairs of a joining table are looked at, from the records where the way ends. */
  readonly link?: { readonly through: string; readonly near: string }
  /** Why this cannot be judged from there. */
  readonly problem?: string
}

/** Where a walk through a filter is: the resource, and the way to it from the record that is judged. */
interface At {
  readonly draft: Draft
  readonly steps: readonly PlacedStep[]
  readonly asked: boolean
}

/** Every place other than the record itself that a filter about records of `draft` reads. */
export function looksOf(resolution: Resolution, draft: Draft, filter: Filter): readonly Look[] {
  const root: At = { draft, steps: [], asked: false }
  return filterAt(resolution, root, root, filter)
}

function filterAt(resolution: Resolution, root: At, at: At, filter: Filter): readonly Look[] {
  return leaves(filter).flatMap((leaf) => {
    if (leaf.kind === 'related') return relatedAt(resolution, root, at, leaf)
    const { operand, path, withDeleted } = leaf
    const other = operand.kind === 'record' ? pathAt(resolution, root, operand.path, withDeleted) : []
    return [...pathAt(resolution, at, path, withDeleted), ...other]
  })
}

/** The values on a path: a key at each record on the way, and the field at its end. */
function pathAt(
  resolution: Resolution,
  at: At,
  { field, relations }: FieldPath,
  withDeleted: true | undefined,
): readonly Look[] {
  const { looks, end } = walked(resolution, at, relations, withDeleted)
  const problem =
    field.count !== undefined || /\bselect\b/i.test(field.computed ?? '')
      ? { problem: `"${field.name}" is computed of other records` }
      : {}
  return [...looks, lookAt(end, columnsOf({ relations: [], field }), problem)].filter(isElsewhere)
}

function lookAt({ asked, draft, steps }: At, columns: readonly string[], more: Partial<Look> = {}): Look {
  return { steps, target: draft.name, reads: new Set(columns), asked, ...more }
}

/** The judged record itself is judged when it is written. */
function isElsewhere({ problem, steps }: Look): boolean {
  return steps.length > 0 || problem !== undefined
}

/** Follows to-one relations; each key that leads on is looked at, and whether the record there is deleted. */
function walked(
  resolution: Resolution,
  from: At,
  relations: readonly BelongsTo[],
  withDeleted: true | undefined,
): { readonly looks: readonly Look[]; readonly end: At } {
  let at = from
  const looks: Look[] = []
  for (const relation of relations) {
    looks.push(lookAt(at, [relation.field.column]))
    at = stepTo(resolution, at, relation)
    const { live } = at.draft
    if (withDeleted !== true && live !== undefined)
      looks.push(...filterAt(resolution, at, at, live).map((look) => ({ ...look, asked: true })))
  }
  return { looks: looks.filter(isElsewhere), end: at }
}

function draftOf(resolution: Resolution, name: string): Draft {
  const draft = resolution.drafts.get(name)
  if (draft === undefined) throw new Error(`there is no resource ${name}`)
  return draft
}

function stepTo(resolution: Resolution, { draft, steps }: At, relation: BelongsTo, asked = false): At {
  const far = draftOf(resolution, relation.target)
  const step = { kind: 'to', column: relation.field.column, table: far.table } as const
  return { draft: far, steps: [...steps, { step, near: draft.name, far: far.name, relation }], asked }
}

/** To the records whose key leads to those where we are. */
function stepFrom({ draft, steps }: At, far: Draft, relation: BelongsTo, across?: string): At {
  const step = { kind: 'from', column: relation.field.column, table: far.table } as const
  const placed = { step, near: draft.name, far: far.name, relation, ...(across === undefined ? {} : { across }) }
  return { draft: far, steps: [...steps, placed], asked: true }
}

function relatedAt(
  resolution: Resolution,
  root: At,
  from: At,
  { of, path, withDeleted }: Extract<Filter, { kind: 'related' }>,
): readonly Look[] {
  const { many, relations } = path
  if (many.kind === 'belongs_to') {
    const { looks, end } = walked(resolution, from, [...relations, many], withDeleted)
    return [...looks, ...filterAt(resolution, root, end, of)]
  }
  const { looks, end } = walked(resolution, from, relations, withDeleted)
  const target = draftOf(resolution, many.target)
  const reached =
    many.kind === 'has_many' ? byKeys(resolution, end, target, many.by) : byPairs(resolution, end, target, many)
  const conditions = [target.live, target.scope, many.where, of].filter((one) => one !== undefined)
  const inside = conditions.flatMap((one) => filterAt(resolution, root, reached.end, one))
  return [...looks, ...reached.looks, lookAt(reached.end, []), ...inside]
}

/** The keys lead from the records that are asked for, over one between where it goes `through`. */
function byKeys(
  resolution: Resolution,
  from: At,
  target: Draft,
  by: readonly BelongsTo[],
): { readonly looks: readonly Look[]; readonly end: At } {
  let at = from
  const looks: Look[] = []
  for (const relation of [...by].reverse()) {
    const holder = relation === by[0] ? target : draftOf(resolution, by[by.indexOf(relation) - 1]!.target)
    at = stepFrom(at, holder, relation)
    const live = holder === target || holder.live === undefined ? [] : filterAt(resolution, at, at, holder.live)
    looks.push(lookAt(at, [relation.field.column]), ...live)
  }
  return { looks, end: at }
}

function byPairs(
  resolution: Resolution,
  from: At,
  target: Draft,
  { through }: Extract<ManyPath['many'], { kind: 'many_to_many' }>,
): { readonly looks: readonly Look[]; readonly end: At } {
  const pairs = lookAt(from, [], { link: { through: through.table, near: through.from } })
  const joining = [...resolution.drafts.values()].find((one) => one.table === through.table && one.owner === one.name)
  const keys = [...(joining?.relations.values() ?? [])].filter((one) => one.kind === 'belongs_to')
  const [near, far] = [through.from, through.to].map((column) => keys.find(({ field }) => field.column === column))
  if (joining !== undefined && near !== undefined && far !== undefined) {
    const rows = stepFrom(from, joining, near, through.to)
    const end = { ...stepTo(resolution, rows, far, true), draft: target }
    return { looks: [pairs, lookAt(rows, [through.from, through.to])], end }
  }
  const step = { kind: 'link', table: target.table, through } as const
  const placed = { step, near: from.draft.name, far: target.name }
  return { looks: [pairs], end: { draft: target, steps: [...from.steps, placed], asked: true } }
}
