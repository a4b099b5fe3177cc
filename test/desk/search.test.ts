/** The searches of the desk: the examples of both pages are answered as they say, and each reader finds what it may read. */
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
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
  const page = await readFile('resources/guide/search.md', 'utf8')
  const [, path = '', answer = ''] =
    /^GET \/api\/v1(\/tickets\?search=\S+)\n```\n\n```json\n([\s\S]*?)```/m.exec(page) ?? []
  const found = await desk.get(path, carla)
  assert.equal(found.body.meta.search, JSON.parse(answer))
})

test('the example of the document is answered as it says', async () => {
  const { body } = await desk.get('//openapi.json')
  const [, query = '', answer = ''] = /`(search=\S+?)` is answered with `(\{.*?\})`/.exec(body.info['x-guide']) ?? []
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

test('what is pasted from the desk itself is found, and comes first', async () => {
  const made = await desk.post('/tickets', carla, {
    subject: 'Shelf - left, of 3 - is "loose" again today, as ever since we moved',
    details: 'x',
  })
  const [id, uid] = [made.at('data.id'), String(made.at('data.uid'))]
  const subject = String(made.at('data.subject'))
  for (let n = 0; n < 3; n += 1) await desk.post('/tickets', carla, { subject: `about ${uid}${n}`, details: 'x' })
  const pasted = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('', '#', '[#', '(', '„', '<', '* '),
        fc.constantFrom('', ']', ')', '.', ',', ':', '“', '?!', ' '),
      )
      .map(([before, behind]) => `${before}${uid}${behind}`),
    fc
      .tuple(fc.constantFrom('', 'Re: ', 'AW: Re: ', 'Fwd: '), fc.constantFrom(subject, 'Your ticket', 'a -broken one'))
      .map(([before, about]) => `${before}[#${uid}] ${about}`),
    fc.constantFrom('Ticket #', 'New ticket #', 'ticket ', 'Ticket-').map((before) => `${before}${uid}`),
    fc
      .tuple(
        fc.constantFrom('/tickets/', '/api/v1/tickets/', '/t/', '/dashboard#/tickets/'),
        fc.constantFrom('', '/', '?tab=1', '#c5', '.'),
      )
      .map(([path, behind]) => `https://desk.example:8443${path}${uid}${behind}`),
    fc.constant(`The status of ticket #${uid} is now Resolved`),
    fc.constant(`<ticket-${uid}@desk.example>`),
  )
  await fc.assert(
    fc.asyncProperty(pasted, async (text) => {
      for (const as of [desk.admin, carla]) {
        const { list, status, text: said } = await desk.get(`/tickets?search=${encodeURIComponent(text)}`, as)
        assert.is(status, 200, said)
        assert.is(list[0]?.id, id, text)
      }
    }),
    { numRuns: 60 },
  )
  const address = await desk.get(
    `/tickets?search=${encodeURIComponent(`http://127.0.0.1:3000/api/v1/tickets/${id}`)}`,
    carla,
  )
  assert.is(address.list[0]?.id, id)
  const longest = await desk.get(`/tickets?search=${encodeURIComponent(`[#${uid}] ${'x'.repeat(255)}`)}`, carla)
  assert.is(longest.list[0]?.id, id, longest.text)
})

test.run()
