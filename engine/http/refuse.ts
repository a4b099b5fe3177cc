/** The answer to a request that is refused before anything of it is looked at, made with as little work as possible. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { discard, hasBody } from './body.ts'
import type { HttpApp, HttpParts } from './parts.ts'
import { requestIdOf } from './pipeline.ts'
import { allowOrigin, fixedHeaders, refusal, type Stamp } from './send.ts'

/** Refuses requests of an app without a context, a caller, a body or a line in the log. */
export function refuseUnread(parts: Pick<HttpParts, 'settings' | 'now' | 'newId'>, stamp: Stamp): HttpApp['refuse'] {
  const fixed = fixedHeaders(parts.settings)
  return (request: IncomingMessage, response: ServerResponse, error) => {
    const requestId = requestIdOf(request, parts.newId)
    const { status, headers, type = '', body = '' } = refusal(error, stamp(parts.now()), requestId)
    allowOrigin(request, response, fixed)
    for (const [name, value] of fixed.headers) response.setHeader(name, value)
    for (const name in headers) response.setHeader(name, headers[name]!)
    response.setHeader('X-Request-Id', requestId)
    response.setHeader('Content-Type', type)
    response.setHeader('Content-Length', Buffer.byteLength(String(body)))
    response.statusCode = status
    // A client that sent `Expect: 100-continue` does not send the body after a refusal; its next request would be read as that body.
    if (request.headers.expect !== undefined) response.shouldKeepAlive = false
    response.end(request.method === 'HEAD' ? undefined : body)
    if (hasBody(request)) discard(request)
  }
}
