/** Values that a write gives by itself, as SQL: what rules and defaults assign, and what follows in the row `v` that is judged and stored. */
import type {
  Assignment,
  Catalog,
  ChosenCalendar,
  Field,
  FieldPath,
  Follow,
  Resource,
  Value,
} from '../catalog/catalog.ts'
import { computedSql } from '../catalog/formula.ts'
import { idSql, meets, tableFields, type WrittenBy } from '../catalog/stored.ts'
import { scaleOf } from '../field/decimal.ts'
import type { Operand } from '../filter/filter.ts'
import { and, join, or, parameter, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { columnsSet } from '../plan/write-plan.ts'
import type { WriteShape } from '../plan/write-shape.ts'
import type { SelectScope } from './compiled.ts'
import { beforeSql, conditionSql, existenceSql, holdsSql, type Judged, pathValueSql } from './condition.ts'
import { joiner } from './select.ts'

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
      return sql`now()::${field.sqlType}`
    case 'today':
      return sql`(now() at time zone 'UTC')::date`
    case 'slot':
      return sql`${slot(`v${operand.index}`)}::${field.sqlType}`
    case 'literal':
      if (field.type.wire === 'json' && operand.value !== null)
        return sql`${parameter({ kind: 'literal', value: JSON.stringify(operand.value) })}::jsonb`
  }
  return sql`${parameter(operand)}::${field.sqlType}`
}

/** A value that follows, of the type of the field that it goes to. */
export function valueSql(scope: SelectScope, field: Field, value: Value, judged: Judged): Sql {
  const { catalog } = scope
  const type = field.sqlType
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

/** How the record of a plan comes to be written. */
export function writtenBy({ action, bulk }: WriteShape): WrittenBy {
  if (action === 'create') return bulk ? 'import' : 'create'
  return 'update'
}

/**
 * The row to write, with what follows on top of `row`, as the definitions of a `with`; the last of them is `v`. `place`: a
 * column of several rows that tells them apart, and goes along.
 */
export function followedRow(scope: SelectScope, plan: WriteShape, row: Sql, place?: string): Sql {
  const { catalog } = scope
  const { assigned, follows, given, resource } = plan
  const by = writtenBy(plan)
  const written = new Set([...given, ...assigned.map(({ field }) => field)].map(({ column }) => column))
  const names = [...follows.map((_, i) => `i${i}`), 'v']
  const rows = follows.map((step, i) =>
    computedRow(catalog, resource, stepSql(scope, resource, step, by, `i${i}`, place), by, columnsSet(step), place),
  )
  const first = computedRow(catalog, resource, row, by, by === 'update' ? written : undefined, place)
  return join([first, ...rows].map((one, i) => sql`plinth_${names[i] ?? 'v'} as materialized (${one})`))
}

/**
 * A row with the columns that the database will compute, because these columns of it were written; undefined: all were.
 * The database computes them only when it stores the row, and by then it is judged.
 */
export function computedRow(
  catalog: Catalog,
  resource: Resource,
  row: Sql,
  by: WrittenBy,
  written: ReadonlySet<string> | undefined,
  place?: string,
): Sql {
  const fields = tableFields(catalog, resource)
  const due = fields.filter(({ stored }) => stored && (written === undefined || meets(stored.reads, written)))
  if (due.length === 0) return row
  // What a new record gets from the database only when it is stored is not known before.
  const given = new Set(by === 'update' ? [] : fields.filter(isGiven).map(({ column }) => column))
  const list = fields.map((field) => {
    if (!due.includes(field)) return `r.${quoted(field.column)}`
    const known = !meets(field.stored!.reads, given)
    return `${known ? computedSql(field, 'r') : `null::${field.sqlType}`} as ${quoted(field.column)}`
  })
  return sql`select ${join([...list, ...(place === undefined ? [] : [`r.${place}`])])} from (${row}) r`
}

function isGiven({ name, options, type }: Field): boolean {
  return name === 'id' || type.generated?.(options, '') !== undefined
}

function stepSql(
  scope: SelectScope,
  resource: Resource,
  step: readonly Follow[],
  by: WrittenBy,
  alias: string,
  place?: string,
): Sql {
  const joins: string[] = []
  const joinOnce = joiner(scope.catalog, joins)
  const judged: Judged = {
    record: alias,
    before: by === 'update' ? resource.table : undefined,
    beside: (relation) => joinOnce(alias, relation),
    stored: () => storedBeside(resource, alias, joins),
  }
  const columns = tableFields(scope.catalog, resource).map(({ column }) => {
    const own = `${alias}.${quoted(column)}`
    // The last of several that set one field counts.
    const cases = [...step].reverse().flatMap((follow) => {
      const set = follow.set.find(({ field }) => field.column === column)
      if (set === undefined) return []
      return [sql`when ${concernsSql(scope, follow, by, judged)} then ${valueSql(scope, set.field, set.value, judged)}`]
    })
    return cases.length === 0 ? sql`${own}` : sql`case ${join(cases, ' ')} else ${own} end as ${quoted(column)}`
  })
  const carried = place === undefined ? [] : [`${alias}.${place}`]
  return sql`select ${join([...columns, ...carried])} from plinth_${alias} ${alias} ${joins.join(' ')}`
}

/** Joins the stored row of the record `alias` once and gives its alias. */
function storedBeside(resource: Resource, alias: string, joins: string[]): string {
  const stored = `${alias}_b`
  const text = `left join ${quoted(resource.table)} ${stored} on ${idSql(resource, stored)} = ${idSql(resource, alias)}`
  if (!joins.includes(text)) joins.push(text)
  return stored
}

/** Whether an entry concerns the row: what it waits for has changed, and its condition holds. */
function concernsSql({ catalog }: SelectScope, { changed, when }: Follow, by: WrittenBy, judged: Judged): Sql {
  const moved = (changed ?? []).map((field) => {
    const before = beforeSql(catalog, { relations: [], field }, judged, field.sqlType)
    return sql`${judged.record}.${quoted(field.column)} is distinct from ${before}`
  })
  const conditions = [
    ...(by !== 'update' || changed === undefined ? [] : [sql`(${or(moved)})`]),
    ...(when === undefined ? [] : [holdsSql(catalog, when, judged.record, judged)]),
  ]
  return and(conditions)
}

/** A stretch of work: its begin, and the working time before it and up to its end, in microseconds since the first one. */
const HOURS = 'plinth_working_time'

/** The working time up to a moment, in microseconds. */
function workedSql(moment: string): string {
  return `coalesce((select w.worked_before + (extract(epoch from least(${moment}, w.ends_at) - w.starts_at) * 1000000)::bigint
    from ${HOURS} w where w.calendar = m.calendar and w.starts_at <= ${moment} order by w.starts_at desc limit 1), 0)`
}

/** The microseconds between two moments, 0 when the second is not later; those of working time where a calendar's key is given. */
export function microsBetweenSql(from: Sql, to: Sql, calendar: Sql | undefined): Sql {
  const passed =
    calendar === undefined
      ? '(extract(epoch from m.ends - m.begins) * 1000000)::bigint'
      : `${workedSql('m.ends')} - ${workedSql('m.begins')}`
  const key = calendar ?? sql`''`
  // greatest() passes over what is absent.
  return sql`(select case when m.ends is not null and m.begins is not null and m.calendar is not null
      then greatest(${passed}, 0) end
    from (select ${from} as begins, ${to} as ends, ${key} as calendar offset 0) m)`
}

/**
 * The moment at which so many microseconds of working time have passed after another; before it, when they are negative.
 * That is the end of a working day rather than the begin of the next one, and before a moment the other way round.
 */
export function workingShiftSql(begin: Sql, micros: Sql, calendar: Sql): Sql {
  // "offset 0" has each of them worked out once, and not again wherever its value is used.
  return sql`(select case when g.micros = 0 then g.begins else
      (select w.starts_at + (g.goal - w.worked_before) * interval '1 microsecond' from ${HOURS} w
        where w.calendar = g.calendar and w.worked_after >= g.goal + (g.micros < 0)::int order by w.worked_after limit 1) end
    from (select m.*, ${workedSql('m.begins')} + m.micros as goal
      from (select ${begin} as begins, ${micros} as micros, ${calendar} as calendar offset 0) m offset 0) g)`
}
