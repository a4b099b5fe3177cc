/** Bad days of the server: it is killed, out of reach, without room or too busy while somebody types. Nothing typed is lost. */
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bare, build, PROGRAM, type Server, startServer } from '../cli/server.ts'
import { type Folder, folder } from '../cli/world.ts'
import { openBrowser, visited, WIDE } from '../support/browser.ts'
import { freePort } from '../support/port.ts'
import { until } from '../support/wait.ts'
import { MANAGER, rentalFiles } from './world.ts'

interface World {
  app: Folder
  server: Server
  start(env?: Readonly<Record<string, string>>): Promise<Server>
}
const test = suite<World>('bad days of the server')
const browser = await openBrowser()
/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

const AUTHORIZED = { authorization: `Bearer ${MANAGER}` }

test.before(async (context) => {
  if (browser === undefined) return
  build()
  const files = Object.entries(rentalFiles()).map(([name, text]) => [`resources/${name}`, text])
  context.app = folder({ ...Object.fromEntries(files), 'package.json': '{ "type": "module" }' })
  const port = String(await freePort())
  context.start = (env = {}) =>
    startServer(
      PROGRAM,
      context.app.path,
      bare({
        PORT: port,
        DATA_DIR: join(context.app.path, 'data'),
        PLUGINS_DIR: resolve('test/support/plugins'),
        RATE_LIMIT: '100000',
        ...env,
      }),
    )
  context.server = await context.start()
  for (const [path, body] of [
    ['/branches', { name: 'North' }],
    ['/items', { name: 'Tent', daily: '12.50', branch_id: 1, is_default: true }],
  ] as const)
    assert.is((await send(context.server, 'POST', path, body)).status, 201)
})
test.after(async ({ app, server }) => {
  await server?.stop('SIGTERM')
  app?.remove()
  await browser?.close()
})

function send({ url }: Server, method: string, path: string, body?: object): Promise<Response> {
  const headers = { ...AUTHORIZED, 'content-type': 'application/json' }
  return fetch(`${url}/rental${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

const on = ({ server }: World, path: string, work: (page: Page) => Promise<void>): Promise<void> =>
  visited(browser!, `${server.url}/console${path}`, work, { ...WIDE, extraHTTPHeaders: AUTHORIZED })

const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click()

async function names(world: World): Promise<readonly string[]> {
  const { data } = (await (await send(world.server, 'GET', '/branches')).json()) as {
    data: readonly { name: string }[]
  }
  return data.map(({ name }) => name)
}

it('a server that is killed says so; what was typed stays, and is saved once by the next one', async (world) => {
  await on(world, '/branches?do=create', async (page) => {
    await page.getByLabel('Name').fill('South')
    await world.server.stop('SIGKILL')
    await save(page)
    await page.getByText('The server does not answer. Nothing is lost').first().waitFor()
    assert.is(await page.getByLabel('Name').inputValue(), 'South')
    world.server = await world.start()
    await save(page)
    await page.getByRole('heading', { name: 'South' }).waitFor()
  })
  assert.is((await names(world)).filter((name) => name === 'South').length, 1)
})

it('a page that is open while the server is killed and comes back shows what happened since, by itself', async (world) => {
  await on(world, '/bookings', async (page) => {
    await page.getByRole('grid').or(page.locator('.empty')).first().waitFor()
    await world.server.stop('SIGKILL')
    world.server = await world.start()
    const days = { starts_on: '2031-05-01', ends_on: '2031-05-03' }
    const body = { customer: 'Came back', ...days, item_id: 1, branch_id: 1 }
    assert.is((await send(world.server, 'POST', '/bookings', body)).status, 201)
    await page.getByRole('link', { name: 'Came back' }).waitFor({ timeout: 60_000 })
  })
})

it('offline, reading and saving say so; back again, the screen reads by itself and the form is saved', async (world) => {
  await on(world, '/branches', async (page) => {
    await page.getByRole('grid').waitFor()
    await page.getByRole('link', { name: 'New: Branch' }).click()
    await page.getByLabel('Name').fill('West')
    await page.context().setOffline(true)
    await save(page)
    await page.getByText('The server does not answer. Nothing is lost').first().waitFor()
    await page.context().setOffline(false)
    await save(page)
    await page.getByRole('heading', { name: 'West' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Items' }).click()
    await page.getByText('The server does not answer. Nothing is lost').first().waitFor()
    assert.is(await page.locator('.loading:visible').count(), 0)
    await page.context().setOffline(false)
    await page.getByText('Tent').first().waitFor()
  })
})

it('a server without room for what is saved says what to do, and the form is saved when there is some', async (world) => {
  await on(world, '/branches?do=create', async (page) => {
    let isFull = true
    // As it answers on a full disk; to fill one takes a volume of its own, as test/faults has.
    await page.route('**/rental/branches', (route) =>
      isFull && route.request().method() === 'POST'
        ? route.fulfill({
            status: 503,
            headers: { 'retry-after': '1' },
            json: { success: false, message: 'Service unavailable', errors: {} },
          })
        : route.continue(),
    )
    await page.getByLabel('Name').fill('East')
    await save(page)
    await page.getByText('Trying again in 1 seconds').waitFor()
    await page.getByText(/out of room.*tell those who look after it/).waitFor()
    assert.is(await page.getByLabel('Name').inputValue(), 'East')
    isFull = false
    await save(page)
    await page.getByRole('heading', { name: 'East' }).waitFor()
  })
})

it('a caller with too many requests waits as long as the server says, and nothing that was typed is lost', async (world) => {
  await world.server.stop('SIGTERM')
  world.server = await world.start({ RATE_LIMIT: '60' })
  await on(world, '/branches?do=create', async (page) => {
    await page.getByLabel('Name').fill('Patience')
    await until(async () => (await send(world.server, 'GET', '/items')).status === 429)
    await save(page)
    await page.getByText(/Trying again in \d+ seconds/).waitFor()
    assert.is(await page.getByLabel('Name').inputValue(), 'Patience')
    await page.getByRole('heading', { name: 'Patience' }).waitFor({ timeout: 90_000 })
  })
  await world.server.stop('SIGTERM')
  world.server = await world.start()
  assert.is((await names(world)).filter((name) => name === 'Patience').length, 1)
})

if (browser === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
