/** The parts of a resource: fields, relations, and filters, clauses and formulas over them, linked to each other. */
import type { Show } from '../definition/definition.ts'
import type { FieldOptions, FieldType } from '../field/field-type.ts'
import type { FilterOf, Operand } from '../filter/filter.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Span } from '../text/source.ts'

/** Who may: a permission, one of some roles, anyone, or anyone signed in. */
export type Access =
  | { readonly kind: 'permission'; readonly permission: string }
  | { readonly kind: 'role'; readonly roles: readonly string[] }
  | { readonly kind: 'anyone' }
  | { readonly kind: 'signed_in' }

/** A linked path: to-one relations to follow from the record, then the field. */
export interface FieldPath {
  readonly relations: readonly BelongsTo[]
  readonly field: Field
}

/** A linked path to many records: to-one relations to follow from the record, then one that leads to many. */
export interface ManyPath {
  readonly relations: readonly BelongsTo[]
  readonly many: HasMany | ManyToMany
}

/** A linked path to the records that its last relation leads to; of a to-one relation that is one record or none. */
export interface WayPath {
  readonly relations: readonly BelongsTo[]
  readonly many: Relation
}

/** What a list may be filtered by. With `through` the path begins at the records that this leads to, and one of them is enough. */
export interface FilterPath extends FieldPath {
  readonly through?: ManyPath | undefined
}

export type Filter = FilterOf<FieldPath, WayPath>

/** How a belongs_to or a scope names one record by values of its own: `{ slug: customer }`. */
export interface Selection {
  readonly resource: string
  readonly where: Filter
}

/** A value that a write gets: an operand, or the id of a selected record. */
export type Assignment = { readonly field: Field } & ({ readonly operand: Operand } | { readonly selection: Selection })

export interface Clause {
  /** Alternatives are separate clauses; all of a clause's own conditions hold together. */
  readonly access: readonly Access[]
  readonly where: Filter | undefined
  /** The places of the conditions that hold together in `where`: a file that extends another adds one of its own. */
  readonly wheres?: readonly Span[]
  /** Names of writable fields (columns of relations under the foreign key's name); undefined means all. */
  readonly fields: ReadonlySet<string> | undefined
  readonly set: readonly Assignment[]
  readonly span: Span
}

/** A value that the database computes from columns of the same record. */
export type Formula =
  | { readonly kind: 'field'; readonly field: Field }
  | { readonly kind: 'number'; readonly value: string }
  /** The first that is there; numbers added, subtracted, multiplied, divided. */
  | { readonly kind: 'first' | 'sum' | 'difference' | 'product' | 'quotient'; readonly of: readonly Formula[] }
  /** A moment or a day later or earlier by an interval of PostgreSQL, or by seconds. */
  | { readonly kind: 'later' | 'earlier'; readonly than: Formula; readonly by: string | Formula }
  /** How many units of so many seconds lie between two moments or days. */
  | { readonly kind: 'between'; readonly from: Formula; readonly to: Formula; readonly seconds: number }
  | { readonly kind: 'text'; readonly of: readonly (string | Formula)[] }

/** A name that was another's before: clients may use it still. */
export interface Earlier {
  /** The present name. */
  readonly instead: string
  /** Days, `2026-07-01`: since when it is the earlier one, and until when clients may use it. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** What kind of names a field holds: those of resources, events and permissions, or filters and values with names of fields. */
export type HeldNames = 'resource' | 'event' | 'permission' | 'filter' | 'values' | 'nested'

/** What screens know of a field or relation besides what it is. */
export interface Asked {
  readonly help?: string | undefined
  /** Screens have it only where a record is so; in the words of filters. */
  readonly when?: JsonObject | undefined
  /** The editor, if it is not the usual one. */
  readonly widget?: string | undefined
}

export interface Field {
  readonly name: string
  readonly column: string
  readonly type: FieldType
  readonly options: FieldOptions
  /** The type of SQL to which a parameter with a value of the field is cast. */
  readonly sqlType: string
  readonly label: string
  readonly description: string | undefined
  /** Of an enum: what people read in place of its words, where the file of words says so. */
  readonly values?: Readonly<Record<string, string>> | undefined
  readonly asked?: Asked | undefined
  readonly show: Show
  /** Although no answer shows it, callers may ask lists for it. */
  readonly searched?: boolean | undefined
  readonly required: boolean
  readonly nullable: boolean
  /** What null becomes in rows that are older than the field's `nullable: false`; undefined: such rows stop the migration. */
  readonly backfill?: Json | undefined
  /** The same where it comes from other fields of the record. */
  readonly backfillFrom?: { readonly formula: Formula; readonly shown: string } | undefined
  /** undefined: none. Already decoded for the database. */
  readonly default: Json | undefined
  /** The database itself gives the moment (`now()`) or the UTC day of the insert; `default` is then undefined. */
  readonly defaultMoment?: 'now' | 'today' | undefined
  /** A trigger of an existing table gives the value where an insert names none. */
  readonly filledBy?: 'database' | undefined
  /** Unique among live records. */
  readonly unique: boolean
  /** With `unique`: texts that look alike are equal. */
  readonly alike?: boolean | undefined
  readonly readOnly: boolean
  readonly immutable: boolean
  /** SQL over `t` instead of a column. `{actor}` is replaced by the caller's id. */
  readonly computed: string | undefined
  /** What the database computes the column from, and the columns that this comes down to; undefined: the column is written. */
  readonly stored?: { readonly formula: Formula; readonly reads: ReadonlySet<string> } | undefined
  /** A count of a has_many relation under the caller's read policy, instead of a column. */
  readonly count: string | undefined
  /** With `count`: not the number of records, but the sum, a bound or the mean of their field of this name. */
  readonly total?: { readonly by: 'sum' | 'min' | 'max' | 'avg'; readonly of: string } | undefined
  /** Alternatives; undefined: everybody who may read or write the record. */
  readonly read: readonly Access[] | undefined
  readonly write: readonly Access[] | undefined
  /** The belongs_to relation whose foreign key this field is. */
  readonly relation: string | undefined
  /** This is the earlier name of another field, with its column: answered, but not stored a second time. */
  readonly earlier?: Earlier | undefined
  readonly renamedFrom: string | undefined
  /** Names of the application that are its values, which a rename carries over. */
  readonly holds?: HeldNames | undefined
  readonly span: Span
}

/** One entry of an embedded object. */
export interface EmbedEntry {
  readonly name: string
  /** It is there under a later name too. */
  readonly earlier?: Earlier | undefined
  /** A field of the embedded record, reached over further to-one relations, or a nested embed. */
  readonly value:
    | { readonly kind: 'field'; readonly path: FieldPath }
    | {
        readonly kind: 'embed'
        readonly relation: BelongsTo
        readonly entries: readonly EmbedEntry[]
        /** A caller chose these of the entries that the YAML declares. */
        readonly chosen?: true
      }
}

interface RelationBase {
  readonly name: string
  readonly label: string
  readonly description: string | undefined
  readonly asked?: Asked | undefined
  /** Name of the resource at the other end, which `targetOf` finds in a catalog. */
  readonly target: string
  readonly show: Show
  /** undefined: not embedded. */
  readonly embed: readonly EmbedEntry[] | undefined
  readonly read: readonly Access[] | undefined
  /** It is the earlier name of another relation. */
  readonly earlier?: Earlier | undefined
  readonly span: Span
}

export interface BelongsTo extends RelationBase {
  readonly kind: 'belongs_to'
  /** The foreign key, also found in `fields`. */
  readonly field: Field
  readonly default: Filter | undefined
  /** Which record existing records get where they name none and must. */
  readonly backfill: Filter | undefined
  readonly where: Filter | undefined
  readonly onDelete: 'restrict' | 'set_null' | 'cascade'
}

export interface HasMany extends RelationBase {
  readonly kind: 'has_many'
  /** From the other record to this one: usually one belongs_to, two when it goes `through`. */
  readonly by: readonly BelongsTo[]
  readonly where: Filter | undefined
  readonly order: readonly SortTerm[]
  /** Whether its author says the order. */
  readonly ordered: boolean
  readonly first: boolean
  /** Whether a body that creates a record may create these with it. */
  readonly withParent: boolean
}

export interface ManyToMany extends RelationBase {
  readonly kind: 'many_to_many'
  /** The joining table, with one column to each side; made by the engine. */
  readonly through: {
    readonly table: string
    readonly from: string
    readonly to: string
    /** The file names the table; undefined: the tables of both sides do. */
    readonly named?: true
  }
  readonly where: Filter | undefined
  readonly order: readonly SortTerm[]
  /** Whether its author says the order. */
  readonly ordered: boolean
  /** The type of the ids at the other end: `integer`, `bigint`, `uuid` or `string`. */
  readonly ids: string
  /** Writable as a list of ids under this body key, e.g. `label_ids`. */
  readonly writeAs: string
  readonly write: readonly Access[] | undefined
}

export type Relation = BelongsTo | HasMany | ManyToMany

export interface SortTerm {
  readonly path: FieldPath
  readonly direction: 'asc' | 'desc'
}
