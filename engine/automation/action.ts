/** What an automation can do by way of a plugin: an action with options of its own, for many records at once. */
import type { Automation, Catalog, Resource } from '../catalog/catalog.ts'
import type { Change, ListenerContext } from '../change/listener.ts'
import type { Path } from '../definition/definition.ts'
import type { JsonObject, JsonSchema } from '../json.ts'

/** A record for which an automation acts, and why. */
export interface ActionRecord {
  readonly id: number
  /** The write that set it off, where a write did. */
  readonly change?: Change
  /** The moment that came, where a moment set it off: ISO 8601, UTC. */
  readonly moment?: string
}

/** Thrown by an action: what it is to do for a record cannot be done, and another attempt would end in the same way. */
export class ActionFailed extends Error {
  override readonly name = 'ActionFailed'
}

/** A run in few words: the automation, the id of the record, and the moment or the id of the change. */
export type RunName = readonly [automation: string, record: number, cause: string]

/** What an action is to do. */
export interface ActionWork {
  readonly resource: Resource
  /** `<resource>.<name>`. */
  readonly automation: string
  /** The options in the automation, as written. */
  readonly given: JsonObject
  /** At least one, except where a schedule acts once without records. */
  readonly records: readonly ActionRecord[]
  /** The runs that this is. Those under `runs` in the payload of a job have failed where the job is given up. */
  readonly runs: readonly RunName[]
}

/** What an action holds: all that it writes belongs to the transaction in which the automation acts, once. */
export interface ActionContext extends ListenerContext {
  readonly work: ActionWork
}

/** One thing that is wrong with the options of an action. */
export interface ActionMistake {
  readonly message: string
  /** Its path below the options; the options themselves if absent. */
  readonly at?: Path
  readonly expected?: readonly string[]
  readonly hint?: string
}

/** What `check` judges the options by. */
export interface ActionPlace {
  readonly catalog: Catalog
  /** The resource whose records it is done for. */
  readonly resource: Resource
  /** What sets the automation off; a schedule may act without records, and after a delete a record may be gone. */
  readonly trigger: 'write' | 'moment' | 'schedule'
  /** The options of the plugin. */
  readonly options: JsonObject
}

/** Something that automations can do. It runs as the system. */
export interface ActionContribution {
  readonly description: string
  /** JSON Schema of the options that an automation gives it, an object. */
  readonly takes: JsonSchema
  /** The texts in the options that people read, each in their language: files of words may have them. */
  readonly texts?: (given: JsonObject) => readonly string[]
  /** A key that automations may write next to `set`, instead of `run: { <plugin>.<name>: … }`. */
  readonly key?: string
  /**
   * Finds what the schema cannot: paths that lead nowhere, templates that cannot be read. A method, so that a plugin may say
   * what its schema gives: `given: { text: string }`.
   */
  check?(given: JsonObject, place: ActionPlace): readonly ActionMistake[]
  /**
   * Does it for all records of one transaction. An ApiError below 500 is a refusal: it is kept as the outcome and not
   * tried again, as is ActionFailed, a failure. After another error everything is undone and comes again. What lies outside the database is for a job.
   */
  readonly run: (context: ActionContext) => Promise<void>
  /** What it would do for the records as they are now, a line for each person or thing, for `plinth explain`; writes nothing. */
  readonly explain?: (context: ActionContext) => Promise<readonly string[]>
}

/** A contribution with what it needs of its plugin. */
export interface BoundAction {
  readonly plugin: string
  readonly options: JsonObject
  readonly value: ActionContribution
}

/** By full name, `<plugin>.<name>`. */
export type Actions = ReadonlyMap<string, BoundAction>

/** One automation with what it acts with. */
export interface Acting {
  /** `<resource>.<name>`. */
  readonly name: string
  readonly resource: Resource
  readonly automation: Automation
  readonly actions: Actions
  /** Told of runs once they are committed. */
  readonly ran: Ran
}

/** How a run ended: `unmet` where the condition did not hold, `ended` where a chain of automations was too long. */
export type Outcome = 'done' | 'unmet' | 'refused' | 'retry' | 'failed' | 'ended'

type Ran = (automation: string, outcome: Outcome) => void

/** A record for which an automation acts, or is not to act; id 0 where a schedule has no records. */
export interface Taken extends ActionRecord {
  /** The moment, or the id of the change. */
  readonly cause: string
}

/** Every automation of a catalog. */
export function automationsOf(catalog: Catalog, actions: Actions, ran: Ran): readonly Acting[] {
  return [...catalog.resources.values()].flatMap((resource) =>
    [...resource.automations.values()].map((automation) => {
      return { name: `${resource.name}.${automation.name}`, resource, automation, actions, ran }
    }),
  )
}
