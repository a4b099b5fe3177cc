/** Answers of SCIM: a resource with its version, lists in pages, and the part of them that a client asks for. */
import { createHash } from 'node:crypto'
import {
  ApiError,
  isObject,
  type Json,
  type JsonObject,
  namesTag,
  type Reply,
  type RouteContext,
} from '../../engine/index.ts'
import { refused, SCIM_TYPE } from './error.ts'
import { parseFilter, plainName } from './filter/parse.ts'
import type { Found, Page } from './find.ts'

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
/** The most resources of one page, which the configuration says too. */
export const MOST = 100

/** The body of a request as JSON; throws a refusal for another. */
export function bodyOf({ raw }: Pick<RouteContext, 'raw'>): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(raw?.bytes ?? new Uint8Array()))
  } catch {
    throw refused('invalidSyntax', 'The body is no JSON')
  }
  if (!isObject(value)) throw refused('invalidSyntax', 'The body must be a JSON object')
  return value as JsonObject
}

/** Where a resource of SCIM is. */
export function placeOf({ settings }: Pick<RouteContext, 'settings'>, path: string): string {
  return `${settings.baseUrl.replace(/\/+$/, '')}/scim/v2${path}`
}

export interface Shown {
  readonly type: 'User' | 'Group'
  readonly id: string
  readonly created: Json | undefined
  readonly lastModified: Json | undefined
  readonly attributes: JsonObject
}

/** A resource with its `meta`, and its version: a weak tag of all that it shows. */
export function resourceOf(
  context: Pick<RouteContext, 'settings'>,
  shown: Shown,
): { readonly body: JsonObject; readonly version: string } {
  const { attributes, created, id, lastModified, type } = shown
  const version = `W/"${createHash('sha256').update(JSON.stringify(attributes)).digest('base64url').slice(0, 22)}"`
  const location = placeOf(context, `/${type}s/${id}`)
  const meta = { resourceType: type, ...(isObject(created) ? {} : { created, lastModified }), location, version }
  return { body: { ...attributes, meta: meta as JsonObject }, version }
}

/** Throws stale_version where a change is for another version than this one (RFC 7644, section 3.14). */
export function requireVersion({ headers }: Pick<RouteContext, 'headers'>, version: string): void {
  const wanted = headers['if-match']
  if (wanted !== undefined && wanted.trim() !== '*' && !namesTag(wanted, version.replace(/^W\/"|"$/g, '')))
    throw new ApiError('stale_version', { message: 'It was changed meanwhile: read it again' })
}

/** The answer with one resource. */
export function answered(context: RouteContext, shown: Shown, status = 200): Reply {
  const { body, version } = resourceOf(context, shown)
  const headers = { ETag: version, ...(status === 201 && { Location: String((body.meta as JsonObject).location) }) }
  return written(projected(context.query, body), status, headers)
}

/** An answer of any content. */
export function written(body: JsonObject, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers, raw: { type: SCIM_TYPE, body: JSON.stringify(body) } }
}

/** The page that a query asks for (RFC 7644, section 3.4.2). */
export function pageOf(query: URLSearchParams): Page {
  const number = (name: string, absent: number): number => {
    const text = query.get(name)
    if (text === null || text === '') return absent
    const value = Number(text)
    if (!Number.isSafeInteger(value)) throw refused('invalidValue', `"${name}" must be a whole number`)
    return value
  }
  const filter = query.get('filter')
  const sortBy = query.get('sortBy')
  return {
    filter: filter === null || filter.trim() === '' ? undefined : parseFilter(filter),
    sortBy: sortBy === null ? null : plainName(sortBy),
    sortOrder: query.get('sortOrder'),
    offset: Math.max(1, number('startIndex', 1)) - 1,
    count: Math.min(MOST, Math.max(0, number('count', MOST))),
  }
}

/** The answer with a page of a list. */
export function listed(
  context: Pick<RouteContext, 'settings' | 'query'>,
  page: Page,
  { all, total }: Found<Shown>,
): Reply {
  return written({
    schemas: [LIST],
    totalResults: total,
    startIndex: page.offset + 1,
    itemsPerPage: all.length,
    Resources: all.map((one) => projected(context.query, resourceOf(context, one).body)),
  })
}

/** Whether a query leaves an attribute out of answers. */
export function leavesOut(query: URLSearchParams, name: string): boolean {
  const [only, without] = ['attributes', 'excludedAttributes'].map((key) => namesIn(query, key))
  return only!.length > 0 ? !only!.some((one) => one === name || one.startsWith(`${name}.`)) : without!.includes(name)
}

function namesIn(query: URLSearchParams, key: string): readonly string[] {
  return (query.get(key) ?? '').split(',').flatMap((one) => (one.trim() === '' ? [] : [plainName(one.trim())]))
}

/** The part of a resource that a query asks for; `schemas` and `id` are always in it. */
function projected(query: URLSearchParams, body: JsonObject): JsonObject {
  const [only, without] = ['attributes', 'excludedAttributes'].map((key) => namesIn(query, key))
  if (only!.length === 0 && without!.length === 0) return body
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) => {
      const name = key.toLowerCase()
      if (name === 'schemas' || name === 'id') return [[key, value]]
      if (only!.length === 0) {
        const rest = parts(value, (sub) => !without!.includes(`${name}.${sub}`))
        return without!.includes(name) || rest === undefined ? [] : [[key, rest]]
      }
      if (only!.includes(name)) return [[key, value]]
      const chosen = parts(value, (sub) => only!.includes(`${name}.${sub}`))
      return chosen === undefined || chosen === value ? [] : [[key, chosen]]
    }),
  )
}

/** A value with those of its parts that `stays` admits; undefined where none does. */
function parts(value: Json, stays: (sub: string) => boolean): Json | undefined {
  if (Array.isArray(value)) {
    const kept = value.flatMap((one) => parts(one, stays) ?? [])
    return kept.length === 0 && value.length > 0 ? undefined : kept
  }
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => stays(key.toLowerCase()))
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
