/** Which automations an application has, and for which records one of them acts. */
import type { Automation, Catalog, Resource } from '../catalog/catalog.ts'
import type { ActionRecord, Actions } from './action.ts'

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

export type Ran = (automation: string, outcome: Outcome) => void

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
