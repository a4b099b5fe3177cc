/** Plans that a column holds no null any more: rows with null are filled, then null is refused. */
import { quoted as q } from '../filter/sql.ts'
import { sequenceIn, updateOf } from './ddl.ts'
import { obstacles } from './future-rows.ts'
import { type Circumstances, isFilledAhead, isNew, isSettled, type Pair, presentColumn } from './pair.ts'
import { checkName, fillingName, MARK, quoteText } from './sql-name.ts'
import { asking, type Batches, type Command, type Step, statementsOf, tidying, type Work } from './step.ts'
import type { Column } from './table.ts'

/** The rows of a table by its key, for commands that change them in batches; undefined where it has no single key. */
export function batchesOf(
  { wanted, actual }: Pair,
  column: string,
  change: Pick<Batches, 'value' | 'where' | 'mark' | 'inOrder'>,
): Command | undefined {
  const [key, ...others] = wanted.primaryKey
  const keyType = actual.columns.find(({ name }) => name === actual.primaryKey[0])?.type
  if (key === undefined || keyType === undefined || others.length > 0) return undefined
  return { batches: { table: wanted.name, key, keyType, column, ...change } }
}

/** Changes all rows at once where a table has no key to go by. */
export function filling(
  pair: Pair,
  column: string,
  change: Pick<Batches, 'value' | 'where' | 'mark' | 'inOrder'>,
): Command {
  return (
    batchesOf(pair, column, change) ??
    `${updateOf({ table: pair.wanted.name, column, ...change })} where ${change.where}`
  )
}

/** Rows for which an expression of the YAML has no value, or none that the column can hold. */
export function findingValues(pair: Pair, column: Column, was: Column | undefined): readonly Step[] {
  if (column.fillReads === undefined || column.fill === undefined) return []
  const effect = was === undefined || isNew(pair, column) ? 'adds' : 'changes'
  return [
    asking(`find a value for ${pair.wanted.name}.${column.name}`, effect, {
      kind: 'obstacle',
      ...obstacles(pair, `${q(column.name)} is null`),
      consequence: 'get no value by backfill that the field can hold',
      advice:
        column.fillTable === undefined
          ? 'give a second value, such as `backfill: { first: [$record.<field>, <value>] }`, or correct those records'
          : `name a record of ${column.fillTable} that is there`,
    }),
  ]
}

/** Says what to write so that the present rows get a value. */
export function backfillAdvice({ wanted }: Pair, column: Column): string {
  const isReference = wanted.foreignKeys.some((key) => key.column === column.name)
  if (isReference)
    return '`backfill: { <field>: <value> }` beside the relation says which record they get; or leave `required` away'
  return '`backfill: <value>` beside the field says what they get, `backfill: $record.<field>` the value of another field; or leave it nullable'
}

/** Whether null becomes one value that every row can get, so that no write of the version before could be refused. */
function isAlwaysFilled(column: Column, fill: string | undefined): fill is string {
  return fill !== undefined && column.fillReads === undefined && !isNumbered(column)
}

/** Whether rows without a value get the next number of a sequence. */
function isNumbered(column: Column): boolean {
  return column.fill === undefined && sequenceIn(column.default) !== undefined
}

/** A trigger that replaces null in writes of the version before, and a column that marks the rows where it did. */
function makeFilling(table: string, column: string, fill: string): readonly Command[] {
  const trigger = q(checkName(table, column, 'filling'))
  const [own, mark] = [q(column), q(fillingName(column))]
  // A column of the table may have the name of a variable.
  const body = `#variable_conflict use_column
begin
  if new.${own} is null then new.${own} := ${fill}; new.${mark} := true;
  elsif tg_op = 'UPDATE' then
    if new.${own} is distinct from old.${own} and new.${mark} is not distinct from old.${mark} then new.${mark} := null; end if;
  end if;
  return new;
end`
  return [
    `alter table ${q(table)} add column if not exists ${mark} boolean`,
    {
      together: [
        `create or replace function ${trigger}() returns trigger language plpgsql as ${quoteText(body)}`,
        `create or replace trigger ${trigger} before insert or update on ${q(table)} for each row execute function ${trigger}()`,
        `comment on trigger ${trigger} on ${q(table)} is '${MARK}'`,
      ],
    },
  ]
}

function dropFilling(table: string, trigger: string): readonly string[] {
  return [`drop trigger if exists ${q(trigger)} on ${q(table)}`, `drop function if exists ${q(trigger)}()`]
}

/** Sets the marked rows to null again after a change that is given up; in reverse order. */
function undoFilling(pair: Pair, column: string, check: string): readonly Command[] {
  const { name } = pair.wanted
  const mark = q(fillingName(column))
  return [
    `alter table ${q(name)} drop column if exists ${mark}`,
    filling(pair, column, { value: 'null', where: mark }),
    { together: dropFilling(name, checkName(name, column, 'filling')) },
    `alter table ${q(name)} drop constraint if exists ${check}`,
  ]
}

/**
 * Whether a column becomes required before it, another column or the table is renamed: the version before cannot be
 * served after a rename, so the rows are filled and checked ahead of it.
 */
export function isRequiredFirst(pair: Pair, column: Column, was: Column): boolean {
  const { wanted, actual } = pair
  if (!was.nullable || column.nullable || !isAlwaysFilled(column, column.fill)) return false
  const isWritten = was.generated === undefined && column.generated === undefined
  if (!isWritten || isNew(pair, column) || was.type !== column.type) return false
  return wanted.name !== actual.name || wanted.columns.some((one) => isRenamed(pair, one))
}

function isRenamed(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  return was !== undefined && was.name !== column.name && !isNew(pair, column)
}

/** The steps before renames: leftovers go, and columns become required under their present names. */
export function beforeRenames(pair: Pair, circumstances: Circumstances): readonly Step[] {
  return [...sweeping(pair, circumstances), ...requiringFirst(pair)]
}

function requiringFirst(pair: Pair): readonly Step[] {
  const { wanted, actual } = pair
  const first = wanted.columns.flatMap((column, place) => {
    const was = presentColumn(pair, column)
    return was !== undefined && isRequiredFirst(pair, column, was) ? [{ column, place, was }] : []
  })
  if (first.length === 0) return []
  const present = (name: string) => {
    const column = wanted.columns.find((one) => one.name === name)
    return (column && presentColumn(pair, column)?.name) ?? name
  }
  const columns = wanted.columns.map((column) => ({ ...column, name: present(column.name) }))
  const primaryKey = wanted.primaryKey.map(present)
  const early = { ...pair, wanted: { ...wanted, name: actual.name, columns, primaryKey } }
  return first.flatMap(({ column, place, was }) => {
    const about = { table: wanted.name, column: column.name }
    return requiring(early, columns[place] ?? column, was).map((step) => ({ ...step, about }))
  })
}

/** The statements that make a column NOT NULL, and when they run. */
function requiredWork(pair: Pair, column: Column, fill: string | undefined): Work {
  const { name } = pair.wanted
  const table = q(name)
  const check = q(checkName(name, column.name, 'required'))
  const isNull = `${q(column.name)} is null`
  const add = [
    `alter table ${table} drop constraint if exists ${check}`,
    `alter table ${table} add constraint ${check} check (${q(column.name)} is not null) not valid`,
  ]
  const validate = `alter table ${table} validate constraint ${check}`
  // PostgreSQL reads no row for it where a validated check says the same.
  const required = `alter table ${table} alter column ${q(column.name)} set not null`
  const drop = `alter table ${table} drop constraint ${check}`
  const isAhead = isPrepared(pair, column, fill)
  if (isAlwaysFilled(column, fill) && !isNew(pair, column)) {
    const mark = fillingName(column.name)
    const fills = filling(pair, column.name, { value: fill, where: isNull, mark })
    // After the check, so that no row becomes null once it was filled.
    const ahead = [...makeFilling(name, column.name, fill), ...add, fills, validate]
    const stopped = dropFilling(name, checkName(name, column.name, 'filling'))
    const closing = [required, ...stopped, `alter table ${table} drop column ${q(mark)}`, drop]
    const sql = [{ together: closing }]
    if (!isAhead) return { kind: 'harmful', sql: [...ahead, ...sql] }
    return { kind: 'prepared', ahead, undo: undoFilling(pair, column.name, check), sql }
  }
  const isFilled = fill !== undefined
  const after = [validate, { together: [required, drop] }]
  if (isNumbered(column)) {
    const fills = filling(pair, column.name, { value: fill ?? '', where: isNull, inOrder: true })
    // Present rows get their numbers before new rows do.
    const numbered = [fills, defaulting(pair, column), ...add, fills]
    if (isNew(pair, column)) return { kind: 'harmless', sql: [...numbered, ...after] }
    return { kind: 'harmful', sql: numbered, after }
  }
  const fills = isFilled ? [filling(pair, column.name, { value: fill, where: isNull })] : []
  // The version before gives each row a value by the default.
  if (column.default !== undefined && isNew(pair, column)) {
    const sql = [...add, ...fills, ...after]
    return isAhead ? { kind: 'prepared', ahead: sql, undo: [], sql: [] } : { kind: 'harmless', sql }
  }
  const sql = [...fills, ...add]
  // Filled once more in the transaction, which has few rows left to fill.
  return isAhead ? { kind: 'prepared', ahead: fills, undo: [], sql, after } : { kind: 'harmful', sql, after }
}

/** Whether the rows can be filled while the version before is served. */
function isPrepared(pair: Pair, column: Column, fill: string | undefined): boolean {
  if (isAlwaysFilled(column, fill)) return isSettled(pair, [column.name])
  if (column.fillReads === undefined || !isFilledAhead(pair, column)) return false
  return presentColumn(pair, column) === undefined || isSettled(pair, [column.name])
}

/** Makes a column NOT NULL: rows with null get what the YAML says, a batch at a time, while null is refused already. */
export function requiring(pair: Pair, column: Column, was: Column | undefined): readonly Step[] {
  const back = was !== undefined && was === pair.aside.get(column.name)
  const numbered = isNumbered(column)
  const fill = column.fill ?? (back || numbered ? column.default : undefined)
  const isNull = `${q(column.name)} is null`
  const step: Step = {
    title: titleOf(pair, column, fill),
    effect: was === undefined || isNew(pair, column) ? 'adds' : 'changes',
    work: requiredWork(pair, column, fill),
    concern: { kind: 'none' },
  }
  const asked = was !== undefined ? isNull : numbered ? 'true' : undefined
  const nulls = asked === undefined ? undefined : obstacles(pair, asked, fill === undefined ? 'future' : 'unfilled')
  if (fill !== undefined) {
    const filling: Step =
      nulls === undefined
        ? step
        : { ...step, concern: { kind: 'counted', question: nulls.question, unit: 'changed row' } }
    return [...findingValues(pair, column, was), filling]
  }
  const advice = back ? 'leave the field nullable until they are filled' : backfillAdvice(pair, column)
  return [{ ...step, concern: { kind: 'obstacle', ...nulls, consequence: 'are null', advice } }]
}

function titleOf({ wanted }: Pair, column: Column, fill: string | undefined): string {
  const name = `${wanted.name}.${column.name}`
  if (isNumbered(column)) return `number ${name} in the order of ${wanted.primaryKey.join(', ')}`
  return `require ${name}${fill === undefined ? '' : `, where null becomes ${column.fillShown ?? fill}`}`
}

function defaulting({ wanted }: Pair, column: Column): string {
  return `alter table ${q(wanted.name)} alter column ${q(column.name)} set default ${column.default}`
}

/** Drops checks and triggers that a killed start left behind; a step that needs one makes it again. */
function sweeping({ actual }: Pair, { present }: Circumstances): readonly Step[] {
  const there = present.checks.get(actual.name) ?? []
  const isOurs = (check: string) =>
    actual.columns.some(({ name }) =>
      (['fits', 'required'] as const).some((why) => check === checkName(actual.name, name, why)),
    )
  const left = there.filter(isOurs)
  const checks = left.map((name) =>
    tidying(
      `drop check ${name}, which was left behind`,
      `alter table ${q(actual.name)} drop constraint if exists ${q(name)}`,
    ),
  )
  // After the checks, or a write of the version that is served could be refused.
  const fillings = (present.fillings.get(actual.name) ?? []).map((name) =>
    tidying(`drop trigger ${name}, which was left behind`, ...dropFilling(actual.name, name)),
  )
  // Ahead, because other steps that run ahead may make them again.
  return [...checks, ...fillings].map((step) => ({
    ...step,
    work: { kind: 'prepared', ahead: statementsOf(step), undo: [], sql: [] },
  }))
}
