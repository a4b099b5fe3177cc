/**
 * Limits the headers of multipart parts before a parser sees them: its regular expressions slow down with every byte.
 */
import type { IncomingMessage } from 'node:http'
import { finished, Transform } from 'node:stream'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'

/** Must match formidable, so that both look for the same bytes. */
const BOUNDARY = /boundary=(?:"([^"]+)"|([^;]+))/i
const END = Buffer.from('\r\n\r\n')
/** Two names are already wrong; each costs the parser another look through the rest of the line. */
const NAMES = 8

function refused(message: string): ApiError {
  return new ApiError('bad_request', { message })
}

/** Throws bad_request when the headers of one part are more than a client needs. */
function judge(header: Buffer): void {
  const text = header.toString('latin1')
  if (text.split('\r\n').length - 1 > LIMITS.partHeaders)
    throw refused(`A part of the multipart body has more than ${LIMITS.partHeaders} headers`)
  if (text.toLowerCase().split('filename=').length - 1 > NAMES)
    throw refused('A part of the multipart body names its file more than once')
}

/**
 * Reads a body piece by piece; throws bad_request for a part whose headers exceed the limit, 413 for too many parts.
 */
export type PartHeaders = (chunk: Buffer) => void

/**
 * A reader for a body of this content type. Everything after `--boundary` counts as headers up to the first empty line.
 * The parser is stricter about where a part begins, so that nothing it takes for a header goes uncounted. It also slows
 * down with every part, and counts parts only after it has read them.
 */
export function partHeaders(contentType: string, mostParts: number): PartHeaders {
  const found = BOUNDARY.exec(contentType)
  const opening = Buffer.from(`--${found?.[1] ?? found?.[2] ?? ''}`)
  let inHeaders = false
  let parts = 0
  /** Bytes not yet decided: the headers so far, or what may begin an opening. */
  let kept = Buffer.alloc(0)

  return (chunk) => {
    let rest = Buffer.concat([kept, chunk])
    for (;;) {
      const at = rest.indexOf(inHeaders ? END : opening)
      if (inHeaders && (at === -1 ? rest.length : at) > LIMITS.partHeaderBytes)
        throw refused(`A part of the multipart body has more than ${LIMITS.partHeaderBytes} bytes of headers`)
      if (at === -1) break
      if (inHeaders) judge(rest.subarray(0, at))
      rest = rest.subarray(at + (inHeaders ? 0 : opening.length))
      inHeaders = !inHeaders
      if (inHeaders) parts += 1
      // The end of the body looks like one more opening.
      if (parts > mostParts + 1) throw new ApiError('payload_too_large')
    }
    kept = Buffer.from(inHeaders ? rest : rest.subarray(Math.max(0, rest.length - opening.length + 1)))
  }
}

/** The request for a parser: the same headers and bytes; fails where part headers exceed the limit. */
export function guarded(request: IncomingMessage, mostParts: number): Transform & Pick<IncomingMessage, 'headers'> {
  const look = partHeaders(request.headers['content-type'] ?? '', mostParts)
  const guard = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        look(chunk)
        done(null, chunk)
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  })
  // Not a pipeline: that would end the connection on a refusal, before the client has its answer.
  finished(request, { writable: false }, (error) => {
    if (error) guard.destroy(error)
  })
  request.pipe(guard)
  return Object.assign(guard, { headers: request.headers })
}
