/**
 * Tables, columns, references and indexes in the one shape that catalogs are derived to, databases are read into, and
 * plans compare.
 */
import { createHash } from 'node:crypto'
import { quoted as q } from '../filter/sql.ts'
import { memo } from '../memo.ts'

/** How a column judges the values in it; never read from a database. */
export interface Judge {
  /** A hash of the rules of its values; undefined where the type of the column says all of them. */
  readonly mark?: string
  /**
   * `words` of an enum are judged in SQL; a value in a `list` that is no item breaks reads, another value is only no
   * longer allowed.
   */
  readonly kind: 'words' | 'list' | 'value'
  /**
   * Whether the field allows what PostgreSQL prints as `text`, or a list one of whose items is among `former` words.
   */
  fits(text: string, former?: readonly string[]): boolean
}

/** The meaning of a table or column in the YAML, which is the same under every name; never read from a database. */
interface Holding {
  /** Names of the YAML: of a resource, `posts.tags` of a many_to_many, of a field. */
  readonly of?: readonly string[]
  /** The same under the earlier names that the YAML gives. */
  readonly was?: readonly string[]
}

export interface Column extends Holding {
  readonly name: string
  /** As `format_type` prints it. */
  readonly type: string
  /** Where that is a domain, the type under it; never of the catalog. */
  readonly base?: string
  readonly nullable: boolean
  /** SQL of the DEFAULT in the spelling of `literalDefault`; undefined: none. */
  readonly default: string | undefined
  readonly identity: boolean
  /** SQL of the value that replaces null when the column is made NOT NULL, never read from a database; and its text for people. */
  readonly fill?: string
  readonly fillShown?: string
  /**
   * Where that value comes from other columns: their names, another table of its source, and SQL that says whether the
   * column can hold it.
   */
  readonly fillReads?: readonly string[]
  readonly fillTable?: string
  readonly fillFits?: string
  /** SQL of its formula, as the engine wrote it; undefined where it is not computed. */
  readonly generated?: string
  /** The present names of the columns that it is computed from, whatever the engine wrote; never of the catalog. */
  readonly over?: readonly string[]
  /** SQL over the columns of a row: whether the column can hold the computed value; never read from a database. */
  readonly fits?: string
  /** Its earlier name as the YAML says; never read from a database. */
  readonly renamedFrom?: string
  /** How a secret is kept, where that is not as it is sent; never read from a database. */
  readonly protect?: 'sealed' | 'hashed'
  /** The words that an enum, or a list of one, may hold; never read from a column. */
  readonly words?: readonly string[]
  /** The replacements of words that are no longer among them. */
  readonly becomes?: Readonly<Record<string, string>>
  /** The records whose sum or count it holds; never read from a database. */
  readonly countedFrom?: readonly CountedFrom[]
  /** The rules of its values; never read from a database. */
  readonly judge?: Judge
}

export interface ForeignKey {
  readonly column: string
  readonly table: string
  readonly onDelete: 'restrict' | 'set_null' | 'cascade'
}

export interface TableIndex {
  /** Ends in a hash of everything below, so that indexes are the same when their names are. */
  readonly name: string
  /** An overlap index is a constraint: equal in all but the last two columns, whose ranges may not overlap. */
  readonly kind: 'btree' | 'looks' | 'names' | 'trigram' | 'stems' | 'overlap'
  readonly unique: boolean
  readonly columns: readonly string[]
  /** For an index of names: the places of the columns whose texts it compares by how they look. */
  readonly alike?: readonly number[]
  /** For an overlap index: whether its last two columns are days, both included, or moments, the last excluded. */
  readonly range?: 'days' | 'moments'
  /** For an index of trigrams: the schema of its operators, where that is not on the search path; never read from a database. */
  readonly operatorsIn?: string
  /** For an index of stems. */
  readonly language?: string | undefined
  /** SQL of the predicate; undefined: all rows. */
  readonly where: string | undefined
  /** The columns that the predicate names; never read from a database. */
  readonly whereColumns?: readonly string[]
}

/** Whether an index refuses nothing, so that reads are all that feel whether it is there. */
export function onlySpeeds({ kind, unique }: TableIndex): boolean {
  return !unique && kind !== 'overlap'
}

export interface Sequence {
  readonly name: string
  readonly start: number
}

/** Records that are counted where a column of theirs names the one that counts. */
export interface CountedFrom {
  readonly table: string
  readonly column: string
}

/** Which rows of a table a resource serves: SQL over a row `t`; undefined: all. */
export interface ServedRows {
  readonly scope?: string
  readonly live?: string
  /** The earlier name of the resource. */
  readonly renamedFrom?: string
}

export interface Table extends Holding {
  readonly name: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly string[]
  /** Columns that are never null and unique together, each list by an index, where there is no primary key. */
  readonly otherKeys?: readonly (readonly string[])[]
  /** It is a view, or a table of another server: nothing says which of its columns are null or unique. */
  readonly view?: true
  readonly foreignKeys: readonly ForeignKey[]
  readonly indexes: readonly TableIndex[]
  readonly sequences: readonly Sequence[]
  readonly renamedFrom?: string
  /** Joins two others under the default name, which says nothing about the links in it; never read from a database. */
  readonly joins?: true
  /** Others own it: it is compared with the database, and never changed. */
  readonly existing?: true
  /** Which of its rows each resource serves; never read from a database. */
  readonly served?: Readonly<Record<string, ServedRows>>
}

/** A column or a whole table (`column` undefined) that was removed from the YAML and renamed. */
export interface SetAside {
  readonly table: string
  readonly column: string | undefined
  /** Its present name. */
  readonly name: string
  /** The column or the table as it is there, under its present name. */
  readonly content: Column | Table
}

/** Which catalogs have been here: each is known by the tables that it wants. */
export interface History {
  /** The one that the database was brought to last. */
  readonly latest: string | undefined
  readonly known: ReadonlySet<string>
  /** `<table>.<column>` → the words that its enum had last. */
  readonly words: Readonly<Record<string, readonly string[]>>
}

/** A name that something had. */
export interface Former {
  readonly name: string
  /** `2026-01-31 18:53`, UTC. */
  readonly until: string
}

export interface Named {
  /** Names of the YAML: of a resource, `posts.tags` of a many_to_many, of a field. */
  readonly of: readonly string[]
  /** What it was called in the YAML before `renamed_from`. */
  readonly before?: readonly string[]
  /** Its earlier names in the database, the latest last. */
  readonly former?: readonly Former[]
  /** Its whole name before it was set aside. */
  readonly removed?: string
}

export interface NamedTable extends Named {
  readonly columns: Readonly<Record<string, Named>>
}

/** By the present names of tables and columns. */
export type Names = Readonly<Record<string, NamedTable>>

/** Facts about the last served catalog that the tables do not show. */
export interface Meanings {
  /** `<table>.<column>` → the hash of the rules of its values; none where the type of the column says all of them. */
  readonly columns: Readonly<Record<string, string>>
  /** `<table>.<column>` → the table whose ids it holds, also of a column that was set aside. */
  readonly targets?: Readonly<Record<string, string>>
  /** Resource → the rows that it served, also of one that is served no longer. */
  readonly served?: Readonly<Record<string, ServedRows & { readonly table: string }>>
}

/** The extension pg_trgm in a schema that is not on the search path. */
export interface HiddenTrigrams {
  readonly schema: string
  /** Whether functions of the schema of the connection lead to those of the extension. */
  readonly led: boolean
}

/** The state of a database. */
export interface Present {
  readonly tables: readonly Table[]
  readonly setAside: readonly SetAside[]
  /** Table → the names of checks that a change of a column needs for as long as it lasts. */
  readonly checks: ReadonlyMap<string, readonly string[]>
  /** Views of people's, and tables of other servers. */
  readonly views?: readonly Table[]
  /** Views and the like that others made over columns. */
  readonly dependents: Dependents
  /** Table → the names of triggers that fill a column while it becomes required. */
  readonly fillings: ReadonlyMap<string, readonly string[]>
  /** Table → the names of triggers that refuse names while an index of theirs cannot be made. */
  readonly guards?: ReadonlyMap<string, readonly string[]>
  /** Table → columns that the engine made: only these are ever set aside. */
  readonly owned: ReadonlyMap<string, ReadonlySet<string>>
  readonly history: History
  /** undefined: the database is of a version that kept none. */
  readonly names: Names | undefined
  /** undefined: no version has written it down yet. */
  readonly meanings?: Meanings
  /** Whether search indexes can be made (pg_trgm is installed). */
  readonly trigrams: boolean
  /** pg_trgm, where the connection does not look into its schema. */
  readonly hidden?: HiddenTrigrams | undefined
  /** Whether overlaps can be refused (btree_gist is installed). */
  readonly ranges: boolean
}

export const NO_HISTORY: History = Object.freeze({ latest: undefined, known: new Set<string>(), words: {} })

export const NOTHING: Present = Object.freeze({
  tables: [],
  setAside: [],
  checks: new Map(),
  dependents: new Map(),
  fillings: new Map(),
  owned: new Map(),
  history: NO_HISTORY,
  names: undefined,
  trigrams: false,
  ranges: false,
})

/** The meanings of tables are left out of the hash: a database does not have to be changed for them. */
const UNMARKED: ReadonlySet<string> = new Set(['of', 'was'])

/** A mark of anything that JSON can say. */
export function contentHash(content: unknown): string {
  const text = JSON.stringify(content, (key, value: unknown) => (UNMARKED.has(key) ? undefined : value))
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** A catalog by the tables that it wants, which never change. */
export const catalogHash = memo((wanted: readonly Table[]): string => contentHash(wanted))

/**
 * `new`: the database was never brought to this catalog. `current`: it was the last one. `older`: another one came after
 * it, so an instance of that other one may be running too.
 */
export type CatalogAge = 'new' | 'current' | 'older'

/** `edited`: a person changed the YAML just now, so that it is the newest even if it was like this before. */
export function ageOf(wanted: readonly Table[], { latest, known }: History, edited: boolean): CatalogAge {
  const mark = catalogHash(wanted)
  if (mark === latest) return 'current'
  return known.has(mark) && !edited ? 'older' : 'new'
}

/** Table → column → the objects that depend on it, as PostgreSQL calls them: `view sizes`. */
export type Dependents = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>

/** The objects that depend on a column. */
export function dependentsOf(dependents: Dependents, table: string, column: string): readonly string[] {
  return dependents.get(table)?.get(column) ?? []
}

/** Whether an index is over a column, or for rows that the column decides. */
export function isOver(index: TableIndex, column: string): boolean {
  return index.columns.includes(column) || index.where?.includes(q(column)) === true
}
