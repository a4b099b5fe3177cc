/** Stops a server after every request that arrived has been answered. */
import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import type { Acceptors } from './accept.ts'
import type { Passage } from './server.ts'

/** A server with everything that has to end before it. */
export interface Stopping {
  readonly server: Server
  readonly passage: Passage
  readonly acceptors: Acceptors
  /** The connections that are open. */
  readonly sockets: ReadonlySet<Socket>
}

/** The open connections of a server, however they were accepted. */
export function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** Accepts the waiting connections, and then no more. */
async function closeListener({ server, acceptors }: Stopping): Promise<void> {
  acceptors.admitNoMore()
  let accepted = 0
  server.on('connection', () => {
    accepted += 1
  })
  for (let turn = 0; turn < LIMITS.listenBacklog; turn++) {
    const before = accepted
    await nextTurn()
    await nextTurn()
    if (accepted === before) break
  }
  acceptors.close()
  NetServer.prototype.close.call(server)
}

/** The silence of each connection: the time without a request in progress and without a byte. */
function silence(sockets: ReadonlySet<Socket>, passage: Passage): (now: number) => readonly Socket[] {
  const lastOf = memo((_: Socket) => ({ bytes: -1, since: 0 }))
  return (now) => {
    const busy = new Set([...passage.inside].map((response) => response.socket))
    return [...sockets].filter((socket) => {
      const last = lastOf(socket)
      if (last.bytes === socket.bytesRead && !busy.has(socket)) return now - last.since >= LIMITS.silentConnectionMs
      Object.assign(last, { bytes: socket.bytesRead, since: now })
      return false
    })
  }
}

/**
 * From now on every answer closes its connection. A moment later no connection is accepted any more, and each is closed
 * when its answers are sent or when it has been silent for a while, because a request may be on its way. After
 * LIMITS.drainMs the rest is cut off.
 */
export async function drain(stopping: Stopping): Promise<void> {
  const { server, passage, sockets } = stopping
  const began = performance.now()
  passage.closing()
  const silent = silence(sockets, passage)
  let listening = true
  while (listening || sockets.size > 0) {
    // Runs right after this turn has read all sockets, so that no request has arrived on a connection that is closed
    // here.
    await nextTurn()
    const now = performance.now()
    if (now - began > LIMITS.drainMs) for (const socket of sockets) socket.destroy()
    else if (!listening) for (const socket of silent(now)) socket.destroy()
    else silent(now)
    if (listening && (sockets.size === 0 || now - began >= LIMITS.lingerMs)) {
      listening = false
      await closeListener(stopping)
    }
    if (listening || sockets.size > 0) await sleep(LIMITS.lingerMs / 20)
  }
  // Ends its timers; that it no longer listens is no failure.
  server.close(() => {})
}
