/** A server that takes connections and says nothing, as one does whose machine hangs. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface SilentServer {
  readonly port: number
  /** How many connections it took. */
  readonly taken: () => number
  close(): Promise<void>
}

/** Listens at 127.0.0.1; the port is a free one unless it is named. */
export async function startSilentServer(port = 0): Promise<SilentServer> {
  const sockets = new Set<Socket>()
  let taken = 0
  const server = createServer((socket) => {
    taken += 1
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    taken: () => taken,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
