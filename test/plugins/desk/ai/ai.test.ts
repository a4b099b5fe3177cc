/** The AI's routes on a desk with nothing configured: roles, shapes, refusals, and what it does by itself. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AiDesk, openAiDesk } from './desk.ts'

const test = suite('ai')
let desk: AiDesk
let ticket = 0

test.before(async () => {
  desk = await openAiDesk()
  ticket = await desk.ticket('Invoice 4455 is wrong', 'The amount on my invoice was charged twice, please refund it.')
})
test.after(() => desk.close())

const ROUTES: readonly (readonly [string, string, unknown?])[] = [
  ['GET', '/ai/status'],
  ['GET', '/ai/analytics'],
  ['GET', '/ai/settings'],
  ['POST', '/ai/batch-classify', { ticket_ids: [1] }],
  ['POST', '/ai/response-suggestions', { ticket_id: 1, context: 'be kind' }],
  ['POST', '/ai/sentiment-analysis', { text: 'Thank you, this is great' }],
  ['GET', '/ai/knowledge-base/suggestions?query=invoice&limit=3'],
  ['GET', '/ai/tickets/1/suggestions'],
  ['POST', '/ai/tickets/1/classify'],
  ['GET', '/ai/tickets/1/classification-history'],
]

test('managers and agents may ask, customers may not, and nobody without a token', async () => {
  for (const [method, path, body] of ROUTES) {
    assert.is((await desk.call(method, path, { body })).status, 401, `${method} ${path}`)
    assert.is((await desk.call(method, path, { as: desk.customer, body })).status, 403, `${method} ${path}`)
    for (const as of [desk.admin, desk.manager, desk.agent]) {
      const answer = await desk.call(method, path, { as, body })
      assert.is(answer.status, 200, `${method} ${path}: ${answer.text}`)
    }
  }
})

test('only who manages the AI changes its settings', async () => {
  for (const as of [desk.manager, desk.agent, desk.customer]) {
    assert.is((await desk.post('/ai/settings', as, { max_suggestions: 2 })).status, 403)
  }
  assert.is((await desk.post('/ai/settings', undefined, {})).status, 401)
  assert.is((await desk.post('/ai/settings', desk.admin, {})).status, 200)
})

test('a classification suggests live settings and changes nothing until it is applied', async () => {
  const made = await desk.post(`/ai/tickets/${ticket}/classify`, desk.agent)
  const billing = await desk.setting('categories', 'Billing')
  assert.is(made.at('data.category_id'), billing, made.text)
  assert.equal(made.at('data.category'), { id: billing, name: 'Billing' })
  assert.is(made.at('data.provider'), 'local')
  assert.match(String(made.at('data.reasoning')), /invoice/)
  assert.ok(
    Number(made.at('data.confidence')) > 0 && Number(made.at('data.confidence')) < 0.5,
    'a guess is no knowledge',
  )
  assert.is(made.at('data.applied'), false)
  assert.is((await desk.get(`/tickets/${ticket}`, desk.agent)).at('data.category_id'), null)
})

test('applying writes the suggestion to the ticket, and again changes nothing', async () => {
  const made = await desk.post(`/ai/tickets/${ticket}/classify`, desk.agent)
  const body = { classification_id: made.at('data.id') }
  const first = await desk.post(`/ai/tickets/${ticket}/apply-classification`, desk.agent, body)
  assert.is(first.status, 200, first.text)
  assert.is(first.at('data.applied'), true)
  const after = await desk.get(`/tickets/${ticket}`, desk.agent)
  for (const field of ['priority_id', 'category_id', 'department_id', 'type_id']) {
    assert.is(after.at(`data.${field}`), made.at(`data.${field}`), field)
  }
  const second = await desk.post(`/ai/tickets/${ticket}/apply-classification`, desk.agent, body)
  assert.is(second.status, 200)
  assert.is(second.at('data.applied_at'), first.at('data.applied_at'))
  assert.is((await desk.get(`/tickets/${ticket}`, desk.agent)).at('data.updated_at'), after.at('data.updated_at'))
})

test('a classification of another ticket, or none, is no valid choice', async () => {
  const other = await desk.ticket('Another', 'Something else')
  const made = await desk.post(`/ai/tickets/${other}/classify`, desk.agent)
  const path = `/ai/tickets/${ticket}/apply-classification`
  for (const classification_id of [made.at('data.id'), 999_999]) {
    const answer = await desk.post(path, desk.agent, { classification_id })
    assert.is(answer.status, 422)
    assert.equal(answer.at('errors.classification_id'), ['The selected classification is invalid'])
  }
  for (const body of [{}, { classification_id: 'x' }, { classification_id: null }, { classification: 1 }]) {
    assert.is((await desk.post(path, desk.agent, body)).status, 422)
  }
})

test('a ticket goes by its id or its uid; an absent or deleted one is not found', async () => {
  const { text } = await desk.get(`/tickets/${ticket}`, desk.agent)
  const { uid } = JSON.parse(text).data
  assert.is((await desk.post(`/ai/tickets/${uid}/classify`, desk.agent)).at('data.ticket_id'), ticket)
  const gone = await desk.ticket('Gone', 'Soon deleted')
  await desk.remove(`/tickets/${gone}`, desk.manager)
  for (const id of [gone, 99_999, 'abc', '0', '-1', '01']) {
    assert.is((await desk.post(`/ai/tickets/${id}/classify`, desk.agent)).status, 404, String(id))
    assert.is((await desk.get(`/ai/tickets/${id}/suggestions`, desk.agent)).status, 404, String(id))
    assert.is((await desk.get(`/ai/tickets/${id}/classification-history`, desk.agent)).status, 404, String(id))
  }
  assert.is((await desk.post('/ai/response-suggestions', desk.agent, { ticket_id: gone })).status, 422)
})

test('who may ask the AI but sees no tickets is told 403, and can’t choose one', async () => {
  const role = { name: 'Curious', permissions: ['ai.use'] }
  assert.is((await desk.post('/settings/roles', desk.admin, role)).status, 201)
  const curious = await desk.person('Curious', 'Curt')
  assert.is((await desk.post(`/ai/tickets/${ticket}/classify`, curious)).status, 403)
  assert.is((await desk.get(`/ai/tickets/${ticket}/suggestions`, curious)).status, 403)
  assert.is((await desk.get(`/ai/tickets/${ticket}/classification-history`, curious)).status, 403)
  assert.is((await desk.post('/ai/response-suggestions', curious, { ticket_id: ticket })).status, 422)
  assert.is((await desk.post('/ai/batch-classify', curious, { ticket_ids: [ticket] })).status, 422)
  assert.is((await desk.get('/ai/analytics', curious)).at('data.classifications.total'), 0)
})

test('the history is paged, newest first', async () => {
  const { list, at } = await desk.get(`/ai/tickets/${ticket}/classification-history?per_page=2`, desk.agent)
  assert.is(list.length, 2)
  assert.ok(Number(list[0]?.id) > Number(list[1]?.id))
  assert.ok(Number(at('meta.pagination.total')) > 2)
  assert.is((await desk.get(`/ai/tickets/${ticket}/classification-history?page=99`, desk.agent)).list.length, 0)
  assert.is((await desk.get(`/ai/tickets/${ticket}/classification-history?page=0`, desk.agent)).status, 422)
})

test('a batch takes distinct live tickets, at most a hundred', async () => {
  const second = await desk.ticket('Parcel lost', 'The parcel was never delivered')
  const done = await desk.post('/ai/batch-classify', desk.agent, { ticket_ids: [ticket, second] })
  assert.is(done.status, 200)
  assert.is(done.at('data.status'), 'completed')
  assert.equal(done.at('data.classifications.1.ticket_id'), second)
  const wrong = await desk.post('/ai/batch-classify', desk.agent, { ticket_ids: [ticket, 99_999, ticket] })
  assert.is(wrong.status, 422)
  assert.equal(Object.keys(wrong.at('errors') as object).sort(), ['ticket_ids.1', 'ticket_ids.2'])
  const many = Array.from({ length: 101 }, (_, index) => index + 1)
  for (const ticket_ids of [[], many, 'x', [null], [ticket, 'x'], undefined]) {
    assert.is(
      (await desk.post('/ai/batch-classify', desk.agent, { ticket_ids })).status,
      422,
      JSON.stringify(ticket_ids),
    )
  }
})

test('equal questions have equal answers', async () => {
  const texts = [
    'This is not good at all, I am very disappointed!!',
    'Where do I find my invoice?',
    'Thank you, perfect!',
  ]
  for (const text of texts) {
    const [first, second] = [
      await desk.post('/ai/sentiment-analysis', desk.agent, { text }),
      await desk.post('/ai/sentiment-analysis', desk.agent, { text }),
    ]
    assert.equal(first.at('data'), second.at('data'))
  }
  const one = await desk.get(`/ai/tickets/${ticket}/suggestions`, desk.agent)
  const two = await desk.get(`/ai/tickets/${ticket}/suggestions`, desk.agent)
  assert.equal(one.at('data'), two.at('data'))
})

test('looking at suggestions stores nothing', async () => {
  const fresh = await desk.ticket('Dark mode please', 'A dark mode would be nice')
  const seen = await desk.get(`/ai/tickets/${fresh}/suggestions`, desk.agent)
  assert.is(seen.at('data.classification.id'), null)
  assert.is((await desk.get(`/ai/tickets/${fresh}/classification-history`, desk.agent)).list.length, 0)
})

test('switched off, it says so', async () => {
  assert.is((await desk.post('/ai/settings', desk.admin, { sentiment_enabled: false })).status, 200)
  assert.is((await desk.post('/ai/sentiment-analysis', desk.agent, { text: 'x' })).status, 409)
  assert.is((await desk.post('/ai/settings', desk.admin, { enabled: false, sentiment_enabled: null })).status, 200)
  for (const [method, path, body] of ROUTES.slice(3, 9)) {
    const expected = method === 'GET' ? 200 : 409
    assert.is((await desk.call(method, path, { as: desk.agent, body })).status, expected, path)
  }
  assert.equal((await desk.get('/ai/knowledge-base/suggestions?query=invoice', desk.agent)).list, [])
  assert.equal((await desk.get(`/ai/tickets/${ticket}/suggestions`, desk.agent)).at('data.responses'), [])
  assert.is((await desk.get('/ai/status', desk.agent)).at('data.status'), 'disabled')
  assert.is((await desk.post('/ai/settings', desk.admin, { enabled: null })).at('data.enabled'), true)
})

test('settings refuse what they can’t mean, and change only what is named', async () => {
  const wrong = [
    { confidence_threshold: 1.5 },
    { temperature: 3 },
    { max_tokens: 'many' },
    { provider: 'oracle' },
    { base_url: 'file:///etc/passwd' },
    { max_suggestions: 0 },
    { confidence: 1 },
  ]
  for (const body of wrong) {
    assert.is((await desk.post('/ai/settings', desk.admin, body)).status, 422, JSON.stringify(body))
  }
  const changed = await desk.post('/ai/settings', desk.admin, { temperature: 0.25, kb_max_suggestions: 7 })
  assert.is(changed.at('data.temperature'), 0.25)
  const again = await desk.post('/ai/settings', desk.admin, { kb_max_suggestions: null })
  assert.is(again.at('data.kb_max_suggestions'), 5)
  assert.is(again.at('data.temperature'), 0.25)
  await desk.post('/ai/settings', desk.admin, { temperature: null })
})

test('a new ticket is classified by itself where that is wanted; what the creator chose stays', async () => {
  const high = await desk.setting('priorities', 'High')
  await desk.post('/ai/settings', desk.admin, { auto_classify: true, confidence_threshold: 0.05 })
  const id = await desk.ticket('Refund for an invoice', 'I paid twice, please refund the invoice', {
    priority_id: high,
  })
  const [made] = await desk.until(`/ai/tickets/${id}/classification-history`, (list) => list[0]?.applied === true)
  assert.is(made?.applied, true)
  const after = await desk.get(`/tickets/${id}`, desk.agent)
  assert.is(after.at('data.category.name'), 'Billing')
  assert.is(after.at('data.priority_id'), high)
  await desk.post('/ai/settings', desk.admin, { confidence_threshold: 1 })
  const unsure = await desk.ticket('Refund for an invoice', 'I paid twice, please refund the invoice')
  const [kept] = await desk.until(`/ai/tickets/${unsure}/classification-history`, (list) => list.length > 0)
  assert.is(kept?.applied, false)
  assert.is((await desk.get(`/tickets/${unsure}`, desk.agent)).at('data.category_id'), null)
  await desk.post('/ai/settings', desk.admin, { auto_classify: null, confidence_threshold: null })
})

test('analytics count what happened', async () => {
  const { at } = await desk.get('/ai/analytics', desk.manager)
  assert.ok(Number(at('data.classifications.total')) >= 8)
  assert.is(at('data.classifications.automatic'), 2)
  assert.is(at('data.classifications.applied'), 2)
  assert.ok(Number(at('data.volumes.sentiment')) >= 6)
  assert.ok(Number(at('data.classifications.acceptance_rate')) > 0)
})

test.run()
