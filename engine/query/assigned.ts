/** Values that a write gives by itself, as SQL: what rules and defaults assign, and what follows from other values. */
import type { Assignment, ChosenCalendar, Field, FieldPath, Value } from '../catalog/catalog.ts'
import { castType, idSql } from '../catalog/stored.ts'
import { scaleOf } from '../field/decimal.ts'
import type { Operand } from '../filter/filter.ts'
import { and, join, parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { beforeSql, conditionSql, type Judged, pathValueSql } from './condition.ts'
import { existenceSql, type SelectScope } from './scope.ts'
import { microsBetweenSql, workingShiftSql } from './working-time.ts'

/** What an assignment writes: the database's clock, an operand, or the id of a selected record. */
export function assignedSql(scope: SelectScope, { field, ...given }: Assignment): Sql {
  return 'selection' in given ? selectedSql(scope, given.selection) : operandSql(field, given.operand)
}

function selectedSql(
  scope: SelectScope,
  { resource, where }: Extract<Value, { kind: 'selection' }>['selection'],
  judged?: Judged,
): Sql {
  const target = scope.catalog.resources.get(resource)!
  const conditions = [conditionSql(scope.catalog, where, 's', judged), ...existenceSql(scope, target, 's')]
  const id = idSql(target, 's')
  return sql`(select ${id} from ${quoted(target.table)} s where ${and(conditions)} order by ${id} limit 1)`
}

function operandSql(field: Field, operand: Operand): Sql {
  switch (operand.kind) {
    case 'now':
      return sql`now()::${castType(field)}`
    case 'today':
      return sql`(now() at time zone 'UTC')::date`
    case 'slot':
      return sql`${slot(`v${operand.index}`)}::${castType(field)}`
    case 'literal':
      if (field.type.wire === 'json' && operand.value !== null)
        return sql`${parameter({ kind: 'literal', value: JSON.stringify(operand.value) })}::jsonb`
  }
  return sql`${parameter(operand)}::${castType(field)}`
}

/** A value that follows, of the type of the field that it goes to. */
export function valueSql(scope: SelectScope, field: Field, value: Value, judged: Judged): Sql {
  const { catalog } = scope
  const type = castType(field)
  const each = (of: readonly Value[]): readonly Sql[] => of.map((one) => valueSql(scope, field, one, judged))
  switch (value.kind) {
    case 'operand':
      return operandSql(field, value.operand)
    case 'selection':
      return selectedSql(scope, value.selection, judged)
    case 'record':
      return sql`(${pathValueSql(catalog, value.path, judged.record, besideOnly(judged))})::${type}`
    case 'before':
      return sql`(${beforeSql(catalog, value.path, judged, type)})::${type}`
    case 'first':
      return sql`coalesce(${join(each(value.of))})`
    case 'sum':
      return sql`(${join(each(value.of), ' + ')})::${type}`
    case 'difference':
      return sql`(${join(each(value.of), ' - ')})::${type}`
    case 'product':
      return sql`(${join(each(value.of), ' * ')})::${type}`
    case 'quotient':
      return quotientSql(each(value.of), type)
    case 'later':
    case 'earlier':
      return sql`(${shiftedSql(scope, field, value, judged)})::${type}`
    case 'between': {
      const calendar = value.calendar && calendarSql(scope, value.calendar, judged)
      const [from, to] = [value.from, value.to].map((one) => valueSql(scope, value.as, one, judged))
      return sql`trunc(${microsBetweenSql(from!, to!, calendar)} / ${value.seconds}000000.0, ${field.type.name === 'decimal' ? scaleOf(field.options) : 0})::${type}`
    }
    case 'working':
      return sql`${parameter({ kind: 'working', working: value.working })}::${type}`
    case 'text':
      return sql`(${join(
        value.of.map((part) => partSql(scope, part, judged)),
        ' || ',
      )})::${type}`
  }
}

/** A number divided by others: exact, also where all of them are whole, and absent where one of them is 0. */
function quotientSql([first, ...rest]: readonly Sql[], type: string): Sql {
  const divisors = rest.map((one) => sql`nullif(${one}, 0)`)
  return sql`(${join([sql`${first!}::numeric`, ...divisors], ' / ')})::${type}`
}

/** A value and a length of time after or before it. */
function shiftedSql(
  scope: SelectScope,
  field: Field,
  { kind, than, by, calendar }: Extract<Value, { kind: 'later' | 'earlier' }>,
  judged: Judged,
): Sql {
  const begin = valueSql(scope, field, than, judged)
  const sign = kind === 'later' ? '+' : '-'
  if (typeof by === 'string') return sql`${begin} ${sign} ${parameter({ kind: 'literal', value: by })}::interval`
  const amounts = by.map(({ as, of, seconds }) => sql`${valueSql(scope, as, of, judged)} * ${sign}${seconds}000000`)
  const micros = sql`(${join(amounts, ' + ')})::bigint`
  return calendar === undefined
    ? sql`${begin} + ${micros} * interval '1 microsecond'`
    : workingShiftSql(begin, micros, calendarSql(scope, calendar, judged))
}

/** The key of the calendar that counts; null where a record names none. */
function calendarSql(scope: SelectScope, { by, keys }: ChosenCalendar, judged: Judged): Sql {
  const text = (value: string): Sql => sql`${parameter({ kind: 'literal', value })}::text`
  const [[, only = ''] = []] = [...keys]
  if (by === undefined) return text(only)
  const cases = [...keys].map(([name, key]) => sql`when ${text(name)} then ${text(key)}`)
  return sql`case ${valueSql(scope, by.as, by.value, judged)} ${join(cases, ' ')} end`
}

/** A part of a text; a value that is not there is no word. */
function partSql({ catalog }: SelectScope, part: string | Value, judged: Judged): Sql {
  if (typeof part === 'string') return sql`${parameter({ kind: 'literal', value: part })}::text`
  const path = (part as { readonly path: FieldPath }).path
  return sql`coalesce((${pathValueSql(catalog, path, judged.record, besideOnly(judged))})::text, '')`
}

/** Values that follow are read from the tables as they are, whatever the statement makes of them. */
function besideOnly({ beside, record }: Judged): Judged {
  return { record, before: undefined, beside }
}
