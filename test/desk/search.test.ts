/** The searches of the desk: the examples of both pages are answered as they say, and each reader finds what it may read. */
import { readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from './desk.ts'

const test = suite('desk: search')
let desk: Desk
let carla: Person

test.before(async () => {
  desk = await openDesk()
  carla = await desk.person('customer', 'Carla')
  for (const [subject, person] of [
    ['The printer is broken', carla],
    ['A confidential rhinoceros', desk.admin],
  ] as const) {
    const { status, text } = await desk.post('/tickets', person, { subject, details: 'Since this morning.' })
    assert.is(status, 201, text)
  }
})
test.after(() => desk.close())

test('the example of the page for admins is answered as it says', async () => {
  const page = await readFile('resources/README.md', 'utf8')
  const [, path = '', answer = ''] =
    /^GET \/api\/v1(\/tickets\?search=\S+)\n```\n\n```json\n([\s\S]*?)```/m.exec(page) ?? []
  const found = await desk.get(path, carla)
  assert.equal(found.body.meta.search, JSON.parse(answer))
})

test('the example of the document is answered as it says', async () => {
  const { body } = await desk.get('//openapi.json')
  const [, query = '', answer = ''] = /`(search=\S+?)` is answered with `(\{.*?\})`/.exec(body.info.description) ?? []
  const found = await desk.get(`/tickets?${query}`, carla)
  assert.equal(found.body.meta.search, JSON.parse(answer))
})

test("a customer is told nothing of another's ticket", async () => {
  for (const word of ['rhinozeros', 'rhinoceros', 'confidental']) {
    const { body } = await desk.get(`/tickets?search=${word}&snippets=true`, carla)
    assert.equal([body.data, body.meta.search], [[], { matches: [] }], word)
  }
  const { body } = await desk.get('/tickets?search=rhinozeros', desk.admin)
  assert.equal(body.meta.search.corrected, { rhinozeros: 'rhinoceros' })
})

test('a uid is found and named', async () => {
  const { body } = await desk.get('/tickets?search=3000000001&snippets=true', desk.admin)
  assert.equal(body.meta.search.matches, [{ id: 1, fields: ['uid'], snippets: { uid: '<mark>3000000001</mark>' } }])
})

test.run()
