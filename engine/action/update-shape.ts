/** What an update writes. */
import type { Assignment, Clause, Resource } from '../catalog/catalog.ts'
import type { WriteShape } from '../query/write-shape.ts'
import type { FieldValues } from '../record/decode.ts'

/** What an update takes from the values, and what rules set beside them. */
export function updateShape(
  resource: Resource,
  values: Readonly<FieldValues>,
  clause: Clause | undefined,
): Pick<WriteShape, 'given' | 'assigned'> {
  const set: readonly Assignment[] = clause?.set ?? []
  const fixed = new Set(set.map((assignment) => assignment.field.name))
  const given = [...resource.fields.values()].filter(
    (field) => Object.hasOwn(values, field.name) && !fixed.has(field.name) && field.stored === undefined,
  )
  const further = resource.updateSets.filter(
    ({ field }) => !Object.hasOwn(values, field.name) && !fixed.has(field.name),
  )
  return { given, assigned: [...set, ...further] }
}
