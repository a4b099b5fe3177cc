/** GET /<resource>/stream: the changes of a list while they happen, as Server-Sent Events (WHATWG HTML, 9.2). */
import type { Readable } from 'node:stream'
import type { Actor } from '../actor.ts'
import { withoutPages } from '../ask/list.ts'
import { requireClause } from '../ask/policy.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import type { Execution } from '../run/execution.ts'
import type { EngineRoute, RequestInput } from './bound-route.ts'
import type { Headers } from './call.ts'
import { routeAccess } from './resource-routes.ts'

/** A reader, and the records that it follows. */
export interface StreamRequest {
  readonly resource: Resource
  readonly actor: Actor
  readonly requestId: string
  readonly headers: Headers
  readonly ip: string
  /** The list's query, without its pages. */
  readonly query: readonly (readonly [string, string])[]
  /** The id of the last event that the reader received. */
  readonly lastEventId: string | undefined
}

/** Opens a stream, which stays open; throws ApiError where it may not be opened. */
export type OpenStream = (request: StreamRequest) => Readable

export const EVENT_STREAM = 'text/event-stream'

const NO_PAGES = 'A stream has no pages, and sends records as the list shows them'

/** The stream routes of a catalog; without `open` they can only be described. */
export function streamRoutes(catalog: Catalog, open: OpenStream = refuse): readonly EngineRoute[] {
  return [...catalog.resources.values()]
    .filter(({ streamed }) => streamed)
    .map((resource) => streamRoute(resource, open))
}

function refuse(): never {
  throw new Error('an application that only describes itself serves no streams')
}

function streamRoute(resource: Resource, open: OpenStream): EngineRoute {
  const label = resource.label.toLowerCase()
  return {
    method: 'GET',
    path: `/${resource.path}/stream`,
    summary: `Follow the ${label} records`,
    description: DESCRIPTION,
    tag: resource.name,
    access: routeAccess(resource, 'list'),
    filters: resource.name,
    produces: [EVENT_STREAM],
    body: 'none',
    plugin: 'engine',
    options: {},
    inputFields: undefined,
    queryFields: [],
    admit: (actor) => requireClause(resource.policies.view, actor),
    run: async (execution, input) => ({
      headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
      raw: { type: `${EVENT_STREAM}; charset=utf-8`, body: open(requestOf(execution, resource, input)) },
    }),
  }
}

function requestOf({ actor, catalog, requestId }: Execution, resource: Resource, input: RequestInput): StreamRequest {
  const { headers, ip, query } = input
  const asked = withoutPages(catalog, query, NO_PAGES)
  return { resource, actor, requestId, headers, ip, query: asked, lastEventId: headers['last-event-id'] || undefined }
}

const DESCRIPTION = 'Server-Sent Events, as **Streams** at the head of this document says.'
