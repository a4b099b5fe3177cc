/**
 * The meaning of each table and column in the YAML, and its earlier names: names change, and their meaning does not.
 * Kept in the database with the migration that changes it.
 */
import { nameBefore } from '../sql-name.ts'
import type { Named, NamedTable, Names } from '../table.ts'

/** A step gives something another name. */
export interface Renaming {
  /** The name of the table when the step is taken. */
  readonly table: string
  /** undefined: the table itself. */
  readonly column?: string
  readonly to: string
  /** It is set aside; `copied`: another column has its name and its content from then on. */
  readonly removed?: true | 'copied'
}

/** A wanted table or column, as far as names matter. */
interface Wanted {
  readonly name: string
  readonly of?: readonly string[]
  readonly was?: readonly string[]
}

interface WantedTable extends Wanted {
  readonly columns: readonly Wanted[]
  readonly existing?: true
}

const NOTHING: Named = { of: [] }

/** The whole name that something had before it was set aside; undefined where it was not. */
export function removedName(names: Names | undefined, table: string, column?: string): string | undefined {
  const named = column === undefined ? ownOf(names, table) : ownOf(ownOf(names, table)?.columns, column)
  if (named?.removed !== undefined) return named.removed
  // Before names were kept, only the form of the name showed it; a field may have a name of that form too.
  return named === undefined || named.of.length === 0 ? nameBefore(column ?? table) : undefined
}

function renamed(named: Named, from: string, { removed }: Renaming, until: string): Named {
  const { removed: before, ...rest } = named
  if (removed) return { ...rest, removed: from }
  // A name from setting aside is no earlier name.
  if (before !== undefined) return rest
  return { ...rest, former: [...(named.former ?? []), { name: from, until }] }
}

/** A table or column may be called as a member of every object, `constructor`. */
export function ownOf<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined
}

function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key))
}

/** The names when a step has been taken. */
function after(names: Names, renaming: Renaming, until: string): Names {
  const { table, column, to } = renaming
  const own = ownOf(names, table) ?? { ...NOTHING, columns: {} }
  if (column === undefined) {
    const later = { ...renamed(own, table, renaming, until), columns: own.columns }
    return { ...without(names, table), [to]: later }
  }
  if (renaming.removed === 'copied')
    return { ...names, [table]: { ...own, columns: { ...own.columns, [to]: { of: [], removed: column } } } }
  const columns = {
    ...without(own.columns, column),
    [to]: renamed(ownOf(own.columns, column) ?? NOTHING, column, renaming, until),
  }
  return { ...names, [table]: { ...own, columns } }
}

/** Tables and columns that were set aside before names were kept, by the form of their names. */
function asideOf(tables: readonly WantedTable[]): Names {
  return Object.fromEntries(
    tables.map(({ name, columns }) => {
      const removed = nameBefore(name)
      const aside = columns.flatMap((column): (readonly [string, Named])[] => {
        const was = nameBefore(column.name)
        return was === undefined ? [] : [[column.name, { of: [], removed: was }]]
      })
      return [name, { of: [], ...(removed === undefined ? {} : { removed }), columns: Object.fromEntries(aside) }]
    }),
  )
}

function holding(named: Named | undefined, { of, was = [] }: Pick<Wanted, 'of' | 'was'>): Named {
  const known = named ?? NOTHING
  const present = of ?? known.of
  const renamed = known.of.filter((one) => was.includes(one) && !present.includes(one))
  const before = [...(known.before ?? []).filter((one) => !renamed.includes(one)), ...renamed]
  return { ...known, of: present, ...(before.length === 0 ? {} : { before }) }
}

function columnsOf(wanted: readonly Wanted[], known: Readonly<Record<string, Named>>): Readonly<Record<string, Named>> {
  const own = wanted.map((one) => [one.name, holding(ownOf(known, one.name), one)] as const)
  return { ...known, ...Object.fromEntries(own) }
}

/** The names when the steps have been taken; `all` are the tables as they are before. */
export function namesAfter(
  wanted: readonly WantedTable[],
  all: readonly WantedTable[],
  names: Names | undefined,
  steps: readonly { readonly renames?: readonly Renaming[] }[],
  now: Date,
): Names {
  const until = now.toISOString().slice(0, 16).replace('T', ' ')
  const later = steps
    .flatMap(({ renames = [] }) => renames)
    .reduce((known, renaming) => after(known, renaming, until), names ?? asideOf(all))
  const own = wanted
    .filter(({ existing }) => existing !== true)
    .map((table): [string, NamedTable] => {
      const known = ownOf(later, table.name)
      return [table.name, { ...holding(known, table), columns: columnsOf(table.columns, known?.columns ?? {}) }]
    })
  return { ...later, ...Object.fromEntries(own) }
}

/** A table or column that is there under another name than the wanted one. */
export interface Identified {
  readonly name: string
  /** Until when it had the wanted name; undefined where it never had it and only has the same meaning. */
  readonly until: string | undefined
}

/**
 * The present name of the candidate with the same meaning, or with this earlier name; `isFree`: nothing else wants it.
 */
export function identified(
  wanted: Wanted,
  candidates: Readonly<Record<string, Named>>,
  isFree: (name: string) => boolean,
): Identified | undefined {
  const free = Object.entries(candidates).filter(([name, { removed }]) => removed === undefined && isFree(name))
  const held = new Set([...(wanted.of ?? []), ...(wanted.was ?? [])])
  const same = free.find(([, { of }]) => of.some((one) => held.has(one)))
  if (same !== undefined) return { name: same[0], until: undefined }
  const once = free.flatMap(([name, { former = [] }]) =>
    former.filter((one) => one.name === wanted.name).map(({ until }) => ({ name, until })),
  )
  return once.sort((a, b) => (a.until < b.until ? -1 : 1)).at(-1)
}
