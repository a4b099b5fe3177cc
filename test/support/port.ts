/** Ports of this machine for servers that a test starts, and starts again, at the same place. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that a system gives to connections, which could have one that a server has left for a moment. */
const [FIRST, LAST] = [10_000, 32_000]

/** A port of 127.0.0.1 at which nobody listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
