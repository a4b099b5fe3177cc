/** Plans whole tables: made, renamed, set aside, with the extensions that their indexes need. */
import { quoted as q } from '../filter/sql.ts'
import {
  addForeignKey,
  createIndex,
  createTable,
  dropForeignKey,
  dropIndex,
  markComputed,
  validateForeignKey,
} from './ddl.ts'
import { FACT_TABLE } from './own/engine-tables.ts'
import { type Circumstances, earlierTable, type Pair } from './pair.ts'
import { goneColumns } from './plan-add.ts'
import { mistakenRename, withHint } from './plan-notices.ts'
import { asideName, quoteText } from './sql-name.ts'
import { adding, asking, type Concern, changing, identifying, type Step, statementsOf } from './step.ts'
import type { ForeignKey, HiddenTrigrams, Present, Table, TableIndex } from './table.ts'

/** The extensions that indexes need and the database lacks. */
export function extensionSteps(wanted: readonly Table[], { hidden, ranges, trigrams }: Present): readonly Step[] {
  const needs = (kind: TableIndex['kind']) => wanted.some(({ indexes }) => indexes.some((index) => index.kind === kind))
  const install = (name: string, why: string) =>
    adding(`install ${name} ${why}`, `create extension if not exists ${name}`)
  return [
    ...(needs('overlap') && !ranges ? [install('btree_gist', 'to refuse overlaps')] : []),
    ...(needs('trigram') && !trigrams ? [install('pg_trgm', 'for search')] : []),
    ...(needs('trigram') && hidden?.led === false ? [leadTo(hidden)] : []),
  ]
}

/** The functions of pg_trgm that statements call. */
const SIMILARITIES = ['similarity', 'word_similarity']

/** Statements are made without a database, so they cannot name the schema of an extension. */
function leadTo({ schema }: HiddenTrigrams): Step {
  const functions = SIMILARITIES.map(
    (name) =>
      `create or replace function ${name}(text, text) returns real language sql immutable strict parallel safe as ${quoteText(`select ${q(schema)}.${name}($1, $2)`)}`,
  )
  return adding(`lead to pg_trgm in the schema ${schema}`, ...functions)
}

/** The tables with the schema of pg_trgm at their indexes, where that has to be named. */
export function withOperators(tables: readonly Table[], { hidden }: Present): readonly Table[] {
  if (hidden === undefined) return tables
  const located = (index: TableIndex) => (index.kind === 'trigram' ? { ...index, operatorsIn: hidden.schema } : index)
  return tables.map((table) => ({ ...table, indexes: table.indexes.map(located) }))
}

export function createSteps(fresh: readonly Table[], gone: readonly Table[]): readonly Step[] {
  const creating = fresh.map((table): Step => {
    const indexes = table.indexes.flatMap((index) => createIndex(table.name, index, false))
    const title = `create table ${table.name} (${table.columns.length} columns)`
    const marks = table.columns.flatMap((column) => markComputed(table.name, column))
    const about = { table: table.name, column: '' }
    const step = adding(title, createTable(table), ...marks, ...indexes)
    return { ...step, about, concern: mistakenTable(table, gone) ?? step.concern }
  })
  const referring = fresh
    .filter((table) => table.foreignKeys.length > 0)
    .map((table) => {
      const sql = table.foreignKeys.flatMap((key) => [
        addForeignKey(table.name, key),
        validateForeignKey(table.name, key),
      ])
      return adding(`reference ${table.foreignKeys.map((key) => `${table.name}.${key.column}`).join(', ')}`, ...sql)
    })
  return [...creating, ...referring]
}

/** A new table whose `renamed_from` names no table. */
function mistakenTable({ renamedFrom }: Table, gone: readonly Table[]): Concern | undefined {
  const names = gone.map(({ name }) => name)
  return mistakenRename(renamedFrom, names, (likely) => ({
    question: `select count(*) from ${q(likely)}`,
    consequence: `are in ${likely} and would stay there: there is no table ${renamedFrom} to rename`,
  }))
}

/** What becomes of a table that no resource has any more; `hint` is a name that may be its later one. */
export function goneSteps(table: Table, circumstances: Circumstances, hint: string | undefined): readonly Step[] {
  const aside = setTableAside(table, circumstances)
  const taken = circumstances.takenOver?.get(table.name)
  if (taken === undefined) return [withHint(aside, hint)]
  const { into, fact } = taken
  const known = `coalesce((select value::bigint from ${FACT_TABLE.name} where name = ${quoteText(fact)}), 0)`
  const hasFacts = circumstances.present.tables.some(({ name }) => name === FACT_TABLE.name)
  const left = `select count(*) from ${q(table.name)}${hasFacts ? ` where id > ${known}` : ''}`
  const rows = { kind: 'counted', question: left, unit: 'row', onlyWithRows: true } as const
  return [
    // A start does it by the plugin; the plan only says so.
    asking(`take what ${table.name} holds over into ${into}`, 'changes', rows),
    {
      ...aside,
      title: `${aside.title}, which is in ${into}`,
      concern: { kind: 'waiting', question: left, consequence: 'are not taken over yet', advice: START_FIRST },
    },
  ]
}

const START_FIRST = 'a start of the application takes them over'

/** Sets a joining table aside whose name another relation's links get. */
export function makeTablePlace(table: Table, wanted: readonly Table[], circumstances: Circumstances): Step {
  const { concern, ...aside } = setTableAside(table, circumstances)
  const relation = wanted.find(({ name }) => name === table.name)?.of?.[0]
  const [earlier = ''] = circumstances.present.names?.[table.name]?.of ?? []
  const was = earlier.slice(earlier.indexOf('.') + 1)
  const advice = `if ${relation} is the same, write \`renamed_from: ${was}\` or \`through: ${table.name}\` there`
  return { ...aside, effect: 'retypes', concern: { ...concern, advice } as Concern }
}

export function setTableAside(table: Table, { present, day }: Circumstances): Step {
  const taken = new Set([...present.tables, ...present.setAside].map((named) => named.name))
  const name = asideName(table.name, day, taken)
  const sql = [
    ...table.foreignKeys.map((key) => dropForeignKey(table.name, key.column)),
    ...table.indexes.map((index) => dropIndex(table.name, index, false)),
    `alter table ${q(table.name)} rename to ${q(name)}`,
  ]
  return {
    ...changing(`set aside table ${table.name} as ${name}`, ...sql),
    locks: [table.name],
    renames: [{ table: table.name, to: name, removed: true }],
    effect: 'removes',
    concern: {
      kind: 'loss',
      question: `select count(*) from ${q(table.name)}`,
      consequence: 'are kept but no longer served',
      advice: `plinth restore-field ${table.name} brings it back`,
    },
  }
}

/** A table that gets its name: an earlier one, or one that was set aside. */
export function renameSteps(
  { wanted: table, actual, back: isBack, since }: Pair,
  wanted: readonly Table[],
  present: Present,
): readonly Step[] {
  const sql = `alter table ${q(actual.name)} rename to ${q(table.name)}`
  if (actual.name !== table.name) {
    const renames = [{ table: actual.name, to: table.name }]
    if (!isBack) {
      const step = { ...changing(`rename table ${actual.name} to ${table.name}`, sql), renames }
      return [since === undefined ? step : identifying(step, since)]
    }
    const back = { ...adding(`bring back table ${table.name} from ${actual.name}`, sql), renames }
    return [{ ...back, concern: { kind: 'counted', question: `select count(*) from ${q(actual.name)}`, unit: 'row' } }]
  }
  const earlier = earlierTable(wanted, table, present)
  if (earlier === undefined || !present.owned.has(earlier.name)) return []
  return [
    asking(`rename table ${earlier.name} to ${table.name}`, 'changes', {
      kind: 'obstacle',
      question: `select count(*) from ${q(earlier.name)}`,
      consequence: `are in ${earlier.name}, and there is a table ${table.name} already`,
      advice: 'take renamed_from away, and move the rows by hand if they are wanted',
    }),
  ]
}

/**
 * Adds the past of a table to the step that makes it: whether it was there before, and the links that it begins with.
 */
export function withPast(
  step: Step,
  fresh: readonly Table[],
  pairs: ReadonlyMap<string, Pair>,
  circumstances: Circumstances,
): Step {
  const table = fresh.find(({ name }) => name === step.about?.table)
  if (table === undefined) return step
  const { owned, tables } = circumstances.present
  const isGone = owned.has(table.name) && !tables.some(({ name }) => name === table.name)
  return withLinks(isGone ? { ...step, anew: true } : step, table, pairs, circumstances)
}

/**
 * Copies the links of a relation to one record that becomes a relation to many: from the only column that goes and
 * leads to the same table.
 */
function withLinks(step: Step, table: Table, pairs: ReadonlyMap<string, Pair>, circumstances: Circumstances): Step {
  const [one, other] = table.foreignKeys
  const isJoining = table.served === undefined && table.primaryKey.length === 2 && table.foreignKeys.length === 2
  if (!isJoining || one === undefined || other === undefined || one.table === other.table) return step
  const found = [...heldLinks(one, other, pairs, circumstances), ...heldLinks(other, one, pairs, circumstances)]
  const [{ column, pair, from, to } = {}, ...more] = found
  if (column === undefined || pair === undefined || more.length > 0) return step
  const { actual, wanted } = pair
  const rows = `select ${q(wanted.primaryKey[0] ?? 'id')}, ${q(column)} from ${q(wanted.name)} where ${q(column)} is not null`
  const links = `insert into ${q(table.name)} (${q(from ?? '')}, ${q(to ?? '')}) ${rows} on conflict do nothing`
  return {
    ...step,
    title: `${step.title} from ${wanted.name}.${column}`,
    work: { kind: 'harmless', sql: [...statementsOf(step), links] },
    concern: { kind: 'counted', question: `select count(${q(column)}) from ${q(actual.name)}`, unit: 'value' },
  }
}

interface HeldLinks {
  readonly pair: Pair
  /** Holds the ids. */
  readonly column: string
  readonly from: string
  readonly to: string
}

function heldLinks(
  near: ForeignKey,
  far: ForeignKey,
  pairs: ReadonlyMap<string, Pair>,
  circumstances: Circumstances,
): readonly HeldLinks[] {
  const [pair, target] = [pairs.get(near.table), pairs.get(far.table)]
  if (pair === undefined || target === undefined) return []
  const leading = pair.actual.foreignKeys.filter((key) => key.table === target.actual.name)
  return goneColumns(pair, circumstances)
    .filter(({ name }) => leading.some((key) => key.column === name))
    .map(({ name }) => ({ pair, column: name, from: near.column, to: far.column }))
}
