/** Plans the way from the tables that are there to the tables that are wanted; never loses a value on its own. */
import { quoted as q } from '../filter/sql.ts'
import { nearest } from '../text/nearest.ts'
import { leavingOut } from './counted-from.ts'
import {
  addForeignKey,
  createIndex,
  createTable,
  dropForeignKey,
  dropIndex,
  markComputed,
  validateForeignKey,
} from './ddl.ts'
import { STEP_TABLE } from './engine-tables.ts'
import { existingSteps } from './existing.ts'
import { catalogMark, markOf } from './mark.ts'
import { asideName } from './name.ts'
import { type Identified, identified } from './names.ts'
import { type Circumstances, type Pair, presentColumn } from './pair.ts'
import { planColumns } from './plan-column.ts'
import { planIndexes, planReferences } from './plan-key.ts'
import { knowing } from './plan-links.ts'
import { asking, foreignRequired, maybeRenamedTable, takenNames } from './plan-notice.ts'
import { identifying, renamedSequences, sequenceSteps } from './plan-rename.ts'
import { beforeRenames } from './plan-required.ts'
import { servingMore } from './served-rows.ts'
import { adding, changing, type Step } from './step.ts'
import type { Column, Present, Table, TableIndex } from './table.ts'
import { typeChange } from './type-change.ts'

export interface MigrationPlan {
  readonly steps: readonly Step[]
  /** Of the wanted and the present tables: a plan holds only while both are what it was made from. */
  readonly hash: string
}

/** A plan with what a person should know beside its steps. */
export interface ShownPlan extends MigrationPlan {
  /** Another YAML has been here since this one was last. */
  readonly older: boolean
  /** What a start would refuse, and what it would leave as it is. */
  readonly start: { readonly refuses: readonly Step[]; readonly leaves: readonly Step[] }
}

function hashOf(wanted: readonly Table[], { tables, setAside, trigrams, ranges, history, meanings }: Present): string {
  return markOf([catalogMark(wanted), tables, setAside, trigrams, ranges, history.words, meanings])
}

/** The table that the YAML calls the earlier one, while that is not wanted itself. */
function earlierTable(wanted: readonly Table[], table: Table, { tables }: Present): Table | undefined {
  if (wanted.some((other) => other.name === table.renamedFrom)) return undefined
  return tables.find((other) => other.name === table.renamedFrom)
}

/** The table that holds the same as a wanted one, or had its name once, where none has that name. */
function identifiedTable(wanted: readonly Table[], table: Table, present: Present): Identified | undefined {
  const { names, tables, owned } = present
  if (names === undefined) return undefined
  const there = new Set(tables.map(({ name }) => name))
  const isFree = (name: string) => there.has(name) && owned.has(name) && !wanted.some((other) => other.name === name)
  return identified(table, names, isFree)
}

/** The table that a wanted one is now: under its own name, an earlier name, or set aside. */
function presentTable(
  wanted: readonly Table[],
  table: Table,
  present: Present,
): (Pick<Pair, 'actual' | 'back'> & Partial<Pick<Pair, 'since'>>) | undefined {
  const named = (name: string | undefined) => present.tables.find((other) => other.name === name)
  const plain = named(table.name) ?? earlierTable(wanted, table, present)
  if (plain !== undefined) return { actual: plain, back: false }
  const since = identifiedTable(wanted, table, present)
  const same = named(since?.name)
  if (since !== undefined && same !== undefined) return { actual: same, back: false, since }
  const aside = asideTable(table, present)
  return aside === undefined ? undefined : { actual: aside, back: true }
}

function asideTable(table: Table, { setAside }: Present): Table | undefined {
  const last = setAside.filter((one) => one.column === undefined && one.table === table.name).at(-1)?.content
  return last && 'primaryKey' in last && last.primaryKey.join() === table.primaryKey.join() ? last : undefined
}

/** What was set aside last under the name of each wanted column, where its values can be read as they are wanted. */
function asideColumns(wanted: Table, actual: Table, { setAside }: Present): ReadonlyMap<string, Column> {
  const found = new Map<string, Column>()
  for (const column of wanted.columns) {
    const last = setAside.filter((one) => one.table === actual.name && one.column === column.name).at(-1)?.content
    if (last === undefined || !('type' in last) || column.generated !== undefined) continue
    if (last.type === column.type || typeChange(last.name, last.type, column.type).kind === 'free')
      found.set(column.name, last)
  }
  return found
}

/** A new table with a `renamed_from` that names nothing, beside tables that the YAML no longer names. */
function mistaken({ renamedFrom }: Table, gone: readonly Table[]): Partial<Step> {
  if (renamedFrom === undefined || gone.length === 0) return {}
  const names = gone.map((table) => table.name)
  const near = nearest(renamedFrom, names)
  const [likely = ''] = near === undefined ? names : [near]
  return {
    risk: 'unsafe',
    question: `select count(*) from ${q(likely)}`,
    consequence: `are in ${likely} and would stay there: there is no table ${renamedFrom} to rename`,
    advice: `correct renamed_from${near === undefined ? '' : ` (did you mean "${near}"?)`}, or take it away`,
  }
}

function createSteps(fresh: readonly Table[], gone: readonly Table[]): readonly Step[] {
  const creating = fresh.map((table): Step => {
    const indexes = table.indexes.flatMap((index) => createIndex(table.name, index, false))
    const title = `create table ${table.name} (${table.columns.length} columns)`
    const marks = table.columns.flatMap((column) => markComputed(table.name, column))
    const about = { table: table.name, column: '' }
    return { ...adding(title, createTable(table), ...marks, ...indexes), about, ...mistaken(table, gone) }
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

function setTableAside(table: Table, { present, day }: Circumstances): Step {
  const taken = new Set([...present.tables, ...present.setAside].map((named) => named.name))
  const name = asideName(table.name, day, taken)
  return {
    title: `set aside table ${table.name} as ${name}`,
    locks: [table.name],
    renames: [{ table: table.name, to: name, removed: true }],
    sql: [
      ...table.foreignKeys.map((key) => dropForeignKey(table.name, key.column)),
      ...table.indexes.map((index) => dropIndex(table.name, index, false)),
      `alter table ${q(table.name)} rename to ${q(name)}`,
    ],
    risk: 'unsafe',
    effect: 'removes',
    question: `select count(*) from ${q(table.name)}`,
    consequence: 'are kept but no longer served',
    advice: `plinth restore-field ${table.name} brings it back`,
  }
}

/** A table that gets its name: an earlier one, or one that was set aside. */
function renameSteps(
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
    return [{ ...back, question: `select count(*) from ${q(actual.name)}`, tally: 'row' }]
  }
  const earlier = earlierTable(wanted, table, present)
  if (earlier === undefined || !present.owned.has(earlier.name)) return []
  return [
    {
      ...changing(`rename table ${earlier.name} to ${table.name}`),
      risk: 'blocked',
      question: `select count(*) from ${q(earlier.name)}`,
      consequence: `are in ${earlier.name}, and there is a table ${table.name} already`,
      advice: 'take renamed_from away, and move the rows by hand if they are wanted',
    },
  ]
}

function wrongKey(pair: Pair): readonly Step[] {
  const { wanted, actual } = pair
  const present = wanted.primaryKey.map((name) => {
    const column = wanted.columns.find((one) => one.name === name)
    return (column && presentColumn(pair, column)?.name) ?? name
  })
  // Pairs of ids are a key in either order: each side of a many_to_many may have made it.
  const isSame =
    present.length === actual.primaryKey.length && present.every((name) => actual.primaryKey.includes(name))
  if (isSame) return []
  const title = `primary key of ${wanted.name} is (${actual.primaryKey.join(', ')}), not (${wanted.primaryKey.join(', ')})`
  return [
    {
      title,
      sql: [],
      risk: 'blocked',
      effect: 'adds',
      advice: 'change the key by hand, or give the resource another table',
    },
  ]
}

const COUNTED: ReadonlySet<string> = new Set(['integer', 'bigint'])

/** The columns of ids that would become others, and those that refer to them: `books.author_id`. */
function otherIds(pairs: readonly Pair[]): ReadonlySet<string> {
  const keys = pairs.filter((pair) => changedId(pair) !== undefined)
  const referring = pairs.flatMap(({ wanted }) =>
    wanted.foreignKeys
      .filter(({ table }) => keys.some((pair) => pair.wanted.name === table))
      .map(({ column }) => `${wanted.name}.${column}`),
  )
  return new Set([...keys.map(({ wanted }) => `${wanted.name}.${wanted.primaryKey[0]}`), ...referring])
}

function changedId({ wanted, actual }: Pair): { readonly type: string; readonly was: string } | undefined {
  const [name, ...more] = wanted.primaryKey
  const [type, was] = [wanted, actual].map(({ columns }) => columns.find((column) => column.name === name)?.type)
  if (more.length > 0 || type === undefined || was === undefined || type === was) return undefined
  return COUNTED.has(type) && COUNTED.has(was) ? undefined : { type, was }
}

/** What refers to records, here and elsewhere, would lead nowhere. */
function wrongIds(pair: Pair): readonly Step[] {
  const changed = changedId(pair)
  if (changed === undefined) return []
  const { name, primaryKey } = pair.wanted
  return [
    {
      title: `the ids of ${name} are ${changed.was}, not ${changed.type}`,
      about: { table: name, column: primaryKey[0] ?? '' },
      sql: [],
      risk: 'blocked',
      effect: 'adds',
      advice: 'leave "id" as it was, or give the resource another table: records keep the ids that they have',
    },
  ]
}

/** Steps about a table, with its present name among those of the tables that wait for them. */
function locking({ actual }: Pair, steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => ({ ...step, locks: [actual.name, ...(step.locks ?? [])] }))
}

/** Says which secrets stand open: a start takes them over behind the steps, because the database cannot seal. */
function takingOver({ wanted, actual }: Pair): readonly Step[] {
  return wanted.columns.flatMap(({ name, protect }): readonly Step[] => {
    if (protect === undefined || !actual.columns.some((column) => column.name === name)) return []
    const title = `${protect === 'sealed' ? 'seal' : 'hash'} ${wanted.name}.${name}`
    const [open, table] = [`starts_with(${q(name)}, '${protect}:') is false`, q(actual.name)]
    const question = `select count(*) from ${table} where ${open}`
    return [{ ...changing(title), question, tally: 'changed row', onlyWithRows: true }]
  })
}

/** The wanted tables that are there, by their wanted names. */
export function pairsOf(wanted: readonly Table[], present: Present): ReadonlyMap<string, Pair> {
  const pairs = new Map<string, Pair>()
  for (const table of wanted) {
    const found = presentTable(wanted, table, present)
    if (found === undefined) continue
    const names = present.names?.[found.actual.name]
    pairs.set(table.name, { wanted: table, ...found, aside: asideColumns(table, found.actual, present), names, pairs })
  }
  return pairs
}

/** The extensions that indexes need and the database lacks. */
function extensionSteps(wanted: readonly Table[], { ranges, trigrams }: Present): readonly Step[] {
  const needs = (kind: TableIndex['kind']) => wanted.some(({ indexes }) => indexes.some((index) => index.kind === kind))
  const install = (name: string, why: string) =>
    adding(`install ${name} ${why}`, `create extension if not exists ${name}`)
  return [
    ...(needs('overlap') && !ranges ? [install('btree_gist', 'to refuse overlaps')] : []),
    ...(needs('trigram') && !trigrams ? [install('pg_trgm', 'for search')] : []),
  ]
}

/** A plan of which it is known where what carries stored names over has its place. */
export interface BarePlan extends MigrationPlan {
  /** How many steps come before it: the renames are among them. */
  readonly ahead: number
}

/** The plan with the steps that carry stored names over. */
export function carrying({ ahead, hash, steps }: BarePlan, names: readonly Step[]): MigrationPlan {
  return Object.freeze({ steps: Object.freeze([...steps.slice(0, ahead), ...names, ...steps.slice(ahead)]), hash })
}

/** The steps from `present` to `wanted`, in an order that works and is always the same; none when they are equal. Pure. */
export function plan(all: readonly Table[], circumstances: Circumstances): BarePlan {
  const { present } = circumstances
  const wanted = all.filter(({ existing }) => existing !== true)
  const pairs = pairsOf(wanted, present)
  const there = [...pairs.values()]
  const taken = new Set(there.map((pair) => pair.actual.name))
  const others = new Set(all.filter((table) => !wanted.includes(table)).map(({ name }) => name))
  const gone = present.tables.filter(({ name }) => !taken.has(name) && !others.has(name) && present.owned.has(name))
  const settled = otherIds(there)
  const isOpen = ({ about }: Step): boolean => !settled.has(`${about?.table}.${about?.column}`)
  const fresh = wanted.filter((table) => !pairs.has(table.name))
  const kept = fresh.filter((table) => table.name === STEP_TABLE.name)
  const made = fresh.filter((table) => !kept.includes(table))
  const ahead = [
    // What is begun from here on is kept there.
    ...createSteps(kept, []),
    ...all.flatMap((table) => (table.existing === true ? existingSteps(table, present) : [])),
    ...extensionSteps(wanted, present),
    ...there.flatMap((pair) => locking(pair, beforeRenames(pair, circumstances))).filter(isOpen),
    ...sequenceSteps(wanted, present, renamedSequences(there)),
    ...there.flatMap((pair) => locking(pair, renameSteps(pair, wanted, present))),
    ...there.flatMap((pair) => [...wrongKey(pair), ...wrongIds(pair)]),
    ...takenNames(fresh),
    ...createSteps(made, gone).map((step) => knowing(step, made, pairs, circumstances)),
    ...there.flatMap((pair) => locking(pair, planColumns(pair, circumstances))).filter(isOpen),
  ]
  const steps = [
    ...ahead,
    ...there.flatMap((pair) => locking(pair, planReferences(pair, pairs, present))).filter(isOpen),
    ...there.flatMap((pair) => [
      ...servingMore(pair, present),
      ...foreignRequired(pair, present),
      ...leavingOut(pair, pairs),
    ]),
    ...gone.map((table) => asking(setTableAside(table, circumstances), maybeRenamedTable(gone, fresh, table))),
    ...there.flatMap((pair) => locking(pair, planIndexes(pair, circumstances))),
    ...there.flatMap(takingOver),
  ]
  return Object.freeze({ steps: Object.freeze(steps), hash: hashOf(all, present), ahead: ahead.length })
}

/** A plan for people: one line a step, with what stands in the way and what to do about it. */
export function renderPlan({ steps, hash, older }: ShownPlan): string {
  if (steps.length === 0) return 'Nothing to do: the database is as the YAML says.\n'
  const lines = steps.map((step) => {
    const why = step.risk === 'safe' ? '' : `: ${reason(step)}`
    const word = step.effect === 'removes' ? 'removes' : step.risk.padEnd(7)
    return `  ${word}  ${step.title}${why}${step.advice && step.risk !== 'safe' ? `\n           → ${step.advice}` : ''}`
  })
  const waits = steps.some((step) => step.effect === 'removes')
    ? `A start leaves alone what is marked "removes"; \`plinth apply ${hash}\` carries it out.\n`
    : ''
  const ago = older
    ? 'The database was brought to a newer YAML since this one last started: a start only adds what this one misses.\n'
    : ''
  return `Plan ${hash}\n${lines.join('\n')}\n${waits}${ago}`
}

const SINGULAR: Readonly<Record<string, string>> = {
  are: 'is',
  have: 'has',
  do: 'does',
  get: 'gets',
  point: 'points',
  share: 'shares',
}

/** Why a step is not safe: `312 rows are null (ids 4, 17, …)`. */
export function reason(step: Step): string {
  const { ids = [], rows = 0 } = step
  if (ids.length === 0) return sentence(step)
  return `${sentence(step)} (${ids.length === 1 ? 'id' : 'ids'} ${ids.join(', ')}${rows > ids.length ? ', …' : ''})`
}

function sentence({ because, rows, consequence, noun = 'row' }: Step): string {
  if (because !== undefined) return because
  if (consequence === undefined) return 'this cannot be done while running'
  if (rows === undefined) return `${noun}s ${consequence}`
  if (rows !== 1) return `${rows.toLocaleString('en')} ${noun}s ${consequence}`
  return `1 ${noun} ${consequence.replace(/^\w+/, (verb) => SINGULAR[verb] ?? verb)}`
}
