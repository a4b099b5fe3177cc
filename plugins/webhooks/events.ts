/** Events of webhooks: the resources with `webhooks: true`, and the words for their events. */
import { type Catalog, type Diagnostic, nearest, type Resource, type ResourceDefinition } from '../../engine/index.ts'

const ACTIONS = ['create', 'update', 'delete', 'restore'] as const
export type EventAction = (typeof ACTIONS)[number]

/** The event of a test, which no webhook must ask for. */
export const PING = 'webhooks.ping'

/** Lets the listener follow a resource, so that the log holds its writes. */
export function offerWebhooks(resource: ResourceDefinition): ResourceDefinition {
  if (resource.webhooks !== true || resource.of !== undefined) return resource
  const heard = ACTIONS.map((action) => {
    const listeners = resource.listeners?.[action] ?? []
    return [action, [...new Set([...listeners, 'webhooks.queue'])]] as const
  })
  return { ...resource, listeners: { ...resource.listeners, ...Object.fromEntries(heard) } }
}

/** Listeners follow whole tables, so the owner of the table offers it. */
export function ownersOffer({ resources }: Catalog): readonly Diagnostic[] {
  return [...resources.values()].flatMap(({ keys, name, owner, span }) => {
    if (keys.webhooks !== true || owner === name) return []
    const message = `"${name}" uses the table of "${owner}", whose writes are heard as a whole`
    return [{ code: 'webhooks/owner', message, span, hint: `write webhooks: true in "${owner}"` } as const]
  })
}

/** Deliveries name the record by an integer. */
export function integersOffer(catalog: Catalog): readonly Diagnostic[] {
  return offered(catalog).flatMap(({ key, name }) => {
    if (key.type.name === 'integer') return []
    const message = `Webhooks hear of records with integer ids, and those of "${name}" are ${key.type.name}`
    return [{ code: 'webhooks/id', message, span: key.span, hint: 'leave webhooks: true out' } as const]
  })
}

/** The resources that are offered, by name. */
export function offered({ resources }: Catalog): readonly Resource[] {
  return [...resources.values()].filter(({ keys, name, owner }) => keys.webhooks === true && owner === name)
}

/** The actions of a resource that an event word names, for each resource; empty for an unknown word. */
export function heardBy(catalog: Catalog, event: string): ReadonlyMap<string, readonly EventAction[]> {
  const [name = '', action = ''] = event === '*' ? ['*', '*'] : event.split('.')
  const resources = offered(catalog).filter((resource) => name === '*' || resource.name === name)
  const actions = ACTIONS.filter((one) => action === '*' || one === action)
  if (event.split('.').length > 2 || actions.length === 0) return new Map()
  if (name === '*' && event !== '*') return new Map()
  return new Map(resources.map((resource) => [resource.name, actions]))
}

/** The same for several words together. */
export function heardByAll(catalog: Catalog, events: readonly string[]): ReadonlyMap<string, ReadonlySet<EventAction>> {
  const all = new Map<string, Set<EventAction>>()
  for (const event of events) {
    for (const [name, actions] of heardBy(catalog, event))
      all.set(name, new Set([...(all.get(name) ?? []), ...actions]))
  }
  return all
}

/** The message about a wrong event word: the known ones, and the nearest. */
export function unknownEvent(catalog: Catalog, event: string): string {
  const names = offered(catalog).map(({ name }) => name)
  const known = names.flatMap((name) => [`${name}.*`, ...ACTIONS.map((action) => `${name}.${action}`)])
  if (known.length === 0) return 'There are no events: no resource of this application is offered to webhooks'
  const near = nearest(event, known)
  const meant = near === undefined ? '.' : `; did you mean "${near}"?`
  const actions = ACTIONS.map((one) => `.${one}`).join(', ')
  return `There is no event "${event}"${meant} An event is "*", or one of ${names.join(', ')} with .*, ${actions}`
}
