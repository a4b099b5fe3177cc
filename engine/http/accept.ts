/**
 * Accepts more than one connection in a turn of the event loop ⇄. Node takes one for each listening handle and turn, so a
 * busy process would leave new connections waiting for seconds, where nothing can be refused and no probe be answered.
 */
import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:net'
import { LIMITS } from '../limits.ts'
import type { Logger } from '../observe.ts'

/** A child process that sends back every handle that it receives; each one that comes back is another handle on the same socket. */
const ECHO = `process.on('message', (n, handle) => process.send(n, handle))`

/** The further handles that a server accepts by. */
export interface Acceptors {
  /** Lets no more connections wait to be accepted: what still waits when the listener closes is reset. */
  admitNoMore(): void
  /** Stops accepting by them. */
  close(): void
}

interface Handle {
  listen?(backlog: number): number
}

/** The handle by which Node listens; undefined when it has stopped listening. */
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
 * Has a listening server accept by more handles: in production from the start, elsewhere as soon as connections come
 * faster than one handle may take them, because making the handles takes a process for a moment.
 */
export function widenAccept(server: Server, { log, production }: { log: Logger; production: boolean }): Acceptors {
  const others: Server[] = []
  let closed = false
  let since = 0
  let count = 0

  /** Connections go to the server as if it had accepted them. */
  function add(handle: unknown): void {
    const other = createServer((socket) => void server.emit('connection', socket))
    other.on('error', (err) => log.warn({ err }, 'a further handle for new connections failed'))
    // All handles are one socket to the system: each one that listens sets the length of its queue anew.
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
      // The same call as at the start, on the same socket: its queue has room for one more.
      const handle = handleOf(server)
      if (process.platform !== 'win32') handle?.listen?.(0)
    },
    close() {
      for (const other of others) other.close()
    },
  }
}
