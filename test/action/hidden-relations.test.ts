/** A relation that a caller may not read: it is not told from its other side either. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, FILES, type Library, library, STAFF } from './library.ts'

const test = suite('hidden relations')
let app: Library

const KEEPERS = '{ permission: books.edit }'
const POLLS = `
resource: polls
label: Poll
fields:
  title: { type: string }
  votes_count: { type: count, of: votes }
  weight: { type: integer, computed: { sum: votes.weight } }
  turnout: { type: count, of: votes, read: { who: anyone } }
relations:
  votes: { has_many: votes, embed: [id] }
  open_votes: { has_many: votes, embed: [id], read: { who: signed_in } }
  marks: { many_to_many: tags, through: poll_marks, embed: [id], read: ${KEEPERS} }
actions: [list, get, create]
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }] }
`
const VOTES = `
resource: votes
label: Vote
fields: { text: { type: string }, weight: { type: integer, default: 1 } }
relations: { poll: { belongs_to: polls, embed: [id], read: ${KEEPERS} } }
actions: [list, create]
nested: { poll: { path: votes, actions: [list, create] } }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }] }
`
const TAGS = `
resource: tags
count: { capped: 5 }
fields: { name: { type: string, required: true } }
relations: { polls: { many_to_many: polls, through: poll_marks, embed: [id] } }
policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
`

test.before(async () => {
  app = await library({ ...FILES, 'polls.yaml': POLLS, 'votes.yaml': VOTES, 'tags.yaml': TAGS })
  await app.expect(201, 'POST', '/tags', STAFF, { name: 'hot' })
  await app.expect(201, 'POST', '/polls', STAFF, { title: 'Lunch', mark_ids: [1] })
  await app.expect(201, 'POST', '/votes', ANN, { text: 'yes', poll_id: 1 })
})
test.after(() => app.close())

test('the list below a record is for those who may read which record each is of', async () => {
  await app.expect(422, 'GET', '/votes?poll_id=1', ANN)
  for (const [method, path] of [
    ['GET', '/polls/1/votes'],
    ['POST', '/polls/1/votes/query'],
  ] as const) {
    const refused = await app.call(method, `/api/v1${path}`, { token: ANN, ...(method === 'POST' && { body: {} }) })
    assert.equal([refused.status, refused.body.message], [403, 'You need the permission books.edit'])
    assert.is((await app.expect(200, method, path, STAFF, method === 'POST' ? {} : undefined)).length, 1)
  }
  await app.expect(201, 'POST', '/polls/1/votes', ANN, { text: 'what one writes is known to oneself' })
})

test('relations that lead back, and what is counted over them, are hidden too, unless they say who may read them', async () => {
  const told = await app.expect(200, 'GET', '/polls/1', ANN)
  assert.equal(Object.keys(told), ['id', 'title', 'turnout', 'created_at', 'updated_at', 'open_votes'])
  const whole = await app.expect(200, 'GET', '/polls/1', STAFF)
  assert.equal([whole.votes, whole.votes_count, whole.weight], [[{ id: 1 }, { id: 2 }], 2, 2])
  await app.expect(422, 'GET', '/polls?fields=id,votes', ANN)
  assert.is((await app.expect(200, 'GET', '/tags/1', ANN)).polls, undefined)
  assert.equal((await app.expect(200, 'GET', '/tags/1', STAFF)).polls, [{ id: 1 }])
})

test.run()
