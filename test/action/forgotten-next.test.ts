/** A hook that forgets `await next()` is told by its name: nothing is half done, and the process lives on. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../../engine/testing/index.ts'
import { type Folder, folder } from '../cli/world.ts'

const forgotten = suite('a forgotten next()')

const RESOURCE = (name: string, hooks: string): string => `resource: ${name}
fields: { text: { type: string, required: true, max: 10 } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }
hooks: ${hooks}
`

const FILES = {
  'package.json': '{ "type": "module" }',
  'resources/app.yaml': 'name: Slips\nprefix: /api\nplugins: { slips: {} }\n',
  'resources/waits.yaml': RESOURCE('waits', '{ create: [slips.waits], update: [slips.waits] }'),
  'resources/returned.yaml': RESOURCE('returned', '{ create: [slips.returns] }'),
  'resources/forgets.yaml': RESOURCE('forgets', '{ create: [slips.forgets, slips.waits], delete: [slips.forgets] }'),
  'resources/alone.yaml': RESOURCE('alone', '{ create: [slips.alone] }'),
  'resources/lingers.yaml': RESOURCE('lingers', '{ create: [slips.lingers] }'),
  'resources/never.yaml': RESOURCE('never', '{ create: [slips.never] }'),
  'plugins/slips/index.ts': `import { ApiError, definePlugin, type Next } from 'plinth'
// What follows a hook is over by then.
const sleep = (): Promise<void> => new Promise((done) => setTimeout(done, 50))
export default definePlugin({
  name: 'slips',
  description: 'Hooks that wait for what follows, and hooks that do not.',
  hooks: {
    waits: async (_, next: Next) => { await sleep(); await next() },
    returns: (_, next: Next) => next(),
    forgets: async (_, next: Next) => { next() },
    alone: { transaction: false, run: async (_, next: Next) => { next() } },
    lingers: async (_, next: Next) => { next(); await sleep() },
    never: async () => {},
  },
})
`,
}

let slips: Folder
let app: TestApplication
const log: string[] = []

forgotten.before(async () => {
  slips = folder(FILES)
  const error = (fields: object): void => void log.push(String(Reflect.get(fields, 'err')))
  app = await application({ folder: slips.path, log: { debug() {}, info() {}, warn() {}, error } })
})
forgotten.before.each(() => {
  log.length = 0
})
forgotten.after(async () => {
  await app?.close()
  slips?.remove()
})

const count = async (resource: string): Promise<number> => (await app.get(`/${resource}`)).data.length

forgotten('a hook that waits, or hands on what next() gave it, is right', async () => {
  for (const path of ['/waits', '/returned']) assert.is((await app.post(path, { text: 'x' })).status, 201, path)
  assert.is((await app.patch('/waits/1', { text: 'y' })).data.text, 'y')
  assert.equal(log, [])
})

forgotten('one that does not wait is told by name, and what it began is undone', async () => {
  for (const resource of ['forgets', 'lingers']) {
    const { status, text } = await app.post(`/${resource}`, { text: 'x' })
    assert.is(status, 500)
    assert.not.match(text, 'slips')
    assert.match(
      log.at(-1) ?? '',
      `hook slips.${resource} called next() without waiting for it: write \`await next()\``,
    )
    assert.is(await count(resource), 0)
  }
})

forgotten('so is one around a write that is refused, without an end of the process', async () => {
  const { id } = await app.records('waits').create({ text: 'kept' })
  assert.is((await app.post('/forgets', { text: 'much too long' })).status, 422)
  assert.is((await app.post('/alone', { text: 'x' })).status, 500)
  assert.match(log.at(-1) ?? '', 'hook slips.alone called next()')
  assert.is((await app.get(`/waits/${id}`)).status, 200)
})

forgotten('one that never goes on leaves no record to answer', async () => {
  assert.is((await app.post('/never', { text: 'x' })).status, 500)
  assert.match(log.at(-1) ?? '', 'hook slips.never never called next(), so there is no record to answer')
  assert.is(await count('never'), 0)
})

forgotten.run()
