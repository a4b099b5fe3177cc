/** A proxy between a service and PostgreSQL that cuts a connection at a chosen moment of a conversation. */
import { once } from 'node:events'
import net from 'node:net'

/** `answered`: the server has done what it was told, and its answer is lost. `sent`: cut as soon as it was told. */
export type CutMode = 'answered' | 'sent'

export interface CuttingProxy {
  /** The address of the database by way of the proxy. */
  readonly url: string
  /** Cuts the connection on which the service says its `nth` message from now on, counted over all connections. */
  cutAt(nth: number, mode: CutMode): void
  /** Takes the order back; gives whether a connection was cut since it was given. */
  disarm(): boolean
  close(): Promise<void>
}

/** Opens a proxy to the server of a URL. */
export async function openCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const through = new URL(databaseUrl)
  const target = { port: Number(through.port || 5432), host: through.hostname }
  const open = new Set<net.Socket>()
  let order: { left: number; readonly mode: CutMode } | undefined
  let cut = false
  const server = net.createServer((service) => {
    const database = net.connect(target)
    let lost = false
    const end = (): void => {
      service.destroy()
      database.destroy()
    }
    for (const socket of [service, database]) {
      open.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        open.delete(socket)
        end()
      })
    }
    service.on('data', (said) => {
      if (order !== undefined && order.left-- === 0) {
        cut = true
        lost = true
        // What was said still arrives: only then is the connection closed.
        if (order.mode === 'sent') database.write(said, end)
        else database.write(said)
        order = undefined
      } else if (!lost) database.write(said)
    })
    database.on('data', (answer) => {
      if (lost) end()
      else service.write(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  through.host = `127.0.0.1:${(server.address() as net.AddressInfo).port}`
  return {
    url: through.href,
    cutAt(nth, mode) {
      order = { left: nth, mode }
      cut = false
    },
    disarm() {
      order = undefined
      return cut
    },
    async close() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
