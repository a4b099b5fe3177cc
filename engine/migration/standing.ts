/** Whether a catalog is the newest that a database has seen, and what a start may therefore do. */
import { catalogMark } from './mark.ts'
import type { MigrationPlan } from './plan.ts'
import type { Step } from './step.ts'
import type { History, Present, Table } from './table.ts'

/**
 * `new`: nobody has brought the database to this catalog yet. `current`: it was the last one.
 * `older`: another one came after it, so an instance of that other one may be running beside this.
 */
export type Standing = 'new' | 'current' | 'older'

/** `edited`: a person changed the YAML just now, so that it is the newest even if it was like this before. */
export function standingOf(wanted: readonly Table[], { latest, known }: History, edited: boolean): Standing {
  const mark = catalogMark(wanted)
  if (mark === latest) return 'current'
  return known.has(mark) && !edited ? 'older' : 'new'
}

/** The tables as an older catalog may ask for them: what a newer one has under a name is not renamed away. */
export function withoutRenames(wanted: readonly Table[]): readonly Table[] {
  return wanted.map(({ renamedFrom: _, ...table }) => ({
    ...table,
    columns: table.columns.map(({ renamedFrom: __, ...column }) => column),
  }))
}

/** The steps of a start, sorted: those it takes, those it leaves for a person, those it can't do without and must not take. */
export interface Sorted {
  readonly take: readonly Step[]
  readonly leave: readonly Step[]
  readonly refuse: readonly Step[]
}

type Fate = keyof Sorted

function fateOf({ effect, risk }: Step, standing: Standing): Fate {
  if (effect === 'removes') return 'leave'
  if (standing === 'older' && effect !== 'adds') return effect === 'changes' ? 'leave' : 'refuse'
  if (risk === 'safe') return 'take'
  // Rows that came since the catalog was last here, from an older version, are no reason not to serve.
  return standing === 'current' && effect === 'changes' ? 'leave' : 'refuse'
}

/** A start only adds, and changes what the newest catalog says otherwise; it never removes. */
export function sorted({ steps }: MigrationPlan, standing: Standing): Sorted {
  const having = (fate: Fate) => steps.filter((step) => fateOf(step, standing) === fate)
  return { take: having('take'), leave: having('leave'), refuse: having('refuse') }
}

/** What is written down about a database: the columns that the engine made, for which catalog, with which words. */
export interface Entry {
  readonly owned: Readonly<Record<string, readonly string[]>>
  readonly catalog: string | undefined
  readonly words: Readonly<Record<string, readonly string[]>>
}

function ownedOf(wanted: readonly Table[]): Entry['owned'] {
  const own = wanted.filter(({ existing }) => existing !== true)
  return Object.fromEntries(own.map((table) => [table.name, table.columns.map((column) => column.name)]))
}

function wordsOf(wanted: readonly Table[]): Entry['words'] {
  return Object.fromEntries(
    wanted.flatMap((table) =>
      table.columns.flatMap(({ name, words }) => (words === undefined ? [] : [[`${table.name}.${name}`, words]])),
    ),
  )
}

/** The entry after everything of a plan was carried out. */
export function entryAfterApply(wanted: readonly Table[]): Entry {
  return { owned: ownedOf(wanted), catalog: catalogMark(wanted), words: wordsOf(wanted) }
}

/** What a table becomes when the renames of a start are done. */
function laterTable(byName: ReadonlyMap<string, Table>, wanted: readonly Table[], name: string): Table | undefined {
  return byName.get(name) ?? wanted.find((table) => table.renamedFrom === name)
}

function isRenamed(columns: Table['columns'], column: string): boolean {
  if (columns.some(({ name }) => name === column)) return false
  return columns.some(
    ({ name, renamedFrom }) =>
      renamedFrom !== undefined && (renamedFrom === column || (`${renamedFrom}_id` === column && name.endsWith('_id'))),
  )
}

/** The entry after a start, which leaves the columns of other catalogs where they are, and remembers whose they are. */
export function entryAfterStart(
  wanted: readonly Table[],
  { tables, owned, history }: Present,
  standing: Standing,
): Entry {
  const mine = entryAfterApply(wanted)
  const byName = new Map(wanted.map((table) => [table.name, table]))
  const others = tables.flatMap((table): [string, readonly string[]][] => {
    const known = owned.get(table.name)
    if (known === undefined) return []
    const { columns, name: later } = laterTable(byName, wanted, table.name) ?? { columns: [], name: table.name }
    const names = table.columns.map(({ name }) => name).filter((name) => known.has(name) && !isRenamed(columns, name))
    return [[later, [...new Set([...(mine.owned[later] ?? []), ...names])]]]
  })
  const union = { ...mine.owned, ...Object.fromEntries(others) }
  if (standing !== 'older') return { ...mine, owned: union }
  return { owned: union, catalog: history.latest, words: { ...mine.words, ...history.words } }
}
