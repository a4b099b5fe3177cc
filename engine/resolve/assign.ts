/** Values of writes, linked to their fields: operands, or records that are selected by their values. */

import type { Assignment, Field } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import { OPERAND_VARIABLES, parseOperand } from '../filter/parse-yaml.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { isOfActor } from './accounts.ts'
import { type Place, under } from './document-part.ts'
import { adviceFor } from './fields.ts'
import { decodeLiteral, linkPlain } from './link.ts'
import { fieldOf, relationOf, reportUnknown } from './link-path.ts'
import type { Judging } from './record-operand.ts'
import { type Draft, fieldNames, type Resolution, suggest } from './resolution.ts'

/** Links `{ user: $actor, role: { slug: customer }, closed: true }`; what cannot be linked is reported and left out. */
export function linkAssignments(
  resolution: Resolution,
  draft: Draft,
  written: JsonObject | undefined,
  place: Place,
): readonly Assignment[] {
  return Object.entries(written ?? {}).flatMap(([name, value]) => {
    const assignment = linkAssignment(resolution, draft, name, value, under(place, name))
    return assignment === undefined ? [] : [assignment]
  })
}

/** One assignment; `place` is relative to its value. */
export function linkAssignment(
  resolution: Resolution,
  draft: Draft,
  name: string,
  value: Json,
  place: Place,
  judging?: Judging,
): Assignment | undefined {
  const field = fieldOf(resolution, draft, name)
  if (field === undefined || !isStored(field) || field.stored !== undefined) {
    const span = place([], 'key')
    const known = fieldNames(draft, (one) => isStored(one) && one.stored === undefined)
    if (field === undefined) return reportUnknown(resolution, draft, name, span, known)
    resolution.report('unknown_field', `"${name}" is computed and cannot be set`, span, suggest(name, known))
    return undefined
  }
  const relation = relationOf(resolution, draft, field.relation ?? name)
  if (isObject(value) && relation?.kind === 'belongs_to') {
    const target = resolution.drafts.get(relation.target)
    const where = target === undefined ? undefined : linkPlain(resolution, target, value, place, judging)
    return where === undefined ? undefined : { field, selection: { resource: relation.target, where } }
  }
  const operand = parseOperand(value)
  if (operand === undefined) {
    resolution.report('wrong_value', `Unknown variable "${String(value)}"`, place([]), { expected: OPERAND_VARIABLES })
    return undefined
  }
  if (operand.kind === 'actor' && !isOfActor(resolution, draft, field, operand.attribute, place([]))) return undefined
  if (operand.kind !== 'literal') return { field, operand }
  const decoded = decodeAssigned(field, operand.value)
  if ('value' in decoded) return { field, operand: { kind: 'literal', value: decoded.value } }
  resolution.report('wrong_value', `"${field.name}" ${decoded.error}`, place([]), {
    hint: adviceFor(field, operand.value, decoded.error),
  })
  return undefined
}

/** Decodes a value as from a body, so that the YAML cannot set what a caller could not write; a timestamp may be a day. */
function decodeAssigned(field: Field, value: Json): ReturnType<typeof decodeLiteral> {
  if (value === null) return field.nullable ? { value } : { error: 'must have a value' }
  return field.type.wire === 'timestamp' ? decodeLiteral(field, value) : field.type.decode(value, field.options)
}
