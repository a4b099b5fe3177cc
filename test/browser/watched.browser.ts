/** `start --watch`: a field that is added to the YAML is in the forms that are open, which keep what was typed. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { bare, build, PROGRAM, startServer } from '../cli/server.ts'
import { folder } from '../cli/world.ts'
import { openBrowser, visited } from '../support/browser.ts'
import { share } from '../support/wait.ts'

const NOTES = `resource: notes
title: name
fields:
  name: { type: string, required: true }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }
actions: [list, get, create, update]
`
const APP = 'name: Notes\nplugins: { timestamps: {}, console: {} }\n'

const test = suite('files that are edited under a form')
const browser = await openBrowser()
/** Without a browser every test is skipped. */
const it = browser === undefined ? test.skip : test

test.after(() => browser?.close())

it('a field that is added is in an open form within two seconds, without loading the page again', async () => {
  build()
  const files = folder({ 'resources/app.yaml': APP, 'resources/notes.yaml': NOTES })
  const env = bare({ DATA_DIR: `${files.path}/data`, RESOURCES_DIR: `${files.path}/resources` })
  const server = await startServer(PROGRAM, files.path, env, ['--watch'])
  const add = (field: string): void =>
    files.write(
      'resources/notes.yaml',
      readFileSync(`${files.path}/resources/notes.yaml`, 'utf8').replace(/^policies/m, `  ${field}\npolicies`),
    )
  const waitFor = async (page: Page, label: string): Promise<void> => {
    const began = performance.now()
    await page.getByLabel(label).waitFor()
    const ms = performance.now() - began
    process.stdout.write(`  ${label} is there after ${Math.round(ms)} ms\n`)
    assert.ok(ms < 2000 / share(), `${ms} ms`)
  }
  const look = async (page: Page): Promise<void> => {
    await page.getByLabel('Name').fill('Half a note')
    await page.evaluate('window.isSame = true')
    add('color: { type: string }')
    await waitFor(page, 'Color')
    assert.is(await page.getByLabel('Name').inputValue(), 'Half a note')
    await page.getByLabel('Color').fill('blue')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/notes\/\d+$/)
    await page.getByText('blue').waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('A whole note')
    add('size: { type: integer }')
    await waitFor(page, 'Size')
    assert.is(await page.getByLabel('Name').inputValue(), 'A whole note')
    await page.getByLabel('Size').fill('3')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/notes\/\d+$/)
    assert.match(await page.locator('dl.parts').innerText(), /A whole note[\s\S]*blue[\s\S]*3/)
    assert.is(await page.evaluate('isSame'), true)
  }
  try {
    await visited(browser!, `${server.url}/console/notes?do=create`, look)
  } finally {
    await server.stop('SIGKILL')
    files.remove()
  }
})

if (browser === undefined) process.stdout.write('skipped: no Chromium\n')
test.run()
