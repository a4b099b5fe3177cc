/** A listening server ⇄, from its first connection to its last. */
import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'
import type { Settings } from '../settings.ts'
import { widenAccept } from './accept.ts'
import { addressOf, type Gate, httpServer, type Serving } from './server.ts'
import { drain, openSockets } from './stopping.ts'

/** A server that listens. */
export interface Listening {
  readonly url: string
  /** Serves for `delayMs`, lets open requests finish, and resolves when the last connection has ended. */
  stop(delayMs: number): Promise<void>
}

export interface ListenOptions {
  readonly settings: Pick<Settings, 'port' | 'host' | 'production'>
  readonly log: Logger
  /** Ends endless answers, such as streams; resolves when each has been told to end. */
  readonly ending?: () => Promise<void>
}

/** Resolves when the server takes connections; rejects where it cannot. */
function listens(server: Server, { port, host }: ListenOptions['settings']): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: LIMITS.listenBacklog }, resolve)
  })
}

/** Starts to listen for the app that serves; rejects when the port is taken. */
export async function listen(
  serving: Serving,
  gate: Gate,
  { settings, log, ending }: ListenOptions,
): Promise<Listening> {
  const server = httpServer(serving, gate)
  const sockets = openSockets(server)
  await listens(server, settings)
  const acceptors = widenAccept(server, { log, production: settings.production })
  return {
    url: addressOf(server),
    async stop(delayMs) {
      if (delayMs > 0) await sleep(delayMs)
      await ending?.()
      await drain({ server, passage: gate.passage, acceptors, sockets })
    },
  }
}
