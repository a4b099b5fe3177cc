/** Passes: columns that the database computes from other fields, `stored: { times: [quantity, unit_price] }`, and backfills that are made of other fields. */

import type { Field, FieldPath, Formula, Value } from '../catalog/catalog.ts'
import { bareColumns, mayBeAbsent, sizeOf } from '../catalog/formula.ts'
import type { Document, FieldDefinition } from '../definition/definition.ts'
import { flow } from '../definition/sentence.ts'
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { type Place, under } from './document-part.ts'
import { isBackfillFrom } from './fields.ts'
import { type Draft, type DraftField, eachDraft, type Resolution } from './resolution.ts'
import { standIn } from './times.ts'
import { linkValue } from './values.ts'

/** Keys that speak of a value which somebody writes. */
const WRITTEN = ['computed', 'required', 'nullable', 'default', 'backfill', 'immutable', 'write', 'pattern'] as const
const NUMBERS: ReadonlySet<string> = new Set(['integer', 'decimal'])
const TIMES: ReadonlySet<string> = new Set(['date', 'timestamp'])
const TEXTS: ReadonlySet<string> = new Set(['string', 'text'])
const KINDS: ReadonlySet<string> = new Set([...NUMBERS, ...TIMES, ...TEXTS])
/** What has one spelling as a text, whatever the settings of a connection. */
const SPELLED = /^(character varying|text|smallint|integer|bigint|numeric|boolean)/
/** How far a written span of time may lead, so that no moment is beyond those of the database. */
const LONGEST_YEARS = 100
const UNITS_OF_YEAR: Readonly<Record<string, number>> = {
  minute: 525_600,
  hour: 8_760,
  day: 365,
  week: 52,
  month: 12,
  year: 1,
}

/** A field with a formula, as it is written. */
interface Written {
  readonly draft: Draft
  readonly field: DraftField
  readonly place: Place
}

/** Links the formulas of every table, the owner's for all resources that use it. */
export function storedFields(resolution: Resolution): void {
  const drafts = eachDraft(resolution)
  for (const { written, draft } of drafts.filter(({ draft }) => draft.owner === draft.name)) {
    const open = [...written.fields].flatMap(([name, document]): readonly Written[] => {
      const field = draft.fields.get(name)
      if (document.value.stored === undefined || field === undefined) return []
      const place: Place = under(document.place, 'stored')
      return fits(resolution, field, document) ? [{ draft, field, place }] : []
    })
    for (const one of open) linkFormula(resolution, one, written.fields.get(one.field.name)?.value.stored as Json)
    for (const one of open) refuseCircle(resolution, one)
    const whole = open.filter(({ field }) => field.stored !== undefined)
    for (const one of whole) complete(resolution, one)
  }
  for (const { draft } of drafts) {
    if (draft.owner === draft.name) continue
    for (const [name, field] of draft.fields) {
      const { stored, nullable, options } = resolution.drafts.get(draft.owner)?.fields.get(name) ?? field
      if (stored !== undefined) Object.assign(field, { stored, nullable, options })
    }
  }
}

/** Whether the field can be computed at all; keys that do not go with `stored` are reported. */
function fits(resolution: Resolution, field: Field, { value, place }: Document<FieldDefinition>): boolean {
  for (const key of WRITTEN) {
    if (value[key] === undefined) continue
    const message = `"${key}" does not go with "stored": nobody writes the value`
    resolution.report('wrong_option', message, place([key], 'key'), { hint: `take "${key}" away` })
  }
  if (TEXTS.has(field.type.name) && value.min !== undefined)
    resolution.report('wrong_option', '"min" does not go with "stored" in a text', place(['min'], 'key'))
  if (KINDS.has(field.type.name)) return true
  const message = `A field of type ${field.type.name} cannot be computed by the database`
  resolution.report('wrong_option', message, place(['stored'], 'key'), { expected: [...KINDS] })
  return false
}

function linkFormula(resolution: Resolution, { draft, field, place }: Written, written: Json): void {
  // What a whole number is made of may have digits behind the point.
  const taker = field.type.name === 'integer' ? standIn({ field, resolution }, 'decimal', field.name) : field
  const judging = { record: draft, before: false, bare: true } as const
  const linking = { resolution, draft, field: taker, judging, bare: true, part: true } as const
  const value = linkValue(linking, written, place)
  if (value === undefined) return
  const problems: string[] = []
  const formula = formulaOf(value, field, (problem) => problems.push(problem))
  const [problem] = problems
  if (problem !== undefined || formula === undefined) {
    const hint = 'write it under follows, or take it out'
    resolution.report('wrong_value', `"${field.name}" is a column of the database: ${problem}`, place([]), { hint })
    return
  }
  field.stored = { formula, reads: new Set() }
}

/** The value as the database can compute it for a field; what it cannot is complained about. */
function formulaOf(value: Value, field: Field, complain: (problem: string) => void): Formula | undefined {
  const each = (of: readonly Value[]): Formula[] => of.flatMap((one) => formulaOf(one, field, complain) ?? [])
  switch (value.kind) {
    case 'operand':
      return literalOf(value.operand, field, complain)
    case 'record':
      return fieldOf(value.path, complain)
    case 'first':
    case 'sum':
    case 'difference':
    case 'product':
    case 'quotient':
      return { kind: value.kind, of: each(value.of) }
    case 'text':
      return { kind: 'text', of: value.of.flatMap((part) => textPart(part, field, complain)) }
    case 'later':
    case 'earlier':
    case 'between':
      return timeOf(value, field, complain)
    default:
      return void complain('it knows only fields of the record itself')
  }
}

function literalOf(
  operand: Extract<Value, { kind: 'operand' }>['operand'],
  field: Field,
  complain: (problem: string) => void,
): Formula | undefined {
  const value = operand.kind === 'literal' ? String(operand.value) : ''
  const isText = TEXTS.has(field.type.name) || field.type.name === 'enum'
  if (isText && operand.kind === 'literal') return { kind: 'text', of: [value] }
  return Number.isFinite(Number(value)) ? { kind: 'number', value } : void complain(`${value} is no number`)
}

function fieldOf({ relations, field }: FieldPath, complain: (problem: string) => void): Formula | undefined {
  if (relations.length > 0 || field.relation !== undefined)
    return void complain(`"${field.relation ?? relations[0]?.name}" leads to another record`)
  if (field.computed !== undefined || field.count !== undefined) return void complain(`"${field.name}" has no column`)
  if (field.type.hidden === true) return void complain(`"${field.name}" is a secret`)
  return { kind: 'field', field }
}

function textPart(part: string | Value, field: Field, complain: (problem: string) => void): (string | Formula)[] {
  if (typeof part === 'string') return [part]
  const formula = formulaOf(part, field, complain)
  if (formula?.kind !== 'field') return []
  const { name, options, type } = formula.field
  if (!SPELLED.test(type.column(options))) complain(`how "${name}" (${type.name}) is spelled depends on who reads it`)
  if (field.type.name === 'string' && type.name === 'text')
    complain(`"${name}" may have several lines, so "${field.name}" must be of type text`)
  return [formula]
}

function timeOf(
  value: Extract<Value, { kind: 'later' | 'earlier' | 'between' }>,
  field: Field,
  complain: (problem: string) => void,
): Formula | undefined {
  if (value.calendar !== undefined) return void complain('working time is in a table of its own')
  if (value.kind === 'between') {
    const [from, to] = [value.from, value.to].map((one) => formulaOf(one, field, complain))
    return from && to && { kind: 'between', from, to, seconds: value.seconds }
  }
  const than = formulaOf(value.than, field, complain)
  if (than === undefined) return undefined
  if (typeof value.by === 'string') {
    const [, count = '0', unit = ''] = /^(\d+) (\w+?)s?$/.exec(value.by) ?? []
    if (Number(count) > LONGEST_YEARS * (UNITS_OF_YEAR[unit] ?? 0)) complain(`${value.by} are too long`)
    return { kind: value.kind, than, by: value.by }
  }
  const parts = value.by.flatMap(({ of, seconds }): readonly Formula[] => {
    const amount = formulaOf(of, field, complain)
    return amount ? [{ kind: 'product', of: [amount, { kind: 'number', value: String(seconds) }] }] : []
  })
  return { kind: value.kind, than, by: parts.length === 1 ? parts[0]! : { kind: 'sum', of: parts } }
}

/** The fields that a formula names itself. */
function named(formula: Formula): readonly Field[] {
  if (formula.kind === 'field') return [formula.field]
  if (formula.kind === 'number') return []
  if (formula.kind === 'between') return [...named(formula.from), ...named(formula.to)]
  if (formula.kind === 'text') return formula.of.flatMap((part) => (typeof part === 'string' ? [] : named(part)))
  if ('of' in formula) return formula.of.flatMap(named)
  return [...named(formula.than), ...(typeof formula.by === 'string' ? [] : named(formula.by))]
}

function refuseCircle(resolution: Resolution, { field, place }: Written): void {
  const wayBack = (from: Field, way: readonly Field[]): readonly Field[] | undefined => {
    for (const next of from.stored === undefined ? [] : named(from.stored.formula)) {
      if (next === field) return [...way, next]
      const found = way.includes(next) ? undefined : wayBack(next, [...way, next])
      if (found !== undefined) return found
    }
    return undefined
  }
  const way = wayBack(field, [field])
  if (way === undefined) return
  const message = `"${field.name}" is computed from itself: ${way.map(({ name }) => name).join(' → ')}`
  resolution.report('wrong_value', message, place([]))
  field.stored = undefined
}

/** What follows from the whole formula, those of the fields in it among them. */
function complete(resolution: Resolution, { field, place }: Written): void {
  const { formula } = field.stored!
  const size = sizeOf(formula, LIMITS.formulaParts)
  if (size > LIMITS.formulaParts) {
    const message = `"${field.name}" has more than ${LIMITS.formulaParts} parts, with those of the fields that it is computed from`
    resolution.report('wrong_value', message, place([]))
    field.stored = undefined
    return
  }
  const guarded = field.read === undefined ? named(formula).find(({ read }) => read !== undefined) : undefined
  if (guarded !== undefined) {
    const message = `"${guarded.name}" is not for everybody, and "${field.name}" would show what it comes to`
    const hint = `write "read" next to "stored" too: who may read "${field.name}"`
    resolution.report('wrong_option', message, place([]), { hint })
  }
  field.stored = { formula, reads: bareColumns(formula) }
  field.nullable = mayBeAbsent(formula)
  field.options = { ...field.options, nullable: field.nullable }
}

/** Types whose values can be made of others. */
const MADE: ReadonlySet<string> = new Set([
  'integer',
  'bigint',
  'decimal',
  'date',
  'timestamp',
  'string',
  'text',
  'enum',
])

function isMade({ type }: Field, formula: Formula): boolean {
  return MADE.has(type.name) || (formula.kind === 'field' && formula.field.type.name === type.name)
}

/** Links the backfills of every table. */
export function backfills(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    if (draft.owner !== draft.name) continue
    for (const [name, document] of written.fields) {
      const field = draft.fields.get(name)
      if (field === undefined || field.nullable || !isBackfillFrom(document.value.backfill, field.type)) continue
      linkBackfill(resolution, draft, field, document)
    }
  }
}

function linkBackfill(
  resolution: Resolution,
  draft: Draft,
  field: DraftField,
  { value: { backfill }, place: at }: Document<FieldDefinition>,
): void {
  const place: Place = under(at, 'backfill')
  const complain = (problem: string): void => {
    const hint = 'write a value, or one that is made of fields of the same record'
    resolution.report('wrong_value', `The "backfill" of "${field.name}": ${problem}`, place([]), { hint })
  }
  const linked = linkValue({ resolution, draft, field, judging: { record: draft, before: false } }, backfill!, place)
  if (linked === undefined) return
  const problems: string[] = []
  const formula = formulaOf(linked, field as Field, (problem) => problems.push(problem))
  if (formula !== undefined && !isMade(field, formula)) problems.push(`a ${field.type.name} is made of no other fields`)
  if (formula !== undefined && sizeOf(formula, LIMITS.formulaParts) > LIMITS.formulaParts)
    problems.push(`it has more than ${LIMITS.formulaParts} parts`)
  const [problem] = problems
  if (problem !== undefined) complain(problem)
  else if (formula !== undefined) field.backfillFrom = { formula, shown: flow(backfill!) }
}
