/** The interface of plugins: frozen data, a closed list of contributions. A plugin never receives the app. */

import type { Actor } from '../actor.ts'
import type { ActionContribution } from '../automation/action.ts'
import type { Catalog, Resource, TakenOver } from '../catalog/catalog.ts'
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
import type { AccountsContribution, KeyMistake, RuleComplaint } from '../resolve/extensions.ts'
import type { Hook, PluginContext } from '../run/context.ts'
import type { Settings } from '../settings.ts'

export type { RuleComplaint }

/** A hook with its declarations; a bare function is the short form. */
export interface HookContribution {
  /** Keys of a body that are no fields of the resource (password_confirmation), in the words of the YAML. */
  readonly input?: Readonly<Record<string, FieldDefinition>>
  /** false: the hook only reads and changes `input`, and needs no transaction. */
  readonly transaction?: boolean
  readonly run: Hook
}

export interface SpecialFilter {
  readonly description: string
  /** Word → its condition, in the words of the YAML, over the resource that uses it. */
  readonly values: Readonly<Record<string, FilterDefinition>>
}

export interface KeyContribution {
  readonly description: string
  readonly schema: JsonSchema
  /** The texts in a value that go to people, each for a reader of a language, so that files of words may have them. */
  readonly texts?: (value: Json) => readonly string[]
  /** The permissions that a value of the key names, so that roles may hold them. */
  readonly permissions?: (value: Json) => readonly string[]
  /** The roles that a value of the key names, so that an unknown one is reported. */
  readonly roles?: (value: Json) => readonly string[]
  /**
   * Finds mistakes that the schema cannot, in the finished catalog: paths that lead nowhere, texts that cannot be read.
   */
  readonly check?: (
    value: Json,
    place: { readonly catalog: Catalog; readonly resource: Resource; readonly options: JsonObject },
  ) => readonly KeyMistake[]
}

/** Changes a definition before it is resolved; gets the options of its plugin and the whole application. */
export type Transform = (
  resource: ResourceDefinition,
  options: JsonObject,
  application: ApplicationDefinition,
) => ResourceDefinition

export type Rule = (catalog: Catalog, options: JsonObject) => readonly RuleComplaint[]

/** The routes for one resource, by its keys; none for most. */
export type ResourceRoutes = (resource: Resource, options: JsonObject) => readonly Route[]

/** What a request presents to be known by. */
export interface Presented {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly method: string
  /** The address that it comes from. */
  readonly ip: string
}

/** The account that sends a request; null without a valid token. Throws forbidden where it may send no such request. */
export type Authenticate = (context: Omit<PluginContext, 'actor'> & Presented) => Promise<Actor | null>

/** The account of an e-mail address or an id; null where nobody has it. */
export type Identify = (context: PluginContext, name: string) => Promise<Actor | null>

/** The actors of those accounts that may sign in at present, read by `runner`. */
export type Actors = (
  asking: { readonly catalog: Catalog; readonly options: JsonObject; readonly runner: Runner },
  ids: readonly number[],
) => Promise<readonly Actor[]>

/** Accounts for tests, by the plugin that knows accounts. */
export interface PeopleContribution {
  /** The body of an account of this name; the kit adds the role and the values of the test. */
  readonly body: (name: string, place: Pick<PluginContext, 'catalog' | 'options'>) => JsonObject
  /** The headers for requests of the account. */
  readonly headers: (context: PluginContext, account: number) => Promise<Readonly<Record<string, string>>>
}

/** A context outside of requests, which can open a transaction. */
export interface SystemContext extends PluginContext {
  transaction<T>(work: (inner: PluginContext) => Promise<T>): Promise<T>
}

/** What providers that name people say of somebody: claims by their names. */
export interface ProvidersContribution {
  /** The names of those that the options of the plugin have. */
  readonly names: (options: JsonObject) => readonly string[]
  /**
   * Signs somebody in of whom a provider says this, as if that had happened; gives the account with the headers of its
   * requests. Rejects with the sentence for somebody who is not let in. For tests.
   */
  readonly signIn: (
    context: SystemContext,
    provider: string,
    claims: JsonObject,
  ) => Promise<{ readonly id: number; readonly role: string; readonly headers: Readonly<Record<string, string>> }>
  /** What would come of it, and why, as lines for people. Writes nothing. */
  readonly explain: (context: SystemContext, provider: string, claims: JsonObject) => Promise<readonly string[]>
  /** What the present options would change for those who came before, as sentences. */
  readonly moved: PlanContribution
}

/** What the present options would change for the records that are there, as sentences of `plinth plan`; only reads. */
export type PlanContribution = (asking: {
  readonly catalog: Catalog
  readonly options: JsonObject
  readonly runner: Runner
  readonly now: () => Date
}) => Promise<readonly string[]>

/** A mail as its recipient reads it. */
export interface SentMail {
  /** No other mail has it. */
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** The mails that the application with these settings sent, in their order. */
export type MailsContribution = (settings: Settings) => Promise<readonly SentMail[]>

/** A line of a start. `once`: a line that only this start prints, or the command that begins an application. */
export type StartLine = string | { readonly once: string }

/** A command of `npx plinth`. */
export interface CommandContribution {
  readonly description: string
  /** A command line for `plinth help`: `plinth remind --dry-run`. */
  readonly example?: string
  /** First words, for the completion of shells. */
  readonly words?: readonly string[]
  /**
   * Whether the command may begin an application like a start, with migration, seeds and the first admin; true if
   * absent. A command that only looks says false, perhaps by its arguments. It then runs on the database as it is, and
   * is refused where the YAML describes another.
   */
  readonly begins?: boolean | ((args: readonly string[]) => boolean)
  readonly run: (context: PluginContext, args: readonly string[]) => Promise<number>
}

export interface Plugin {
  readonly name: string
  readonly description: string
  /** Plugins that come first where order matters (transforms, hooks, start). */
  readonly after?: readonly string[]
  /** Plugins that app.yaml must name too; they come first. */
  readonly needs?: readonly string[]
  /** Resource of the application → the fields and relations of it that the code of the plugin relies on. */
  readonly reliesOn?: Readonly<Record<string, readonly string[]>>
  /**
   * JSON Schema of the options in app.yaml, an object with defaults. A text with `format: 'file'` is a path from the folder
   * of app.yaml; functions get it from the folder in which the program runs.
   */
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
  /** Resource files that the plugin brings along (its own tables), and files with their words in other languages, as URLs. */
  readonly resources?: readonly URL[]
  readonly authenticate?: Authenticate
  /** Security schemes of OpenAPI by which callers present themselves, besides the token. */
  readonly schemes?: Readonly<Record<string, JsonObject>>
  /** The accounts of the application, so that policies may name their values and `check` knows the roles. */
  readonly accounts?: AccountsContribution
  /** Finds an account by its name: `plinth explain … --as agent@example.com`. */
  readonly identify?: Identify
  /** Finds many accounts at once, for notifications: each account hears only of what it may see. */
  readonly actors?: Actors
  /** Accounts and headers for tests of applications. */
  readonly people?: PeopleContribution
  /** Providers by which people sign in. */
  readonly providers?: ProvidersContribution
  readonly mails?: MailsContribution
  /** Text name → a text that people read outside of answers, or its file, such as that of a mail: files of words may have it. */
  readonly texts?: Readonly<Record<string, string | URL>>
  /**
   * Runs after migration and seeds, before the first request, on one instance at a time. The start prints the returned
   * lines.
   */
  readonly start?: (context: PluginContext) => Promise<readonly StartLine[]>
  /** Tables of earlier versions whose rows `start` takes over, by name, so that a plan says what becomes of them. */
  readonly takesOver?: Readonly<Record<string, TakenOver>>
  readonly commands?: Readonly<Record<string, CommandContribution>>
  /** Its files outside the database, for `plinth dump`. */
  readonly files?: StoredFiles
  /** A check for `plinth doctor`, such as of an outside server. */
  readonly check?: Check
  readonly plan?: PlanContribution
  /** The file of its page: what it adds to the console, as the default export. It is bundled for browsers at the start. */
  readonly console?: URL
}

/** Freezes a plugin and gives it its type. */
export function definePlugin(plugin: Plugin): Plugin {
  return Object.freeze(plugin)
}
