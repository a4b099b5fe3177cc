/** Whether a catalog is the newest that a database has seen, and what a start may therefore do. */
import { catalogMark } from './mark.ts'
import { namesAfter } from './names.ts'
import type { MigrationPlan } from './plan.ts'
import type { Step } from './step.ts'
import type { History, Names, Present, Table } from './table.ts'

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
  return wanted.map(({ renamedFrom: _, was: __, ...table }) => ({
    ...table,
    columns: table.columns.map(({ renamedFrom: ___, was: ____, ...column }) => column),
  }))
}

/** The steps of a start, sorted: those it takes, those it leaves for a person, those it cannot do without and must not take. */
export interface Sorted {
  readonly take: readonly Step[]
  readonly leave: readonly Step[]
  readonly refuse: readonly Step[]
}

type Fate = keyof Sorted

function fateOf({ effect, identified, risk, waits }: Step, standing: Standing, alone: boolean): Fate {
  if (effect === 'removes' || (waits && risk !== 'safe')) return 'leave'
  // What is only called otherwise is served under the name that this catalog has, unless somebody serves the other.
  if (identified) return alone && risk === 'safe' ? 'take' : 'refuse'
  if (standing === 'older' && effect !== 'adds') return effect === 'changes' ? 'leave' : 'refuse'
  if (risk === 'safe') return 'take'
  // Rows that came since the catalog was last here, from an older version, are no reason not to serve.
  return standing === 'current' && effect === 'changes' ? 'leave' : 'refuse'
}

/** A start only adds, and changes what the newest catalog says otherwise; it never removes. `alone`: nothing else is served. */
export function sorted({ steps }: MigrationPlan, standing: Standing, alone = true): Sorted {
  const having = (fate: Fate) => steps.filter((step) => fateOf(step, standing, alone) === fate)
  return { take: having('take'), leave: having('leave'), refuse: having('refuse') }
}

/** What is written down about a database: the columns that the engine made, for which catalog, with which words. */
export interface Entry {
  readonly owned: Readonly<Record<string, readonly string[]>>
  readonly catalog: string | undefined
  readonly words: Readonly<Record<string, readonly string[]>>
  readonly names: Names
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

/** What an entry is made of. */
interface Done {
  readonly wanted: readonly Table[]
  readonly present: Present
  /** Those that were taken. */
  readonly steps: readonly Step[]
  readonly now: Date
}

function namesOf({ wanted, present, steps, now }: Done): Names {
  const all = [...present.tables, ...present.setAside.flatMap(asTable)]
  return namesAfter(wanted, all, present.names, steps, now)
}

/** What was set aside as a table of which nothing else is there, so that its names are kept. */
function asTable({ column, content, name, table }: Present['setAside'][number]): readonly Table[] {
  if (column === undefined) return 'columns' in content ? [content] : []
  const bare = { primaryKey: [], foreignKeys: [], indexes: [], sequences: [] }
  return 'type' in content ? [{ name: table, columns: [{ ...content, name }], ...bare }] : []
}

/** The entry after everything of a plan was carried out. */
export function entryAfterApply(done: Done): Entry {
  const { wanted } = done
  return { owned: ownedOf(wanted), catalog: catalogMark(wanted), words: wordsOf(wanted), names: namesOf(done) }
}

/** The columns of each table that the engine made, under their names when the steps have been taken. */
function ownedAfter({ tables, owned }: Present, steps: readonly Step[]): Map<string, Set<string>> {
  const later = new Map<string, Set<string>>()
  for (const { name, columns } of tables) {
    const known = owned.get(name)
    if (known !== undefined) later.set(name, new Set(columns.map((one) => one.name).filter((one) => known.has(one))))
  }
  for (const { table, column, to, removed } of steps.flatMap(({ renames = [] }) => renames)) {
    const own = later.get(table)
    if (own === undefined) continue
    if (column === undefined) later.delete(table)
    else own.delete(column)
    if (removed) continue
    if (column === undefined) later.set(to, own)
    else own.add(to)
  }
  return later
}

/** The entry after a start, which leaves the columns of other catalogs where they are, and remembers whose they are. */
export function entryAfterStart(done: Done, standing: Standing): Entry {
  const { present, steps } = done
  const { history } = present
  const mine = entryAfterApply(done)
  const later = ownedAfter(present, steps)
  const owned = Object.fromEntries(
    [...new Set([...Object.keys(mine.owned), ...later.keys()])].map((table) => [
      table,
      [...new Set([...(mine.owned[table] ?? []), ...(later.get(table) ?? [])])],
    ]),
  )
  if (standing !== 'older') return { ...mine, owned }
  return { ...mine, owned, catalog: history.latest, words: { ...mine.words, ...history.words } }
}
