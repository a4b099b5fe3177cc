/** `plinth explain … --field`: why a part of an answer is there, empty, or left out. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Actor, SYSTEM } from '../../engine/actor.ts'
import { explainField, type FieldExplained } from '../../engine/explain/field-report.ts'
import { findRoute, questionOf } from '../../engine/http/question.ts'
import { executionOf } from '../../engine/run/execution.ts'
import { type Library, library, STAFF } from './library.ts'

const test = suite<{ app: Library }>('explain a part')

const ANN: Actor = { ...SYSTEM, kind: 'user', id: 1, role: 'member' }
const EDITOR: Actor = { ...ANN, id: 2, role: 'staff', permissions: new Set(['books.edit']) }

test.before(async (context) => {
  const app = await library()
  context.app = app
  const book = await app.expect(201, 'POST', '/books', STAFF, { title: 'Emma', owner_id: 1, notes: 'signed' })
  assert.is(book.id, 1)
  for (const is_private of [false, true])
    await app.expect(201, 'POST', '/books/1/reviews', STAFF, { text: 'good', is_private })
  await app.expect(201, 'POST', '/books', STAFF, { title: 'Persuasion' })
})
test.after(({ app }) => app.close())

function explained(app: Library, actor: Actor, request: string, name: string): Promise<FieldExplained> {
  const { foundation } = app.engine.app
  const question = questionOf(findRoute(request, app.engine.app), actor)
  const around = executionOf(foundation, { actor, requestId: 'explain', afterCommit: () => undefined })
  return explainField(around, question!, name)
}

const TOLD: readonly [actor: Actor, request: string, name: string, outcome: string][] = [
  [ANN, 'GET /api/v1/books/1', 'title', 'answered'],
  [ANN, 'GET /api/v1/books/1', 'pages', 'empty: nothing is stored there'],
  [ANN, 'GET /api/v1/books/1', 'notes', 'left out: what it is read by is not for this caller'],
  [EDITOR, 'GET /api/v1/books/1', 'notes', 'answered'],
  [EDITOR, 'GET /api/v1/members/1', 'pin', 'no answer has it: it is a secret'],
  [ANN, 'GET /api/v1/books/2', 'title', 'left out: the record itself is not answered'],
  [EDITOR, 'GET /api/v1/books/2', 'owner', 'empty: nothing is stored there'],
  [ANN, 'GET /api/v1/books/1', 'owner', 'answered'],
  [
    ANN,
    'GET /api/v1/books/1',
    'reviews',
    'answered, with 1 of 2 records of reviews: the policy view of reviews keeps the others from this caller',
  ],
  [EDITOR, 'GET /api/v1/books/1', 'reviews', 'answered, with all 2 records of reviews'],
  [EDITOR, 'GET /api/v1/books/2', 'reviews', 'empty: no record of reviews belongs to it'],
  [ANN, 'GET /api/v1/books', 'reviews', 'left out: it is part of single records; include=reviews asks for it here too'],
  [ANN, 'GET /api/v1/books?include=reviews', 'reviews', 'answered with each record; name one to see what is stored'],
  [ANN, 'GET /api/v1/books/1?fields=title', 'pages', 'left out: the request asks for other parts'],
  [ANN, 'GET /api/v1/books/1', 'length', 'answered'],
]

for (const [actor, request, name, outcome] of TOLD) {
  test(`${request} as ${actor.role}, ${name}: ${outcome}`, async ({ app }) => {
    assert.is((await explained(app, actor, request, name)).outcome, outcome)
    const { status, body } = await app.call('GET', request.slice(4), {
      token: actor === ANN ? '1:member:' : '2:staff:books.edit',
    })
    const record = Array.isArray(body.data) ? body.data[0] : body.data
    const isThere = status === 200 && name in record
    assert.is(isThere, !/^(?:left out|no answer)/.test(outcome), 'as the request itself is answered')
  })
}

test('tells who may read and write it, and where it is written', async ({ app }) => {
  const { guards, place } = await explained(app, ANN, 'GET /api/v1/books/1', 'notes')
  assert.match(place, /books\.yaml:\d+:3$/)
  assert.equal(guards, [
    { of: 'read', says: '{ permission: books.edit }', speaks: false },
    { of: 'write', says: '{ permission: books.edit }', speaks: false },
  ])
})

test('says what cannot be explained', async ({ app }) => {
  const refused = (request: string, name: string): Promise<string> =>
    explained(app, ANN, request, name).then(
      () => '',
      (error: Error) => error.message,
    )
  assert.is(
    await refused('GET /api/v1/books/1', 'titel'),
    'books has no field and no relation titel. Did you mean title?',
  )
  assert.is(await refused('DELETE /api/v1/books/1', 'title'), '--field explains what a GET is answered.')
})

test.run()
