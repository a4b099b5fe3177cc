/** Plans that a field allows less than before: the values in it are judged by the function that judges a request. */
import { quoted as q } from '../filter/sql.ts'
import type { Circumstances, Pair } from './pair.ts'
import { formerWords } from './plan-words.ts'
import { changing, type Judging, type Step } from './step.ts'
import type { Column, Judge, Table } from './table.ts'
import { typeChange } from './type-change.ts'

/** The single key of a table by which its rows are read in batches. */
export function keyOf({ columns, primaryKey }: Table): Judging['key'] {
  const [name, ...others] = primaryKey
  const type = columns.find((column) => column.name === name)?.type
  return name === undefined || type === undefined || others.length > 0 ? undefined : { name, type }
}

/** Whether values that were allowed before may be none now; nothing is known of a database that no version has written this down for. */
function isOther(pair: Pair, column: Column, was: Column, judge: Judge, { present }: Circumstances): boolean {
  const name = was === pair.aside.get(column.name) ? column.name : was.name
  if (was.type !== column.type) return judge.mark !== undefined || was.type === 'text'
  const { meanings } = present
  return (
    meanings !== undefined && judge.mark !== undefined && meanings.columns[`${pair.actual.name}.${name}`] !== judge.mark
  )
}

/** SQL of a value as it will be; null where the change of the type has no value for it, which its own step tells. */
function valueSql(column: Column, was: Column): string | undefined {
  if (was.type === column.type) return q(was.name)
  const change = typeChange(was.name, was.type, column.type)
  if (change.kind === 'apart') return undefined
  return change.kind === 'checked' ? `case when not (${change.misfit}) then ${change.using} end` : change.using
}

/** What becomes of values that the field allows no longer: a list could not be read, another value stays until it is changed. */
export function narrowing(pair: Pair, column: Column, was: Column, circumstances: Circumstances): readonly Step[] {
  const { judge } = column
  if (judge === undefined || judge.kind === 'words' || was.generated !== undefined) return []
  const sql = valueSql(column, was)
  if (sql === undefined || !isOther(pair, column, was, judge, circumstances)) return []
  const name = `${pair.wanted.name}.${column.name}`
  // Words that go have a step of their own.
  const former = formerWords(pair, column, was, circumstances)
  const fits = (text: string) => judge.fits(text, former)
  const step: Step = {
    ...changing(`allow in ${name} what the field says now`),
    judging: { table: pair.actual.name, key: keyOf(pair.actual), values: [{ sql, fits }] },
    risk: 'unsafe',
    consequence: 'have a value that the field no longer allows; they stay as they are until they are changed',
    advice: '`plinth check --data` lists them',
  }
  if (judge.kind === 'value') return [step]
  const advice = 'correct those values first, or give the field another name'
  return [{ ...step, risk: 'blocked', consequence: 'have a value that the field no longer allows', advice }]
}
