/** The contributions of plugins to the catalog, as plain data: the passes know contributions and never plugins. */

import type { Additions } from '../catalog/addition.ts'
import type { Catalog, Resource, TakenOver, Texts } from '../catalog/catalog.ts'
import type { ActionName, ApplicationDefinition, ResourceDefinition } from '../definition/definition.ts'
import type { FieldType } from '../field/field-type.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Source } from '../text/source.ts'

/** One transform of one plugin, with the plugin's checked options. */
export interface BoundTransform {
  readonly plugin: string
  readonly options: JsonObject
  readonly transform: (
    resource: ResourceDefinition,
    options: JsonObject,
    application: ApplicationDefinition,
  ) => ResourceDefinition
}

/** One rule of one plugin, with the plugin's checked options. */
export interface BoundRule {
  readonly plugin: string
  readonly options: JsonObject
  readonly rule: (catalog: Catalog, options: JsonObject) => readonly RuleComplaint[]
}

/** What a rule complains about. */
export interface RuleComplaint extends Diagnostic {
  /** The path of the mistake below the options of the plugin in app.yaml; the name of the plugin if absent. */
  readonly at?: readonly (string | number)[]
  /** Whether it is the key there; the value if absent. */
  readonly part?: 'key' | 'value'
}

/** One thing that is wrong with the value of a key. */
export interface KeyMistake {
  readonly message: string
  /** Its path below the key; the key itself if absent. */
  readonly at?: readonly (string | number)[]
  readonly expected?: readonly string[]
  readonly hint?: string
}

/** A key of a resource file that a plugin gives. */
export interface BoundKey {
  /** The texts in a value that people read. */
  readonly texts: (value: Json) => readonly string[]
  readonly permissions: (value: Json) => readonly string[]
  readonly roles: (value: Json) => readonly string[]
  /** Judges a value by the finished catalog; the code of what it finds is `<plugin>/wrong_<key>`. */
  readonly check?: {
    readonly plugin: string
    readonly run: (value: Json, catalog: Catalog, resource: Resource) => readonly KeyMistake[]
  }
}

/** Resource → the actions that a listener hears. */
export type ListensTo = Readonly<Record<string, readonly Exclude<ActionName, 'list' | 'get'>[]>>

/** The accounts of an application, as the plugin that authenticates declares them, so that policies may name actors. */
export interface AccountsContribution {
  /** The resource of the accounts; its fields and to-one relations are what `$actor.<attribute>` may name. */
  readonly resource: string
  /** The field of an account that is its address, and the one that says whether its owner confirmed it. */
  readonly address?: { readonly field: string; readonly confirmed?: string }
  /** The field of an account with the language that its person reads, by the options of the plugin. */
  readonly language?: (options: JsonObject) => string | undefined
  /** The relation from an account to its role, and the fields of a role that are its name and its list of permissions. */
  readonly role?: { readonly relation: string; readonly name: string; readonly permissions: string }
}

/** Everything `resolve` needs to know beyond the definition. */
export interface Extensions {
  readonly fieldTypes: ReadonlyMap<string, FieldType>
  /** `<plugin>.<name>` → word → condition in the words of the YAML. */
  readonly specials: ReadonlyMap<string, Readonly<Record<string, JsonObject>>>
  /** Extra keys of a resource file, each with the permissions and roles that a value of it names. */
  readonly keys: ReadonlyMap<string, BoundKey>
  /** `<plugin>.<name>` of every hook → the body keys it takes beyond the resource's fields. */
  readonly hooks: ReadonlyMap<string, readonly string[]>
  /** `<plugin>.<name>` of every listener → the resources and actions it listens to. */
  readonly listeners: ReadonlyMap<string, ListensTo>
  /** `<plugin>.<name>` of every action of automations → its key. */
  readonly actions: ReadonlyMap<string, string | undefined>
  /** Permission → the plugin that declares it. */
  readonly permissions: ReadonlyMap<string, string>
  readonly takenOver: ReadonlyMap<string, TakenOver>
  readonly accounts: (Omit<AccountsContribution, 'language'> & { readonly language?: string | undefined }) | undefined
  /** `<plugin>.<name>` of every action of automations → the texts in its options that people read. */
  readonly actionTexts?: ReadonlyMap<string, (given: JsonObject) => readonly string[]>
  /** Texts of plugins by their names. */
  readonly texts?: Texts['plugins']
  /** What plugins add to the console. */
  readonly additions?: Additions
  /** Whether a plugin identifies callers; false: no caller is known. */
  readonly authenticates?: boolean
  /** The files that plugins brought. */
  readonly brought?: ReadonlySet<Source>
  /** Whether routes of plugins can write a resource with such keys. */
  readonly routed?: (keys: readonly string[]) => boolean
  readonly transforms: readonly BoundTransform[]
  readonly rules: readonly BoundRule[]
  readonly pluginOptions: ReadonlyMap<string, JsonObject>
}
