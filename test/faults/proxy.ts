/** A proxy in front of several instances that asks their /readyz and tries nothing twice, like the plainest of load balancers. */
import { once } from 'node:events'
import { Agent, createServer, get, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const LOOK_MS = 100

export interface Proxy {
  readonly url: string
  /** How many instances get requests. */
  ready(): number
  /** Why requests were answered with 502. */
  readonly failures: readonly string[]
  /** Puts an instance, or its successor, in a place; none until it is ready. */
  place(at: number, url: string): void
  close(): Promise<void>
}

interface Upstream {
  readonly url: string
  readonly agent: Agent
  ready: boolean
}

/** What an instance says of itself; undefined when it says nothing within a while, which changes nothing. */
function isReady(url: string): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const asked = get(`${url}/readyz`, { agent: false, timeout: 2_000 }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.on('timeout', () => {
      resolve(undefined)
      asked.destroy()
    })
    asked.on('error', () => resolve(false))
  })
}

/** Starts a proxy; a request that an instance does not answer is answered with 502. */
export async function openProxy(): Promise<Proxy> {
  const upstreams: Upstream[] = []
  const failures: string[] = []
  let turn = 0
  const server = createServer((asked, answer) => {
    const ready = upstreams.filter((one) => one?.ready)
    const upstream = ready[turn++ % ready.length]
    if (upstream === undefined) {
      failures.push('no instance is ready')
      answer.writeHead(502, { 'Content-Length': 0 }).end()
      asked.resume()
      return
    }
    const { agent, url } = upstream
    const { connection: _, ...headers } = asked.headers
    const passed = request(url + asked.url, { method: asked.method ?? 'GET', headers, agent }, (given) => {
      const { connection: __, ...back } = given.headers
      answer.writeHead(given.statusCode ?? 502, back)
      given.pipe(answer)
    })
    passed.on('error', (error) => {
      failures.push(`${error.message}, ${passed.reusedSocket ? 'on a kept connection' : 'on a new connection'}`)
      if (answer.headersSent) answer.destroy()
      else answer.writeHead(502, { 'Content-Length': 0 }).end()
    })
    asked.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const look = async (one: Upstream): Promise<void> => {
    one.ready = (await isReady(one.url)) ?? one.ready
  }
  const timer = setInterval(() => {
    for (const one of upstreams) void look(one)
  }, LOOK_MS)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: () => upstreams.filter((one) => one?.ready).length,
    failures,
    place(at, url) {
      upstreams[at]?.agent.destroy()
      upstreams[at] = { url, agent: new Agent({ keepAlive: true }), ready: false }
    },
    async close() {
      clearInterval(timer)
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      for (const { agent } of upstreams) agent.destroy()
    },
  }
}
