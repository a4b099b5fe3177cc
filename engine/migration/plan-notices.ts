/**
 * Steps without statements that a person has to know: taken names, other keys, rows that would newly be served or left
 * out of a count; and hints about renames.
 */
import { quoted as q } from '../filter/sql.ts'
import { nearest } from '../text/nearest.ts'
import { obstacles } from './future-rows.ts'
import { type Pair, presentColumn } from './pair.ts'
import { quoteText } from './sql-name.ts'
import { adviceOf, asking, type Concern, type Hindrance, type Step } from './step.ts'
import type { Column, Present, ServedRows, Table } from './table.ts'

/** A new table whose name a view, a sequence or an index has. */
export function takenNames(fresh: readonly Table[]): readonly Step[] {
  return fresh.map(({ name }) =>
    asking(`the name ${name} is taken`, 'adds', {
      kind: 'obstacle',
      question: `select count(*) from pg_class where relnamespace = current_schema()::regnamespace
      and relname = ${quoteText(name)} and relkind not in ('r', 'p')`,
      noun: 'view, sequence or index',
      consequence: 'has this name already',
      advice: `give the resource another table, \`table: <name>\`, or rename what has the name`,
    }),
  )
}

/** Columns that people added by hand and that would refuse every new row. */
export function foreignRequired({ actual, wanted }: Pair, present: Present): readonly Step[] {
  const owned = present.owned.get(actual.name)
  if (owned === undefined) return []
  const isForeign = ({ name }: Column) =>
    !owned.has(name) && !wanted.columns.some((one) => one.name === name || one.renamedFrom === name)
  const refusing = actual.columns.filter(
    (column) =>
      isForeign(column) &&
      !column.nullable &&
      !column.identity &&
      column.default === undefined &&
      column.generated === undefined,
  )
  return refusing.map(({ name }) =>
    asking(`the YAML does not know the column ${wanted.name}.${name}`, 'changes', {
      kind: 'loss',
      noun: 'new row',
      consequence: 'would be refused, because it may not be null and has no default',
      advice: `give it one: alter table ${q(wanted.name)} alter column ${q(name)} drop not null; or describe it as a field`,
    }),
  )
}

/** The probable later name of what the YAML no longer names: the only new one of its kind. */
function likely(
  gone: readonly unknown[],
  come: readonly { readonly name: string; readonly renamedFrom?: string }[],
): string | undefined {
  const [one, ...others] = come
  return one === undefined || one.renamedFrom !== undefined || others.length > 0 || gone.length > 1
    ? undefined
    : one.name
}

/** The question whether a column that goes is the one that comes, where each is the only one of its type. */
export function maybeRenamed(
  gone: readonly Column[],
  added: readonly Column[],
  { type, name }: Column,
): string | undefined {
  const later = likely(
    gone.filter((one) => one.type === type),
    added.filter((one) => one.type === type && one.generated === undefined),
  )
  return later === undefined ? undefined : `did you mean \`renamed_from: ${name}\` beside ${later}?`
}

/** The same for a table: the only new one that has at least half of its columns. */
export function maybeRenamedTable(gone: readonly Table[], fresh: readonly Table[], table: Table): string | undefined {
  const isAlike = (one: Table, other: Table): boolean => {
    const names = new Set(other.columns.map(({ name, type }) => `${name} ${type}`))
    return one.columns.filter(({ name, type }) => names.has(`${name} ${type}`)).length * 2 >= one.columns.length
  }
  const come = fresh.filter((one) => one.served !== undefined && isAlike(table, one))
  const later = likely(
    gone.filter((one) => come.some((other) => isAlike(one, other))),
    come,
  )
  return later === undefined ? undefined : `did you mean \`renamed_from: ${table.name}\` in ${later}?`
}

/**
 * A `renamed_from` that names nothing, while the YAML leaves out things that are there: probably a typing mistake. `told`
 * gets the name that is probably meant.
 */
export function mistakenRename(
  renamedFrom: string | undefined,
  gone: readonly string[],
  told: (likely: string) => Pick<Hindrance, 'question' | 'consequence'>,
): Concern | undefined {
  const [first] = gone
  if (renamedFrom === undefined || first === undefined) return undefined
  const near = nearest(renamedFrom, gone)
  const meant = near === undefined ? '' : ` (did you mean "${near}"?)`
  return { kind: 'loss', ...told(near ?? first), advice: `correct renamed_from${meant}, or take it away` }
}

/** The same step, whose advice begins with a hint that this may be a rename. */
export function withHint(step: Step, hint: string | undefined): Step {
  const { concern } = step
  if (hint === undefined || concern.kind === 'none' || concern.kind === 'counted') return step
  return { ...step, concern: { ...concern, advice: [hint, adviceOf(step) ?? []].flat().join(' ') } }
}

const COUNTED: ReadonlySet<string> = new Set(['integer', 'bigint'])

function changedId({ wanted, actual }: Pair): { readonly type: string; readonly was: string } | undefined {
  const [name, ...more] = wanted.primaryKey
  const [type, was] = [wanted, actual].map(({ columns }) => columns.find((column) => column.name === name)?.type)
  if (more.length > 0 || type === undefined || was === undefined || type === was) return undefined
  return COUNTED.has(type) && COUNTED.has(was) ? undefined : { type, was }
}

/** The columns of ids that would become others, and those that refer to them: `books.author_id`. */
export function otherIds(pairs: readonly Pair[]): ReadonlySet<string> {
  const keys = pairs.filter((pair) => changedId(pair) !== undefined)
  const referring = pairs.flatMap(({ wanted }) =>
    wanted.foreignKeys
      .filter(({ table }) => keys.some((pair) => pair.wanted.name === table))
      .map(({ column }) => `${wanted.name}.${column}`),
  )
  return new Set([...keys.map(({ wanted }) => `${wanted.name}.${wanted.primaryKey[0]}`), ...referring])
}

/** A primary key over other columns. */
export function wrongKey(pair: Pair): readonly Step[] {
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
  const advice = 'change the key by hand, or give the resource another table'
  return [asking(title, 'adds', { kind: 'obstacle', advice })]
}

/** Ids of another type: references to the records, here and elsewhere, would lead nowhere. */
export function wrongIds(pair: Pair): readonly Step[] {
  const changed = changedId(pair)
  if (changed === undefined) return []
  const { name, primaryKey } = pair.wanted
  const step = asking(`the ids of ${name} are ${changed.was}, not ${changed.type}`, 'adds', {
    kind: 'obstacle',
    advice: 'leave "id" as it was, or give the resource another table: records keep the ids that they have',
  })
  return [{ ...step, about: { table: name, column: primaryKey[0] ?? '' } }]
}

/**
 * Secrets that are stored as they were sent. A start protects them after the steps, because the database cannot seal.
 */
export function openSecrets({ wanted, actual }: Pair): readonly Step[] {
  return wanted.columns.flatMap(({ name, protect }): readonly Step[] => {
    if (protect === undefined || !actual.columns.some((column) => column.name === name)) return []
    const title = `${protect === 'sealed' ? 'seal' : 'hash'} ${wanted.name}.${name}`
    const [open, table] = [`starts_with(${q(name)}, '${protect}:') is false`, q(actual.name)]
    const question = `select count(*) from ${table} where ${open}`
    return [asking(title, 'changes', { kind: 'counted', question, unit: 'changed row' })]
  })
}

/** Rows that were not served before and would be from now on: a person decides. */
export function newlyServedRows(pair: Pair, { meanings }: Present): readonly Step[] {
  return Object.entries(pair.wanted.served ?? {}).flatMap(([resource, now]) => {
    const before = meanings?.served?.[resource] ?? meanings?.served?.[now.renamedFrom ?? resource]
    if (before === undefined || before.table !== (pair.back ? pair.wanted.name : pair.actual.name)) return []
    const hidden = allOf(before)
    if (hidden === undefined || hidden === allOf(now) || !isReadable(pair.actual, hidden)) return []
    const later = allOf(now)
    const shown = later === undefined ? 'true' : asItWillBe(pair, later)
    const isDeleted = before.scope === now.scope && before.live === `t.${q('deleted_at')} is null`
    const noun = isDeleted ? 'deleted record' : 'record'
    // Not even an older version serves them by itself.
    const step = asking(`serve ${noun}s of ${resource} that were not served`, 'retypes', {
      kind: 'loss',
      ...obstacles(pair, `(${shown}) and (${hidden}) is not true`, 'now'),
      noun,
      consequence: 'would be served',
      advice: `leave ${isDeleted ? '`soft_delete`' : 'the condition'} in the file, or take those rows out of the table first`,
    })
    return [step]
  })
}

function allOf({ live, scope }: ServedRows): string | undefined {
  const both = [scope, live].flatMap((one) => (one === undefined ? [] : [`(${one})`]))
  return both.length === 0 ? undefined : both.join(' and ')
}

/** The columns of the row itself in a condition. */
const OWN = /\bt\."((?:[^"]|"")+)"/g

function isReadable({ columns }: Table, sql: string): boolean {
  const known = new Set(columns.map(({ name }) => name))
  return [...sql.matchAll(OWN)].every(([, name = '']) => known.has(name.replaceAll('""', '"')))
}

/** A condition over the wanted columns as one over the present ones; a new column has its default in every row. */
function asItWillBe(pair: Pair, sql: string): string {
  return sql.replaceAll(OWN, (whole, written: string) => {
    const column = pair.wanted.columns.find(({ name }) => name === written.replaceAll('""', '"'))
    if (column === undefined) return whole
    const was = presentColumn(pair, column)
    return was === undefined ? `(${column.fill ?? column.default ?? 'null'})::${column.type}` : `t.${q(was.name)}`
  })
}

/** A new sum or count that leaves out the records that are there: a person decides. */
export function uncountedRecords(pair: Pair, pairs: ReadonlyMap<string, Pair>): readonly Step[] {
  const fresh = pair.wanted.columns.filter((column) => column.fill === undefined && !presentColumn(pair, column))
  return fresh.flatMap(({ countedFrom: sources = [], name }) =>
    sources.flatMap(({ column, table }): readonly Step[] => {
      const source = pairs.get(table)
      const by = source?.wanted.columns.find((one) => one.name === column)
      const was = source && by && presentColumn(source, by)
      if (source === undefined || was === undefined) return []
      return [
        asking(`begin ${pair.wanted.name}.${name} anew`, 'adds', {
          kind: 'loss',
          question: `select count(*) from ${q(source.actual.name)} where ${q(was.name)} is not null`,
          noun: 'record',
          consequence: `are in ${table} already and are not counted in it`,
          advice: `a field with \`computed: { sum: <relation>.<field> }\` or \`{ count: <relation> }\` counts them too; \`nullable: false, backfill: <value>\` says what it begins with`,
        }),
      ]
    }),
  )
}
