/** Probes during a long start ⇄: the process lives and is not ready. Other requests find nobody, as before a start. */
import { createServer, type ServerResponse } from 'node:http'
import { ApiError } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Settings } from '../settings.ts'
import type { Answer } from './send.ts'
import { JSON_TYPE, refusalText, type Stamp, successText } from './send.ts'

export interface Starting {
  /** Resolves when the port is free for the application. */
  end(): Promise<void>
}

/** The name of the application is not known yet. */
const stamp: Stamp = (at) => `"timestamp":"${at.toISOString().slice(0, -1)}000Z"`

function answered(path: string, at: Date): Answer | undefined {
  const head = stamp(at)
  if (path === '/livez')
    return { status: 200, headers: {}, type: JSON_TYPE, body: successText({ data: { status: 'alive' } }, head) }
  if (path !== '/readyz' && path !== '/metrics') return undefined
  const error = new ApiError('unavailable', {
    message: 'The application is starting',
    ...(path === '/readyz' && { checks: { process: 'starting' } }),
  })
  return { status: error.status, headers: { 'Retry-After': '1' }, type: JSON_TYPE, body: refusalText(error, head) }
}

function send(response: ServerResponse, { status, headers, type = '', body = '' }: Answer): void {
  // The application listens on the same port next, and must not wait for old connections.
  response.shouldKeepAlive = false
  response.writeHead(status, { ...headers, 'Content-Type': type })
  response.end(response.req.method === 'HEAD' ? undefined : String(body))
}

/** Listens after LIMITS.startProbesMs; where that fails, or where any port would do, nothing is answered. */
export function answerWhileStarting({ port, host }: Pick<Settings, 'port' | 'host'>, now: () => Date): Starting {
  const server = createServer((request, response) => {
    const answer = answered((request.url ?? '').split('?')[0]!, now())
    if (answer === undefined) request.socket.destroy()
    else send(response, answer)
  })
  // The application itself reports who has the port.
  server.on('error', () => {})
  const late = setTimeout(() => {
    if (port !== 0) server.listen({ port, host }).unref()
  }, LIMITS.startProbesMs).unref()
  return {
    end() {
      clearTimeout(late)
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}
