/** The YAML language as types: what an author wrote, key by key, before anything is completed or linked, and the words that plugins add. */

import type { FieldType } from '../field/field-type.ts'
import type { Json, JsonObject, JsonSchema } from '../json.ts'
import type { Span } from '../text/source.ts'
import type { ButtonDefinition, ConsoleDefinition, LayoutDefinition, ViewDefinition } from './screen-schema.ts'
import type { Words } from './words.ts'

export type Path = readonly (string | number)[]

/** A checked YAML file: its value and the place of every node in it. */
export interface Document<T> {
  readonly value: T
  /** The span of the value at a path, or of its key; of the nearest ancestor for nodes that a transform added. */
  readonly place: (path: Path, part?: 'key' | 'value') => Span
}

/** `{ permission: tickets.view }`, `{ role: [a, b] }`, `{ who: signed_in }`: the callers of a clause or an access rule. */
export interface AccessDefinition {
  readonly permission?: string
  readonly role?: string | readonly string[]
  readonly who?: 'anyone' | 'signed_in'
}

/** A filter as YAML: `{ user: $actor, role.slug: { ne: customer }, any: [ …, … ], not: { … } }`. */
export type FilterDefinition = JsonObject

export interface ClauseDefinition extends AccessDefinition {
  readonly where?: FilterDefinition
  /** Fields and relations that may be written under this clause; absent means all that are writable. */
  readonly fields?: readonly string[]
  /** Values that a write under this clause always gets: `{ user: $actor }`, `{ role: { slug: customer } }`. */
  readonly set?: JsonObject
}

/** An earlier name, with the days since which it is one and until which clients may use it. */
export interface RenameDefinition {
  readonly name: string
  readonly since?: string
  readonly until?: string
}

export type Show = 'always' | 'single' | 'list' | 'asked' | 'never'

export interface FieldDefinition {
  readonly type: string
  readonly label?: string
  readonly description?: string
  readonly help?: string
  readonly widget?: string
  readonly when?: FilterDefinition
  readonly column?: string
  /** Of an existing table: the type of the column, where it is not that of the field's type. */
  readonly column_type?: string
  readonly renamed_from?: string | RenameDefinition
  readonly required?: boolean
  readonly nullable?: boolean
  readonly backfill?: Json
  readonly default?: Json
  /** Of an existing table: a trigger gives the value. */
  readonly filled_by?: 'database'
  readonly unique?: boolean | 'exact'
  readonly read_only?: boolean
  readonly immutable?: boolean
  readonly holds?: 'resource' | 'event' | 'permission' | 'filter' | 'values' | 'nested'
  readonly show?: Show
  /** With `show: never`: lists may be asked for it all the same. */
  readonly searched?: boolean
  /** SQL over the record `t`; `$actor` is the caller's id. Or what the records of a relation come to: `{ sum: lines.amount }`. The field is then read-only. */
  readonly computed?: string | Readonly<Record<string, string>>
  /** What the database computes the column from: `{ times: [quantity, unit_price] }`. The field is then read-only. */
  readonly stored?: Json
  readonly read?: AccessDefinition | readonly AccessDefinition[]
  readonly write?: AccessDefinition | readonly AccessDefinition[]
  /** The type's own options (min, max, pattern, values, of, from, start, schema, precision, scale, relation …). */
  readonly [option: string]: unknown
}

/** An embedded field, a relation with its own embed, or `{ alias: path }`. */
export type EmbedDefinition = readonly (string | { readonly [alias: string]: string })[]

/** The joining table of a many_to_many, with its columns for the ids of this resource and of the other one. */
export interface JoiningDefinition {
  readonly table: string
  readonly from: string
  readonly to: string
}

export interface RelationDefinition {
  readonly belongs_to?: string
  readonly has_many?: string
  readonly many_to_many?: string
  /** belongs_to: the foreign key column, `<relation>_id` if absent. */
  readonly column?: string
  /** has_many: the belongs_to relation of the other resource that points here; found if there is just one. */
  readonly by?: string
  /** has_many: a belongs_to relation of the other resource to go through. many_to_many: the joining table. */
  readonly through?: string | JoiningDefinition
  readonly required?: boolean
  readonly read_only?: boolean
  readonly immutable?: boolean
  readonly embed?: EmbedDefinition | false
  readonly show?: Show
  readonly searched?: boolean
  readonly order?: string
  /** has_many: a body that creates a record may create these with it. */
  readonly with_parent?: boolean
  /** has_many: only the first in `order`, as an object or null. */
  readonly first?: boolean
  /** belongs_to: the record that is taken when none is named. */
  readonly default?: FilterDefinition
  /** belongs_to: which record existing records get where they name none and must. */
  readonly backfill?: FilterDefinition
  /** belongs_to: which records may be chosen. */
  readonly where?: FilterDefinition
  /** What deleting the other record does for good (hard delete): default restrict. */
  readonly on_delete?: 'restrict' | 'set_null' | 'cascade'
  readonly label?: string
  readonly description?: string
  readonly help?: string
  readonly when?: FilterDefinition
  readonly renamed_from?: string | RenameDefinition
  readonly read?: AccessDefinition | readonly AccessDefinition[]
  readonly write?: AccessDefinition | readonly AccessDefinition[]
}

type WriteName = 'create' | 'update' | 'delete' | 'restore'

/** What must hold of a record whenever it is written. */
export interface RuleDefinition {
  readonly must?: FilterDefinition
  readonly at_least?: number
  readonly at_most?: number
  readonly only_one?: string
  readonly no_overlap?: readonly [from: string, to: string]
  readonly where?: FilterDefinition
  readonly per?: string | readonly string[]
  readonly when?: FilterDefinition
  readonly changed?: string | readonly string[]
  readonly on?: readonly WriteName[]
  readonly says?: string
  readonly at?: string
  readonly holds?: 'when_written' | 'always'
}

/** One entry of `allow`: the words that are left, those that may follow, and whom it speaks of. */
export interface MoveDefinition extends AccessDefinition {
  readonly from: string | readonly string[]
  readonly to: string | readonly string[]
}

/** Which value of a field or relation may follow which. */
export interface MovesDefinition {
  /** For a relation: the field of the other record whose words are meant. */
  readonly by?: string
  readonly allow: readonly MoveDefinition[]
  readonly says?: string
}

/** Values that follow from a write, in the record itself or, with `of`, in another one; only there the caller counts. */
export interface FollowDefinition extends AccessDefinition {
  /** The relation to the record that gets the values. */
  readonly of?: string
  readonly when?: FilterDefinition
  readonly changed?: string | readonly string[]
  readonly on?: readonly (WriteName | 'import')[]
  readonly set: JsonObject
}

/** A change of a field: from one of these values, to one of those. */
export interface TurnDefinition {
  readonly from?: Json
  readonly to?: Json
}

/** What happens by itself: one of `on`, `at` and `every`, and what is done then, in the order written. */
export interface AutomationDefinition {
  readonly description?: string
  readonly on?: readonly (WriteName | 'import')[]
  readonly changed?: string | readonly string[] | { readonly [field: string]: TurnDefinition }
  readonly at?: string
  readonly after?: string
  readonly before?: string
  readonly every?: string
  readonly in?: string
  readonly when?: FilterDefinition
  readonly set?: JsonObject
  readonly create?: { readonly [resource: string]: JsonObject }
  readonly run?: { readonly [action: string]: JsonObject }
  /** Keys of plugins' actions. */
  readonly [key: string]: unknown
}

export type ActionName = 'list' | 'get' | 'create' | 'update' | 'delete' | 'restore'
export type PolicyName = 'view' | 'create' | 'update' | 'delete' | 'restore'

/** The type of the ids of records, and their column. */
export interface IdDefinition {
  readonly type?: 'integer' | 'bigint' | 'uuid' | 'string'
  readonly column?: string
  /** Of an existing table: an enum of the database, whose words are the `values`, or citext. */
  readonly column_type?: string
  readonly values?: readonly string[]
  /** Of an existing table: the caller who creates a record chooses its id. */
  readonly chosen?: boolean
}

/** `fields` as a list gives all the same weight. */
export interface SearchDefinition {
  readonly fields?: readonly string[] | { readonly [path: string]: number }
  readonly language?: string
}

/** What people call one record, and several of them. */
export interface LabelDefinition {
  readonly one: string
  readonly many: string
}

export interface ResourceDefinition {
  readonly resource: string
  readonly label?: string | LabelDefinition
  /** The fields that name a record for people. */
  readonly title?: string | readonly string[]
  readonly description?: string
  readonly path?: string
  readonly table?: string
  /** The table exists already, and is never changed. */
  readonly existing?: boolean
  /** The type of the ids, integer if absent, or that and their column. */
  readonly id?: NonNullable<IdDefinition['type']> | IdDefinition
  readonly renamed_from?: string | RenameDefinition
  /** The resource whose table this one uses: only the records that `where` admits, only the fields listed here. */
  readonly of?: string
  readonly where?: FilterDefinition
  readonly lookup?: readonly string[]
  /** Records that the caller may not see answer 404 instead of 403; those that GET shows answer 403. */
  readonly conceal?: boolean
  readonly fields?: { readonly [name: string]: FieldDefinition }
  readonly relations?: { readonly [name: string]: RelationDefinition }
  readonly filters?: readonly string[] | { readonly [parameter: string]: string | FilterDefinition }
  readonly ranges?: { readonly [prefix: string]: string }
  readonly special?: { readonly [parameter: string]: string }
  readonly sort?: { readonly keys?: readonly string[]; readonly default?: string | readonly string[] }
  readonly summary?: boolean | { readonly by?: readonly string[]; readonly of?: readonly string[] }
  readonly search?: readonly string[] | SearchDefinition
  readonly count?: 'exact' | 'estimated' | { readonly capped: number }
  readonly indexes?: readonly (
    | readonly string[]
    | {
        readonly fields: readonly string[]
        readonly unique?: boolean | 'exact'
        readonly alike?: boolean
        readonly where?: FilterDefinition
      }
  )[]
  /** Which records exist for callers; the others answer 404. Written by the soft_delete plugin. */
  readonly live?: FilterDefinition
  /** What delete and restore set instead of removing the row. Written by the soft_delete plugin. */
  readonly delete_sets?: JsonObject
  readonly restore_sets?: JsonObject
  /** What an update also sets when it changes something: `{ updated_at: $now }`. */
  readonly update_sets?: JsonObject
  readonly actions?: readonly ActionName[]
  /** Routes below another record: relation name → `/parents/{id}/<path>`. */
  readonly nested?: {
    readonly [relation: string]: { readonly path?: string; readonly actions: readonly ('list' | 'create')[] }
  }
  readonly policies?: { readonly [policy in PolicyName]?: readonly ClauseDefinition[] }
  readonly rules?: { readonly [name: string]: RuleDefinition }
  readonly moves?: { readonly [field: string]: MovesDefinition }
  readonly show_moves?: boolean
  readonly follows?: readonly FollowDefinition[]
  readonly automations?: { readonly [name: string]: AutomationDefinition }
  readonly hooks?: { readonly [action in WriteName]?: readonly string[] }
  /** Listeners of plugins that hear writes here, besides those that name the resource themselves. */
  readonly listeners?: { readonly [action in WriteName]?: readonly string[] }
  readonly status_codes?: { readonly [action in ActionName]?: number }
  readonly seeds?: { readonly key: string | readonly string[]; readonly rows: readonly JsonObject[] }
  /** How old records get, by a timestamp or date of theirs, before they are removed for good; false: as old as they like. */
  readonly keep?: false | { readonly for: string; readonly by: string }
  /** A small lookup table, kept in the process and invalidated by every write. */
  readonly cache?: boolean
  /** Whether the log of changes holds what is written, even where no listener asks for it. */
  readonly log_changes?: boolean
  /** Whether readers may follow its changes while they happen. */
  readonly batch?: boolean
  readonly stream?: boolean
  readonly icon?: string
  readonly views?: { readonly [name: string]: ViewDefinition }
  readonly layout?: LayoutDefinition
  readonly buttons?: { readonly [name: string]: ButtonDefinition }
  /** Keys contributed by plugins (timestamps, soft_delete, restore, activity …). */
  readonly [key: string]: unknown
}

/** What a transform may know of the application around the resource that it changes: as it is written, before any transform. */
export interface ApplicationDefinition {
  /** In front of every path, without a slash at the end. */
  readonly prefix: string
  readonly resources: readonly ResourceDefinition[]
}

/** The resource whose table each one uses, by `of`. */
export interface Bases {
  /** Resource → its base; undefined for one with a table of its own. */
  readonly baseOf: ReadonlyMap<string, string | undefined>
  /** All resources, bases first. */
  readonly order: readonly string[]
  /** A resource that would use its own table by a circle of `of` → the circle, from its base to its base. */
  readonly circles: ReadonlyMap<string, readonly string[]>
}

/** A file of words. */
export interface WordsFile extends Document<Words> {
  readonly language: string
  /** Whether it is the application's own, and not one of an application below or of a plugin. */
  readonly own: boolean
}

/** A whole application as written. */
export interface Definition {
  readonly app: Document<AppDefinition>
  readonly resources: readonly Document<ResourceDefinition>[]
  readonly bases: Bases
  /** The resources in whose files something could not be read: what it may have named is not judged. */
  readonly unread?: ReadonlySet<string>
  /** Files of words, those of plugins first, and then those of the lowest application. */
  readonly words?: readonly WordsFile[]
}

/** Plugin name → its options as written; order does not matter. */
export type PluginsDefinition = { readonly [plugin: string]: JsonObject | null }

/** When people work: days of the week (`mon-fri`) with their hours (`09:00-17:00`), and days without work. */
export interface CalendarDefinition {
  readonly zone: string
  readonly hours: { readonly [days: string]: string | readonly string[] }
  readonly holidays?: readonly string[]
}

export interface AppDefinition {
  readonly name: string
  readonly version?: string
  readonly description?: string
  /** The languages of its words, that of the YAML first. */
  readonly languages?: readonly string[]
  /** The application below: `plinth/desk`, or the path of a folder. */
  readonly extends?: string
  /** Parts of it that this application does not have: paths, or the path of a list with an example of an item. */
  readonly without?: readonly (string | JsonObject)[]
  /** Prefix of every path, e.g. `/api/v1`. */
  readonly prefix?: string
  readonly plugins?: PluginsDefinition
  readonly calendars?: { readonly [name: string]: CalendarDefinition }
  readonly limits?: { readonly [limit: string]: number }
  readonly on_drift?: 'stop' | 'serve_the_rest'
  readonly console?: ConsoleDefinition
  /** Who may ask by a header why an answer is what it is. */
  readonly explain?: { readonly permission: string }
  /** What is refused and what is let pass: `unknown_parameters: refuse | ignore`, `unknown_keys: refuse | ignore`, `malformed_json: 400 | 422`. */
  readonly strictness?: {
    readonly unknown_parameters?: 'refuse' | 'ignore'
    readonly unknown_keys?: 'refuse' | 'ignore'
    readonly malformed_json?: 400 | 422
  }
}

/** The words beyond the core language, by name; `plugin` is the plugin of a key. */
export interface Vocabulary {
  readonly fieldTypes: ReadonlyMap<string, FieldType>
  readonly keys: ReadonlyMap<
    string,
    {
      readonly plugin: string
      readonly description: string
      readonly schema: JsonSchema
      readonly permissions?: (value: Json) => readonly string[]
      readonly roles?: (value: Json) => readonly string[]
    }
  >
  /** What automations can do, by full name `<plugin>.<name>`, each with its key there. */
  readonly actions: ReadonlyMap<
    string,
    {
      readonly plugin: string
      readonly key: string | undefined
      readonly description: string
      readonly schema: JsonSchema
    }
  >
  readonly plugins: ReadonlyMap<string, { readonly description: string; readonly options: JsonSchema | undefined }>
  /** Kinds of views that plugins draw. */
  readonly views?: readonly string[]
}
