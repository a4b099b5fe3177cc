/** An update that makes a record one that exists for nobody is answered like one that takes it out of its caller's view. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { Answer } from '../support/answer.ts'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('out of view')
let app: TestApplication

const things = (name: string, more: string): string => `
resource: ${name}
label: Thing
live: { archived: false }
log_changes: true
fields:
  name: { type: string }
  mine: { type: boolean, default: true }
  archived: { type: boolean, default: false, nullable: false }
policies:
  view: [{ role: staff }, { role: worker, where: { mine: true } }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
${more}
`
const FILES = {
  'app.yaml': 'name: Things\nprefix: /o\nplugins: { who: {} }\n',
  // One statement, and a transaction with a lock.
  'plain.yaml': things('plain', ''),
  'counted.yaml': things(
    'counted',
    'rules: { some: { at_most: 9, where: { archived: false }, per: name, says: Nine at most } }',
  ),
}

const call = (method: string, path: string, body?: JsonObject, token = '7:worker:'): Promise<Answer> =>
  app.call(method, `/o${path}`, { body, token })

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/support/plugins' })
})
test.after(() => app.close())

for (const path of ['/plain', '/counted']) {
  test(`${path}: whoever saw the record is answered what became of it`, async () => {
    const id = (await call('POST', path, { name: 'a' })).at('data.id')
    const left = await call('PATCH', `${path}/${id}`, { mine: false, name: 'b' })
    assert.equal([left.status, left.at('data.name'), left.at('data.mine')], [200, 'b', false])
    const other = (await call('POST', path, { name: 'a' })).at('data.id')
    const gone = await call('PATCH', `${path}/${other}`, { archived: true, name: 'c' })
    assert.equal([gone.status, gone.at('data.name'), gone.at('data.archived')], [200, 'c', true])
    assert.is((await call('GET', `${path}/${other}`)).status, 404)
    assert.is((await call('PATCH', `${path}/${other}`, { name: 'd' })).status, 404)
    const batch = (await call('POST', path, { name: 'a' })).at('data.id')
    const some = await call('POST', `${path}/batch`, { update: [{ id: Number(batch), archived: true }] })
    assert.is(some.status, 200, some.text)
  })

  test(`${path}: whoever does not see it is told its id alone`, async () => {
    const id = (await call('POST', path, { name: 'a', mine: false }, '8:staff:')).at('data.id')
    const gone = await call('PATCH', `${path}/${id}`, { archived: true })
    assert.equal([gone.status, gone.body.data], [200, { id }])
  })

  test(`${path}: a record may be made as one that exists for nobody`, async () => {
    const made = await call('POST', path, { name: 'a', archived: true })
    assert.equal([made.status, made.at('data.archived')], [201, true])
  })
}

test.run()
