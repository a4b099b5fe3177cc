/** When Node's parser refuses a request, answers with the same envelope as every answer. */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '../error.ts'
import { JSON_TYPE, refusalText, type Stamp } from './send.ts'

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

/** One whole answer as text, after which the connection ends. */
export function closingResponse(error: ApiError, stamp: string, requestId: string): string {
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

/** A listener for `clientError` that answers with the envelope, after the answers to earlier requests of the connection. */
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
