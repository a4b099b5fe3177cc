/** What a plugin is: frozen data, a closed list of contributions; it never receives the app. */

import type { Hook, PluginContext } from '../action/context.ts'
import type { Actor } from '../actor.ts'
import type { ActionContribution } from '../automation/action.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import type { ListenerContribution } from '../change/listener.ts'
import type { Runner } from '../database/database.ts'
import type {
  ApplicationDefinition,
  FieldDefinition,
  FilterDefinition,
  ResourceDefinition,
} from '../definition/definition.ts'
import type { Check } from '../doctor/finding.ts'
import type { StoredFiles } from '../dump/stored-files.ts'
import type { Route } from '../http/route.ts'
import type { JobContribution } from '../job/job.ts'
import type { Json, JsonObject, JsonSchema } from '../json.ts'
import type { AccountsContribution, KeyMistake } from '../resolve/extensions.ts'
import type { Diagnostic } from '../text/diagnostic.ts'

/** A hook with what it declares; the bare function is the short form. */
export interface HookContribution {
  /** Body keys that are no fields of the resource (password_confirmation), in the words of the YAML. */
  readonly input?: Readonly<Record<string, FieldDefinition>>
  /** false: the hook only looks at and changes `input`; then no transaction is opened on its account. */
  readonly transaction?: boolean
  readonly run: Hook
}

export interface SpecialFilter {
  readonly description: string
  /** Word → the condition it stands for, in the words of the YAML, over the resource that uses it. */
  readonly values: Readonly<Record<string, FilterDefinition>>
}

export interface KeyContribution {
  readonly description: string
  readonly schema: JsonSchema
  /** The permissions that a value of the key names, so that roles may hold them. */
  readonly permissions?: (value: Json) => readonly string[]
  /** The roles that a value of the key names, so that an unknown one is reported. */
  readonly roles?: (value: Json) => readonly string[]
  /** Finds what the schema cannot, of the finished catalog: paths that lead nowhere, texts that cannot be read. */
  readonly check?: (
    value: Json,
    place: { readonly catalog: Catalog; readonly resource: Resource; readonly options: JsonObject },
  ) => readonly KeyMistake[]
}

/** A definition on its way to the catalog, with the options of the plugin that changes it and the application around it. */
export type Transform = (
  resource: ResourceDefinition,
  options: JsonObject,
  application: ApplicationDefinition,
) => ResourceDefinition

export type Rule = (catalog: Catalog, options: JsonObject) => readonly Diagnostic[]

/** The routes that one resource gets, by what its keys say; none for most. */
export type ResourceRoutes = (resource: Resource, options: JsonObject) => readonly Route[]

/** Who presents these headers: an actor, or null when the token is absent or no longer good. */
export type Authenticate = (
  context: Omit<PluginContext, 'actor'> & { readonly headers: Readonly<Record<string, string | undefined>> },
) => Promise<Actor | null>

/** Who a name stands for, an e-mail address or an id: an actor, or null when there is nobody of that name. */
export type Identify = (context: PluginContext, name: string) => Promise<Actor | null>

/** Who accounts are: the actors of those ids that may sign in by now, read by `runner`. */
export type Actors = (
  asking: { readonly catalog: Catalog; readonly options: JsonObject; readonly runner: Runner },
  ids: readonly number[],
) => Promise<readonly Actor[]>

/** How the test kit makes people, by the plugin that knows the accounts. */
export interface PeopleContribution {
  /** The body that makes an account of this name; the kit adds the role, and what the test says. */
  readonly body: (name: string) => JsonObject
  /** The headers by which a request of the account is recognised. */
  readonly headers: (context: PluginContext, account: number) => Promise<Readonly<Record<string, string>>>
}

/** A line that a start prints; `once`: a line that is printed only now, by a start or by a command that begins an application. */
export type StartLine = string | { readonly once: string }

/** A command of `npx plinth`. */
export interface CommandContribution {
  readonly description: string
  /** A command line for `plinth help`: `plinth remind --dry-run`. */
  readonly example?: string
  /** Words that may stand first, for the completion of shells. */
  readonly words?: readonly string[]
  /**
   * Whether the command may begin an application as a start does, with migration, seeds and the first admin; true if
   * absent. A command that only looks says false, perhaps by its arguments. It then runs on the database as it is, and is
   * refused if that is not what the YAML describes.
   */
  readonly begins?: boolean | ((args: readonly string[]) => boolean)
  readonly run: (context: PluginContext, args: readonly string[]) => Promise<number>
}

export interface Plugin {
  readonly name: string
  readonly description: string
  /** Plugins that come first where order matters (transforms, hooks, start). */
  readonly after?: readonly string[]
  /** Plugins that app.yaml has to name beside this one; they come first too. */
  readonly needs?: readonly string[]
  /** JSON Schema of the options in app.yaml, an object with defaults. */
  readonly options?: JsonSchema
  readonly specials?: Readonly<Record<string, SpecialFilter>>
  /** Extra keys of a resource file. */
  readonly keys?: Readonly<Record<string, KeyContribution>>
  readonly transforms?: readonly Transform[]
  readonly rules?: readonly Rule[]
  /** Permission → what it allows, for people. */
  readonly permissions?: Readonly<Record<string, string>>
  /** Hook name (used in YAML as `<plugin>.<name>`) → hook. */
  readonly hooks?: Readonly<Record<string, Hook | HookContribution>>
  readonly routes?: readonly Route[]
  /** Asked once for every resource of the application. */
  readonly resourceRoutes?: ResourceRoutes
  /** Job name (enqueued as `<plugin>.<name>`) → what it does. */
  readonly jobs?: Readonly<Record<string, JobContribution>>
  /** Listener name (its place in the log is kept as `<plugin>.<name>`) → a consequence of writes. */
  readonly listeners?: Readonly<Record<string, ListenerContribution>>
  /** Action name (used in automations as `<plugin>.<name>`, or by its key) → something that they can do. */
  readonly actions?: Readonly<Record<string, ActionContribution>>
  /** Resource files that the plugin brings along (its own tables), as URLs. */
  readonly resources?: readonly URL[]
  readonly authenticate?: Authenticate
  /** What the accounts of the application are, so that policies may name their values and `check` knows the roles. */
  readonly accounts?: AccountsContribution
  /** For people who ask what somebody may do: `plinth explain … --as agent@example.com`. */
  readonly identify?: Identify
  /** Many accounts at once, for what is told to people who did not ask: each hears only of what it may see. */
  readonly actors?: Actors
  /** For tests of applications: how an account is made, and what its requests present. */
  readonly people?: PeopleContribution
  /** Runs after migration and seeds, before the first request, on one instance at a time. Lines returned are printed at the start. */
  readonly start?: (context: PluginContext) => Promise<readonly StartLine[]>
  readonly commands?: Readonly<Record<string, CommandContribution>>
  /** Its files outside of the database, so that `plinth dump` takes them along. */
  readonly files?: StoredFiles
  /** Looks at what it needs, such as a server outside, for `plinth doctor`. */
  readonly check?: Check
}

/** Freezes a plugin and gives it its type. */
export function definePlugin(plugin: Plugin): Plugin {
  return Object.freeze(plugin)
}
