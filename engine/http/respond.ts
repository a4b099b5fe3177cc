/** What a request gets: the checks in their one order (decisions, 1), then the handler. */
import { join } from 'node:path'
import { invalid } from '../error.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { decodeInput } from '../record/decode.ts'
import { checkAccess } from './access.ts'
import { checkDeclared, isMultipart, jsonReader } from './body.ts'
import type { Call } from './call.ts'
import type { Stamp } from './envelope.ts'
import { gateOf, headersOf } from './gate.ts'
import { inspectBody } from './inspect.ts'
import type { Answer, BoundRoute, HttpParts } from './parts.ts'
import { performer } from './perform.ts'
import { decodeQuery, parseQuery } from './query.ts'
import type { Fixed } from './send.ts'
import type { Place } from './table.ts'
import { type Upload, uploadBytes, uploads } from './upload.ts'

/** Answers a request; throws ApiError where a check refuses. */
export type Respond = (call: Call) => Promise<Answer>

const NOTHING: Readonly<Record<string, Json>> = Object.freeze({})
const EMPTY: JsonObject = Object.freeze({})

function bodyKind(route: BoundRoute): 'none' | 'json' | 'multipart' {
  return route.body ?? (route.method === 'GET' || route.method === 'DELETE' ? 'none' : 'json')
}

function paramsOf(place: Place, values: readonly string[]): Readonly<Record<string, string>> {
  const { names } = place
  return names.length === 0 ? {} : Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
}

/** The body decoded by the route's input; a handler without one gets it as sent. */
function decodeBody(route: BoundRoute, body: JsonObject, unknownKeys: 'refuse' | 'ignore'): JsonObject {
  const errors = inspectBody(body)
  if (Object.keys(errors).length > 0) throw invalid(errors)
  if (route.inputFields === undefined) return body
  const partial = route.method === 'PUT' || route.method === 'PATCH'
  const decoded = decodeInput(route.inputFields, body, { partial, unknownKeys })
  if (Object.keys(decoded.errors).length > 0) throw invalid(decoded.errors)
  return decoded.values
}

/** The whole way of a request to its answer. */
export function responder(parts: HttpParts, fixed: Fixed, stamp: Stamp): Respond {
  const { strictness, limits } = parts.catalog
  const jsonBytes = Math.min(limits.jsonBytes ?? LIMITS.jsonBytes, LIMITS.jsonBytes)
  const gate = gateOf(parts, fixed)
  const readJson = jsonReader(jsonBytes)
  const withUpload = uploads(join(parts.settings.dataDir, 'tmp'), parts.now)
  const perform = performer(parts, stamp)

  return async (call) => {
    const { ctx, requestId, ip } = call
    const passed = await gate(call)
    if ('status' in passed) return passed
    const { place, values } = passed
    const { route } = place

    const kind = bodyKind(route)
    if (kind !== 'none') checkDeclared(ctx.req, kind === 'json' ? jsonBytes : uploadBytes(route.upload), kind)
    const sent = kind === 'json' ? await readJson(ctx) : EMPTY
    const query = parseQuery(call.search)

    const { actor } = call
    checkAccess(route, actor)

    const { queryFields } = route
    // Where filters are taken too, the handler judges what is unknown.
    const unknownParameters = ({ filters }: BoundRoute) =>
      filters === undefined ? strictness.unknownParameters : 'ignore'
    const finish = ({ body, files }: Upload): Promise<Answer> =>
      perform(call, place, {
        actor,
        requestId,
        ip,
        query,
        files,
        headers: headersOf(call),
        params: paramsOf(place, values),
        parameters: queryFields === undefined ? NOTHING : decodeQuery(query, queryFields, unknownParameters(route)),
        body: kind === 'none' ? body : decodeBody(route, body, strictness.unknownKeys),
      })
    if (kind === 'multipart' && isMultipart(ctx.req)) return withUpload(ctx, route.upload, finish)
    return finish({ body: sent, files: [] })
  }
}
