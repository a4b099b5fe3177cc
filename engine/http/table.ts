/**
 * The table of routes: finds the route of a path, the most literal one. `@koa/router` matches, with one small router
 * for each first segment, because a router tries its patterns one after the other (measured: 1 µs a request, 14 µs with
 * 200 routes in one router). It only matches, because requests are counted and their callers identified before a
 * handler runs, also without a route.
 */
import Router from '@koa/router'
import type { BoundRoute } from './bound-route.ts'
import { type BodyKind, bodyKind, type Method, needsToken, type Route } from './route.ts'

/** A route with its path from the root. */
export interface Place {
  readonly route: BoundRoute
  readonly pattern: string
  readonly names: readonly string[]
  /** Whether it refuses callers without a valid token. */
  readonly needsToken: boolean
  readonly takes: BodyKind
}

/** The routes of one pattern, by method. */
export interface Entry {
  readonly pattern: string
  readonly methods: ReadonlyMap<string, Place>
  /** For the Allow header. */
  readonly allow: readonly string[]
}

export interface Match {
  readonly entry: Entry
  /** Decoded values of the path's parameters, in order. */
  readonly values: readonly string[]
}

/** The most literal entry for a path; undefined without a route, or for a malformed path. */
export type Table = (path: string) => Match | undefined

/** The routes of one pattern before the table is made; patterns that only differ in names of parameters are one. */
interface PatternRoutes {
  readonly segments: readonly string[]
  readonly places: Map<Method, Place>
  entry: Entry
}

/** Characters with a meaning in a path of `@koa/router`. */
const SPECIAL = /[{}()[\]+?!:*\\]/g
const NONE: readonly string[] = Object.freeze([])

/** A path's parameter, `{id}`: always a whole segment. */
const PARAMETER = /^\{(\w+)\}$/

/** The name of the parameter that a segment is; undefined for a literal one. */
export function parameterIn(segment: string): string | undefined {
  return PARAMETER.exec(segment)?.[1]
}

/** The names of the parameters of a path, from the left. */
export function parametersIn(path: string): readonly string[] {
  return path.split('/').flatMap((segment) => parameterIn(segment) ?? [])
}

/** The path from the root, `/api/v1/users/{id}`. */
export function pathFromRoot({ absolute, path }: Pick<Route, 'absolute' | 'path'>, prefix: string): string {
  return absolute === true ? path : prefix + path
}

/** What YAML calls a route of a plugin: the plugin, and the last word of the path: `merging.merge`. */
export function routeName({ path, plugin }: Pick<BoundRoute, 'path' | 'plugin'>): string {
  const words = path.split('/').filter((segment) => segment !== '' && !isParameter(segment))
  return `${plugin}.${words.at(-1) ?? ''}`
}

/** A path without the names of its parameters, `/api/v1/users/{}`: equal for two paths that match the same requests. */
export function nameless(path: string): string {
  return path
    .split('/')
    .map((segment) => (parameterIn(segment) === undefined ? segment : '{}'))
    .join('/')
}

function isParameter(segment: string): boolean {
  return parameterIn(segment) !== undefined
}

/** The one form of a segment in which paths and patterns are compared: encodes only what would end or hide it. */
function encoded(segment: string): string {
  return segment.replace(/[%/]/g, encodeURIComponent)
}

/** A path with every segment in that form; undefined where its encoding is broken or hides a NUL. */
function canonical(path: string): string | undefined {
  if (!path.includes('%')) return path
  try {
    const segments = path.split('/').map(decodeURIComponent)
    return segments.some((segment) => segment.includes('\0')) ? undefined : segments.map(encoded).join('/')
  } catch {
    return undefined
  }
}

/** The entries by pattern; throws where two routes have the same method and pattern. */
function draftsOf(routes: readonly BoundRoute[], prefix: string): readonly PatternRoutes[] {
  const drafts = new Map<string, PatternRoutes>()
  for (const route of routes) {
    const pattern = pathFromRoot(route, prefix)
    const segments = pattern.slice(1).split('/')
    const shape = nameless(pattern)
    const places = drafts.get(shape)?.places ?? new Map<Method, Place>()
    const other = places.get(route.method)
    if (other !== undefined) {
      throw new Error(`${route.method} ${pattern} is given by both ${other.route.plugin} and ${route.plugin}`)
    }
    const names = parametersIn(pattern)
    places.set(
      route.method,
      Object.freeze({ route, pattern, names, needsToken: needsToken(route), takes: bodyKind(route) }),
    )
    drafts.set(shape, { segments, places, entry: entryOf(pattern, places) })
  }
  return [...drafts.values()]
}

function entryOf(pattern: string, places: ReadonlyMap<Method, Place>): Entry {
  const allow: string[] = [...places.keys()]
  if (places.has('GET')) allow.push('HEAD')
  return Object.freeze({ pattern, methods: places, allow: Object.freeze([...allow, 'OPTIONS'].sort()) })
}

/** Short patterns first; of the same length, literals before parameters, from the left. */
function byLiterals(a: PatternRoutes, b: PatternRoutes): number {
  if (a.segments.length !== b.segments.length) return a.segments.length - b.segments.length
  const at = a.segments.findIndex((segment, i) => isParameter(segment) !== isParameter(b.segments[i] ?? ''))
  return at === -1 ? 0 : isParameter(a.segments[at] ?? '') ? 1 : -1
}

/**
 * The beginning that all paths of a pattern share, up to the first segment below the prefix or the root; undefined
 * where that is a parameter.
 */
function headOf(segments: readonly string[], prefix: readonly string[]): string | undefined {
  const fits = prefix.every((part, at) => segments[at] === part || isParameter(segments[at] ?? ''))
  const below = fits && segments.length > prefix.length
  const head = segments.slice(0, below ? prefix.length + 1 : 1)
  return head.some(isParameter) ? undefined : `/${head.map(encoded).join('/')}`
}

/** A router of some patterns, the first match counts; each layer is named after its pattern. */
function routerOf(drafts: readonly PatternRoutes[]): Router {
  const router = new Router({ sensitive: true, strict: true })
  for (const { segments, places, entry } of drafts.toSorted(byLiterals)) {
    const path = segments.map((segment, at) =>
      isParameter(segment) ? `:p${at}` : encoded(segment).replace(SPECIAL, '\\$&'),
    )
    router.register(`/${path.join('/')}`, [...places.keys()], () => undefined, { name: entry.pattern })
  }
  return router
}

/**
 * A router for each beginning, with the patterns that fit any; the router without a beginning has those alone. Each is
 * made by the first request that needs it: compiling the patterns of hundreds of resources would hold up every start.
 */
function routersOf(drafts: readonly PatternRoutes[], prefix: string): (head: string) => Router {
  const above = prefix.split('/').slice(1)
  const byHead = new Map<string | undefined, PatternRoutes[]>([[undefined, []]])
  for (const draft of drafts) {
    const head = headOf(draft.segments, above)
    const known = byHead.get(head)
    if (known === undefined) byHead.set(head, [draft])
    else known.push(draft)
  }
  const anywhere = byHead.get(undefined) ?? []
  const made = new Map<string | undefined, Router>()
  return (wanted) => {
    const head = byHead.has(wanted) ? wanted : undefined
    const known = made.get(head)
    if (known !== undefined) return known
    const router = routerOf(head === undefined ? anywhere : [...byHead.get(head)!, ...anywhere])
    made.set(head, router)
    return router
  }
}

/** Makes the table of the routes below `prefix`; throws where two of them have the same method and pattern. */
export function compileTable(routes: readonly BoundRoute[], prefix: string): Table {
  const drafts = draftsOf(routes, prefix)
  const entries = new Map(drafts.map(({ entry }) => [entry.pattern, entry]))
  const literal = new Map<string, Match>()
  for (const { segments, entry } of drafts) {
    if (!segments.some(isParameter)) literal.set(entry.pattern, { entry, values: NONE })
  }
  const routerFor = routersOf(drafts, prefix)
  const below = `${prefix}/`

  return (path) => {
    const known = literal.get(path)
    if (known !== undefined) return known
    const given = canonical(path)
    if (given === undefined || !given.startsWith('/')) return undefined
    const end = given.indexOf('/', given.startsWith(below) ? below.length : 1)
    const [layer] = routerFor(end === -1 ? given : given.slice(0, end)).match(given, 'GET').path
    const entry = entries.get(layer?.name ?? '')
    if (layer === undefined || entry === undefined) return undefined
    return {
      entry,
      values: layer.captures(given).map((value) => (value.includes('%') ? decodeURIComponent(value) : value)),
    }
  }
}
