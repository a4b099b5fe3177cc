/** What `summary` of a resource may group by and sum up: its fields of the kinds that can be, or those that it names. */
import type { Field, Resource } from '../catalog/catalog.ts'
import { isStored } from '../catalog/stored.ts'
import { hintOf } from '../text/nearest.ts'
import type { Draft, Resolution, Written } from './resolution.ts'

type Names = 'by' | 'of'

/** Completes what a summary understands; undefined where the resource has none. */
export function summary(resolution: Resolution, written: Written, draft: Draft): Resource['summary'] {
  const { value, place } = written.document
  const asked = value.summary
  if (asked === undefined || asked === false) return undefined
  const all = (able: (field: Field) => boolean): readonly Field[] => [...draft.fields.values()].filter(able)
  const chosen = (kind: Names, able: (field: Field) => boolean): readonly Field[] => {
    const names = asked === true ? undefined : asked[kind]
    if (names === undefined) return all(able)
    return names.flatMap((name, index) => {
      const span = place(['summary', kind, index])
      const relation = draft.relations.get(name)
      const field = relation?.kind === 'belongs_to' ? draft.fields.get(relation.field.name) : draft.fields.get(name)
      if (field === undefined) {
        const known = all(able).map((one) => one.name)
        resolution.report('unknown_field', `There is no field "${name}"`, span, hintOf(name, known))
        return []
      }
      if (able(field)) return [field]
      const what = kind === 'by' ? 'Records can not be grouped by' : 'There is nothing to sum up of'
      resolution.report('not_summarized', `${what} "${name}" (${field.type.name})`, span, {
        hint:
          kind === 'by'
            ? 'name relations to one record, enums, booleans, dates or timestamps'
            : 'name numbers, dates or timestamps',
      })
      return []
    })
  }
  const named = (fields: readonly Field[]) => new Map(fields.map((field) => [field.name, field]))
  return { by: named(chosen('by', isGroup)), of: named(chosen('of', isFigure)) }
}

function isShown(field: Field): boolean {
  return isStored(field) && field.type.hidden !== true && field.show !== 'never'
}

function isGroup(field: Field): boolean {
  const { name, wire } = field.type
  return isShown(field) && (field.relation !== undefined || name === 'enum' || wire === 'boolean' || isMoment(field))
}

function isFigure(field: Field): boolean {
  if (!isShown(field) || field.relation !== undefined || field.name === 'id') return false
  return isMoment(field) || field.type.name === 'integer' || field.type.name === 'decimal'
}

function isMoment({ type }: Field): boolean {
  return type.wire === 'date' || type.wire === 'timestamp'
}
