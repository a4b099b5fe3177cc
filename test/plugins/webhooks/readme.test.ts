/** The receiver on the page runs as it is written. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { freePort } from '../../support/port.ts'
import { until } from '../../support/wait.ts'
import { type Library, openLibrary } from './world.ts'

// Inside the project, so that it finds the library that it imports.
const FILE = `test/plugins/webhooks/receiver-${process.pid}.mjs`
let library: Library
let child: ChildProcess | undefined
const test = suite('the receiver in resources/DESK.md')

test.before(async () => {
  library = await openLibrary()
  const readme = await readFile('resources/DESK.md', 'utf8')
  const [, code = ''] = /## Webhooks\n[\s\S]*?```js\n([\s\S]*?)```/.exec(readme) ?? []
  assert.ok(code.split('\n').length <= 18, 'it is short')
  await writeFile(FILE, code)
})
test.after(async () => {
  child?.kill()
  await rm(FILE, { force: true })
  await library.close()
})

test('it takes what was sent to it, and refuses what somebody else sends', async () => {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}/`
  const webhook = await library.must('POST', '/webhooks', { name: 'A', address, events: ['books.create'] })
  child = spawn(process.execPath, [FILE], {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: webhook.secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const forged = { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,eA==' }
  await until(async () => {
    const answer = await fetch(address, { method: 'POST', body: '{}', headers: forged }).catch(() => undefined)
    return answer?.status === 401
  })
  const lines = createInterface({ input: child.stdout! })
  const book = await library.must('POST', '/books', { title: 'Read' })
  const [line] = await once(lines, 'line')
  assert.match(String(line), new RegExp(`^msg_\\w{32} books.create ${book.id} {`))
  await until(async () => (await library.deliveries(webhook.id))[0]?.status === 'delivered')
})

test.run()
