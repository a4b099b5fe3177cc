/**
 * Refusals outside the pipeline, with as little work as possible: of requests that the server does not admit, and of
 * those that Node's parser refuses.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '../error.ts'
import { discard, hasBody } from './body.ts'
import type { HttpApp, HttpParts } from './http-app.ts'
import { sentencesFor } from './negotiation.ts'
import { requestIdOf } from './pipeline.ts'
import { allowOrigin, fixedHeaders, JSON_TYPE, refusal, refusalText, type Stamp } from './send.ts'

/** Refuses a request without a context, a caller, a body or a line in the log. */
export function refuseUnread(
  parts: Pick<HttpParts, 'catalog' | 'settings' | 'now' | 'newId'>,
  stamp: Stamp,
): HttpApp['refuse'] {
  const fixed = fixedHeaders(parts.settings, parts.catalog)
  return (request: IncomingMessage, response: ServerResponse, refused) => {
    const error = refused.translated(sentencesFor(parts.catalog, request.headers))
    const requestId = requestIdOf(request, parts.newId)
    const { status, headers, type = '', body = '' } = refusal(error, stamp(parts.now()), requestId)
    allowOrigin(request, response, fixed)
    for (const [name, value] of fixed.headers) response.setHeader(name, value)
    for (const name in headers) response.setHeader(name, headers[name]!)
    response.setHeader('X-Request-Id', requestId)
    response.setHeader('Content-Type', type)
    response.setHeader('Content-Length', Buffer.byteLength(String(body)))
    response.statusCode = status
    // A client that sent `Expect: 100-continue` sends no body after a refusal: its next request would be read as that
    // body.
    if (request.headers.expect !== undefined) response.shouldKeepAlive = false
    response.end(request.method === 'HEAD' ? undefined : body)
    if (hasBody(request)) discard(request)
  }
}

/** Node keeps the answer in progress on its socket. */
type Serving = Duplex & { readonly _httpMessage?: ServerResponse | null }

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
}

function refusalOf(error: Error): ApiError {
  switch (Reflect.get(error, 'code')) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headers_too_large')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiError('payload_too_large')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout')
    default:
      return new ApiError('bad_request', { message: 'Bad Request' })
  }
}

/** A whole answer as text; the connection ends after it. */
function closingResponse(error: ApiError, stamp: string, requestId: string): string {
  const body = refusalText(error, stamp, requestId)
  return [
    `HTTP/1.1 ${error.status} ${REASONS[error.status] ?? 'Error'}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: private, no-cache',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

/**
 * A listener for `clientError`: answers with the envelope, after the earlier requests of the connection have their
 * answers.
 */
export function clientErrorListener(stamp: Stamp, now: () => Date, newId: () => string) {
  return (error: Error, socket: Serving): void => {
    if (!socket.writable || Reflect.get(error, 'code') === 'ECONNRESET') {
      socket.destroy()
      return
    }
    const refuse = () => {
      if (socket.writable) socket.end(closingResponse(refusalOf(error), stamp(now()), newId()))
    }
    const serving = socket._httpMessage
    if (serving === undefined || serving === null) refuse()
    else if (serving.headersSent && !serving.writableFinished && !serving.req.complete) socket.destroy()
    // When unreadable bytes follow a complete request, that request's answer is sent first.
    else if (serving.req.complete) serving.once('close', refuse)
    else refuse()
  }
}
