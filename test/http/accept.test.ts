/** Connections that come faster than they are accepted. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { widenAccept } from '../../engine/http/accept.ts'
import { LIMITS } from '../../engine/limits.ts'
import { until } from '../support/wait.ts'
import { quiet } from './log.ts'

const CONNECTIONS = 700
/** A connection that found no room asks again after a second. */
const BEFORE_THE_NEXT_MS = 900
/** Opens connections, and prints how many of them stand before the first that found no room asks again. */
const CLIENT = `
  const { connect } = require('node:net')
  let stand = 0
  for (let i = 0; i < ${CONNECTIONS}; i++) connect(Number(process.argv[1]), '127.0.0.1').on('connect', () => { stand += 1 }).on('error', () => {})
  setTimeout(() => { process.stdout.write(String(stand), () => process.exit()) }, ${BEFORE_THE_NEXT_MS})`

/** The longest queue that the system allows a listening socket; undefined where it does not say. */
function longestQueue(): number | undefined {
  try {
    return Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))
  } catch {
    return undefined
  }
}

/** How many TCP handles this process holds. */
function handles(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length
}

const test = suite('http: accept')

test('connections wait in a long queue while the process is busy, also with further handles', async () => {
  if ((longestQueue() ?? 0) < CONNECTIONS) return
  const server = createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: LIMITS.listenBacklog })
  await once(server, 'listening')
  const before = handles()
  const { port } = server.address() as AddressInfo
  const acceptors = widenAccept(server, { log: quiet, production: true })
  await until(() => handles() === before + LIMITS.acceptHandles)
  const client = spawn(process.execPath, ['-e', CLIENT, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
  // Nothing is accepted while the client connects.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
  const [stand] = await once(client.stdout, 'data')
  acceptors.close()
  server.close()
  server.closeAllConnections()
  assert.is(Number(stand), CONNECTIONS)
})

test.run()
