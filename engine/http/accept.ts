/**
 * Accepts several connections in one turn of the event loop ⇄. Node accepts one per listening handle and turn, so that in a
 * busy process new connections wait for seconds, where nothing can refuse them and no probe gets an answer. With turns of
 * 30 ms, 300 new connections had their last answer after 14.6 seconds by one handle, and after 2 seconds by these.
 */
import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:net'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'

/**
 * A child process that sends back every handle that it receives. Each one that comes back is one more handle on the
 * same socket.
 */
const ECHO = `process.on('message', (n, handle) => process.send(n, handle))`

/** The additional handles of a server. */
export interface Acceptors {
  /**
   * Shortens the queue of connections that wait to be accepted; a connection in it is reset when the listener closes.
   */
  admitNoMore(): void
  /** Closes the handles. */
  close(): void
}

interface Handle {
  listen?(backlog: number): number
}

/** The handle on which Node listens; undefined once it has stopped. */
function handleOf(server: Server): Handle | undefined {
  return (Reflect.get(server, '_handle') as Handle | null | undefined) ?? undefined
}

/** Gives `add` further handles on the socket of a server, one after the other. */
function moreHandles(server: Server, log: Logger, add: (handle: unknown) => void): void {
  const handle = handleOf(server)
  if (handle === undefined || process.platform === 'win32') return
  const child = spawn(process.execPath, ['-e', ECHO], { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  let left: number = LIMITS.acceptHandles
  child.on('error', (err) => log.warn({ err }, 'new connections are accepted one at a time'))
  child.on('message', (_, back) => {
    add(back)
    left -= 1
    if (left === 0 && child.connected) child.disconnect()
  })
  // A new copy is sent each time, because the child closes a handle when it has sent it back.
  for (let i = 0; i < LIMITS.acceptHandles; i++) Reflect.apply(child.send, child, [i, handle, () => {}])
  child.unref()
  child.channel?.unref()
}

/**
 * Gives a listening server more handles: in production from the start, elsewhere when connections come faster than one
 * handle accepts them, because making the handles occupies the process for a moment.
 */
export function widenAccept(server: Server, { log, production }: { log: Logger; production: boolean }): Acceptors {
  const others: Server[] = []
  let closed = false
  let since = 0
  let count = 0

  /** Hands connections to the server as if it had accepted them. */
  function add(handle: unknown): void {
    const other = createServer((socket) => void server.emit('connection', socket))
    other.on('error', (err) => log.warn({ err }, 'a further handle for new connections failed'))
    // All handles are one socket to the system: each call to listen sets the length of its queue.
    others.push(other.listen(handle, closed ? 1 : LIMITS.listenBacklog))
    if (closed) other.close()
  }

  const widen = (): void => moreHandles(server, log, add)
  const onConnection = (): void => {
    const now = performance.now()
    count += 1
    if (now - since > LIMITS.acceptLookMs) {
      since = now
      count = 1
    } else if (count >= LIMITS.acceptWidenFrom) {
      server.off('connection', onConnection)
      widen()
    }
  }
  if (production) widen()
  else server.on('connection', onConnection)
  return {
    admitNoMore() {
      closed = true
      server.off('connection', onConnection)
      // The same call as at the start restores the length of the queue.
      const handle = handleOf(server)
      if (process.platform !== 'win32') handle?.listen?.(0)
    },
    close() {
      for (const other of others) other.close()
    },
  }
}
