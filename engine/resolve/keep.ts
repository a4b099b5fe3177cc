/** Pass: how long records are kept, and whether they can be removed at all. */
import { isStored } from '../catalog/stored.ts'
import { reportUnknown } from './link-path.ts'
import { type Draft, eachDraft, fieldNames, type Resolution, type Written } from './resolution.ts'

const TIMES: readonly string[] = ['timestamp', 'date']

/** Completes `keep`, and reports records that others hold on to. */
export function keeping(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    draft.keep = keepOf(resolution, written, draft)
    if (draft.keep !== undefined) nobodyHoldsOn(resolution, written, draft)
  }
}

function keepOf(resolution: Resolution, written: Written, draft: Draft): Draft['keep'] {
  const { place, value } = written.document
  if (value.keep === undefined || value.keep === false) return undefined
  const { for: length, by } = value.keep
  if (draft.owner !== draft.name) {
    const message = `"${draft.name}" uses the table of "${draft.owner}", which says how long its records are kept`
    resolution.report('of_mismatch', message, place(['keep'], 'key'), { hint: `write keep in "${draft.owner}"` })
    return undefined
  }
  if (draft.cached) {
    const message = 'Records of a resource with "cache: true" are kept in memory, and none of them is let go by its age'
    resolution.report('wrong_value', message, place(['keep'], 'key'), { hint: 'remove keep or cache' })
    return undefined
  }
  const field = draft.fields.get(by)
  if (field === undefined)
    return reportUnknown(resolution, draft, by, place(['keep', 'by']), draft.fields.keys(), 'field')
  if (!TIMES.includes(field.type.name) || !isStored(field)) {
    resolution.report('wrong_value', `"${by}" does not say how old a record is`, place(['keep', 'by']), {
      expected: fieldNames(draft, (one) => TIMES.includes(one.type.name) && isStored(one)),
    })
    return undefined
  }
  return { field, span: length, at: place(['keep'], 'key') }
}

/** A record that another one points at and may not be removed would stop the keeper at every run. */
function nobodyHoldsOn(resolution: Resolution, written: Written, draft: Draft): void {
  for (const other of resolution.drafts.values()) {
    for (const relation of other.relations.values()) {
      if (relation.kind !== 'belongs_to' || relation.onDelete !== 'restrict') continue
      if (resolution.drafts.get(relation.target)?.owner !== draft.name || other.owner !== other.name) continue
      const message = `"${other.name}.${relation.name}" holds on to the records of "${draft.name}", so none can be let go`
      resolution.report('wrong_relation', message, written.document.place(['keep'], 'key'), {
        hint: `give "${other.name}.${relation.name}" on_delete: cascade or set_null`,
      })
    }
  }
}
