/**
 * Earlier names of resources, fields and paths: the headers that warn clients, the counts for operators, and the routes
 * under earlier paths.
 */

import type { Actor } from '../actor.ts'
import { allowsOne, readable } from '../ask/policy.ts'
import type { Catalog, Earlier, EarlierNames, Resource } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import { ApiError, invalid } from '../error.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { BoundRoute, RequestInput, BoundRoute as Route } from './bound-route.ts'
import type { HttpParts } from './http-app.ts'
import type { Reply } from './route.ts'
import { nameless } from './table.ts'

type Headers = Readonly<Record<string, string>>

/** The earlier names that a request uses. */
export interface EarlierUse {
  readonly headers: Headers
  /** A refusal with the keys of the body as the client sent them. */
  readonly told: (error: unknown) => unknown
}

export interface Watch {
  /** The earlier names in a request. */
  readonly asked: (route: Route, input: RequestInput, actor: Actor) => EarlierUse | undefined
  /** The reply with the headers for the earlier names that a handler found. */
  readonly found: (reply: Reply, actor: Actor) => Reply
}

/** The parameters whose values are names. */
const NAMING: ReadonlySet<string> = new Set(['sort', 'fields', 'omit', 'include'])

/** Parameters of a summary: names with a step or a figure, such as `title`, `held_on:month`, `sum:minutes`. */
const TERMS: ReadonlySet<string> = new Set(['by', 'of', 'sort'])

/** Finds and counts earlier names in requests; undefined where the application has none. */
export function watchEarlierNames({
  catalog,
  metrics,
  now,
}: Pick<HttpParts, 'catalog' | 'metrics' | 'now'>): Watch | undefined {
  if (![...catalog.resources.values()].some(({ earlier }) => earlier !== undefined)) return undefined
  const began = now().getTime()
  const found = (reply: Reply, actor: Actor): Reply => {
    const { resource = '', names = [] } = reply.earlier ?? {}
    const known = catalog.resources.get(resource)?.earlier?.names
    const uses = names.flatMap((name) => {
      const one = known?.get(name)
      if (one !== undefined) metrics.earlier({ resource, name, role: actor.role ?? actor.kind, use: 'asked' })
      return one ?? []
    })
    return uses.length === 0 ? reply : { ...reply, headers: { ...reply.headers, ...headersOf(uses, began) } }
  }
  const asked = (route: Route, input: RequestInput, actor: Actor): EarlierUse | undefined => {
    const resource = resourceOf(catalog, route)
    const found: Earlier[] = []
    const count = (name: string, earlier: Earlier, use: 'asked' | 'answered') => {
      found.push(earlier)
      metrics.earlier({ resource: resource?.name ?? earlier.instead, name, role: actor.role ?? actor.kind, use })
    }
    if (route.earlier !== undefined) count(route.earlier.path, route.earlier, 'asked')
    const { earlier } = resource ?? {}
    if (resource !== undefined && earlier !== undefined) {
      const asked = askedNames(earlier, input, route)
      for (const [name, one] of earlier.names) {
        if (asked(name)) count(name, one, 'asked')
        else if (route.method !== 'DELETE' && !sums(route) && isAnswered(resource, name, input, actor))
          count(name, one, 'answered')
      }
    }
    const children = resource === undefined ? [] : childrenOf(catalog, resource, input.body)
    for (const { child, bodies } of children)
      for (const [name, one] of child.earlier?.names ?? [])
        if (bodies.some((body) => Object.hasOwn(body, name))) {
          found.push(one)
          metrics.earlier({ resource: child.name, name, role: actor.role ?? actor.kind, use: 'asked' })
        }
    if (found.length === 0) return undefined
    const told = (error: unknown) => underSentNames(route, earlier, input.body, underChildNames(children, error))
    return { headers: headersOf(found, began), told }
  }
  return { asked, found }
}

/** The headers of an answer together with those of its request; the earliest of each kind counts. */
export function withEarlier(answered: Headers, asked: Headers): Headers {
  const [since, until] = [answered.Deprecation, answered.Sunset]
  return {
    ...answered,
    ...asked,
    ...(since !== undefined && Number(since.slice(1)) < Number(asked.Deprecation?.slice(1)) && { Deprecation: since }),
    ...(until !== undefined && !(Date.parse(asked.Sunset ?? '') < Date.parse(until)) && { Sunset: until }),
  }
}

/** The resource whose records a route takes or returns. */
function resourceOf({ resources }: Pick<Catalog, 'resources'>, route: Route): Resource | undefined {
  if ('resource' in route) return route.resource as Resource
  if ('writes' in route) return route.writes as Resource
  return route.filters === undefined ? undefined : resources.get(route.filters)
}

/** Whether a route returns figures instead of records. */
function sums({ path, resource }: { readonly path: string; readonly resource?: unknown }): boolean {
  return resource === undefined && path.endsWith('/summary')
}

/**
 * Whether a request uses a name in its path, as a parameter, in a list of names, in a condition, or as a key of its
 * body.
 */
function askedNames(
  { names }: EarlierNames,
  { body, params, query }: RequestInput,
  route: Route,
): (name: string) => boolean {
  const said = new Set<string>()
  for (const [key, value] of Object.entries(params)) {
    if (key === 'field') said.add(value)
    else if (value.includes(':')) said.add(value.slice(0, value.indexOf(':')))
  }
  const conditions: string[] = []
  for (const [key, value] of query) {
    said.add(key.split('[', 1)[0] ?? key)
    if (key === 'where') conditions.push(value)
    if (NAMING.has(key)) for (const word of value.split(',')) addWord(said, word)
    if (sums(route) && TERMS.has(key)) for (const word of value.split(/[,:]|\.\./)) addWord(said, word)
  }
  const text = Object.keys(body).length === 0 ? '' : JSON.stringify(body)
  if (isObject(body.where ?? null)) conditions.push(JSON.stringify(body.where))
  for (const key of NAMING) for (const word of wordsOf(body[key] ?? null)) addWord(said, word)
  // A part of a renamed record has a path of its own.
  const isSaid = (name: string) => said.has(name) || [...said].some((word) => word.startsWith(`${name}.`))
  return (name) =>
    names.has(name) &&
    (isSaid(name) ||
      text.includes(`"${name}":`) ||
      conditions.some((one) => one.includes(`"${name}"`) || one.includes(`"${name}.`)))
}

function addWord(said: Set<string>, word: string): void {
  said.add(
    word
      .trim()
      .replace(/^[-+ ]/, '')
      .replace(/\(\d*\)$/, ''),
  )
}

function wordsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return value.split(',')
  return Array.isArray(value) ? value.map(String) : []
}

/** The records in a body that are created together with another one. */
interface SentChildren {
  readonly relation: string
  readonly child: Resource
  readonly bodies: readonly JsonObject[]
}

function childrenOf(catalog: Pick<Catalog, 'resources'>, { relations }: Resource, body: JsonObject) {
  return [...relations.values()].flatMap((relation): readonly SentChildren[] => {
    if (relation.kind !== 'has_many' || !relation.withParent) return []
    const child = targetOf(catalog, relation)
    const sent = body[relation.name]
    if (child.earlier === undefined || !Array.isArray(sent)) return []
    return [{ relation: relation.name, child, bodies: sent.map((one) => (isObject(one) ? one : {})) }]
  })
}

/** Moves mistakes to the names that the client sent: `lines.0.title`. */
function underChildNames(children: readonly SentChildren[], error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'validation_failed' || children.length === 0) return error
  const renamed = Object.entries(error.params.errors ?? {}).map(([at, sentences]) => {
    const [relation, index, name = '', ...rest] = at.split('.')
    const sent = children.find((one) => one.relation === relation)
    const body = sent?.bodies[Number(index)]
    if (sent === undefined || body === undefined || Object.hasOwn(body, name)) return [at, sentences]
    const before = [...sent.child.earlier!.keys].find(([key, now]) => now === name && Object.hasOwn(body, key))?.[0]
    return [[relation, index, before ?? name, ...rest].join('.'), sentences]
  })
  return invalid(Object.fromEntries(renamed))
}

/** Whether an answer has the name although the request did not name it. */
function isAnswered(resource: Resource, name: string, { query }: RequestInput, actor: Actor): boolean {
  if (query.has('fields')) return false
  const field = resource.fields.get(name)
  if (field?.earlier !== undefined) return field.show !== 'never' && field.show !== 'asked' && readable(field, actor)
  const relation = resource.relations.get(name.split('.', 1)[0]!)
  if (relation?.embed === undefined || (relation.earlier === undefined && !name.includes('.'))) return false
  return relation.show !== 'never' && relation.show !== 'asked' && allowsOne(relation.read, actor)
}

/** `Deprecation` of RFC 9745 and `Sunset` of RFC 8594: the earliest of the names in use. */
function headersOf(found: readonly Earlier[], began: number): Readonly<Record<string, string>> {
  const moments = (days: readonly (string | undefined)[]) =>
    days.flatMap((day) => (day === undefined ? [] : [Date.parse(`${day}T00:00:00Z`)]))
  const since = moments(found.map((one) => one.since))
  const until = moments(found.map((one) => one.until))
  const deprecated = Math.floor((since.length === 0 ? began : Math.min(...since)) / 1_000)
  return {
    Deprecation: `@${deprecated}`,
    ...(until.length === 0 ? {} : { Sunset: new Date(Math.min(...until)).toUTCString() }),
  }
}

/** A client that uses one earlier name, or an earlier path, is assumed to know only earlier names. */
function underSentNames(route: Route, earlier: EarlierNames | undefined, body: JsonObject, error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'validation_failed' || earlier === undefined) return error
  if (route.earlier === undefined && !Object.keys(body).some((key) => earlier.keys.has(key))) return error
  const { errors = {} } = error.params
  const sent = new Map([...earlier.keys].flatMap(([key, name]) => (Object.hasOwn(body, name) ? [] : [[name, key]])))
  if (sent.size === 0) return error
  return invalid(
    Object.fromEntries(
      Object.entries(errors).map(([at, sentences]) => {
        const [name = '', ...rest] = at.split('.')
        return [[sent.get(name) ?? name, ...rest].join('.'), sentences]
      }),
    ),
  )
}

/** Copies of routes under earlier paths; none where another route has that path. */
export function earlierPaths(
  catalog: Pick<Catalog, 'resources'>,
  routes: readonly BoundRoute[],
): readonly BoundRoute[] {
  const renamed = [...catalog.resources.values()].flatMap(({ earlier, path }) =>
    earlier?.path === undefined || earlier.own === undefined || earlier.path === path
      ? []
      : [{ now: path.split('/'), before: earlier.path, own: earlier.own }],
  )
  if (renamed.length === 0) return []
  const shape = ({ method }: BoundRoute, path: string) => `${method} ${nameless(path)}`
  const taken = new Set(routes.map((route) => shape(route, route.path)))
  return routes.flatMap((route) => {
    if (route.absolute === true) return []
    return renamed.flatMap(({ before, now, own }) => {
      const path = replaced(route.path.slice(1).split('/'), now, before)
      if (path === undefined || taken.has(shape(route, path))) return []
      taken.add(shape(route, path))
      return [{ ...route, path, earlier: { ...own, path: before } }]
    })
  })
}

/**
 * A path with the earlier segment in place of the present ones, at its beginning or after a record; undefined without
 * them.
 */
function replaced(segments: readonly string[], now: readonly string[], before: string): string | undefined {
  const at = segments.findIndex(
    (_, start) =>
      (start === 0 || segments[start - 1]?.startsWith('{') === true) &&
      now.every((segment, i) => segments[start + i] === segment),
  )
  if (at === -1) return undefined
  return `/${[...segments.slice(0, at), before, ...segments.slice(at + now.length)].join('/')}`
}
