/** Values that follow from others, as written, linked to the field that they go to: `{ first: [$before.resolved_at, $now] }`. */

import type { FieldPath, Value } from '../catalog/catalog.ts'
import type { RecordOperand } from '../filter/filter.ts'
import { parseRecordOperand } from '../filter/parse-yaml.ts'
import { isObject, type Json } from '../json.ts'
import { ourHint } from '../text/synonyms.ts'
import { linkAssignment } from './assign.ts'
import { type Place, under } from './document-part.ts'
import { operandsIn } from './filter-dependencies.ts'
import { linkPath } from './link-path.ts'
import { complain, type Linking, linkRecordOperand, type PartLinking } from './record-operand.ts'
import { BETWEEN, between, isTime, partsOf, shifted, TIMED, timed } from './times.ts'

const TEXTS: ReadonlySet<string> = new Set(['string', 'text'])
const NUMBERS: ReadonlySet<string> = new Set(['integer', 'decimal'])

/** Links a value for a field; undefined with a complaint where it cannot be one. */
export function linkValue(linking: Linking, written: Json, place: Place): Value | undefined {
  return link({ ...linking, link }, written, place)
}

function link(linking: PartLinking, written: Json, place: Place): Value | undefined {
  const { resolution, draft, field, judging } = linking
  if (isObject(written)) {
    const [word, ...others] = Object.keys(written)
    if (word !== undefined && others.join() === 'in' && TIMED.has(word)) return timed(linking, word, written, place)
    if (word !== undefined && others.length === 0 && Object.hasOwn(MADE, word))
      return MADE[word]!(linking, written[word] ?? null, under(place, word))
  }
  const operand = linking.bare ? bareField(written) : parseRecordOperand(written)
  if (operand === undefined) {
    if (linking.part) return linkPart(linking, written, place)
    if (isObject(written) && field.relation === undefined && field.type.wire !== 'json') {
      const message = `"${Object.keys(written).join('" with "')}" makes no value`
      const expected = Object.keys(MADE)
      const hint = ourHint(Object.keys(written)[0] ?? '', expected)
      resolution.report('unknown_word', message, place([]), { expected, ...hint })
      return undefined
    }
    const assigned = linkAssignment(resolution, draft, field.name, written, place, judging)
    if (assigned === undefined) return undefined
    return 'selection' in assigned
      ? { kind: 'selection', selection: assigned.selection }
      : { kind: 'operand', operand: assigned.operand }
  }
  const placed = { kind: operand.kind, path: Object.assign([...operand.path], { where: [] }) }
  const linked = linkRecordOperand(resolution, draft, field, placed, judging, place([]))
  if (linked === undefined) return undefined
  const from = linked.path.field
  if (!linking.bare && field.type.name === 'integer' && from.type.name === 'decimal') {
    const message = `"${field.name}" (integer) would cut what "${from.name}" (decimal) holds`
    resolution.report('wrong_value', message, place([]))
    return undefined
  }
  return linked
}

/** `quantity`: a field of the record itself. */
function bareField(written: Json): RecordOperand<readonly string[]> | undefined {
  return typeof written === 'string' && /^[A-Za-z]\w*$/.test(written) ? { kind: 'record', path: [written] } : undefined
}

/** A number, or the time of the request, as a part of another value. */
function linkPart(linking: PartLinking, written: Json, place: Place): Value | undefined {
  const isMoment = linking.field.type.wire === 'timestamp'
  if (!linking.bare && isMoment && written === '$now') return { kind: 'operand', operand: { kind: 'now' } }
  if (!isMoment && typeof written === 'number')
    return { kind: 'operand', operand: { kind: 'literal', value: String(written) } }
  const expected = isMoment ? 'a moment, such as $now or $record.created_at' : 'a number, such as $record.minutes'
  const bare = 'a field of the record by its name, such as quantity, or a number'
  return complain(linking, place, 'takes something else here', linking.bare ? bare : expected)
}

type Made = (linking: PartLinking, written: Json, place: Place) => Value | undefined

/** One word that makes a value of others; the schema's VALUE_WORDS says what each means. */
const MADE: Readonly<Record<string, Made>> = {
  first: (linking, written, place) => {
    const of = listOf(linking, written, place, 'values, such as [$before.closed_at, $now]')
    return of === undefined ? undefined : { kind: 'first', of }
  },
  plus: (linking, written, place) =>
    isTime(linking) ? shifted(linking, written, place, 'later') : numbers(linking, written, place, 'sum'),
  minus: (linking, written, place) =>
    isTime(linking) ? shifted(linking, written, place, 'earlier') : numbers(linking, written, place, 'difference'),
  times: (linking, written, place) => numbers(linking, written, place, 'product'),
  divided_by: (linking, written, place) => numbers(linking, written, place, 'quotient'),
  text: textOf,
  ...Object.fromEntries(
    BETWEEN.map(
      (word) => [word, (linking, written, place) => between(linking, word, written, place)] satisfies [string, Made],
    ),
  ),
}

function listOf(linking: PartLinking, written: Json, place: Place, expected: string): readonly Value[] | undefined {
  if (!Array.isArray(written) || written.length < 2) return complain(linking, place, 'takes a list here', expected)
  const linked = written.map((one: Json, index) => link(linking, one, under(place, index)))
  const of = linked.filter((one) => one !== undefined)
  return of.length < linked.length ? undefined : of
}

function numbers(
  linking: PartLinking,
  written: Json,
  place: Place,
  kind: 'sum' | 'difference' | 'product' | 'quotient',
): Value | undefined {
  if (!NUMBERS.has(linking.field.type.name)) return complain(linking, place, 'is no number')
  const zero = kind === 'quotient' && Array.isArray(written) ? written.findIndex((one, at) => at > 0 && one === 0) : -1
  if (zero > 0) return complain(linking, under(place, zero), 'is never divided by 0', 'a number other than 0')
  const of = listOf(linking, written, place, 'numbers, such as [$record.quantity, $record.price]')
  return of === undefined ? undefined : { kind, of }
}

const PLACEHOLDER = /\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}/

/** `Ticket {{ uid }} of {{ user.name }}`. */
function textOf(linking: PartLinking, written: Json, place: Place): Value | undefined {
  const { field, judging, resolution } = linking
  if (typeof written !== 'string') return complain(linking, place, 'takes a text here', 'text: "Ticket {{ uid }}"')
  if (!TEXTS.has(field.type.name)) return complain(linking, place, `(${field.type.name}) is no text`)
  const parts = written.split(PLACEHOLDER)
  if (parts.some((part, index) => index % 2 === 0 && part.includes('{{')))
    return complain(linking, place, 'takes fields between {{ and }}', 'text: "Ticket {{ uid }}"')
  const of = parts.map((part, index): string | Value | undefined => {
    if (index % 2 === 0) return part
    const path: FieldPath | undefined = linkPath(resolution, judging.record, part.split('.'), place([]))
    return path === undefined || path.field.count !== undefined ? undefined : { kind: 'record', path }
  })
  const whole = of.filter((one) => one !== undefined)
  return whole.length < of.length ? undefined : { kind: 'text', of: whole.filter((one) => one !== '') }
}

/** The paths of the record, as it would be, that a value looks at. */
export function pathsRead(value: Value): readonly FieldPath[] {
  switch (value.kind) {
    case 'record':
      return [value.path]
    case 'later':
    case 'earlier':
    case 'between':
      return partsOf(value).flatMap(pathsRead)
    case 'first':
    case 'sum':
    case 'difference':
    case 'product':
    case 'quotient':
      return value.of.flatMap(pathsRead)
    case 'text':
      return value.of.flatMap((part) => (typeof part === 'string' ? [] : pathsRead(part)))
    case 'selection':
      return operandsIn(value.selection.where)
    default:
      return []
  }
}
