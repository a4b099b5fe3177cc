/** Which changes of fields set an automation off, as written under `changed`: any, or from one value to another. */
import type { Field, Turn } from '../catalog/catalog.ts'
import type { AutomationDefinition, Document, TurnDefinition } from '../definition/definition.ts'
import type { Json } from '../json.ts'
import { fieldAt, fieldsNamed } from './record-rules.ts'
import type { Draft, Resolution } from './resolution.ts'

/** Types whose values the log of changes holds as they are written in YAML. */
const PLAIN: ReadonlySet<string> = new Set(['enum', 'string', 'boolean', 'integer'])

type Place = Document<AutomationDefinition>['place']

/** The changes under `changed`, less those that are wrong, with a complaint; undefined where it says nothing. */
export function turnsOf(
  resolution: Resolution,
  draft: Draft,
  { place, value }: Document<AutomationDefinition>,
): readonly Turn[] | undefined {
  const { changed } = value
  if (changed === undefined || typeof changed === 'string' || isNames(changed)) {
    const fields = fieldsNamed(resolution, draft, { value: changed === undefined ? {} : { changed }, place })
    return fields?.map((field) => ({ field, from: undefined, to: undefined }))
  }
  return Object.entries(changed).flatMap(([name, turn]) => {
    const field = fieldAt(resolution, draft, name, place(['changed', name], 'key'))
    if (field === undefined) return []
    const [from, to] = (['from', 'to'] as const).map((side) => valuesOf(resolution, field, side, turn, name, place))
    return [{ field, from, to }]
  })
}

/** Whether `changed` is a list of names, and not what each turns from and to. */
export function isNames(changed: object): changed is readonly string[] {
  return Array.isArray(changed)
}

function valuesOf(
  { report }: Resolution,
  field: Field,
  side: 'from' | 'to',
  turn: TurnDefinition,
  name: string,
  place: Place,
): readonly Json[] | undefined {
  const written = turn[side]
  if (written === undefined) return undefined
  return [written].flat().flatMap((value, index): readonly Json[] => {
    if (value === null) return [value]
    const at = place(['changed', name, side, ...(Array.isArray(written) ? [index] : [])])
    if (field.relation !== undefined || !PLAIN.has(field.type.name)) {
      const hint = 'leave the value to "when", which is judged of the record when the automation acts'
      const message = `"${name}" (${field.relation === undefined ? field.type.name : 'a relation'}) can be compared with null alone`
      report('wrong_automation', message, at, { hint })
      return []
    }
    const decoded = field.type.decode(value, field.options)
    if ('value' in decoded) return [decoded.value as Json]
    report('wrong_value', `"${name}" ${decoded.error}`, at)
    return []
  })
}
