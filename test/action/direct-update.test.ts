/** An update by one statement, and the same in a transaction, where the record is read and locked first: both say and do the same. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor } from '../../engine/actor.ts'
import { readLookup } from '../../engine/ask/lookup.ts'
import { ApiError } from '../../engine/error.ts'
import type { JsonObject } from '../../engine/json.ts'
import { type Execution, executionOf, inTransaction } from '../../engine/run/execution.ts'
import { updateRecord } from '../../engine/write/update.ts'
import { sentencesIn } from '../support/sentence-codes.ts'
import { type Library, library } from './library.ts'

const test = suite('direct update')
let app: Library

/** What is written beside the values depends on the clause. */
const ORDERS = `
resource: orders
label: Order
fields:
  text: { type: string }
  note: { type: string }
  state: { type: enum, values: [new, touched, edited], default: new }
policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update:
    - { who: signed_in, fields: [text], set: { state: touched } }
    - { who: signed_in, set: { state: edited } }
`

const STAFF: Actor = {
  kind: 'user',
  id: 1,
  role: 'staff',
  permissions: new Set(['books.edit', 'shelves.manage']),
  attributes: {},
}
const ANN: Actor = { ...STAFF, role: 'member', permissions: new Set() }
const BEN: Actor = { ...ANN, id: 2 }

test.before(async () => {
  app = await library({ 'orders.yaml': ORDERS })
})
test.after(() => app.close())

function executionAs(actor: Actor): Execution {
  return executionOf(app.engine.app.foundation, { actor, requestId: 'test', afterCommit: () => undefined })
}

/** Two equal records; what would differ by itself is numbered. */
type Twin = (number: number) => JsonObject

const BOOK: Twin = () => ({
  title: 'Old',
  pages: 100,
  price: '1.50',
  words: ['a'],
  details: { a: 1, b: 2 },
  owner_id: 1,
})
const LOAN: Twin = () => ({ text: 'lent', keeper: 1 })
const ORDER: Twin = () => ({ text: 'two bikes', note: 'red' })

interface Case {
  readonly name: string
  readonly path: string
  readonly twin: Twin
  readonly as?: Actor
  readonly change: JsonObject
}

const book = (name: string, change: JsonObject, as: Actor = STAFF): Case => ({
  name,
  path: 'books',
  twin: BOOK,
  as,
  change,
})

const CASES: readonly Case[] = [
  book('another text', { title: 'New' }),
  book('the stored text', { title: 'Old' }),
  book('one that is stored beside another', { title: 'Old', pages: 101 }),
  book('the stored number, written otherwise', { price: '1.5' }),
  book('a number beside its range', { pages: 5001 }),
  book('null for what is required', { title: null }),
  book('null', { pages: null }),
  book('the stored list', { words: ['a'] }),
  book('another list', { words: ['b', 'a'] }),
  book('the stored object in another order', { details: { b: 2, a: 1 } }),
  book('another object', { details: { a: 2 } }),
  book('a record that there is', { shelf_id: 2 }),
  book('a record that there is not', { shelf_id: 99 }),
  book('what cannot be changed', { isbn: 'x' }),
  book('what cannot be written', { id: 9 }),
  book('an unknown key', { colour: 'red' }),
  book('nothing', {}),
  book('a field of one who may write it', { title: 'By Ann' }, ANN),
  book('a field that the clause does not name', { pages: 5 }, ANN),
  book('the stored value of such a field', { pages: 100 }, ANN),
  book('a field that needs a permission', { notes: 'secret' }, ANN),
  book('a record of somebody else', { title: 'By Ben' }, BEN),
  { name: 'a record that is concealed', path: 'loans', twin: LOAN, as: BEN, change: { keeper: 2 } },
  { name: 'one clause before, another after', path: 'loans', twin: LOAN, as: ANN, change: { keeper: 2 } },
  { name: 'no clause afterwards', path: 'loans', twin: LOAN, as: ANN, change: { state: 'closed', keeper: 2 } },
  { name: 'what only one clause names', path: 'loans', twin: LOAN, as: ANN, change: { state: 'closed' } },
  { name: 'what the first clause covers', path: 'orders', twin: ORDER, change: { text: 'a bike' } },
  { name: 'what the second clause covers', path: 'orders', twin: ORDER, change: { text: 'a bike', note: 'blue' } },
  {
    name: 'what the first clause covers beside what is stored',
    path: 'orders',
    twin: ORDER,
    change: { text: 'a bike', note: 'red' },
  },
  {
    name: 'a value that another record has',
    path: 'members',
    twin: (number) => ({ name: 'Cy', email: `cy${number}@example.org` }),
    change: { email: 'ben@example.org' },
  },
  {
    name: 'a slug that is made again',
    path: 'shelves',
    twin: (number) => ({ name: `Twin ${number}` }),
    change: { slug: null },
  },
]

/** What an update answers or refuses, without what differs between two records anyway. */
async function outcome(run: () => Promise<string>): Promise<unknown> {
  try {
    const { id: _, created_at, updated_at, name, slug, email, ...rest } = JSON.parse(await run()) as JsonObject
    return { ...rest, changed: updated_at !== created_at }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { code: error.code, message: error.message, errors: sentencesIn(error.params.errors ?? {}) }
  }
}

let number = 0
for (const { name, path, twin, as = STAFF, change } of CASES) {
  test(`${path}: ${name}`, async () => {
    const resource = app.engine.app.foundation.catalog.resources.get(path)!
    const maker = path === 'loans' ? '1:member:' : undefined
    const ids: number[] = []
    for (let twins = 0; twins < 2; twins += 1)
      ids.push(Number((await app.expect(201, 'POST', `/${path}`, maker, twin(++number))).id))
    const [one, other] = ids.map((id) => readLookup(resource, String(id), as))
    const direct = await outcome(() => updateRecord(executionAs(as), resource, one!, change))
    const locked = await outcome(() =>
      inTransaction(executionAs(as), (inner) => updateRecord(inner, resource, other!, change)),
    )
    assert.equal(direct, locked)
  })
}

test('a record that is gone is not found', async () => {
  const { id } = await app.expect(201, 'POST', '/books', undefined, { title: 'Gone' })
  await app.expect(204, 'DELETE', `/books/${id}`)
  await app.expect(404, 'PATCH', `/books/${id}`, undefined, { title: 'Back' })
})

test('a slug names the live record of two', async () => {
  const first = await app.expect(201, 'POST', '/shelves', undefined, { name: 'Twice' })
  await app.expect(204, 'DELETE', `/shelves/${first.id}`)
  const second = await app.expect(201, 'POST', '/shelves', undefined, { name: 'Twice', slug: first.slug })
  const changed = await app.expect(200, 'PATCH', `/shelves/${first.slug}`, undefined, { name: 'Twice again' })
  assert.is(changed.id, second.id)
})

test.run()
