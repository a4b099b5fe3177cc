/** The record from which another one takes the only yes has changed too: its history, streams and listeners hear of it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { readingsOf } from './world.ts'

const STAFF = '1:staff:'
const ANN = '2:member:'

const FILES = {
  'app.yaml': 'name: Modes\nprefix: /api/v1\nplugins: { timestamps: {}, soft_delete: {}, who: {}, activity: {} }\n',
  'modes.yaml': `
resource: modes
activity: true
stream: true
fields:
  name: { type: string }
  owner: { type: integer }
  is_default: { type: boolean, default: false }
rules: { one: { only_one: is_default } }
policies:
  view: [{ role: staff }, { role: member, where: { owner: $actor } }]
  create: [{ role: staff }]
  update: [{ role: staff }]
`,
}

const test = suite('streams: what is taken from a record')
const open = readingsOf(test)
let app: TestApplication

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/action/plugins' })
})
test.after(() => app.close())

const write = async (method: string, path: string, body: object): Promise<number> => {
  const answer = await app.call(method, `/api/v1${path}`, { token: STAFF, body })
  assert.ok(answer.status < 300, answer.text)
  return answer.body.data.id
}

test('a new default is a change of the one before, by whoever made it', async () => {
  const first = await write('POST', '/modes', { name: 'first', owner: 2, is_default: true })
  const [staff, ann] = await Promise.all([STAFF, ANN].map((token) => open(app.address, token, '/api/v1/modes/stream')))
  const second = await write('POST', '/modes', { name: 'second', owner: 3, is_default: true })
  await staff!.come(3)
  assert.equal([...staff!.told(1)].sort(), [`changed ${first}`, `created ${second}`])
  await ann!.come(2)
  assert.equal([ann!.told(1), ann!.events[1]?.data.is_default], [[`changed ${first}`], false])
  await write('PATCH', `/modes/${first}`, { is_default: true })
  await staff!.come(5)
  assert.equal([...staff!.told(3)].sort(), [`changed ${first}`, `changed ${second}`])
  const { body } = await app.call('GET', `/api/v1/modes/${second}/activity`, { token: STAFF })
  assert.equal(
    body.data.map(({ changes, user }: { changes: object[]; user: { id: number } }) => [changes, user.id]).slice(0, 1),
    [[[{ field: 'is_default', label: 'Is default', from: true, to: false }], 1]],
  )
})

test.run()
