/** Pass: seed rows become assignments; records of other resources are named by values of their own. */

import type { Assignment, Seeds } from '../catalog/catalog.ts'
import { linkAssignment } from './assign.ts'
import { fieldOf, isBroken } from './link.ts'
import { benches, type Draft, suggest, type Work, type Written } from './resolution.ts'

/** Completes the seeds of every resource; a row must have a value for each part of the key. */
export function seeds(work: Work): void {
  for (const { written, draft } of benches(work)) {
    if (written.document.value.seeds !== undefined) draft.seeds = seedsOf(work, written, draft)
  }
}

function seedsOf(work: Work, written: Written, draft: Draft): Seeds {
  const { value, place } = written.document
  const { key = [], rows = [] } = value.seeds ?? {}
  const names = typeof key === 'string' ? [key] : key
  const fields = names.flatMap((name, index) => {
    const field = fieldOf(work, draft, name)
    if (field === undefined && !isBroken(work, draft, name)) {
      work.report(
        'unknown_field',
        `"${draft.name}" has no field "${name}"`,
        place(typeof key === 'string' ? ['seeds', 'key'] : ['seeds', 'key', index]),
        suggest(name, draft.fields.keys()),
      )
    }
    return field === undefined ? [] : [field]
  })
  return {
    key: fields,
    rows: rows.map((row, index) => {
      const at = ['seeds', 'rows', index] as const
      const assignments = Object.entries(row).flatMap(([name, given]): Assignment[] => {
        const assignment = linkAssignment(work, draft, name, given, (path, part) => place([...at, name, ...path], part))
        return assignment === undefined ? [] : [assignment]
      })
      for (const field of fields) {
        if (assignments.some((assignment) => assignment.field === field)) continue
        if (Object.hasOwn(row, field.name)) continue
        work.report('wrong_seed', `The row has no "${field.name}", by which it would be found again`, place(at), {
          hint: `add ${field.name}: …`,
        })
      }
      return { assignments, span: place(at) }
    }),
  }
}
