/** Plans the columns of one table that is there already: added, renamed, changed, set aside. */
import { columnSql, dropForeignKey } from './ddl.ts'
import { asideName, quoteName as q } from './name.ts'
import { online, type Step, safe } from './step.ts'
import type { Column, Present, Table } from './table.ts'
import { typeChange } from './type-change.ts'

/** A wanted table and the one that is there, which may still have an earlier name. */
export interface Pair {
  readonly wanted: Table
  readonly actual: Table
}

/** What planning needs beside the tables. */
export interface Circumstances {
  readonly present: Present
  /** Today in UTC, `2026-01-31`, for the names of what is set aside. */
  readonly day: string
  /** Whether indexes are made while others write; the embedded database has no others. */
  readonly concurrently: boolean
}

/** The column that a wanted one is now: of its name, or of its earlier name while that is not wanted itself. */
export function presentColumn({ wanted, actual }: Pair, column: Column): Column | undefined {
  const same = actual.columns.find((other) => other.name === column.name)
  if (same || column.renamedFrom === undefined) return same
  // A belongs_to is renamed by its relation's name; its column has the `_id`.
  const earlier = [column.renamedFrom, ...(column.name.endsWith('_id') ? [`${column.renamedFrom}_id`] : [])]
  const free = earlier.filter((name) => !wanted.columns.some((other) => other.name === name))
  return actual.columns.find((other) => free.includes(other.name))
}

/** Whether a column starts anew because its old values can't be read as the new type. */
export function startsAnew(pair: Pair, column: Column): boolean {
  const was = presentColumn(pair, column)
  return (
    was !== undefined && was.type !== column.type && typeChange(column.name, was.type, column.type).kind === 'apart'
  )
}

function adding({ wanted, actual }: Pair, column: Column, { present }: Circumstances): Step {
  const step = safe(
    `add column ${wanted.name}.${column.name} (${column.type})`,
    `alter table ${q(wanted.name)} add column ${columnSql(column)}`,
  )
  const aside = present.setAside.filter((old) => old.table === actual.name && old.column === column.name).at(-1)
  const back = aside
    ? `values set aside are in ${aside.name}: plinth restore-field ${wanted.name}.${column.name}`
    : undefined
  if (column.nullable || column.default !== undefined || column.identity) return back ? { ...step, advice: back } : step
  return {
    ...step,
    risk: 'blocked',
    question: `select count(*) from ${q(actual.name)}`,
    consequence: 'would have no value in a required field',
    advice: back ?? 'give the field a default, or make it nullable',
  }
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
    return [
      settingAside(actual, wanted.name, { ...was, name: column.name }, circumstances),
      adding(pair, column, circumstances),
    ]
  }
  const alter = `alter table ${q(wanted.name)} alter column ${q(column.name)}`
  const step = safe(title, `${alter} drop default`, `${alter} type ${column.type} using ${change.using}`)
  const sql = column.default === undefined ? step.sql : [...step.sql, `${alter} set default ${column.default}`]
  if (change.kind === 'free') return [{ ...step, sql }]
  const misfit = change.misfit.replaceAll(q(column.name), q(was.name))
  const question = `select count(*) from ${q(actual.name)} where ${misfit}`
  return [
    { ...step, sql, risk: 'blocked', question, consequence: change.consequence, advice: 'change those values first' },
  ]
}

function requiring({ wanted, actual }: Pair, column: Column, was: Column): Step {
  const table = q(wanted.name)
  const check = q(`${wanted.name}_${column.name}_required`.slice(0, 63))
  const { fill } = column
  const step = online(
    `require ${wanted.name}.${column.name}${fill === undefined ? '' : `, where null becomes ${fill}`}`,
    `alter table ${table} drop constraint if exists ${check}`,
    `alter table ${table} add constraint ${check} check (${q(column.name)} is not null) not valid`,
    // After the check, so that no row becomes null behind it.
    ...(fill === undefined ? [] : [`update ${table} set ${q(column.name)} = ${fill} where ${q(column.name)} is null`]),
    `alter table ${table} validate constraint ${check}`,
    `alter table ${table} alter column ${q(column.name)} set not null`,
    `alter table ${table} drop constraint ${check}`,
  )
  if (fill !== undefined) return step
  return {
    ...step,
    risk: 'blocked',
    question: `select count(*) from ${q(actual.name)} where ${q(was.name)} is null`,
    consequence: 'are null',
    advice: 'fill them first, say what they become with fill_nulls, or leave the field nullable',
  }
}

function changing(pair: Pair, column: Column, was: Column, circumstances: Circumstances): readonly Step[] {
  const { name } = pair.wanted
  const alter = `alter table ${q(name)} alter column ${q(column.name)}`
  const steps: Step[] = []
  if (was.type !== column.type) {
    steps.push(...changingType(pair, column, was, circumstances))
    if (steps.length > 1) return steps
  } else if (was.default !== column.default) {
    const change = column.default === undefined ? 'drop default' : `set default ${column.default}`
    steps.push(safe(`${change} of ${name}.${column.name}`, `${alter} ${change}`))
  }
  if (was.identity !== column.identity) {
    const change = column.identity ? 'add generated by default as identity' : 'drop identity'
    steps.push(safe(`${change} on ${name}.${column.name}`, `${alter} ${change}`))
  }
  if (was.nullable && !column.nullable) steps.push(requiring(pair, column, was))
  if (!was.nullable && column.nullable) steps.push(safe(`let ${name}.${column.name} be null`, `${alter} drop not null`))
  return steps
}

/** The steps of one table's columns: renames, then additions and changes in the order of the YAML, then what goes. */
export function planColumns(pair: Pair, circumstances: Circumstances): readonly Step[] {
  const { wanted, actual } = pair
  const renames: Step[] = []
  const changes: Step[] = []
  const kept = new Set<string>()
  for (const column of wanted.columns) {
    const was = presentColumn(pair, column)
    if (was === undefined) {
      changes.push(adding(pair, column, circumstances))
      continue
    }
    kept.add(was.name)
    if (was.name !== column.name) {
      const title = `rename column ${wanted.name}.${was.name} to ${column.name}`
      renames.push(safe(title, `alter table ${q(wanted.name)} rename column ${q(was.name)} to ${q(column.name)}`))
    }
    changes.push(...changing(pair, column, was, circumstances))
  }
  const owned = circumstances.present.owned.get(actual.name)
  const gone = actual.columns.filter((column) => !kept.has(column.name) && owned?.has(column.name))
  return [...renames, ...changes, ...gone.map((column) => settingAside(actual, wanted.name, column, circumstances))]
}
