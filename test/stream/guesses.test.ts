/** A stream answers no guess: a hidden value that is written as it is stored makes the event that another one makes. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { readingsOf } from './world.ts'

const STAFF = '1:staff:'
const ANN = '2:member:'

const FILES = {
  'app.yaml': 'name: Safes\nprefix: /api/v1\nplugins: { timestamps: {}, soft_delete: {}, who: {}, activity: {} }\n',
  'safes.yaml': `
resource: safes
activity: true
stream: true
fields:
  name: { type: string }
  place: { type: string, read: { role: staff } }
policies: { view: [{ who: signed_in }], create: [{ role: staff }], update: [{ who: signed_in }] }
`,
}

const test = suite('streams: guesses')
const open = readingsOf(test)
let app: TestApplication

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/action/plugins' })
})
test.after(() => app.close())

test('whether the value was stored already shows in no event and in no number of a history', async () => {
  const call = (method: string, path: string, token: string, body?: object) =>
    app.call(method, `/api/v1${path}`, { token, body })
  await call('POST', '/safes', STAFF, { name: 'one', place: 'cellar' })
  const ann = await open(app.address, ANN, '/api/v1/safes/stream')
  const numbers: number[] = []
  for (const [at, place] of ['cellar', 'attic', 'attic', 'roof'].entries()) {
    assert.is((await call('PATCH', '/safes/1', ANN, { place })).status, 200)
    await ann.come(2 + 2 * at)
    await call('PATCH', '/safes/1', ANN, { name: `after ${at}` })
    await ann.come(3 + 2 * at)
    numbers.push((await call('GET', '/safes/1/activity', ANN)).body.data[0].id)
  }
  assert.equal(
    numbers.slice(1).map((number, at) => number - numbers[at]!),
    [2, 2, 2],
  )
})

test.run()
