/** The node:http server around whichever app is current, with the limits and events that Node leaves to us. */

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LIMITS } from '../limits.ts'
import type { HttpApp } from './parts.ts'
import { createPassage, type Passage } from './passage.ts'

/** A server that asks `current` for the app on every request, so that an app can be replaced while it listens; `passage` may have requests wait for that. */
export function httpServer(current: () => HttpApp, passage: Passage = createPassage()): Server {
  const answer: RequestListener = (request, response) =>
    passage.through(response, () => current().callback()(request, response))
  const server = createServer(
    {
      maxHeaderSize: LIMITS.headerBytes,
      headersTimeout: LIMITS.headersMs,
      requestTimeout: LIMITS.requestMs,
      keepAliveTimeout: LIMITS.keepAliveMs,
      connectionsCheckingInterval: 1_000,
      // Node would answer a missing Host by itself, without the envelope; nothing here relies on it.
      requireHostHeader: false,
    },
    answer,
  )
  // An expectation other than 100-continue may be ignored; Node would answer it without the envelope.
  server.on('checkExpectation', answer)
  server.on('clientError', (error, socket) => current().clientError(error, socket))
  return server
}

/** Stops accepting, waits for requests in flight, and cuts what is left after `LIMITS.drainMs`. */
export function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), LIMITS.drainMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}

/** The URL under which a server that listens is reached. */
export function addressOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
