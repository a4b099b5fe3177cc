/** Plans the indexes of one table that is there already. */
import { quoted as q } from '../filter/sql.ts'
import { createIndex, dropIndex, indexedSql, rangeSql } from './ddl.ts'
import { futureRows, obstacles, type Questions } from './future-rows.ts'
import {
  type Circumstances,
  effectOn,
  isAddedAhead,
  isDisplaced,
  isSettled,
  nameNow,
  type Pair,
  presentColumn,
  startsAnew,
} from './pair.ts'
import { goneColumns } from './plan-add.ts'
import { guardingNames, leftGuards, refusingAlike } from './plan-name-guard.ts'
import { isCopied } from './plan-type.ts'
import { MARK, namedIndex, quoteText, withNames } from './sql-name.ts'
import { adding, asking, changing, type Effect, type Hindrance, type Step, type Work } from './step.ts'
import { type Column, isOver, onlySpeeds, type TableIndex } from './table.ts'

/** Whether all values of some columns come from the present rows or from the YAML. */
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

/** Rows that would have equal values; undefined where a column is only added, so that all its values are new. */
function duplicates(pair: Pair, index: TableIndex): Questions | undefined {
  if (!haveValues(pair, index.columns)) return undefined
  const where = index.where === undefined ? [] : [`(${index.where})`]
  const list = index.columns.map((column, at) => indexedSql(index, column, at)).join(', ')
  const present = [...where, ...index.columns.map((column) => `${q(column)} is not null`)].join(' and ')
  const equal = `select ${list} from ${futureRows(pair)} e where ${present} group by ${list} having count(*) > 1`
  return obstacles(pair, `${present} and (${list}) in (${equal})`)
}

/** SQL that counts the rows that would overlap with another; undefined where a column is only added. */
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

/** Rows that an index against overlaps refuses: those that overlap, and those that end before they begin. */
function unfitForTimes(pair: Pair, index: TableIndex, { title, about, effect }: Step): readonly Step[] {
  const question = overlapping(pair, index)
  if (question === undefined) return []
  const [from = '', to = ''] = index.columns.slice(-2).map(q)
  const where = index.where === undefined ? '' : `(${index.where}) and `
  const refused: readonly Hindrance[] = [
    {
      question,
      consequence: 'share a time that only one may have',
      advice: 'move or cancel them, or take the rule away',
    },
    {
      ...obstacles(pair, `${where}${from} > ${to}`),
      consequence: 'end before they begin',
      advice: 'correct their days or moments, or take the rule away',
    },
  ]
  return refused.map((one) => ({
    ...asking(title, effect, { kind: 'obstacle', ...one }),
    ...(about === undefined ? {} : { about }),
  }))
}

function excluding(pair: Pair, index: TableIndex): readonly Step[] {
  const { name } = pair.wanted
  const effect = effectOn(pair, index.columns)
  const make = effect === 'adds' ? adding : changing
  const step: Step = {
    ...make(`refuse overlaps in ${name} (${index.columns.join(', ')})`, ...createIndex(name, index, false)),
    about: { table: name, column: index.columns.at(-2) ?? '' },
  }
  return [...unfitForTimes(pair, index, step), step]
}

/**
 * The table and the index under their present names, where a plan changes nothing but names: the index can be made before
 * the renames, because it follows its columns.
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

/** Whether rows keep their values in a column, except null. */
function keepsValues(column: Column, was: Column): boolean {
  const isSame = was.type === column.type && was.generated === column.generated
  return isSame && Object.keys(column.becomes ?? {}).every((word) => column.words?.includes(word))
}

/**
 * When an index is made. A unique one is there before its version is served: the version before obeys it from then on.
 */
function indexWork(pair: Pair, index: TableIndex, effect: Effect, circumstances: Circumstances): Work {
  const { concurrently, present } = circumstances
  const { name } = pair.wanted
  const sql = createIndex(name, index, concurrently)
  const undo = [dropIndex(name, index, concurrently)]
  if (index.unique) {
    const first = earlier(pair, index)
    if (first === undefined) return { kind: effect === 'adds' ? 'harmless' : 'harmful', sql }
    const ahead = createIndex(first.table, first.index, concurrently, index.where)
    return { kind: 'prepared', ahead, undo, sql: [] }
  }
  const canBeMade = ['btree', 'looks', 'names'].includes(index.kind) || present.trigrams
  const isAlone = canBeMade && isSettled(pair, [...index.columns, ...(index.whereColumns ?? [])])
  return isAlone ? { kind: 'faster', sql, undo } : { kind: 'faster', sql }
}

function indexing(pair: Pair, index: TableIndex, circumstances: Circumstances): readonly Step[] {
  if (index.kind === 'overlap') return excluding(pair, index)
  const { name } = pair.wanted
  const question = index.unique ? duplicates(pair, index) : undefined
  const isGuarded = index.kind === 'looks' && question !== undefined
  const effect = index.unique ? (isGuarded ? 'changes' : effectOn(pair, index.columns)) : 'adds'
  const step: Step = {
    ...adding(`add ${called(index)} on ${name} (${index.columns.join(', ')})`),
    effect,
    about: { table: name, column: index.columns[0] ?? '' },
    work: indexWork(pair, index, effect, circumstances),
  }
  if (question === undefined) return [step]
  if (isGuarded) return [refusingAlike(step, pair, index, question)]
  const advice = 'make them different, or take `unique` away'
  const consequence = 'share a value that must be unique'
  return [{ ...step, concern: { kind: 'obstacle', ...question, consequence, advice } }]
}

/** Rows whose new values would break an index that is there and stays. */
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
    ...asking(`keep ${called(index)} on ${name} (${index.columns.join(', ')})`, 'changes', { kind: 'none' }),
    about: { table: name, column: index.columns[0] ?? '' },
  }
  if (index.kind === 'overlap') return unfitForTimes(pair, index, step)
  const question = index.unique ? duplicates(pair, index) : undefined
  if (question === undefined) return []
  const consequence = 'would share a value that must be unique'
  const advice = 'make them different, or take `unique` away'
  return [{ ...step, concern: { kind: 'obstacle', ...question, consequence, advice } }]
}

/** The name of an index for people, by its purpose. */
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
  // The index of a column that starts without its values was set aside with them and must be made again.
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
    // It goes with its column, unless it could refuse new rows, which all have the same default there.
    const isLeft = left.length > 0 && (!index.unique || left.some((column) => column.default === undefined))
    const sql = [dropIndex(wanted.name, index, concurrently)]
    return {
      ...changing(title),
      effect: isLeft ? 'removes' : 'changes',
      work: { kind: onlySpeeds(index) ? 'faster' : 'harmful', sql },
    }
  })
  const renaming = renamed.map((index) => renamingIndex(pair, index))
  const colliding = wanted.indexes.filter((index) => !added.includes(index)).flatMap((index) => collisions(pair, index))
  const guarding = added.flatMap((index) => guardingNames(pair, index, circumstances, duplicates(pair, index)))
  const adding = added.flatMap((index) => indexing(pair, index, circumstances))
  return [...colliding, ...renaming, ...guarding, ...adding, ...dropping, ...leftGuards(pair, circumstances)]
}

/** An index that is there, and the wanted one that it is under present names. */
export interface RenamedIndex {
  readonly from: TableIndex
  readonly to: TableIndex
}

/** Whether an index has the present expression of its kind: with an earlier one it is of no use to a search. */
function isOfNow(table: string, { name, ...index }: TableIndex): boolean {
  return index.kind === 'btree' || index.kind === 'overlap' || namedIndex(table, index).name === name
}

/** The indexes that only need another name: over the same columns, for the same rows. */
export function renamedIndexes(
  pair: Pair,
  gone: readonly TableIndex[],
  added: readonly TableIndex[],
): readonly RenamedIndex[] {
  const later = new Map(
    pair.wanted.columns.flatMap((column): (readonly [string, string])[] => {
      const was = presentColumn(pair, column)
      return was === undefined || was.name === column.name ? [] : [[was.name, column.name]]
    }),
  )
  if (later.size === 0 && pair.wanted.name === pair.actual.name) return []
  const present = (name: string) => later.get(name) ?? name
  const whereOf = ({ where }: TableIndex) => (where === undefined ? undefined : withNames(where, later))
  const left = new Set(added)
  return gone.flatMap((from): readonly RenamedIndex[] => {
    const columns = from.columns.map(present).join()
    const to = [...left].find(
      (one) =>
        one.kind === from.kind &&
        isOfNow(pair.actual.name, from) &&
        one.language === from.language &&
        one.unique === from.unique &&
        one.columns.join() === columns &&
        one.where === whereOf(from),
    )
    if (to === undefined) return []
    left.delete(to)
    return [{ from, to }]
  })
}

/** Gives an index its wanted name, and its mark with the present text of the predicate. */
function renamingIndex({ wanted }: Pair, { from, to }: RenamedIndex): Step {
  const rename =
    to.kind === 'overlap'
      ? `alter table ${q(wanted.name)} rename constraint ${q(from.name)} to ${q(to.name)}`
      : `alter index ${q(from.name)} rename to ${q(to.name)}`
  const mark = to.where === undefined ? MARK : `${MARK}: ${to.where}`
  const comment = `comment on index ${q(to.name)} is ${quoteText(mark)}`
  const title = `rename index on ${wanted.name} (${to.columns.join(', ')})`
  return { ...changing(title), work: { kind: onlySpeeds(to) ? 'faster' : 'harmful', sql: [rename, comment] } }
}
