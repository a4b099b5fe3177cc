/** Plans that a column holds no null any more: rows with null are filled, then null is refused. */
import { quoted as q } from '../filter/sql.ts'
import { sequenceIn, updateOf } from './ddl.ts'
import { obstacles } from './future-rows.ts'
import { checkName, fillingName, MARK, quoteText } from './name.ts'
import { type Circumstances, isFilledAhead, isNew, isSettled, type Pair, presentColumn } from './pair.ts'
import { type Batches, type Command, changing, type Step, tidying } from './step.ts'
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
  return [
    {
      ...changing(`find a value for ${pair.wanted.name}.${column.name}`),
      risk: 'blocked',
      effect: was === undefined || isNew(pair, column) ? 'adds' : 'changes',
      ...obstacles(pair, `${q(column.name)} is null`),
      consequence: 'get no value by backfill that the field can hold',
      advice:
        column.fillTable === undefined
          ? 'give a second value, such as `backfill: { first: [$record.<field>, <value>] }`, or correct those records'
          : `name a record of ${column.fillTable} that is there`,
    },
  ]
}

/** What to write so that the rows that are there get a value. */
export function backfillAdvice({ wanted }: Pair, column: Column): string {
  const isReference = wanted.foreignKeys.some((key) => key.column === column.name)
  if (isReference)
    return '`backfill: { <field>: <value> }` beside the relation says which record they get; or leave `required` away'
  return '`backfill: <value>` beside the field says what they get, `backfill: $record.<field>` the value of another field; or leave it nullable'
}

/** Whether null becomes one value that is always there, so that no write of the version before could be refused. */
function isAlwaysFilled(column: Column, fill: string | undefined): fill is string {
  return fill !== undefined && column.fillReads === undefined && !isNumbered(column)
}

/** Whether rows without a value get the next number of a sequence. */
function isNumbered(column: Column): boolean {
  return column.fill === undefined && sequenceIn(column.default) !== undefined
}

/** A trigger that gives the version before the value where it writes null, and a column that marks what was given so. */
function makeFilling(table: string, column: string, fill: string): readonly Command[] {
  const trigger = q(checkName(table, column, 'filling'))
  const [own, mark] = [q(column), q(fillingName(column))]
  // The table may have a column with the name of a variable.
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

/** What has rows hold null again, as they did before a change that is given up; the last comes first. */
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
 * Whether a column becomes required before it, another one or the table gets its later name: a rename is what no version
 * before can be served with, so the rows are filled and looked through ahead of it.
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

/** What comes ahead of renames: what was left behind goes, and columns become required under the names that are there. */
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

/** The statements that make a column NOT NULL, and when they are taken. */
function requiredBy(
  pair: Pair,
  column: Column,
  fill: string | undefined,
): Pick<Step, 'sql' | 'harmless' | 'after' | 'undo'> {
  const { name } = pair.wanted
  const table = q(name)
  const check = q(checkName(name, column.name, 'required'))
  const isNull = `${q(column.name)} is null`
  const add = [
    `alter table ${table} drop constraint if exists ${check}`,
    `alter table ${table} add constraint ${check} check (${q(column.name)} is not null) not valid`,
  ]
  const validate = `alter table ${table} validate constraint ${check}`
  // It looks at no row where a check has looked already.
  const required = `alter table ${table} alter column ${q(column.name)} set not null`
  const drop = `alter table ${table} drop constraint ${check}`
  if (isAlwaysFilled(column, fill) && !isNew(pair, column)) {
    const mark = fillingName(column.name)
    const fills = filling(pair, column.name, { value: fill, where: isNull, mark })
    // After the check, so that no row becomes null behind it.
    const prepared = [...makeFilling(name, column.name, fill), ...add, fills, validate]
    const closing = [
      required,
      ...dropFilling(name, checkName(name, column.name, 'filling')),
      `alter table ${table} drop column ${q(mark)}`,
      drop,
    ]
    return {
      sql: [...prepared, { together: closing }],
      harmless: prepared.length,
      undo: undoFilling(pair, column.name, check),
    }
  }
  const numbered = isNumbered(column)
  const given = { value: fill ?? '', where: isNull, ...(numbered ? { inOrder: true as const } : {}) }
  const fills = fill === undefined ? [] : [filling(pair, column.name, given)]
  const isGiven = column.default !== undefined && isNew(pair, column)
  const after = [validate, { together: [required, drop] }]
  // The rows that are there are numbered before new ones are.
  const first = numbered ? [...fills, defaulting(pair, column)] : []
  const filled = [...first, ...add, ...fills]
  // The version before gives each row a value by the default.
  if (isGiven) return { sql: [...filled, ...after], harmless: filled.length + after.length }
  if (numbered) return { sql: filled, harmless: fills.length, after }
  // Once while a version that may write null is served, so that few rows are left when none is.
  return { sql: [...fills, ...fills, ...add], harmless: fills.length, after }
}

/** Whether its rows can be filled while the version before is served. */
function isPrepared(pair: Pair, column: Column, fill: string | undefined): boolean {
  if (isAlwaysFilled(column, fill)) return isSettled(pair, [column.name])
  if (column.fillReads === undefined || !isFilledAhead(pair, column)) return false
  return presentColumn(pair, column) === undefined || isSettled(pair, [column.name])
}

/** Makes a column NOT NULL: rows that hold null get what the YAML says, a batch at a time, while nobody can write null any more. */
export function requiring(pair: Pair, column: Column, was: Column | undefined): readonly Step[] {
  const back = was !== undefined && was === pair.aside.get(column.name)
  const numbered = isNumbered(column)
  const fill = column.fill ?? (back || numbered ? column.default : undefined)
  const isNull = `${q(column.name)} is null`
  const step: Step = {
    title: titleOf(pair, column, fill),
    ...requiredBy(pair, column, fill),
    online: true,
    effect: was === undefined || isNew(pair, column) ? 'adds' : 'changes',
    risk: 'safe',
    ...(isPrepared(pair, column, fill) ? { ahead: true as const } : {}),
  }
  const asked = was !== undefined ? isNull : numbered ? 'true' : undefined
  const nulls = asked === undefined ? undefined : obstacles(pair, asked, fill === undefined ? 'future' : 'unfilled')
  if (fill !== undefined) {
    const counted: Partial<Step> = nulls === undefined ? {} : { question: nulls.question, tally: 'changed row' }
    return [...findingValues(pair, column, was), { ...step, ...counted }]
  }
  const advice = back ? 'leave the field nullable until they are filled' : backfillAdvice(pair, column)
  return [{ ...step, ...nulls, risk: 'blocked', consequence: 'are null', advice }]
}

function titleOf({ wanted }: Pair, column: Column, fill: string | undefined): string {
  const name = `${wanted.name}.${column.name}`
  if (isNumbered(column)) return `number ${name} in the order of ${wanted.primaryKey.join(', ')}`
  const shown = column.fillReads === undefined ? fill : column.fillShown
  return `require ${name}${fill === undefined ? '' : `, where null becomes ${shown}`}`
}

function defaulting({ wanted }: Pair, column: Column): string {
  return `alter table ${q(wanted.name)} alter column ${q(column.name)} set default ${column.default}`
}

/** Checks and triggers that a killed start left behind: the step that needs one makes it anew. */
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
  // Behind the checks, or a write of the version that is served could be refused.
  const fillings = (present.fillings.get(actual.name) ?? []).map((name) =>
    tidying(`drop trigger ${name}, which was left behind`, ...dropFilling(actual.name, name)),
  )
  // What is made ahead of other steps is made behind these.
  return [...checks, ...fillings].map((step) => ({ ...step, ahead: true }))
}
