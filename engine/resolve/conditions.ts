/** Passes: conditions of resources and relations: which records they have, which are live, which may be chosen, and which values writes set for that. */

import type { Assignment, FieldPath, Filter } from '../catalog/catalog.ts'
import type { Operand } from '../filter/filter.ts'
import { conjuncts } from '../filter/walk.ts'
import type { JsonObject } from '../json.ts'
import { linkAssignments } from './assign.ts'
import { type Place, under } from './document-part.ts'
import { linkDecision, linkFilter, linkOrder, linkPlain } from './link.ts'
import { type Draft, eachDraft, type Resolution } from './resolution.ts'

/** Links scope, live and what delete, restore and update set; a scope becomes assignments for new records. */
export function recordConditions(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    const { value, place } = written.document
    const link = (key: string, filter: JsonObject | undefined): Filter | undefined =>
      filter === undefined ? undefined : linkPlain(resolution, draft, filter, under(place, key))
    draft.live = link('live', value.live)
    draft.scope = link('where', value.where)
    if (value.delete_sets !== undefined)
      draft.deleteSets = linkAssignments(resolution, draft, value.delete_sets, under(place, 'delete_sets'))
    if (value.restore_sets !== undefined)
      draft.restoreSets = linkAssignments(resolution, draft, value.restore_sets, under(place, 'restore_sets'))
    draft.updateSets = linkAssignments(resolution, draft, value.update_sets, under(place, 'update_sets'))
    if (draft.scope !== undefined) draft.scopeSets = scopeSets(resolution, draft, draft.scope, under(place, 'where'))
  }
}

/** Links the conditions and orders of relations, each over the records of the other resource. */
export function relationConditions(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    for (const relation of draft.relations.values()) {
      const document = written.relations.get(relation.name)
      const target = resolution.drafts.get(relation.target)
      if (document === undefined || target === undefined) continue
      const { value, place } = document
      // For a belongs_to the condition decides what a caller may choose; for the others it only selects records.
      if (value.where !== undefined) {
        relation.where =
          relation.kind === 'belongs_to'
            ? linkDecision(resolution, target, value.where, under(place, 'where'), { record: draft, before: false })
            : linkFilter(resolution, target, value.where, under(place, 'where'))
      }
      if (relation.kind === 'belongs_to') {
        if (value.default !== undefined)
          relation.default = linkPlain(resolution, target, value.default, under(place, 'default'))
        if (value.backfill !== undefined) {
          relation.backfill = linkPlain(resolution, target, value.backfill, under(place, 'backfill'))
          if (relation.field.nullable) {
            const hint = 'write required: true with it, or leave it out'
            resolution.report(
              'wrong_option',
              '"backfill" is for a relation that is required',
              place(['backfill'], 'key'),
              { hint },
            )
          }
        }
        continue
      }
      const terms = (value.order ?? 'id').split(',').map((term) => ({ term: term.trim(), span: place(['order']) }))
      relation.order = linkOrder(resolution, target, terms)
    }
  }
}

/** The values that put a new record into the scope; only plain equalities give some. */
function scopeSets(resolution: Resolution, draft: Draft, scope: Filter, place: Place): readonly Assignment[] {
  const creates = draft.actions.has('create')
  const sets = new Map<string, Assignment>()
  for (const condition of conjuncts(scope)) {
    const equality = asEquality(condition)
    if (equality !== undefined) addEquality(sets, equality)
    else if (creates) {
      resolution.report(
        'scope_not_assignable',
        `A new record of "${draft.name}" cannot be given what this condition asks`,
        place([]),
        {
          expected: ['field: value', 'relation.field: value'],
          hint: 'use plain equalities, or leave "create" out of the actions',
        },
      )
      return []
    }
  }
  return [...sets.values()]
}

interface Equality {
  readonly path: FieldPath
  readonly condition: Extract<Filter, { kind: 'compare' }> & { readonly operand: Operand }
}

function asEquality(condition: Filter): Equality | undefined {
  if (condition.kind !== 'compare') return undefined
  const { operator, operand, path } = condition
  if (path.field.computed !== undefined || operand.kind === 'record' || operand.kind === 'before') return undefined
  const absent =
    operator === 'null' && operand.kind === 'literal' && operand.value === true && path.relations.length === 0
  return operator === 'eq' || absent ? { path, condition: { ...condition, operand } } : undefined
}

/** Equalities over one relation select one record together. */
function addEquality(sets: Map<string, Assignment>, { path, condition }: Equality): void {
  const [first, ...rest] = path.relations
  if (first === undefined) {
    const operand = condition.operator === 'null' ? ({ kind: 'literal', value: null } as const) : condition.operand
    sets.set(path.field.name, { field: path.field, operand })
    return
  }
  const where: Filter = { ...condition, path: { relations: rest, field: path.field } }
  const earlier = sets.get(first.field.name)
  const known = earlier !== undefined && 'selection' in earlier ? earlier.selection.where : undefined
  const both: Filter = known === undefined ? where : { kind: 'and', of: [known, where] }
  sets.set(first.field.name, { field: first.field, selection: { resource: first.target, where: both } })
}
