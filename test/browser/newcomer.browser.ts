/** The first page of somebody's own plugin: as `plinth init` and `plinth add plugin` make it, with the packed package and no React. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { newApplication } from '../cli/new-application.ts'
import { bare, type Server, startServer } from '../cli/server.ts'
import { type Folder, folder } from '../cli/world.ts'
import { barriers, openBrowser, visited, WIDE } from '../support/browser.ts'
import { until } from '../support/wait.ts'

interface World {
  readonly world: Folder
  /** The folder of the application. */
  readonly app: string
  readonly server: Server
}
const test = suite<World>('a plugin of a newcomer in a browser')
const browser = await openBrowser()
/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

const ADMIN = { ADMIN_EMAIL: 'ann@rooms.example', ADMIN_PASSWORD: 'a long enough secret 9' }

function plinth(app: string, ...words: readonly string[]): string {
  const options = { cwd: app, env: bare({}), encoding: 'utf8' } as const
  const { status, stderr, stdout } = spawnSync(join(app, 'node_modules/.bin/plinth'), words, options)
  assert.is(status, 0, `${words.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

test.before(async (context) => {
  if (browser === undefined) return
  const world = folder({})
  const app = newApplication(world.path, 'rooms')
  const program = join(app, 'node_modules/plinth/dist/engine/cli/main.js')
  const env = bare({ ...ADMIN, DATA_DIR: join(world.path, 'data'), RATE_LIMIT: '100000' })
  Object.assign(context, { world, app, server: await startServer(program, app, env, ['--watch']) })
})
test.after(async ({ server, world }) => {
  await server?.stop('SIGTERM')
  world?.remove()
  await browser?.close()
})

async function on(
  { server }: World,
  path: string,
  work: (page: Page) => Promise<void>,
  locale = 'en-US',
): Promise<void> {
  const address = server.url.replace('127.0.0.1', 'localhost')
  await visited(browser!, `${address}/console${path}`, work, { ...WIDE, locale })
}

it('the page of the example shows who has which room this week, live', async (world) => {
  assert.not.ok(existsSync(join(world.app, 'node_modules/react')))
  await on(world, '/week', async (page) => {
    await page.getByLabel('E-mail').fill(ADMIN.ADMIN_EMAIL)
    await page.getByLabel('Password').fill(ADMIN.ADMIN_PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'This week' }).waitFor()
    assert.is(await page.getByText('Nothing is booked.').count(), 7)
    assert.equal(await barriers(page), [])
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'This week' }).waitFor()
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Bookings' }).click()
    await page.getByRole('link', { name: 'New: Booking' }).click()
    await page.getByLabel('Title').fill('Planning')
    await page.getByLabel('Room').selectOption('studio')
    // The Wednesday of this week, on which the office is open.
    const day = new Date()
    day.setDate(day.getDate() - ((day.getDay() + 6) % 7) + 2)
    const text = [day.getFullYear(), day.getMonth() + 1, day.getDate()]
      .map((part) => `${part}`.padStart(2, '0'))
      .join('-')
    await page.getByLabel('Starts at').fill(`${text}T11:00`)
    await page.getByLabel('Ends at').fill(`${text}T12:00`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Planning' }).waitFor()
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'This week' }).click()
    await page.getByRole('link', { name: 'Planning' }).waitFor()
    assert.is(await page.getByText('Nothing is booked.').count(), 6)
  })
})

it('a plugin that is added has a page at once, in the language of its reader, and a change of it is served when it is saved', async (world) => {
  const said = plinth(world.app, 'add', 'plugin', 'late_greeting')
  assert.match(said, 'plugins/late_greeting/console.tsx (new)')
  await until(() => world.server.output().includes('The change is served.'), 60_000)
  await on(world, '/late-greeting', async (page) => {
    await page.getByText('Hello, everyone').waitFor()
    await page.getByLabel('Name').fill('Ann')
    await page.getByText('Hello, Ann').waitFor()
    assert.equal(await barriers(page), [])
  })
  await on(world, '/late-greeting', (page) => page.getByRole('heading', { name: 'Gruß' }).waitFor(), 'de-DE')
  const file = join(world.app, 'plugins/late_greeting/console.tsx')
  writeFileSync(file, readFileSync(file, 'utf8').replace("title: 'Greeting'", "title: 'Welcome'"))
  // A slow machine serves the files of the plugin one after the other: how often it says so, says nothing.
  await on(world, '/late-greeting', (page) =>
    until(async () => {
      await page.reload()
      await page.getByRole('heading', { level: 1 }).waitFor()
      return (await page.getByRole('heading', { name: 'Welcome' }).count()) === 1
    }, 60_000),
  )
})

it('both pages pass the checks of the application', ({ app }) => {
  const { status, stdout } = spawnSync('npm', ['run', 'check'], { cwd: app, env: bare({}), encoding: 'utf8' })
  assert.is(status, 0, stdout)
})

test.run()
