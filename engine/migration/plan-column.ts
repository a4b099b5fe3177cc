/** Plans the columns of one table that is there already: added, brought back, renamed, changed, set aside. */

import { quoted as q } from '../filter/sql.ts'
import { nearest } from '../text/nearest.ts'
import { columnSql, dropForeignKey } from './ddl.ts'
import { asideName, quoteText } from './name.ts'
import { type Circumstances, earlierColumn, isNew, type Pair, presentColumn } from './pair.ts'
import { computing, droppedFirst, dropping, isComputedAnew, keepingComputed, startsComputed } from './plan-computed.ts'
import { adding, changing, type Step } from './step.ts'
import type { Column, Table } from './table.ts'
import { typeChange } from './type-change.ts'

/** Whether a column starts anew because its old values can't be read as the new type, or nobody writes them any more. */
export function startsAnew(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  if (startsComputed(was, column) || isComputedAnew(pair, column)) return true
  return (
    was !== undefined && was.type !== column.type && typeChange(column.name, was.type, column.type).kind === 'apart'
  )
}

function addingColumn(pair: Pair, column: Column, circumstances: Circumstances): Step {
  const { wanted, actual } = pair
  const step = adding(
    `add column ${wanted.name}.${column.name} (${column.type})`,
    `alter table ${q(wanted.name)} add column ${columnSql(column)}`,
  )
  if (!column.nullable && column.default === undefined && !column.identity) {
    return {
      ...step,
      risk: 'blocked',
      question: `select count(*) from ${q(actual.name)}`,
      consequence: 'would have no value in a required field',
      advice: 'give the field a default, or make it nullable',
    }
  }
  return { ...step, ...leavingAside(pair, column, circumstances), ...mistaken(pair, column, circumstances) }
}

/** Values that were set aside under the name of a new column and can't be read as its type. */
function leavingAside({ actual }: Pair, column: Column, { present }: Circumstances): Partial<Step> {
  const old = present.setAside.filter((one) => one.table === actual.name && one.column === column.name).at(-1)
  if (old === undefined || !('type' in old.content)) return {}
  return {
    risk: 'unsafe',
    question: `select count(${q(old.name)}) from ${q(actual.name)}`,
    consequence: `have a value in ${old.name} that does not come back: it was ${old.content.type}`,
    advice: 'give the field the type that it had, or another name',
  }
}

/** A new column with a `renamed_from` that names nothing, beside columns that the YAML no longer names. */
function mistaken(pair: Pair, column: Column, circumstances: Circumstances): Partial<Step> {
  if (column.renamedFrom === undefined) return {}
  const gone = goneColumns(pair, circumstances).map((one) => one.name)
  if (gone.length === 0) return {}
  const near = nearest(column.renamedFrom, gone)
  return {
    risk: 'unsafe',
    question: `select count(*) from ${q(pair.actual.name)}`,
    consequence: `would have no value in it: there is no column ${column.renamedFrom} to rename`,
    advice: `correct renamed_from${near === undefined ? '' : ` (did you mean "${near}"?)`}, or take it away`,
  }
}

/** Columns of the engine's own that the YAML no longer names. */
export function goneColumns(pair: Pair, { present }: Circumstances): readonly Column[] {
  const { wanted, actual } = pair
  const owned = present.owned.get(actual.name)
  const kept = new Set(wanted.columns.map((column) => presentColumn(pair, column)?.name))
  return actual.columns.filter((column) => !kept.has(column.name) && owned?.has(column.name))
}

/** Renames a column with the date and frees it of all that new rows would have to fulfil. */
export function settingAside(table: Table, shown: string, column: Column, { present, day }: Circumstances): Step {
  const taken = new Set([...table.columns, ...present.setAside].map((named) => named.name))
  const name = asideName(column.name, day, taken)
  const alter = `alter table ${q(shown)}`
  return {
    title: `set aside column ${shown}.${column.name} as ${name}`,
    sql: [
      dropForeignKey(shown, column.name),
      ...(column.identity ? [`${alter} alter column ${q(column.name)} drop identity`] : []),
      `${alter} alter column ${q(column.name)} drop default, alter column ${q(column.name)} drop not null`,
      `${alter} rename column ${q(column.name)} to ${q(name)}`,
    ],
    risk: 'unsafe',
    effect: 'removes',
    question: `select count(${q(column.name)}) from ${q(table.name)}`,
    consequence: 'have a value in it, kept but no longer served',
    advice: `plinth restore-field ${shown}.${column.name} brings it back`,
  }
}

function changingType(pair: Pair, column: Column, was: Column, circumstances: Circumstances): readonly Step[] {
  const { wanted, actual } = pair
  const change = typeChange(column.name, was.type, column.type)
  const title = `change type of ${wanted.name}.${column.name} from ${was.type} to ${column.type}`
  if (change.kind === 'apart') {
    const fresh = { ...pair, actual: { ...actual, columns: actual.columns.filter((one) => one !== was) } }
    const quiet = { ...circumstances, present: { ...circumstances.present, setAside: [] } }
    return [
      { ...settingAside(actual, wanted.name, { ...was, name: column.name }, circumstances), effect: 'retypes' },
      { ...addingColumn(fresh, column, quiet), effect: 'retypes' },
    ]
  }
  const alter = `alter table ${q(wanted.name)} alter column ${q(column.name)}`
  const step = changing(title, `${alter} drop default`, `${alter} type ${column.type} using ${change.using}`)
  const sql = column.default === undefined ? step.sql : [...step.sql, `${alter} set default ${column.default}`]
  if (change.kind === 'free') return [{ ...step, sql }]
  const misfit = change.misfit.replaceAll(q(column.name), q(was.name))
  const question = `select count(*) from ${q(actual.name)} where ${misfit}`
  return [
    { ...step, sql, risk: 'blocked', question, consequence: change.consequence, advice: 'change those values first' },
  ]
}

function requiring(pair: Pair, column: Column, was: Column): Step {
  const { wanted, actual } = pair
  const table = q(wanted.name)
  const check = q(`${wanted.name}_${column.name}_required`.slice(0, 63))
  const back = was === pair.aside.get(column.name)
  const fill = column.fill ?? (back ? column.default : undefined)
  return {
    title: `require ${wanted.name}.${column.name}${fill === undefined ? '' : `, where null becomes ${fill}`}`,
    sql: [
      `alter table ${table} drop constraint if exists ${check}`,
      `alter table ${table} add constraint ${check} check (${q(column.name)} is not null) not valid`,
      // After the check, so that no row becomes null behind it.
      ...(fill === undefined
        ? []
        : [`update ${table} set ${q(column.name)} = ${fill} where ${q(column.name)} is null`]),
      `alter table ${table} validate constraint ${check}`,
      `alter table ${table} alter column ${q(column.name)} set not null`,
      `alter table ${table} drop constraint ${check}`,
    ],
    online: true,
    effect: isNew(pair, column) ? 'adds' : 'changes',
    ...(fill !== undefined
      ? { risk: 'safe' }
      : {
          risk: 'blocked',
          question: `select count(*) from ${q(actual.name)} where ${q(was.name)} is null`,
          consequence: 'are null',
          advice: back
            ? 'leave the field nullable until they are filled'
            : 'fill them first, say what they become with backfill, or leave the field nullable',
        }),
  }
}

/** Rows that hold a word which the YAML took out of an enum; the database itself has nothing to change. */
function takingWords(
  { wanted, actual }: Pair,
  column: Column,
  was: Column,
  { present }: Circumstances,
): readonly Step[] {
  const before = present.history.words[`${actual.name}.${was.name}`] ?? []
  const gone = before.filter((word) => column.words !== undefined && !column.words.includes(word))
  if (gone.length === 0) return []
  const list = `array[${gone.map(quoteText).join(', ')}]`
  const holds = column.type === 'jsonb' ? `${q(was.name)} ?| ${list}` : `${q(was.name)}::text = any(${list})`
  return [
    {
      ...changing(`take ${gone.join(', ')} out of the words of ${wanted.name}.${column.name}`),
      risk: 'blocked',
      question: `select count(*) from ${q(actual.name)} where ${holds}`,
      consequence: `have ${gone.length === 1 ? `the word ${gone[0]}` : 'one of these words'}`,
      advice: 'change them first, or keep the word',
    },
  ]
}

function altering(pair: Pair, column: Column, was: Column, circumstances: Circumstances): readonly Step[] {
  const { name } = pair.wanted
  if (was.generated !== undefined && column.generated === undefined) {
    const { generated: _, ...written } = was
    return [keepingComputed(name, column), ...altering(pair, column, written, circumstances)]
  }
  if (startsComputed(was, column)) {
    const aside = settingAside(pair.actual, name, { ...was, name: column.name }, circumstances)
    const advice = 'they come back with plinth restore-field when nothing computes the field any more'
    return [{ ...aside, effect: 'retypes', advice }, ...computing(pair, column, 'retypes')]
  }
  const alter = `alter table ${q(name)} alter column ${q(column.name)}`
  const steps: Step[] = [...takingWords(pair, column, was, circumstances)]
  if (was.type !== column.type) {
    const retyped = changingType(pair, column, was, circumstances)
    if (retyped.length > 1) return retyped
    steps.push(...retyped)
  } else if (was.default !== column.default) {
    const change = column.default === undefined ? 'drop default' : `set default ${column.default}`
    steps.push(changing(`${change} of ${name}.${column.name}`, `${alter} ${change}`))
  }
  if (was.identity !== column.identity) {
    const change = column.identity ? 'add generated by default as identity' : 'drop identity'
    steps.push(changing(`${change} on ${name}.${column.name}`, `${alter} ${change}`))
  }
  if (was.nullable && !column.nullable) steps.push(requiring(pair, column, was))
  if (!was.nullable && column.nullable)
    steps.push(changing(`let ${name}.${column.name} be null`, `${alter} drop not null`))
  return isNew(pair, column) ? steps.map((step) => ({ ...step, effect: 'adds' })) : steps
}

/** A wanted column that is there under another name: renamed, or set aside once. */
function renaming(pair: Pair, column: Column, was: Column): Step {
  const table = q(pair.wanted.name)
  const sql = `alter table ${table} rename column ${q(was.name)} to ${q(column.name)}`
  if (was !== pair.aside.get(column.name))
    return changing(`rename column ${pair.wanted.name}.${was.name} to ${column.name}`, sql)
  return {
    ...adding(`bring back column ${pair.wanted.name}.${column.name} from ${was.name}`, sql),
    question: `select count(${q(was.name)}) from ${q(pair.actual.name)}`,
    tally: 'value',
  }
}

/** A rename that can not happen, because both columns are there and the earlier one has values. */
function renamedTwice(pair: Pair, column: Column, circumstances: Circumstances): readonly Step[] {
  const earlier = earlierColumn(pair, column)
  if (earlier === undefined || !goneColumns(pair, circumstances).includes(earlier)) return []
  const { wanted, actual } = pair
  return [
    {
      ...changing(`rename column ${wanted.name}.${earlier.name} to ${column.name}`),
      risk: 'blocked',
      question: `select count(${q(earlier.name)}) from ${q(actual.name)}`,
      consequence: `have a value in ${earlier.name}, and there is a column ${column.name} already`,
      advice: 'take renamed_from away, and move the values by hand if they are wanted',
    },
  ]
}

/** What the YAML no longer names must not stop new rows; and it waits for a person who has it set aside. */
function leaving({ wanted, actual }: Pair, column: Column, circumstances: Circumstances): readonly Step[] {
  if (column.generated !== undefined) return [{ ...dropping(wanted.name, column), effect: 'removes' }]
  const aside = settingAside(actual, wanted.name, column, circumstances)
  if (column.nullable || column.identity || column.default !== undefined) return [aside]
  const title = `let ${wanted.name}.${column.name} be null, which the YAML no longer names`
  const sql = `alter table ${q(wanted.name)} alter column ${q(column.name)} drop not null`
  return [adding(title, sql), aside]
}

/** The steps of one table's columns: renames, then additions and changes in the order of the YAML, then what goes. */
export function planColumns(pair: Pair, circumstances: Circumstances): readonly Step[] {
  const renames: Step[] = []
  const changes: Step[] = []
  const about = (column: Column, steps: readonly Step[]): readonly Step[] =>
    steps.map((step) => ({ ...step, about: { table: pair.wanted.name, column: column.name } }))
  for (const column of pair.wanted.columns) {
    const was = presentColumn(pair, column)
    if (was === undefined || isComputedAnew(pair, column)) {
      const isComputed = column.generated !== undefined
      const steps = isComputed
        ? computing(pair, column, was === undefined ? 'adds' : 'retypes')
        : [addingColumn(pair, column, circumstances)]
      changes.push(...about(column, steps))
      continue
    }
    if (was.name !== column.name) renames.push(...about(column, [renaming(pair, column, was)]))
    else changes.push(...about(column, renamedTwice(pair, column, circumstances)))
    changes.push(...about(column, altering(pair, column, was, circumstances)))
  }
  const left = goneColumns(pair, circumstances)
  const first = droppedFirst(pair, left)
  const leave = (column: Column) => about(column, leaving(pair, column, circumstances))
  const gone = left.filter((column) => !first.includes(column)).flatMap(leave)
  const drops = first.flatMap((column) => about(column, [dropping(pair.wanted.name, column)]))
  return [...drops, ...renames, ...changes, ...gone]
}
