/** A record is named only by what its caller may read: a path tells nobody whether a guess of a hidden value is right. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, FILES, type Library, library, STAFF } from './library.ts'

const test = suite('lookups by hidden values')
let app: Library

const CARS = `
resource: cars
label: Car
lookup: [id, plate]
fields:
  name: { type: string, required: true }
  plate: { type: string, unique: true, read: { permission: books.edit } }
relations: { parts: { has_many: parts } }
policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in, fields: [name] }, { permission: books.edit }]
  update: [{ who: signed_in, fields: [name] }, { permission: books.edit }]
  delete: [{ who: signed_in }]
`
const PARTS = `
resource: parts
fields: { name: { type: string } }
relations: { car: { belongs_to: cars } }
nested: { car: { path: parts, actions: [list, create] } }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }] }
actions: [list, get]
`

test.before(async () => {
  app = await library({ ...FILES, 'cars.yaml': CARS, 'parts.yaml': PARTS })
  await app.expect(201, 'POST', '/cars', STAFF, { name: 'Van', plate: 'AB-1' })
})
test.after(() => app.close())

async function asked(method: string, path: string, token: string, body?: object): Promise<string> {
  const { status, body: answer } = await app.call(method, `/api/v1${path}`, { token, body })
  return JSON.stringify([status, answer.data ?? null, answer.message, answer.errors ?? null])
}

test('who may read the value names the record by it', async () => {
  for (const path of ['/cars/AB-1', '/cars/plate:AB-1', '/cars/AB-1/parts'])
    assert.match(await asked('GET', path, STAFF), /^\[200,/, path)
  assert.match(await asked('PUT', '/cars/by/plate/AB-1', STAFF, { name: 'Van' }), /^\[200,/)
})

test('for others a right guess and a wrong one are the same', async () => {
  for (const [method, path, body] of [
    ['GET', '/cars/?', undefined],
    ['GET', '/cars/plate:?', undefined],
    ['PATCH', '/cars/?', { name: 'Mine' }],
    ['DELETE', '/cars/?', undefined],
    ['GET', '/cars/?/parts', undefined],
    ['POST', '/cars/?/parts', { name: 'Wheel' }],
    ['POST', '/cars/batch?partial=true', { update: [{ id: '?', name: 'Mine' }], delete: ['plate:?'] }],
    ['PUT', '/cars/by/plate/?', { name: 'Mine' }],
  ] as const) {
    const [right, wrong] = await Promise.all(
      ['AB-1', 'ZZ-9'].map((guess) =>
        asked(
          method,
          path.replace(/\?(?!partial)/, guess),
          ANN,
          body && JSON.parse(JSON.stringify(body).replaceAll('?', guess)),
        ),
      ),
    )
    assert.is(right, wrong, `${method} ${path}`)
    assert.not.match(right!, /Van/, `${method} ${path}`)
  }
  assert.match(await asked('GET', '/cars/1', ANN), /"name":"Van"/)
})

test('the document of a reader names records by what it may read', async () => {
  const document = async (token: string) => JSON.stringify((await app.call('GET', '/openapi.json', { token })).body)
  assert.match(await document(STAFF), /cars\/by\/\{field\}/)
  assert.not.match(await document(ANN), /cars\/by\/\{field\}|plate/)
})

test.run()
