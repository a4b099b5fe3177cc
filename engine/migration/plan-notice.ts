/** What a plan says of tables that nobody described: a name that is taken, a column that refuses new rows, what may be a rename. */
import { quoted as q } from '../filter/sql.ts'
import { quoteText } from './name.ts'
import type { Pair } from './pair.ts'
import { changing, type Step } from './step.ts'
import type { Column, Present, Table } from './table.ts'

/** A new table whose name a view, a sequence or an index has. */
export function takenNames(fresh: readonly Table[]): readonly Step[] {
  return fresh.map(({ name }) => ({
    ...changing(`the name ${name} is taken`),
    effect: 'adds',
    risk: 'blocked',
    question: `select count(*) from pg_class where relnamespace = current_schema()::regnamespace
      and relname = ${quoteText(name)} and relkind not in ('r', 'p')`,
    noun: 'view, sequence or index',
    consequence: 'has this name already',
    advice: `give the resource another table, \`table: <name>\`, or rename what has the name`,
  }))
}

/** Columns that somebody added by hand, and that would refuse every new row. */
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
  return refusing.map(({ name }) => ({
    ...changing(`the YAML does not know the column ${wanted.name}.${name}`),
    risk: 'unsafe',
    noun: 'new row',
    consequence: 'would be refused, because it may not be null and has no default',
    advice: `give it one: alter table ${q(wanted.name)} alter column ${q(name)} drop not null; or describe it as a field`,
  }))
}

/** What may be the later name of something that the YAML no longer names: the only new one of its kind. */
function likely(
  gone: readonly unknown[],
  come: readonly { readonly name: string; readonly renamedFrom?: string }[],
): string | undefined {
  const [one, ...others] = come
  return one === undefined || one.renamedFrom !== undefined || others.length > 0 || gone.length > 1
    ? undefined
    : one.name
}

/** Asks whether a column that goes is the one that comes, where each is the only one of its type. */
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

/** The same of a table: the only new one that has at least half of its columns. */
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

/** A step that asks first whether a name was changed. */
export function asking(step: Step, question: string | undefined): Step {
  if (question === undefined) return step
  return { ...step, advice: step.advice === undefined ? question : `${question} ${step.advice}` }
}
