/** Pass: seed rows become assignments; records of other resources are named by values of their own. */

import type { Assignment, Field, SeedRow, Seeds } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import type { Path } from '../definition/definition.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Span } from '../text/source.ts'
import { linkAssignment } from './assign.ts'
import { under } from './document-part.ts'
import { fieldOf, reportUnknown } from './link-path.ts'
import { type Draft, eachDraft, isFilledByItself, type Resolution, type Written } from './resolution.ts'

/** Completes the seeds of every resource; a row must have a value for each part of the key. */
export function seeds(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    if (written.document.value.seeds !== undefined) draft.seeds = seedsOf(resolution, written, draft)
  }
}

function seedsOf(resolution: Resolution, written: Written, draft: Draft): Seeds {
  const { value, place } = written.document
  const { key = [], rows = [] } = value.seeds ?? {}
  const names = typeof key === 'string' ? [key] : key
  const fields = names.flatMap((name, index) => {
    const span = place(typeof key === 'string' ? ['seeds', 'key'] : ['seeds', 'key', index])
    const known = draft.fields.keys()
    return fieldOf(resolution, draft, name) ?? reportUnknown(resolution, draft, name, span, known, 'field') ?? []
  })
  return {
    key: fields,
    rows: rows.map((row, index) => seedRow(resolution, draft, fields, row, ['seeds', 'rows', index], place)),
  }
}

function seedRow(
  resolution: Resolution,
  draft: Draft,
  key: readonly Field[],
  row: JsonObject,
  at: Path,
  place: Written['document']['place'],
): SeedRow {
  const values = new Map<string, Json>()
  const places = new Map<string, Span>()
  const assignments = Object.entries(row).flatMap(([name, given]): Assignment[] => {
    const assignment = linkAssignment(resolution, draft, name, given, under(place, ...at, name))
    if (assignment === undefined) return []
    places.set(assignment.field.name, place([...at, name]))
    const fixed = 'operand' in assignment && assignment.operand.kind === 'literal'
    values.set(assignment.field.name, fixed ? assignment.operand.value : given)
    return [assignment]
  })
  for (const field of key) {
    const isWritten = [field.name, field.relation ?? field.name].some((name) => Object.hasOwn(row, name))
    if (isWritten || assignments.some((assignment) => assignment.field === field)) continue
    resolution.report('wrong_seed', `The row has no "${field.name}", by which it would be found again`, place(at), {
      hint: `add ${field.name}: …`,
    })
  }
  for (const name of missingIn(resolution, draft, row, assignments)) {
    resolution.report('wrong_seed', `The row has no "${name}", which every "${draft.name}" must have`, place(at), {
      hint: `add ${name}: …, or give it a default`,
    })
  }
  const name = JSON.stringify(key.map((field) => values.get(field.name) ?? null))
  return { assignments, name, span: place(at), places }
}

/** The required fields and relations that neither the row nor a rule fills. */
function missingIn(
  resolution: Resolution,
  draft: Draft,
  row: JsonObject,
  assignments: readonly Assignment[],
): readonly string[] {
  const owner = resolution.drafts.get(draft.owner) ?? draft
  const filled = new Set([...draft.scopeSets, ...assignments].map(({ field }) => field.column))
  const needed = [...owner.fields.values()].filter(
    (field) =>
      (field.required || (!field.nullable && field !== owner.key)) &&
      isStored(field) &&
      field.stored === undefined &&
      !filled.has(field.column) &&
      !isFilledByItself(owner, field),
  )
  return needed.flatMap((field) => {
    const relation = owner.relations.get(field.relation ?? '')
    const { from } = field.options.own
    if (field.type.name === 'slug' && typeof from === 'string' && Object.hasOwn(row, from)) return []
    const name = relation?.name ?? field.name
    // A wrong value is reported already.
    return Object.hasOwn(row, name) || Object.hasOwn(row, field.name) ? [] : [name]
  })
}
