/** The SQL of columns that the database computes: the same for the column itself and for the row that a write would store. */
import { precisionOf, scaleOf } from '../field/decimal.ts'
import type { FieldErrorCode } from '../field-error.ts'
import { quoted } from '../filter/sql.ts'
import type { Field, Formula } from './field.ts'

/** How a column is named: bare in the definition of a table, under an alias in a statement. */
type Named = (field: Field) => string

const bare: Named = ({ column }) => quoted(column)

/** A row that is not stored yet has numbers with more digits than their columns keep. */
function inRow(alias: string): Named {
  return (field) => {
    const column = `${alias}.${quoted(field.column)}`
    return field.type.name === 'decimal' ? `round(${column}, ${scaleOf(field.options)})` : column
  }
}

/** The longest time that a number of seconds in a record may mean: a thousand years. */
const LONGEST_SECONDS = 31_622_400_000

/** The text of `generated always as`. */
export function generatedSql(field: Field): string {
  return valueIn(field, bare)
}

/** The value of a computed column of the row `alias`, absent where its column could not hold it. */
export function computedSql(field: Field, alias: string): string {
  const value = valueIn(field, inRow(alias))
  if (field.type.name !== 'integer') return value
  // The type of a decimal or a text in a statement has no bounds.
  return `case when ${fitsSql(field, alias)} then (${value})::${field.type.column(field.options)} end`
}

/** Whether the column can hold the value that the row `alias` gives it. */
export function fitsSql(field: Field, alias: string): string {
  return holds(field, inRow(alias))
}

/** The same of the columns of a table, for rows that are there. */
export function storedFitsSql(field: Field): string {
  return holds(field, bare)
}

function holds(field: Field, named: Named): string {
  const value = valueIn(field, named)
  const { least, longest, most } = boundsOf(field)
  const spans = spansOf(field.stored!.formula, named).map((one) => `abs(${one}) <= ${LONGEST_SECONDS}`)
  const own = longest === undefined ? `${value} between ${least} and ${most}` : `char_length(${value}) <= ${longest}`
  return [...spans, own].map((one) => `coalesce(${one}, true)`).join(' and ')
}

interface Bounds {
  readonly least?: string
  readonly most?: string
  /** In characters. */
  readonly longest?: number
}

/** What a column can hold, by its type and the options of the field, as SQL. */
function boundsOf({ options, type }: Field): Bounds {
  if (type.wire === 'date') return { least: `date '1900-01-01'`, most: `date '2200-12-31'` }
  if (type.wire === 'timestamp')
    return { least: `timestamptz '1900-01-01 00:00:00+00'`, most: `timestamptz '2200-12-31 23:59:59.999999+00'` }
  const [least, most] = ends({ options, type })
  if (least !== undefined && most !== undefined) return { least, most }
  return { longest: type.longest?.(options) ?? 65_535 }
}

/** The least and the greatest number of a field. */
function ends({ options, type }: Pick<Field, 'options' | 'type'>): readonly [string?, string?] {
  const { max, min } = options.own
  if (type.name === 'integer') {
    const { maximum, minimum } = type.schema(options)
    return [String(minimum), String(maximum)]
  }
  if (type.name !== 'decimal') return []
  const scale = scaleOf(options)
  const digits = '9'.repeat(precisionOf(options) - scale) || '0'
  const all = scale === 0 ? digits : `${digits}.${'9'.repeat(scale)}`
  return [String(min ?? `-${all}`), String(max ?? all)]
}

/** What a field can hold, for people: `between 0 and 99.99`, and the code of a value outside of that. */
export function boundsSentence(field: Field): { readonly code: FieldErrorCode; readonly bounds: string } {
  const { longest } = boundsOf(field)
  if (longest !== undefined) return { code: 'too_long', bounds: `at most ${longest} characters long` }
  const [least, most] = ends(field)
  const bounds = least === undefined ? 'between the years 1900 and 2200' : `between ${least} and ${most}`
  return { code: 'out_of_range', bounds }
}

/** The value of a field, with as many digits as its column has. */
function valueIn(field: Field, named: Named): string {
  const { formula } = field.stored!
  switch (field.type.name) {
    case 'integer':
      // Whole units of time are counted as everywhere: what has begun is none.
      return formula.kind === 'between' ? `trunc(${number(formula, named)})` : `round(${number(formula, named)})`
    case 'decimal':
      return `round(${number(formula, named)}, ${scaleOf(field.options)})`
    case 'date':
    case 'timestamp':
      return time(formula, named, field.type.name)
    default:
      return text(formula, named)
  }
}

/** A field inside another formula: PostgreSQL lets no computed column name another, so it is written out. */
function part(field: Field, named: Named): string {
  return field.stored === undefined ? named(field) : valueIn(field, named)
}

const SIGNS = { sum: ' + ', difference: ' - ', product: ' * ' } as const

function number(formula: Formula, named: Named): string {
  switch (formula.kind) {
    case 'field':
      return `(${part(formula.field, named)})::numeric`
    case 'number':
      return `(${formula.value})::numeric`
    case 'first':
      return `coalesce(${formula.of.map((one) => number(one, named)).join(', ')})`
    case 'sum':
    case 'difference':
    case 'product':
      return `(${formula.of.map((one) => number(one, named)).join(SIGNS[formula.kind])})`
    case 'quotient':
      return `(${formula.of.map((one, i) => (i === 0 ? number(one, named) : `nullif(${number(one, named)}, 0)`)).join(' / ')})`
    case 'between':
      return passed(formula, named)
    default:
      throw new Error(`${formula.kind} is no number`)
  }
}

function passed({ from, to, seconds }: Extract<Formula, { kind: 'between' }>, named: Named): string {
  const isDays = kindOf(from) === 'date'
  const [begin, end] = [from, to].map((one) => time(one, named, isDays ? 'date' : 'timestamp'))
  const difference = isDays
    ? `((${end}) - (${begin}))::numeric * 86400`
    : `(extract(epoch from (${end}) - (${begin})))::numeric`
  // greatest() passes over what is absent.
  return `(case when ${begin} is not null and ${end} is not null then greatest(${difference}, 0) end / ${seconds})`
}

function kindOf(formula: Formula): string {
  if (formula.kind === 'field') return formula.field.type.wire
  if (formula.kind === 'later' || formula.kind === 'earlier') return kindOf(formula.than)
  return formula.kind === 'first' ? kindOf(formula.of[0]!) : 'number'
}

/** A moment is shifted as UTC shows it: what a time zone shows is nothing that a column may depend on. */
function time(formula: Formula, named: Named, type: 'date' | 'timestamp'): string {
  if (formula.kind === 'field') return part(formula.field, named)
  if (formula.kind === 'first') return `coalesce(${formula.of.map((one) => time(one, named, type)).join(', ')})`
  if (formula.kind !== 'later' && formula.kind !== 'earlier') throw new Error(`${formula.kind} is no moment`)
  const { by, kind, than } = formula
  const sign = kind === 'later' ? '+' : '-'
  const span = typeof by === 'string' ? `interval '${by}'` : spanOf(by, named)
  const begin = time(than, named, type)
  return type === 'date'
    ? `((${begin}) ${sign} ${span})::date`
    : `(((${begin}) at time zone 'UTC' ${sign} ${span}) at time zone 'UTC')`
}

/** So many seconds; none where they are more than any moment could bear. */
function spanOf(by: Formula, named: Named): string {
  const seconds = number(by, named)
  return `(case when abs(${seconds}) <= ${LONGEST_SECONDS} then (${seconds} * 1000000)::bigint end * interval '1 microsecond')`
}

/** The numbers of seconds in a formula that come from records, as SQL. */
function spansOf(formula: Formula, named: Named): readonly string[] {
  switch (formula.kind) {
    case 'field':
      return formula.field.stored === undefined ? [] : spansOf(formula.field.stored.formula, named)
    case 'later':
    case 'earlier':
      return [
        ...spansOf(formula.than, named),
        ...(typeof formula.by === 'string' ? [] : [number(formula.by, named), ...spansOf(formula.by, named)]),
      ]
    default:
      return partsOf(formula).flatMap((one) => spansOf(one, named))
  }
}

function text(formula: Formula, named: Named): string {
  if (formula.kind === 'field') return `(${part(formula.field, named)})::text`
  if (formula.kind === 'first') return `coalesce(${formula.of.map((one) => text(one, named)).join(', ')})`
  if (formula.kind !== 'text') throw new Error(`${formula.kind} is no text`)
  const parts = formula.of.map((one) =>
    typeof one === 'string' ? `'${one.replaceAll("'", "''")}'::text` : `coalesce(${text(one, named)}, '')`,
  )
  return parts.length === 0 ? `''::text` : `(${parts.join(' || ')})`
}

function partsOf(formula: Formula): readonly Formula[] {
  switch (formula.kind) {
    case 'field':
      return formula.field.stored === undefined ? [] : [formula.field.stored.formula]
    case 'number':
      return []
    case 'later':
    case 'earlier':
      return [formula.than, ...(typeof formula.by === 'string' ? [] : [formula.by])]
    case 'between':
      return [formula.from, formula.to]
    case 'text':
      return formula.of.filter((one) => typeof one !== 'string')
    default:
      return formula.of
  }
}

/** The columns that somebody writes and a formula comes down to. */
export function bareColumns(formula: Formula): ReadonlySet<string> {
  const own = formula.kind === 'field' && formula.field.stored === undefined ? [formula.field.column] : []
  return new Set([...own, ...partsOf(formula).flatMap((one) => [...bareColumns(one)])])
}

/** How many parts a formula has as SQL; counted no further than a little above `most`. */
export function sizeOf(formula: Formula, most: number): number {
  let size = 1
  for (const one of partsOf(formula)) {
    if (size > most) return size
    size += sizeOf(one, most - size)
  }
  return size
}

/** Whether the value can be absent in a record. */
export function mayBeAbsent(formula: Formula): boolean {
  switch (formula.kind) {
    case 'field':
      return formula.field.stored === undefined ? formula.field.nullable : partsOf(formula).some(mayBeAbsent)
    case 'first':
      return formula.of.every(mayBeAbsent)
    case 'quotient':
      return mayBeAbsent(formula.of[0]!) || formula.of.slice(1).some((one) => !isSureDivisor(one))
    case 'text':
      return false
    default:
      return partsOf(formula).some(mayBeAbsent)
  }
}

function isSureDivisor(formula: Formula): boolean {
  return formula.kind === 'number' && Number(formula.value) !== 0
}
