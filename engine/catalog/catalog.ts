/** The Catalog: everything an application is, complete, linked and frozen; nothing later reads a Definition. */
import type { ActionName, PolicyName, Show } from '../definition/definition.ts'
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

export type Filter = FilterOf<FieldPath>

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
  /** Names of writable fields (columns of relations under the foreign key's name); undefined means all. */
  readonly fields: ReadonlySet<string> | undefined
  readonly set: readonly Assignment[]
  readonly span: Span
}

export interface Field {
  readonly name: string
  readonly column: string
  readonly type: FieldType
  readonly options: FieldOptions
  readonly label: string
  readonly description: string | undefined
  readonly show: Show
  readonly required: boolean
  readonly nullable: boolean
  /** What null becomes in rows that are older than the field's `nullable: false`; undefined: such rows stop the migration. */
  readonly backfill?: Json | undefined
  /** undefined: none. Already decoded for the database. */
  readonly default: Json | undefined
  /** The database itself gives the moment (`now()`) or the UTC day of the insert; `default` is then undefined. */
  readonly defaultMoment?: 'now' | 'today' | undefined
  /** Unique among live records. */
  readonly unique: boolean
  readonly readOnly: boolean
  readonly immutable: boolean
  /** SQL over `t` instead of a column. `{actor}` stands for the caller's id. */
  readonly computed: string | undefined
  /** A count of a has_many relation under the caller's read policy, instead of a column. */
  readonly count: string | undefined
  /** Alternatives; undefined means whoever may read or write the record. */
  readonly read: readonly Access[] | undefined
  readonly write: readonly Access[] | undefined
  /** The belongs_to relation whose foreign key this field is. */
  readonly relation: string | undefined
  readonly renamedFrom: string | undefined
  readonly span: Span
}

/** One entry of an embedded object. */
export interface EmbedEntry {
  readonly name: string
  /** A field of the embedded record, reached over further to-one relations, or a nested embed. */
  readonly value:
    | { readonly kind: 'field'; readonly path: FieldPath }
    | { readonly kind: 'embed'; readonly relation: BelongsTo; readonly entries: readonly EmbedEntry[] }
}

interface RelationBase {
  readonly name: string
  readonly label: string
  readonly description: string | undefined
  /** Name of the resource at the other end: look it up in the catalog. */
  readonly target: string
  readonly show: Show
  /** undefined: not embedded. */
  readonly embed: readonly EmbedEntry[] | undefined
  readonly read: readonly Access[] | undefined
  readonly span: Span
}

export interface BelongsTo extends RelationBase {
  readonly kind: 'belongs_to'
  /** The foreign key, also found in `fields`. */
  readonly field: Field
  readonly default: Filter | undefined
  readonly where: Filter | undefined
  readonly onDelete: 'restrict' | 'set_null' | 'cascade'
}

export interface HasMany extends RelationBase {
  readonly kind: 'has_many'
  /** From the other record to this one: usually one belongs_to, two when it goes `through`. */
  readonly by: readonly BelongsTo[]
  readonly where: Filter | undefined
  readonly order: readonly SortTerm[]
  readonly first: boolean
}

export interface ManyToMany extends RelationBase {
  readonly kind: 'many_to_many'
  /** The joining table, with one column to each side; made by the engine. */
  readonly through: { readonly table: string; readonly from: string; readonly to: string }
  readonly where: Filter | undefined
  readonly order: readonly SortTerm[]
  /** Writable as a list of ids under this body key, e.g. `label_ids`. */
  readonly writeAs: string
  readonly write: readonly Access[] | undefined
}

export type Relation = BelongsTo | HasMany | ManyToMany

export interface SortTerm {
  readonly path: FieldPath
  readonly direction: 'asc' | 'desc'
}

export interface Index {
  readonly fields: readonly Field[]
  readonly unique: boolean
  /** Only records that match; undefined: all. */
  readonly where: Filter | undefined
  readonly kind: 'btree' | 'trigram'
  readonly span: Span
}

export interface Nested {
  readonly relation: BelongsTo
  readonly path: string
  readonly actions: readonly ('list' | 'create')[]
}

export interface Seeds {
  readonly key: readonly Field[]
  readonly rows: readonly SeedRow[]
}

export interface SeedRow {
  readonly assignments: readonly Assignment[]
  /** What the row is known by once it was written: the values of its key as they stand in the YAML. */
  readonly name: string
  readonly span: Span
  /** Where each value of the row stands, by the name of its field. */
  readonly places: ReadonlyMap<string, Span>
}

export type WriteAction = Exclude<ActionName, 'list' | 'get'>

export interface Resource {
  readonly name: string
  readonly label: string
  readonly description: string | undefined
  /** Below the prefix, without slashes at the ends: `settings/statuses`. */
  readonly path: string
  readonly table: string
  readonly renamedFrom: string | undefined
  /** The resource whose table this one stands on; its own name when it has a table of its own. */
  readonly owner: string
  /** Which of the table's records are this resource's. */
  readonly scope: Filter | undefined
  /** Which records exist for callers. */
  readonly live: Filter | undefined
  /** Records that the caller may not see answer 404 instead of 403; those that GET shows answer 403. */
  readonly conceal: boolean
  readonly key: Field
  readonly lookup: readonly Field[]
  /** In the order of answers: the key, then as written, foreign keys where their relations stand, then what plugins add. */
  readonly fields: ReadonlyMap<string, Field>
  readonly relations: ReadonlyMap<string, Relation>
  /** Query parameter → what it compares; the operators are the field type's. */
  readonly filters: ReadonlyMap<string, FieldPath>
  /** `date` → created_at gives `date_from` and `date_to`. */
  readonly ranges: ReadonlyMap<string, Field>
  /** Query parameter → a plugin's special filter: its words, each with the condition it stands for on this resource. */
  readonly specials: ReadonlyMap<string, { readonly name: string; readonly values: ReadonlyMap<string, Filter> }>
  readonly sort: { readonly keys: ReadonlyMap<string, FieldPath>; readonly default: readonly SortTerm[] }
  readonly search: readonly FieldPath[]
  readonly count: { readonly kind: 'exact' | 'estimated' } | { readonly kind: 'capped'; readonly at: number }
  /** Routes of its own. */
  readonly actions: ReadonlySet<ActionName>
  readonly nested: readonly Nested[]
  /** Every policy is present; an empty list denies. */
  readonly policies: Readonly<Record<PolicyName, readonly Clause[]>>
  readonly hooks: Readonly<Record<WriteAction, readonly string[]>>
  readonly statusCodes: Readonly<Record<ActionName, number>>
  readonly deleteSets: readonly Assignment[] | undefined
  readonly restoreSets: readonly Assignment[] | undefined
  /** Assigned by every update that really changes something (`updated_at`). */
  readonly updateSets: readonly Assignment[]
  /** What a scope fixes: assigned on create through this resource (`role` for customers). */
  readonly scopeSets: readonly Assignment[]
  /** Those of the whole table, at its owner; empty on a resource that stands on another's table. */
  readonly indexes: readonly Index[]
  readonly seeds: Seeds | undefined
  /** Kept in the process as a lookup table. */
  readonly cached: boolean
  /** Keys contributed by plugins, as written. */
  readonly keys: JsonObject
  readonly span: Span
}

export interface Accounts {
  /** The resource of the accounts. */
  readonly resource: string
  /** `$actor.<attribute>` → the field of the account that holds it; a to-one relation stands for its foreign key. */
  readonly attributes: ReadonlyMap<string, Field>
  /** The names of the seeded roles; undefined: nobody knows. */
  readonly roles: ReadonlySet<string> | undefined
}

export interface Catalog {
  readonly name: string
  readonly version: string
  readonly description: string | undefined
  /** `/api/v1`, or empty. */
  readonly prefix: string
  readonly resources: ReadonlyMap<string, Resource>
  /** Every permission that a policy, field or plugin names, with where it comes from. */
  readonly permissions: ReadonlyMap<string, string>
  /** What the plugin that authenticates says of its accounts; undefined: nothing. */
  readonly accounts: Accounts | undefined
  /** Plugin name → its checked options, with defaults filled in. */
  readonly pluginOptions: ReadonlyMap<string, JsonObject>
  readonly strictness: {
    readonly unknownParameters: 'refuse' | 'ignore'
    readonly unknownKeys: 'refuse' | 'ignore'
    readonly malformedJson: 400 | 422
  }
  /** The limits of limits.ts as app.yaml narrowed them. */
  readonly limits: Readonly<Record<string, number>>
  readonly fieldTypes: ReadonlyMap<string, FieldType>
}
