/** The Catalog: everything an application is, complete, linked and frozen; nothing later reads a Definition. */
import type { Calendar } from '../calendar/working-time.ts'
import type { ActionName, PolicyName } from '../definition/definition.ts'
import type {
  ButtonDefinition,
  ConsoleDefinition,
  LayoutDefinition,
  ViewDefinition,
} from '../definition/screen-schema.ts'
import type { Words } from '../definition/words.ts'
import type { FieldType } from '../field/field-type.ts'
import type { JsonObject } from '../json.ts'
import type { Span } from '../text/source.ts'
import type { Additions } from './addition.ts'
import type { Automation } from './automation.ts'
import type {
  Access,
  Assignment,
  BelongsTo,
  Clause,
  Earlier,
  Field,
  FieldPath,
  Filter,
  FilterPath,
  Relation,
  SortTerm,
} from './field.ts'
import type {
  CountRule,
  Follow,
  ForeignRule,
  LinkRule,
  Moves,
  OverlapRule,
  RecordRule,
  RelatedFollow,
  SoleRule,
  WriteAction,
} from './rule.ts'

export type * from './automation.ts'
export type * from './field.ts'
export type * from './rule.ts'

export interface Index {
  readonly fields: readonly Field[]
  readonly unique: boolean
  /** Only records that match; undefined: all. */
  readonly where: Filter | undefined
  /** An overlap index is of the fields that must be equal, then of the first and the last day or moment; one of `looks` compares texts by how they look, one of `names` in small letters too. */
  readonly kind: 'btree' | 'looks' | 'names' | 'trigram' | 'stems' | 'overlap'
  /** For an index of stems. */
  readonly language?: string | undefined
  readonly span: Span
}

export interface Nested {
  readonly relation: BelongsTo
  readonly path: string
  readonly actions: readonly ('list' | 'create')[]
}

/** A text in which a search looks. */
export interface SearchPath extends FilterPath {
  /** How much a word counts there. */
  readonly weight: number
}

export interface Seeds {
  readonly key: readonly Field[]
  readonly rows: readonly SeedRow[]
}

export interface SeedRow {
  readonly assignments: readonly Assignment[]
  /** The identity of the row after it was written: the values of its key, as in the YAML. */
  readonly name: string
  readonly span: Span
  /** The place of each value of the row, by the name of its field. */
  readonly places: ReadonlyMap<string, Span>
}

/** What clients of earlier versions call a resource and what belongs to it. */
export interface EarlierNames {
  /** `issues`, in the place of the resource's own path; undefined: it had no other. */
  readonly path: string | undefined
  /** Earlier keys of bodies → their present names. */
  readonly keys: ReadonlyMap<string, string>
  /** Every one of a field, a relation, a parameter and a sort key. */
  readonly names: ReadonlyMap<string, Earlier>
  readonly own: Earlier | undefined
}

/** A view of a resource. What it says is judged, and has what the view says that it is like. */
export interface View {
  readonly name: string
  readonly label: string
  readonly said: Omit<ViewDefinition, 'where' | 'for' | 'like' | 'label'>
  /** Conditions that all hold. */
  readonly where: readonly JsonObject[]
  /** Alternatives, each a clause; undefined: everybody who sees the resource. */
  readonly access: readonly (readonly Access[])[] | undefined
  /** The routes of plugins that its figures come from, and where it says so. */
  readonly reads: readonly NamedRoute[]
}

/** A route of a plugin by the name that YAML has for it. */
export interface NamedRoute {
  readonly name: string
  readonly span: Span
  /** Parts of its input that are named, too. */
  readonly inputs?: readonly { readonly name: string; readonly span: Span }[]
}

export interface Button {
  readonly name: string
  readonly label: string
  readonly said: ButtonDefinition
  readonly calls: NamedRoute | undefined
}

/** What people see of a resource beyond what follows from the rest. */
export interface Screens {
  readonly icon: string | undefined
  readonly views: ReadonlyMap<string, View>
  readonly layout: LayoutDefinition | undefined
  readonly buttons: ReadonlyMap<string, Button>
}

export interface Resource {
  readonly name: string
  readonly label: string
  /** What people call several of its records. */
  readonly plural: string
  /** What names a record for people, in this order; empty: nothing but its id. */
  readonly title: readonly FieldPath[]
  readonly description: string | undefined
  /** Below the prefix, without slashes at the ends: `settings/statuses`. */
  readonly path: string
  readonly table: string
  /** The table is somebody else's, and never changed. */
  readonly existing: boolean
  readonly renamedFrom: string | undefined
  /** undefined: nothing of it had another name. */
  readonly earlier?: EarlierNames | undefined
  /** The resource whose table this one uses; its own name when it has a table of its own. */
  readonly owner: string
  /** Which of the table's records are this resource's. */
  readonly scope: Filter | undefined
  /** Which records exist for callers. */
  readonly live: Filter | undefined
  /** Records that the caller may not see answer 404 instead of 403; those that GET shows answer 403. */
  readonly conceal: boolean
  readonly key: Field
  readonly lookup: readonly Field[]
  /** In the order of answers: the key, then as written, foreign keys at the places of their relations, then what plugins add. */
  readonly fields: ReadonlyMap<string, Field>
  readonly relations: ReadonlyMap<string, Relation>
  /** Query parameter → what it compares; the operators are the field type's. */
  readonly filters: ReadonlyMap<string, FilterPath>
  /** `date` → created_at gives `date_from` and `date_to`. */
  readonly ranges: ReadonlyMap<string, Field>
  /** Query parameter → a plugin's special filter: its words, each with the condition that it means on this resource. */
  readonly specials: ReadonlyMap<string, { readonly name: string; readonly values: ReadonlyMap<string, Filter> }>
  readonly sort: { readonly keys: ReadonlyMap<string, FieldPath>; readonly default: readonly SortTerm[] }
  readonly search: readonly SearchPath[]
  /** Whether a search is answered best first where no other order is asked for. */
  readonly ranked: boolean
  /** The language by whose endings a search finds other forms of its words. */
  readonly language: string | undefined
  /** What its records may be grouped by, and which values may be summed up, by name; undefined: there is no summary. */
  readonly summary: { readonly by: ReadonlyMap<string, Field>; readonly of: ReadonlyMap<string, Field> } | undefined
  readonly count: { readonly kind: 'exact' | 'estimated' } | { readonly kind: 'capped'; readonly at: number }
  /** Routes of its own. */
  readonly actions: ReadonlySet<ActionName>
  readonly nested: readonly Nested[]
  /** Every policy is present; an empty list denies. */
  readonly policies: Readonly<Record<PolicyName, readonly Clause[]>>
  /** Those of every resource on the table; one of a part of the table speaks of that part only. */
  readonly rules: readonly RecordRule[]
  /** Those of other tables that look at this one. */
  readonly foreignRules: readonly ForeignRule[]
  /** Those that the pairs of its many_to_many relations can break. */
  readonly linkRules: readonly LinkRule[]
  /** How many of the table's records there are at least and at most, which of them is the only one, and which may not overlap. */
  readonly counts: readonly CountRule[]
  readonly soles: readonly SoleRule[]
  readonly overlaps: readonly OverlapRule[]
  readonly moves: readonly Moves[]
  /** In their order; a later one sees what earlier ones set. Those of every resource on the table. */
  readonly follows: readonly Follow[]
  /** What follows in other records, in their order. Those of every resource on the table. */
  readonly relatedFollows: readonly RelatedFollow[]
  /** What happens by itself, by name. */
  readonly automations: ReadonlyMap<string, Automation>
  readonly hooks: Readonly<Record<WriteAction, readonly string[]>>
  readonly statusCodes: Readonly<Record<ActionName, number>>
  readonly deleteSets: readonly Assignment[] | undefined
  readonly restoreSets: readonly Assignment[] | undefined
  /** Assigned by every update that really changes something (`updated_at`). */
  readonly updateSets: readonly Assignment[]
  /** What a scope fixes: assigned on create through this resource (`role` for customers). */
  readonly scopeSets: readonly Assignment[]
  /** The indexes of the whole table, at its owner; empty on a resource that uses another's table. */
  readonly indexes: readonly Index[]
  readonly seeds: Seeds | undefined
  /** Records whose `field` lies further back than `2 years` are removed for good; undefined: they stay. */
  readonly keep: { readonly field: Field; readonly span: string; readonly at: Span } | undefined
  /** Kept in the process as a lookup table. */
  readonly cached: boolean
  /** Whether each write of its table also writes a row of the log of changes. */
  readonly logged: boolean
  /** Whether the log keeps what is written to its table after every listener has worked it. */
  readonly keepsLog: boolean
  /** Whether many of its records may be written by one request. */
  readonly batch: boolean
  /** Whether readers may follow its changes at `/<path>/stream`. */
  readonly streamed: boolean
  readonly screens: Screens
  /** Keys contributed by plugins, as written. */
  readonly keys: JsonObject
  readonly span: Span
}

export interface Accounts {
  /** The resource of the accounts. */
  readonly resource: string
  /** `$actor.<attribute>` → the field of the account that holds it; a to-one relation means its foreign key. */
  readonly attributes: ReadonlyMap<string, Field>
  /** The field of an account with its address, and the one that says whether its owner confirmed it; undefined: no plugin names them. */
  readonly address: { readonly field: string; readonly confirmed: string | undefined } | undefined
  /** The field of an account with the language that its person reads; undefined: everybody reads the first. */
  readonly language: Field | undefined
  /** The names of the seeded roles; undefined: none are seeded. */
  readonly roles: ReadonlySet<string> | undefined
  /** The resource of the roles, with its fields for the name and the list of permissions; undefined: no plugin names them. */
  readonly role: { readonly resource: string; readonly name: Field; readonly permissions: Field } | undefined
}

/** A table of an earlier version of a plugin. */
export interface TakenOver {
  /** What the rows become a part of: `the log of changes`. */
  readonly into: string
  /** The name of the fact (in plinth_fact) that holds the greatest id that is taken over. */
  readonly fact: string
}

/** Texts that people read and that no part of the catalog has. */
export interface Texts {
  /** The sentences of answers, with names in braces for what differs. */
  readonly sentences: readonly string[]
  /** `<plugin>.<name>` → what it says, and the URL of its file. */
  readonly plugins: ReadonlyMap<string, { readonly text: string; readonly url?: string }>
  /** Resource → those in the values of its keys and automations. */
  readonly resources: ReadonlyMap<string, readonly string[]>
}

export interface Catalog {
  readonly name: string
  /** The languages of its words, that of the YAML first; none where app.yaml names none. */
  readonly languages: readonly string[]
  /** By language, what the files of words say. */
  readonly words: ReadonlyMap<string, Words>
  readonly texts: Texts
  readonly version: string
  readonly description: string | undefined
  /** `/api/v1`, or empty. */
  readonly prefix: string
  readonly resources: ReadonlyMap<string, Resource>
  /** When people work, by the name of the calendar. */
  readonly calendars: ReadonlyMap<string, Calendar>
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
  /** What a start does where a table of `existing` is not as its resource describes it. */
  readonly onDrift: 'stop' | 'serve_the_rest'
  /** Tables of earlier versions whose rows plugins take over at a start, by name. */
  readonly takenOver: ReadonlyMap<string, TakenOver>
  /** The permission for asking by a header why an answer is as it is; undefined: no caller may. */
  readonly explain: string | undefined
  /** What app.yaml says of the console as a whole. */
  readonly console: ConsoleDefinition | undefined
  /** What plugins add to the console. */
  readonly additions: Additions
  /** The limits of limits.ts as app.yaml narrowed them. */
  readonly limits: Readonly<Record<string, number>>
  readonly fieldTypes: ReadonlyMap<string, FieldType>
  /** `<plugin>.<name>` of every listener, `automation:<resource>.<name>` among them → what it hears of: a resource and an action, `tickets create`. */
  readonly listeners: ReadonlyMap<string, readonly string[]>
  /** Where resource files name a listener: `<plugin>.<name> tickets create` → the place. */
  readonly listenersAt: ReadonlyMap<string, Span>
}
