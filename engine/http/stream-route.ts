/** GET /<resource>/stream: the changes of a list while they happen, as Server-Sent Events (WHATWG HTML, 9.2). */

import type { Readable } from 'node:stream'
import type { Actor } from '../actor.ts'
import { withoutPages } from '../ask/list.ts'
import { requireClause } from '../ask/policy.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { inSentence } from '../catalog/name.ts'
import { ApiError, invalid } from '../error.ts'
import { fieldError } from '../field-error.ts'
import { LIMITS } from '../limits.ts'
import type { Execution } from '../run/execution.ts'
import type { EngineRoute, RequestInput } from './bound-route.ts'
import type { Headers } from './call.ts'
import { joined, placesIn } from './joined-streams.ts'
import { routeAccess } from './resource-routes.ts'
import type { Reply } from './route.ts'

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
  const resources = [...catalog.resources.values()]
  const streamed = resources.filter((resource) => resource.streamed)
  const routes = streamed.map((resource) => streamRoute(resource, open))
  const isTaken = resources.some(({ path }) => path === 'stream')
  return streamed.length === 0 || isTaken ? routes : [...routes, joinedRoute(streamed, open)]
}

function refuse(): never {
  throw new Error('an application that only describes itself serves no streams')
}

/** The reply with events, which nothing on the way may keep or collect. */
function eventReply(body: Readable): Reply {
  return {
    headers: { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
    raw: { type: `${EVENT_STREAM}; charset=utf-8`, body },
  }
}

function streamRoute(resource: Resource, open: OpenStream): EngineRoute {
  const label = inSentence(resource.label)
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
    run: async (execution, input) => eventReply(open(requestOf(execution, resource, input))),
  }
}

/** GET /stream?of=…&of=…: several lists, each as the resource with the query of its list. */
function joinedRoute(streamed: readonly Resource[], open: OpenStream): EngineRoute {
  const byName = new Map(streamed.map((resource) => [resource.name, resource]))
  const isPublic = streamed.some((resource) => routeAccess(resource, 'list') === 'public')
  return {
    method: 'GET',
    path: '/stream',
    summary: 'Follow several lists at once',
    description: JOINED,
    tag: 'Streams',
    access: isPublic ? 'public' : [{ kind: 'signed_in' }],
    produces: [EVENT_STREAM],
    body: 'none',
    plugin: 'engine',
    options: {},
    inputFields: undefined,
    queryFields: undefined,
    run: async (execution, input) => {
      const lists = listsIn(execution.catalog, byName, input.query)
      const places = placesIn(input.headers['last-event-id'] || undefined, lists.length)
      const bodies: Readable[] = []
      for (const [at, { query, resource }] of lists.entries()) {
        const request = requestOf(execution, resource, { ...input, query })
        try {
          bodies.push(open({ ...request, lastEventId: places[at] }))
        } catch (error) {
          for (const one of bodies) one.destroy()
          throw ofList(error, at)
        }
      }
      const { streamUnsentBytes = LIMITS.streamUnsentBytes } = execution.catalog.limits
      return eventReply(joined(bodies, places, streamUnsentBytes))
    },
  }
}

interface Listed {
  readonly resource: Resource
  readonly query: URLSearchParams
}

/** The lists of the parameters `of`; throws ApiError validation_failed. */
function listsIn(
  { limits }: Catalog,
  byName: ReadonlyMap<string, Resource>,
  query: URLSearchParams,
): readonly Listed[] {
  const refused = (name: string, sentence: string) => invalid({ [name]: [fieldError('invalid', sentence)] })
  const other = [...query.keys()].find((name) => name !== 'of')
  if (other !== undefined)
    throw refused(other, `The ${other.slice(0, LIMITS.unknownKeyLength)} parameter is invalid: write it into an "of"`)
  const written = query.getAll('of')
  const { streamsPerCaller: most = LIMITS.streamsPerCaller } = limits
  if (written.length === 0) throw invalid({ of: [fieldError('required', 'The of parameter is required')] })
  if (written.length > most)
    throw refused('of', `The of parameter is invalid: at most ${most} lists are followed at once`)
  return written.map((text, at) => {
    const mark = text.indexOf('?')
    const resource = byName.get(mark === -1 ? text : text.slice(0, mark))
    if (resource === undefined)
      throw refused(`of.${at}`, `The of parameter is invalid: no list of this name can be followed`)
    return { resource, query: new URLSearchParams(mark === -1 ? '' : text.slice(mark + 1)) }
  })
}

/** A refusal of one list, with its place in front of the parameters. */
function ofList(error: unknown, at: number): unknown {
  if (!(error instanceof ApiError) || error.params.errors === undefined) return error
  const errors = Object.entries(error.params.errors).map(([name, said]) => [`of.${at}.${name}`, said] as const)
  return new ApiError(error.code, { ...error.params, errors: Object.fromEntries(errors) })
}

const JOINED =
  'Each `of` is a resource with the query of its list, `of=tickets%3Fstatus_id%3D1`. The `data` of an event is `{"of":0,"data":…}`, with the place of its list, and the id has the places of all lists. Each list counts as a stream.'

function requestOf({ actor, catalog, requestId }: Execution, resource: Resource, input: RequestInput): StreamRequest {
  const { headers, ip, query } = input
  const asked = withoutPages(catalog, query, NO_PAGES)
  return { resource, actor, requestId, headers, ip, query: asked, lastEventId: headers['last-event-id'] || undefined }
}

const DESCRIPTION = 'Server-Sent Events, as **Streams** at the head of this document says.'
