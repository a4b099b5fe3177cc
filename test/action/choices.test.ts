/** What a relation may be set to: exactly those records with which a write is not refused for it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, BEN, type Library, library, STAFF, STRANGER } from './library.ts'

const test = suite('choices')
let app: Library

const VIEW = 'view: [{ permission: books.edit }, { role: member, where: { open: true } }]'
const ALL = '[{ permission: books.edit }, { role: member }]'

/** Rooms of houses, one of which a booking names; what may be named depends on the booking. */
const ROOMS = {
  'houses.yaml': `resource: houses\nfields: { name: { type: string, required: true }, open: { type: boolean, default: true } }\nsearch: [name]\npolicies: { ${VIEW}, create: ${ALL}, delete: ${ALL} }\nsoft_delete: true`,
  'rooms.yaml': `resource: rooms
title: [house.name, number]
fields: { number: { type: integer, required: true }, open: { type: boolean, default: true }, beds: { type: integer, default: 2 }, note: { type: string, read: { permission: books.edit } } }
relations: { house: { belongs_to: houses, embed: [id, name] } }
search: [house.name]
sort: { default: number }
policies: { ${VIEW}, create: ${ALL}, update: ${ALL} }`,
  'stays.yaml': `resource: stays
fields: { guests: { type: integer, default: 1 }, name: { type: string }, secret: { type: integer, read: { permission: books.edit }, write: { permission: books.edit } } }
relations:
  house: { belongs_to: houses, embed: [id, name] }
  room: { belongs_to: rooms, where: { house: $record.house, beds: { gte: $record.guests } }, embed: [id, number] }
  extras: { many_to_many: rooms, where: { beds: 1 } }
  guest: { belongs_to: members, write: { permission: books.edit } }
policies: { view: [{ permission: books.edit }, { role: member, where: { guests: { lt: 5 } } }], create: ${ALL}, update: ${ALL} }`,
}

test.before(async () => {
  app = await library(ROOMS)
  for (const [name, open] of [
    ['North', true],
    ['South', true],
    ['Closed', false],
  ] as const)
    await app.expect(201, 'POST', '/houses', STAFF, { name, open })
  let number = 0
  for (const house_id of [1, 2, 3])
    for (const beds of [1, 2, 4])
      await app.expect(201, 'POST', '/rooms', STAFF, {
        house_id,
        beds,
        number: ++number,
        open: number !== 2,
        note: `n${number}`,
      })
  await app.expect(201, 'POST', '/stays', STAFF, { house_id: 1, guests: 2, room_id: 2, extra_ids: [1] })
  await app.expect(201, 'POST', '/stays', STAFF, { house_id: 2, guests: 6 })
})
test.after(() => app.close())

const ids = (choices: readonly { id: number }[]): readonly number[] => choices.map(({ id }) => id)

test('choices are what the caller sees of the other resource, with their titles', async () => {
  assert.equal(await app.expect(200, 'GET', '/stays/choices/house', ANN), [
    { id: 1, title: 'North' },
    { id: 2, title: 'South' },
  ])
  assert.equal(ids(await app.expect(200, 'GET', '/stays/choices/house', STAFF)), [1, 2, 3])
  assert.equal((await app.expect(200, 'GET', '/stays/choices/room?id=1', STAFF))[0], { id: 2, title: 'North 2' })
})

test('words find them, and they come in pages as lists do', async () => {
  assert.equal(ids(await app.expect(200, 'GET', '/stays/choices/house?search=sou', ANN)), [2])
  const { body } = await app.call('GET', '/api/v1/stays/choices/house?per_page=1&cursor=first', { token: ANN })
  assert.is(body.data.length, 1)
  const next = body.meta.pagination.next_cursor
  assert.equal(ids(await app.expect(200, 'GET', `/stays/choices/house?per_page=1&cursor=${next}`, ANN)), [2])
})

test('the condition of a relation looks at the record: stored, given, or both', async () => {
  assert.equal(ids(await app.expect(200, 'GET', '/stays/choices/room?id=1', STAFF)), [2, 3])
  assert.equal(ids(await app.expect(200, 'GET', '/stays/choices/room?id=1', ANN)), [3])
  assert.equal(await app.expect(200, 'GET', '/stays/choices/room', STAFF), [])
  const given = (value: unknown) => encodeURIComponent(JSON.stringify(value))
  const record = given({ house_id: 2, guests: 3, name: 'x', unknown: 1 })
  assert.equal(ids(await app.expect(200, 'GET', `/stays/choices/room?record=${record}`, ANN)), [6])
  const fewer = given({ guests: 4 })
  assert.equal(ids(await app.expect(200, 'GET', `/stays/choices/room?id=1&record=${fewer}`, STAFF)), [3])
})

test('a list of links offers what may be linked, and what is linked already', async () => {
  assert.equal(ids(await app.expect(200, 'GET', '/stays/choices/extras', STAFF)), [1, 4, 7])
  assert.equal(ids(await app.expect(200, 'GET', '/stays/choices/extras', ANN)), [1, 4, 7])
  assert.equal(ids(await app.expect(200, 'GET', '/stays/choices/extras?id=1', STAFF)), [1, 4, 7])
})

test('a deleted record is no choice', async () => {
  const gone = await app.expect(201, 'POST', '/houses', STAFF, { name: 'Gone' })
  await app.expect(204, 'DELETE', `/houses/${gone.id}`, STAFF)
  assert.equal(ids(await app.expect(200, 'GET', '/stays/choices/house', STAFF)), [1, 2, 3])
})

test('every choice may be written, and what is none may not', async () => {
  for (const token of [STAFF, ANN])
    for (const house_id of [1, 2, 3])
      for (const guests of [1, 2, 3]) {
        const record = encodeURIComponent(JSON.stringify({ house_id, guests }))
        const offered = ids(await app.expect(200, 'GET', `/stays/choices/room?record=${record}`, token))
        for (let room_id = 1; room_id <= 9; room_id += 1) {
          const { body } = await app.call('POST', '/api/v1/stays', { token, body: { house_id, guests, room_id } })
          const refused = body.errors?.room_id !== undefined
          assert.is(
            !refused,
            offered.includes(room_id),
            `${token}: house ${house_id}, ${guests} guests, room ${room_id}`,
          )
        }
      }
})

test('what a caller may not set, see or find is refused as elsewhere', async () => {
  const status = async (path: string, token?: string) => (await app.call('GET', `/api/v1${path}`, { token })).status
  assert.is(await status('/stays/choices/guest', ANN), 403)
  assert.is(await status('/stays/choices/guest', STAFF), 200)
  assert.is(await status('/stays/choices/nothing', ANN), 404)
  assert.is(await status('/stays/choices/house', STRANGER), 403)
  assert.is(await status('/stays/choices/house'), 401)
  assert.is(await status('/stays/choices/room?id=2', BEN), 403)
  assert.is(await status('/stays/choices/room?id=99', BEN), 404)
  assert.is(await status('/stays/choices/house?sort=name', ANN), 422)
  for (const record of ['x', '[1]', '{"guests":"many"}'])
    assert.is(await status(`/stays/choices/room?record=${encodeURIComponent(record)}`, ANN), 422, record)
})

test('the catalog has the path of the choices for those who may set the relation', async () => {
  const relationsFor = async (token: string) =>
    (await app.call('GET', '/catalog.json', { token })).body.resources.stays.relations
  assert.is((await relationsFor(ANN)).room.choices, '/api/v1/stays/choices/room')
  assert.is((await relationsFor(ANN)).guest?.choices, undefined)
  assert.is((await relationsFor(STAFF)).guest.choices, '/api/v1/stays/choices/guest')
  const document = (await app.call('GET', '/openapi.json', { token: ANN })).body
  const paths = Object.keys(document.paths).filter((path) => path.includes('/stays/choices/'))
  assert.equal(paths.map((path) => path.split('/').at(-1)).sort(), ['extras', 'house', 'room'])
})

test.run()
