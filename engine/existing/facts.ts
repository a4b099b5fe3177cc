/** The facts of an existing database: its tables with all that matters for reading and writing rows. */

export interface ColumnFacts {
  readonly name: string
  /** As `format_type` prints it; of a domain the type under it. */
  readonly type: string
  /** The kind of its type: `b` base, `e` enum, `c` composite, `r` and `m` ranges; and `A` for arrays. */
  readonly kind: string
  /** The words of an enum. */
  readonly words: readonly string[] | null
  readonly nullable: boolean
  /** SQL of the default. */
  readonly default: string | null
  /** `a`: always, `d`: by default, empty: none. */
  readonly identity: string
  readonly generated: boolean
  /** Whether a trigger before each insert gives it a value. */
  readonly filled: boolean
  readonly comment: string | null
}

export interface ReferenceFacts {
  readonly columns: readonly string[]
  readonly table: string
  /** Undefined schema: that of the table itself. */
  readonly otherSchema: boolean
  readonly targets: readonly string[]
  readonly onDelete: 'restrict' | 'set_null' | 'cascade'
}

export interface TableFacts {
  readonly name: string
  /** `r` and `p` tables, `v` views, `m` materialized views, `f` tables of another server. */
  readonly kind: string
  readonly comment: string | null
  /** The rights of the user of the connection. */
  readonly may: {
    readonly select: boolean
    readonly insert: boolean
    readonly update: boolean
    readonly delete: boolean
  }
  /** What rules of the table replace: insert, update, delete. */
  readonly instead: readonly string[]
  /** Whether PostgreSQL itself decides which rows each user sees. */
  readonly rowSecurity: boolean
  readonly columns: readonly ColumnFacts[]
  /** Where there is none, the columns of a unique index that are never null. */
  readonly primaryKey: readonly string[]
  /**
   * Whether some rows have a key of one column that is no id to Plinth: a text that is empty or too
   * long.
   */
  readonly oddIds: boolean
  /** The columns of each unique index over whole rows, without that of the key. */
  readonly unique: readonly (readonly string[])[]
  readonly references: readonly ReferenceFacts[]
  /** SQL of each check of one column. */
  readonly checks: readonly { readonly column: string; readonly sql: string }[]
  readonly triggers: readonly string[]
}

export interface DatabaseFacts {
  readonly name: string
  readonly user: string
  /** The schema in which the connection finds and makes tables; null where it has none. */
  readonly schema: string | null
  readonly mayCreate: boolean
  readonly readOnly: boolean
  readonly tables: readonly TableFacts[]
  /** Other schemas, with their numbers of tables. */
  readonly others: readonly { readonly schema: string; readonly tables: number }[]
}
