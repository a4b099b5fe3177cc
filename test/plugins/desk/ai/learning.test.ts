/** What the local engine learns from settled tickets, what it forgets, and what it answers from. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../../support/wait.ts'
import { type AiDesk, openAiDesk } from './desk.ts'

const test = suite('ai: learning')
let desk: AiDesk

test.before(async () => {
  desk = await openAiDesk()
})
test.after(() => desk.close())

const SAUNA = { category: 'General', department: 'Sales', priority: 'Low', type: 'Task' }
const PUMP = { category: 'Technical', department: 'Technical Support', priority: 'High', type: 'Incident' }

/** From how many tickets it has learned. */
async function learned(): Promise<number> {
  return Number((await desk.get('/ai/status', desk.agent)).at('data.learning.tickets'))
}

async function classify(subject: string, details: string) {
  const id = await desk.ticket(subject, details)
  const { at } = await desk.post(`/ai/tickets/${id}/classify`, desk.agent)
  return {
    category: at('data.category.name'),
    confidence: Number(at('data.confidence')),
    reasoning: String(at('data.reasoning')),
  }
}

test('a closed ticket is learned from at once, with words that no setting names', async () => {
  const earlier = await learned()
  const before = await classify('Zirbel oven', 'The zirbel oven of the sauna hums')
  for (let turn = 0; turn < 8; turn += 1) {
    await desk.settled(`Zirbel oven number ${turn}`, 'We ordered a zirbel oven for our sauna garden', SAUNA)
    await desk.settled(`Pump ${turn} leaks`, 'The membrane of the pump leaks oil into the cellar', PUMP)
  }
  await until(async () => (await learned()) === earlier + 16)
  const after = await classify('Zirbel oven', 'The zirbel oven of the sauna hums')
  assert.is(after.category, 'General')
  assert.ok(after.confidence > before.confidence, `${after.confidence} after, ${before.confidence} before`)
  assert.match(after.reasoning, /“(zirbel|sauna|oven)”/)
  assert.match(after.reasoning, /Learned from 16 settled tickets/)
  assert.is((await classify('Oil in the cellar', 'A membrane leaks')).category, 'Technical')
})

test('it is less sure of what it has never seen', async () => {
  const known = await classify('Zirbel oven', 'A zirbel oven for the sauna')
  const strange = await classify('Quokka', 'The quokka photographs turned out purple yesterday')
  assert.ok(strange.confidence < known.confidence, `${strange.confidence} and ${known.confidence}`)
  assert.ok(strange.confidence < 0.5)
})

test('a ticket that is opened again, or deleted, is forgotten', async () => {
  const before = await learned()
  const [first, second] = [
    await desk.settled('Heron statue', 'A heron statue arrived', SAUNA),
    await desk.settled('Heron fountain', 'A heron fountain arrived', SAUNA),
  ]
  await until(async () => (await learned()) === before + 2)
  await desk.put(`/tickets/${first}`, desk.agent, { status_id: await desk.setting('statuses', 'open') })
  await desk.remove(`/tickets/${second}`, desk.manager)
  await until(async () => (await learned()) === before)
})

test('what customers close by themselves teaches nothing until staff answer or label it', async () => {
  const before = await learned()
  const category_id = await desk.setting('categories', 'Billing')
  const body = { subject: 'Heron', details: 'My heron is gone', category_id }
  const own = await desk.post('/tickets', desk.customer, body)
  const path = `/tickets/${own.at('data.id')}`
  const closed = await desk.setting('statuses', 'closed')
  assert.is((await desk.put(path, desk.customer, { status_id: closed })).status, 200)
  // Changes are heard in their order: when the second ticket is learned from, the first one was not.
  await desk.settled('Ibis', 'My ibis is gone', SAUNA)
  await until(async () => (await learned()) > before)
  assert.is(await learned(), before + 1)
  await desk.put(path, desk.agent, { category_id: await desk.setting('categories', 'General') })
  await until(async () => (await learned()) === before + 2)
})

test('knowledge is found by words, their forms and their misspelling; best first, and only what is published', async () => {
  await desk.post('/knowledge-base', desk.manager, {
    title: 'Changing your password',
    details: 'Open the profile and choose a new password.',
  })
  await desk.post('/knowledge-base', desk.manager, {
    title: 'Parking',
    details: 'There is parking behind the house; the password of the gate is at the desk.',
  })
  await desk.post('/faqs', desk.manager, { name: 'How long do refunds take?', details: 'Five days.', status: true })
  await desk.post('/faqs', desk.manager, {
    name: 'Hidden refunds',
    details: 'Unpublished refund rules.',
    status: false,
  })
  const find = async (query: string) =>
    (await desk.get(`/ai/knowledge-base/suggestions?query=${encodeURIComponent(query)}`, desk.agent)).list
  const [first, second] = await find('changed my password')
  assert.is(first?.title, 'Changing your password')
  assert.is(second?.title, 'Parking')
  assert.ok(Number(first?.relevance) > Number(second?.relevance))
  assert.is((await find('pasword'))[0]?.title, 'Changing your password')
  const refunds = await find('refunding')
  assert.equal(
    refunds.map(({ title }) => title),
    ['How long do refunds take?'],
  )
  assert.is(refunds[0]?.type, 'faq')
  assert.equal(await find("%%% ___ '; drop table faqs; --"), [])
  assert.equal(await find('the and of'), [])
  assert.is((await desk.get('/ai/knowledge-base/suggestions?query=password&limit=1', desk.agent)).list.length, 1)
  for (const query of ['', 'query=', 'query=x&limit=0', 'query=x&limit=abc', 'query=x&other=1']) {
    assert.is((await desk.get(`/ai/knowledge-base/suggestions?${query}`, desk.agent)).status, 422, query)
  }
})

test.run()
