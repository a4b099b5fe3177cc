/**
 * Whether the time of a refused sign-in shows what an address is: `npm run bench:addresses` asks in turns for an address
 * without an account, and for accounts of several kinds, and prints the median of each and its distance from all.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDesk } from '../desk/desk.ts'
import { strangers } from '../plugins/auth/strangers.ts'
import { lines, median } from './table.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' } } })
const rounds = Number(values.rounds)
/** So much may the median of one kind be away from that of all. */
const GOAL = 0.05

const desk = await openDesk({ TRUST_PROXY: '1' })
const addresses = Object.entries(await strangers(desk))
const WAYS = [
  ['POST /auth/login', { password: 'a wrong password' }],
  ['POST /auth/password/reset', {}],
] as const

const PAUSE_MS = 30
let network = 0
const rows: string[][] = [['request', 'address', 'median', 'from all']]
for (const [way, more] of WAYS) {
  const [method = '', path = ''] = way.split(' ')
  const times = new Map<string, number[]>(addresses.map(([kind]) => [kind, []]))
  for (let round = 0; round < rounds + 10; round++) {
    // Each round in an order of its own, so that none always has the work of the same one behind it.
    const order = addresses
      .map((one) => [Math.random(), one] as const)
      .sort(([one], [other]) => one - other)
      .map(([, one]) => one)
    for (const [kind, email] of order) {
      network += 1
      const headers = { 'x-forwarded-for': `10.${(network >> 16) & 255}.${(network >> 8) & 255}.${network & 255}` }
      await desk.engine.database.knex('sign_in_failures').delete()
      // What follows an answer is over by then.
      await pause(PAUSE_MS)
      const began = performance.now()
      await desk.call(method, path, { body: { email, ...more }, headers })
      if (round >= 10) times.get(kind)!.push(performance.now() - began)
    }
  }
  const all = median([...times.values()].flat())
  for (const [kind, taken] of times) {
    const own = median(taken)
    const away = own / all - 1
    const mark = Math.abs(away) <= GOAL ? '' : '  more than 5 %'
    rows.push([way, kind, `${own.toFixed(2)} ms`, `${(away * 100).toFixed(1)} %${mark}`])
  }
}
console.log(lines(rows))
await desk.close()
