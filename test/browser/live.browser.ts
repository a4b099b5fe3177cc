/** Lists that are open while others work: each change is seen, soon, and once, also when the connection or the server goes. */

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { folder } from '../cli/world.ts'
import { openRestartable, type Restartable } from '../faults/restartable.ts'
import { send, writeFiles } from '../support/application.ts'
import { openBrowser, openPage, WIDE } from '../support/browser.ts'
import { share, until } from '../support/wait.ts'
import { MANAGER, openRental, type Rental, rentalFiles, row } from './world.ts'

/** `LIVE_CHANGES=200 npm run test:browser -- test/browser/live` is the form of which times mean something. */
const CHANGES = Number(process.env.LIVE_CHANGES ?? 40)

const test = suite<Rental>('lists while others work')
const rental = await openRental()
/** Without a browser every test is skipped. */
const it = rental === undefined ? test.skip : test

test.before((context) => void Object.assign(context, rental))
test.after(() => rental?.close())

/** Runs in the page: notes when each name is seen first. */
const SEEN = `(() => {
  const seen = (window.seen = {})
  new MutationObserver(() => {
    for (const [name] of document.body.innerText.matchAll(/Change \\d+\\b/g)) seen[name] ??= Date.now()
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
})()`

it('of many changes nearly all are seen within a second, and all in the end', async ({ change, on, read }) => {
  await on('/bookings?sort=id&columns=customer,status', async (page) => {
    await row(page, 11).waitFor()
    await page.evaluate(SEEN)
    const made: number[] = []
    for (let at = 0; at < CHANGES; at += 1) {
      const id = 1 + (at % 12)
      await change(id, { customer: `Change ${at}` })
      made.push(Date.now())
      // A record is changed again only after its reader could have seen the change before.
      await page.waitForTimeout(100)
    }
    const last = `Change ${CHANGES - 1}`
    await page.getByText(last, { exact: true }).waitFor()
    const seen = await page.evaluate<Readonly<Record<string, number>>>('seen')
    const waits = made.map((when, at) => (seen[`Change ${at}`] ?? Number.POSITIVE_INFINITY) - when)
    const soon = waits.filter((ms) => ms <= 1000 / share()).length
    const sorted = [...waits].sort((a, b) => a - b)
    process.stdout.write(
      `  of ${CHANGES} changes ${soon} were seen in time; half of them within ${sorted[CHANGES >> 1]} ms\n`,
    )
    assert.ok(soon >= CHANGES * 0.99, `${soon} of ${CHANGES}: ${sorted.slice(-5).join(', ')} ms`)
    for (let id = 1; id <= 12; id += 1)
      await row(page, id - 1)
        .getByText(String((await read(id)).customer))
        .waitFor()
  })
})

it('a reset while a row has the focus waits for its reader, and loses nothing', async ({ app, book, change, on }) => {
  await on('/', async (page) => {
    // The stream begins with a reset, which comes here once the row has the focus.
    let isHeld = true
    await page.route(/\/stream\?/, async (route) => {
      await until(() => !isHeld)
      await route.continue()
    })
    await page.goto(`${app.address}/console/bookings?sort=id&columns=customer,status`)
    await row(page, 0).focus()
    isHeld = false
    await page.getByRole('button', { name: 'Show what has changed' }).waitFor()
    await change(1, { customer: 'Changed while it was held' })
    await row(page, 0).getByText('Changed while it was held').waitFor()
    await book(13)
    await page.getByRole('button', { name: 'Show 1 new' }).click()
    await row(page, 12).getByText('Customer 13').waitFor()
    assert.is(await page.locator('.fresh button').count(), 0)
  })
})

/** Between the browser and the server, so that connections can be cut and go silent. */
interface Wire {
  readonly url: string
  to(url: string): void
  /** Ends every connection. */
  cut(): void
  /** Nothing comes through any more on those of streams, and nobody says so. */
  freeze(): void
  close(): Promise<void>
}

async function openWire(): Promise<Wire> {
  let port = 0
  const pairs = new Set<readonly [Socket, Socket]>()
  const streams = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [one, other] of [pair, [far, near]] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => {
        other.destroy()
        pairs.delete(pair)
      })
    }
    near.pipe(far)
    far.pipe(near)
    far.on('data', (part: Buffer) => part.includes('text/event-stream') && streams.add(far))
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to: (url) => {
      port = Number(new URL(url).port)
    },
    cut: () => {
      for (const [near, far] of pairs) [near, far].map((one) => one.destroy())
    },
    freeze: () => {
      for (const far of streams) far.unpipe()
    },
    close: async () => {
      for (const [near, far] of pairs) [near, far].map((one) => one.destroy())
      await new Promise((done) => server.close(done))
    },
  }
}

/** The rental as a process of its own behind a wire. */
async function openAfar(): Promise<{ readonly service: Restartable; readonly wire: Wire; close(): Promise<void> }> {
  const files = folder({})
  await writeFiles(`${files.path}/resources`, rentalFiles())
  const service = await openRestartable({ resources: `${files.path}/resources`, plugins: 'test/support/plugins' })
  const wire = await openWire()
  wire.to(service.url)
  const close = async (): Promise<void> => {
    await wire.close()
    await service.close()
    files.remove()
  }
  return { service, wire, close }
}

const shownIn = async (page: Page): Promise<readonly string[]> =>
  (await page.locator('[role=row][data-at]').allInnerTexts()).map((text) => text.replaceAll('\n', ' ')).sort()

it('a connection that is cut or goes silent, and a server that is killed, lose and double nothing', async () => {
  const { close, service, wire } = await openAfar()
  const browser = await openBrowser()
  try {
    const call = async (method: string, path: string, body?: JsonObject) => {
      const answer = await send(service.url, method, `/rental${path}`, { token: MANAGER, body })
      assert.ok(answer.status < 300, answer.text)
      return answer
    }
    const book = (at: number) =>
      call('POST', '/bookings', {
        customer: `Customer ${at}`,
        starts_on: '2031-05-01',
        ends_on: '2031-05-03',
        item_id: at,
        branch_id: 1,
      })
    await call('POST', '/branches', { name: 'North' })
    for (let at = 1; at <= 20; at += 1)
      await call('POST', '/items', { name: `Tent ${at}`, daily: '12.50', branch_id: 1, is_default: at === 1 })
    for (let at = 1; at <= 5; at += 1) await book(at)
    const same = async (page: Page): Promise<void> => {
      const { list } = await call('GET', '/bookings?sort=id&fields=customer')
      const there = list.map(({ customer }) => String(customer)).sort()
      await until(async () => JSON.stringify(await shownIn(page)) === JSON.stringify(there), 60_000).catch(async () => {
        assert.equal(await shownIn(page), there)
      })
    }
    const { page, problems } = await openPage(browser!, {
      ...WIDE,
      extraHTTPHeaders: { authorization: `Bearer ${MANAGER}` },
    })
    await page.clock.install()
    await page.goto(`${wire.url}/console/bookings?sort=id&columns=customer`)
    await row(page, 4).waitFor()
    await page.evaluate('window.isSame = true')
    wire.cut()
    await call('PATCH', '/bookings/1', { customer: 'While it was cut' })
    await book(6)
    await same(page)
    await service.kill()
    wire.cut()
    await service.start()
    wire.to(service.url)
    await call('PATCH', '/bookings/2', { customer: 'After the kill' })
    await call('DELETE', '/bookings/3')
    await book(7)
    await same(page)
    wire.freeze()
    await call('PATCH', '/bookings/4', { customer: 'In silence' })
    await book(8)
    // The page finds out after 40 seconds.
    await page.clock.fastForward(41_000)
    await same(page)
    assert.is(await page.evaluate('isSame'), true, 'it was not loaded again')
    assert.equal(problems, [])
  } finally {
    await browser?.close()
    await close()
  }
})

if (rental === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
