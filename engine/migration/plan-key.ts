/** Plans the references and indexes of one table that is there already. */

import { quoted as q } from '../filter/sql.ts'
import { startsAnew } from './anew.ts'
import {
  addForeignKey,
  createIndex,
  dropForeignKey,
  dropIndex,
  dropUnchecked,
  indexedSql,
  rangeSql,
  validateForeignKey,
} from './ddl.ts'
import { futureRows } from './future.ts'
import { withNames } from './name.ts'
import { obstacles } from './obstacle.ts'
import { type Circumstances, isAddedAhead, isDisplaced, isNew, isSettled, type Pair, presentColumn } from './pair.ts'
import { goneColumns } from './plan-add.ts'
import { guardingNames, leftGuards, refusingAlike } from './plan-names.ts'
import { renamedIndexes, renamingIndex } from './plan-rename.ts'
import { anotherTarget } from './plan-target.ts'
import { isCopied, isOver } from './plan-type.ts'
import { changing, type Effect, type Step, tidying } from './step.ts'
import { type Column, type ForeignKey, onlySpeeds, type Present, type TableIndex } from './table.ts'

/** What asks for the rows that stand in the way: how many, and which. */
type Question = ReturnType<typeof obstacles>

/** Rows which will point at no record; undefined for a column that is only added. */
function orphans(pair: Pair, key: ForeignKey, target: Pair | undefined): Question | undefined {
  const column = pair.wanted.columns.find(({ name }) => name === key.column)
  if (nameNow(pair, key.column) === undefined && column?.fill === undefined) return undefined
  const isSet = `t.${q(key.column)} is not null`
  if (target === undefined) return obstacles(pair, isSet)
  const id = q(target.wanted.primaryKey[0] ?? 'id')
  const none = `not exists (select 1 from ${futureRows(target)} o where o.${id} = t.${q(key.column)})`
  return obstacles(pair, `${isSet} and ${none}`)
}

/** A rule over a new column disturbs no other version of the YAML; over present columns it may. */
function effectOn(pair: Pair, columns: readonly string[]): Effect {
  const isAdded = (name: string) => pair.wanted.columns.some((column) => column.name === name && isNew(pair, column))
  return columns.some(isAdded) ? 'adds' : 'changes'
}

/** The table that a reference leads to waits with that of the reference. */
function locking(target: Pair | undefined): Pick<Step, 'locks'> {
  return target === undefined ? {} : { locks: [target.actual.name] }
}

function referring(pair: Pair, key: ForeignKey, target: Pair | undefined): Step {
  const { name } = pair.wanted
  const step: Step = {
    title: `reference ${name}.${key.column} to ${key.table}`,
    about: { table: name, column: key.column },
    sql: [dropUnchecked(name, key), addForeignKey(name, key), validateForeignKey(name, key)],
    online: true,
    risk: 'safe',
    effect: effectOn(pair, [key.column]),
    undo: [dropUnchecked(name, key)],
    ...locking(target),
  }
  const question = orphans(pair, key, target)
  if (question === undefined) {
    const isAlone = target !== undefined && isSettled(target, target.wanted.primaryKey) && isSettled(pair, [key.column])
    return isAlone ? { ...step, ahead: true } : step
  }
  const advice = 'clear them, or point them at records that exist'
  return { ...step, risk: 'blocked', ...question, consequence: `point at no record of ${key.table}`, advice }
}

/** The steps of one table's references; `pairs` are all tables that are there, by their wanted names. */
export function planReferences(pair: Pair, pairs: ReadonlyMap<string, Pair>, { meanings }: Present): readonly Step[] {
  const { wanted, actual } = pair
  const steps: Step[] = []
  const target = (key: ForeignKey) => pairs.get(key.table)
  const presentName = (key: ForeignKey) => target(key)?.actual.name ?? key.table
  for (const key of wanted.foreignKeys) {
    const column = wanted.columns.find((other) => other.name === key.column)
    const was = column && presentColumn(pair, column)
    const old = actual.foreignKeys.find((other) => other.column === was?.name)
    const isSame = old?.table === presentName(key) && old.onDelete === key.onDelete
    // A column whose type starts anew was set aside together with its reference.
    if (isSame && was?.type === column?.type) continue
    // The reference of a column that comes back went when it was set aside.
    const isBack = was !== undefined && was === pair.aside.get(key.column)
    const before = old?.table ?? (isBack ? meanings?.targets?.[`${wanted.name}.${key.column}`] : undefined)
    // What is kept of it names tables as the YAML does.
    const now = old === undefined ? key.table : presentName(key)
    if (before !== undefined && before !== now && was && column && !startsAnew(pair, column))
      steps.push(...anotherTarget(pair, key, was.name, before))
    if (old)
      steps.push(
        changing(`drop old reference of ${wanted.name}.${key.column}`, dropForeignKey(wanted.name, key.column)),
      )
    steps.push(referring(pair, key, target(key)))
  }
  for (const old of actual.foreignKeys) {
    const column = wanted.columns.find((other) => presentColumn(pair, other)?.name === old.column)
    if (column === undefined || wanted.foreignKeys.some((key) => key.column === column.name)) continue
    steps.push(changing(`drop reference of ${wanted.name}.${column.name}`, dropForeignKey(wanted.name, column.name)))
  }
  return steps
}

/** The present name of a wanted column; undefined where it is only added, or starts anew without values. */
function nameNow(pair: Pair, name: string): string | undefined {
  const column = pair.wanted.columns.find((one) => one.name === name)
  return column === undefined || startsAnew(pair, column) ? undefined : presentColumn(pair, column)?.name
}

/** Whether all values of some columns come from the rows that are there, or are said by the YAML. */
function haveValues(pair: Pair, columns: readonly string[]): boolean {
  return columns.every((name) => {
    const column = pair.wanted.columns.find((one) => one.name === name)
    return (
      nameNow(pair, name) !== undefined ||
      column?.fill !== undefined ||
      column?.default !== undefined ||
      column?.generated !== undefined
    )
  })
}

/** Rows that will have equal values; undefined where a column is only added, so that all its values are new. */
function duplicates(pair: Pair, index: TableIndex): Question | undefined {
  if (!haveValues(pair, index.columns)) return undefined
  const where = index.where === undefined ? [] : [`(${index.where})`]
  const list = index.columns.map((column, at) => indexedSql(index, column, at)).join(', ')
  const present = [...where, ...index.columns.map((column) => `${q(column)} is not null`)].join(' and ')
  const equal = `select ${list} from ${futureRows(pair)} e where ${present} group by ${list} having count(*) > 1`
  return obstacles(pair, `${present} and (${list}) in (${equal})`)
}

/** SQL that counts rows that will overlap with another; undefined where a column is only added. */
function overlapping(pair: Pair, index: TableIndex): string | undefined {
  if (!haveValues(pair, index.columns)) return undefined
  const rows = `(select * from ${futureRows(pair)} t${index.where === undefined ? '' : ` where ${index.where}`})`
  const equal = index.columns.slice(0, -2).map((column) => `a.${q(column)} = b.${q(column)}`)
  const [from = '', to = ''] = index.columns.slice(-2).map(q)
  const ordered = ['a', 'b'].map((one) => `coalesce(${one}.${from} <= ${one}.${to}, true)`)
  const id = q(pair.wanted.primaryKey[0] ?? 'id')
  const both = [`a.${id} <> b.${id}`, ...equal, ...ordered, `${rangeSql(index, 'a.')} && ${rangeSql(index, 'b.')}`]
  return `select count(*) from ${rows} a where exists (select 1 from ${rows} b where ${both.join(' and ')})`
}

/** Rows that an exclusion of overlaps does not take: those that overlap, and those that have no time at all. */
function unfitForTimes(pair: Pair, index: TableIndex, step: Step): readonly Step[] {
  const question = overlapping(pair, index)
  if (question === undefined) return []
  const [from = '', to = ''] = index.columns.slice(-2).map(q)
  const where = index.where === undefined ? '' : `(${index.where}) and `
  const refused = { ...step, sql: [], risk: 'blocked' as const }
  return [
    {
      ...refused,
      question,
      consequence: 'share a time that only one may have',
      advice: 'move or cancel them, or take the rule away',
    },
    {
      ...refused,
      ...obstacles(pair, `${where}${from} > ${to}`),
      consequence: 'end before they begin',
      advice: 'correct their days or moments, or take the rule away',
    },
  ]
}

function excluding(pair: Pair, index: TableIndex): readonly Step[] {
  const { name } = pair.wanted
  const step: Step = {
    title: `refuse overlaps in ${name} (${index.columns.join(', ')})`,
    about: { table: name, column: index.columns.at(-2) ?? '' },
    sql: createIndex(name, index, false),
    risk: 'safe',
    effect: effectOn(pair, index.columns),
  }
  return [...unfitForTimes(pair, index, step), step]
}

/**
 * The table and the index under the names that are there, where a plan changes nothing but names: it can be made before
 * those are changed, because an index follows its columns.
 */
function earlier(pair: Pair, index: TableIndex): { readonly table: string; readonly index: TableIndex } | undefined {
  const names = new Map<string, string>()
  for (const name of [...index.columns, ...(index.whereColumns ?? [])]) {
    const column = pair.wanted.columns.find((one) => one.name === name)
    if (column === undefined) return undefined
    const was = presentColumn(pair, column)
    if (was === undefined ? !isAddedAhead(pair, column) : !keepsValues(column, was)) return undefined
    names.set(name, was?.name ?? name)
  }
  const columns = index.columns.map((name) => names.get(name) ?? name)
  const where = index.where === undefined ? undefined : withNames(index.where, names)
  return { table: pair.actual.name, index: { ...index, columns, where } }
}

/** Whether rows keep their values in a column, but for null. */
function keepsValues(column: Column, was: Column): boolean {
  const isSame = was.type === column.type && was.generated === column.generated
  return isSame && Object.keys(column.becomes ?? {}).every((word) => column.words?.includes(word))
}

/** How an index is made. A unique one is there before its version is served: the version before keeps to it from then on. */
function making(
  pair: Pair,
  index: TableIndex,
  { concurrently, present }: Circumstances,
): Pick<Step, 'sql'> & Partial<Step> {
  const { name } = pair.wanted
  const here = { sql: createIndex(name, index, concurrently), undo: [dropIndex(name, index, concurrently)] }
  if (index.unique) {
    const first = earlier(pair, index)
    if (first === undefined) return here
    const sql = createIndex(first.table, first.index, concurrently, index.where)
    return { ...here, sql, ahead: true, harmless: sql.length }
  }
  const canBeMade = ['btree', 'looks', 'names'].includes(index.kind) || present.trigrams
  const isAlone = canBeMade && isSettled(pair, [...index.columns, ...(index.whereColumns ?? [])])
  return { ...here, ...(isAlone ? { ahead: true as const } : {}), behind: true }
}

function indexing(pair: Pair, index: TableIndex, circumstances: Circumstances): readonly Step[] {
  if (index.kind === 'overlap') return excluding(pair, index)
  const { name } = pair.wanted
  const step: Step = {
    title: `add ${called(index)} on ${name} (${index.columns.join(', ')})`,
    about: { table: name, column: index.columns[0] ?? '' },
    online: true,
    risk: 'safe',
    effect: index.unique ? effectOn(pair, index.columns) : 'adds',
    ...making(pair, index, circumstances),
  }
  const question = index.unique ? duplicates(pair, index) : undefined
  if (question === undefined) return [step]
  if (index.kind === 'looks') return [refusingAlike(step, pair, index, question)]
  const advice = 'make them different, or take `unique` away'
  return [{ ...step, risk: 'blocked', ...question, consequence: 'share a value that must be unique', advice }]
}

/** Rows that this plan gives other values or another place in an index, so that what is refused already would be there. */
function collisions(pair: Pair, index: TableIndex): readonly Step[] {
  const { name, columns } = pair.wanted
  const isOther = (one: string): boolean => {
    const column = columns.find((other) => other.name === one)
    const was = column && presentColumn(pair, column)
    if (column === undefined || was === undefined) return false
    return !keepsValues(column, was) || (column.fill !== undefined && was.nullable)
  }
  if (![...index.columns, ...(index.whereColumns ?? [])].some(isOther)) return []
  const step: Step = {
    ...changing(`keep ${called(index)} on ${name} (${index.columns.join(', ')})`),
    about: { table: name, column: index.columns[0] ?? '' },
  }
  if (index.kind === 'overlap') return unfitForTimes(pair, index, step)
  const question = index.unique ? duplicates(pair, index) : undefined
  if (question === undefined) return []
  const consequence = 'would share a value that must be unique'
  return [{ ...step, risk: 'blocked', ...question, consequence, advice: 'make them different, or take `unique` away' }]
}

/** What people call an index by what it is for. */
function called({ kind, language, unique }: TableIndex): string {
  if (kind === 'stems') return `search index for ${language}`
  if (kind === 'looks') return 'index against texts that look alike'
  if (kind === 'names') return 'index of names'
  if (kind === 'overlap') return 'index against overlaps'
  return unique ? 'unique index' : kind === 'trigram' ? 'search index' : 'index'
}

/** The steps of one table's indexes: the new ones are there before the old ones go. */
export function planIndexes(pair: Pair, circumstances: Circumstances): readonly Step[] {
  const { wanted, actual } = pair
  const { concurrently } = circumstances
  // The index of a column that starts anew went aside with its old values and must be made again.
  const isGone = (column: Column) => startsAnew(pair, column) || isDisplaced(pair, column.name)
  const anew = new Set(wanted.columns.filter(isGone).map((column) => column.name))
  const names = isOver
  const copied = new Set(
    wanted.columns.flatMap((column) => {
      const was = presentColumn(pair, column)
      return was !== undefined && isCopied(pair, column, was) ? [column.name] : []
    }),
  )
  const stays = (index: TableIndex) =>
    ![...anew].some((column) => names(index, column)) &&
    !(index.kind === 'overlap' && [...copied].some((column) => names(index, column)))
  const kept = actual.indexes.filter(stays)
  const lacking = wanted.indexes.filter(
    (index) => !kept.some((other) => other.name === index.name && other.unique === index.unique),
  )
  const unwanted = kept.filter((index) => !wanted.indexes.some((other) => other.name === index.name))
  const whole = lacking.filter((index) => ![...copied].some((column) => names(index, column)))
  const renamed = renamedIndexes(pair, unwanted, whole)
  const added = lacking.filter((index) => !renamed.some(({ to }) => to === index))
  const gone = unwanted.filter((index) => !renamed.some(({ from }) => from === index))
  const leaving = new Map(goneColumns(pair, circumstances).map((column) => [column.name, column]))
  const dropping = gone.map((index): Step => {
    const title = `drop ${index.kind === 'stems' ? called(index) : 'index'} on ${wanted.name} (${index.columns.join(', ')})`
    const left = index.columns.flatMap((name) => leaving.get(name) ?? [])
    // It goes with its column, unless it could refuse new rows: those have the same default there, or none at all.
    const isLeft = left.length > 0 && (!index.unique || left.some((column) => column.default === undefined))
    const drop = dropIndex(wanted.name, index, concurrently)
    const step = onlySpeeds(index) ? tidying(title, drop) : changing(title, drop)
    const how = { online: index.kind !== 'overlap', effect: isLeft ? ('removes' as const) : ('changes' as const) }
    return { ...step, ...how, ...(onlySpeeds(index) ? { behind: true as const } : {}) }
  })
  const renaming = renamed.map((index) => renamingIndex(pair, index))
  const colliding = wanted.indexes.filter((index) => !added.includes(index)).flatMap((index) => collisions(pair, index))
  const guarding = added.flatMap((index) => guardingNames(pair, index, circumstances, duplicates(pair, index)))
  const adding = added.flatMap((index) => indexing(pair, index, circumstances))
  return [...colliding, ...renaming, ...guarding, ...adding, ...dropping, ...leftGuards(pair, circumstances)]
}
