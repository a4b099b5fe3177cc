/** Suggested replies: what they are drawn from, what is kept out of them, and which texts staff may have used again. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { firstClaim } from '../../../../plugins/desk/ai/claims.ts'
import { type AiDesk, openAiDesk } from './desk.ts'

interface Suggested {
  readonly tone: string
  readonly content: string
  readonly sources: readonly { readonly type: string; readonly id: number }[]
}

const test = suite('ai: replies')
let desk: AiDesk
let settled = 0
let asked = 0

test.before(async () => {
  desk = await openAiDesk()
  settled = await desk.settled('Gate motor beeps', 'The gate motor beeps three times and stops', {
    category: 'Technical',
    department: 'Technical Support',
  })
  await desk.post(`/tickets/${settled}/comments`, desk.agent, {
    comment: 'Hello Mrs Zander, a second gate motor goes out today to Elm Street 7. Reset the gate motor until then.',
  })
  asked = await desk.ticket('Gate motor beeping', 'Hello, our gate motor beeps three times and then stops')
})
test.after(() => desk.close())

async function suggestions(ticket = asked): Promise<readonly Suggested[]> {
  const made = await desk.post('/ai/response-suggestions', desk.agent, { ticket_id: ticket })
  assert.is(made.status, 200, made.text)
  return made.at('data.suggestions') as readonly Suggested[]
}

const reply = (body: object, as = desk.agent) => desk.post('/replies', as, body)

test('with no source the customer is asked, and nothing of other tickets is told', async () => {
  const [only, ...more] = await suggestions()
  assert.equal([more, only?.sources], [[], []])
  assert.match(String(only?.content), /\?/)
  assert.not.match(JSON.stringify(only), /Zander|Elm|second|reset/i)
})

test('a reply that staff wrote, an article and a published FAQ are each told once, and then the customer is asked', async () => {
  const text = 'Hold the reset button of the gate motor for ten seconds. Then let go of it.'
  assert.is((await reply({ title: 'A gate motor beeps', text, ticket_id: settled })).status, 201)
  await desk.post('/knowledge-base', desk.manager, {
    title: 'Resetting a gate motor',
    details: 'A gate motor that beeps wants a reset. We have repaired all of them. Wait until the light is green.',
  })
  await desk.post('/faqs', desk.manager, {
    name: 'Hidden gate motor',
    details: 'The gate motor beeps, SECRETFAQ.',
    status: false,
  })
  const made = await suggestions()
  assert.equal(
    made.map(({ sources }) => sources.map(({ type }) => type)),
    [['reply'], ['article'], []],
  )
  assert.equal(
    made.map(({ tone }) => tone),
    ['professional', 'friendly', 'concise'],
  )
  assert.match(made[0]?.content ?? '', /Hold the reset button/)
  assert.match(made[1]?.content ?? '', /^Hi Cleo.*wants a reset\. Wait until/s)
  assert.is(new Set(made.map(({ content }) => content)).size, 3)
  assert.not.match(JSON.stringify(made), /repaired|Zander|Elm|SECRETFAQ/)
  for (const { content } of made) assert.is(firstClaim(content), undefined)
  const seen = await desk.get(`/ai/tickets/${asked}/suggestions`, desk.agent)
  assert.equal(seen.at('data.responses'), made)
})

test('what fits the subject comes before what the letter happens to speak of', async () => {
  for (const title of ['Change the invoice address', 'The gate of the garden and its light'])
    await desk.post('/knowledge-base', desk.manager, { title, details: `${title}: open the page of settings.` })
  const letter = 'Good morning, I stood in the garden near the gate with its light when I saw this'
  const [first] = await suggestions(await desk.ticket('Invoice address', letter))
  assert.match(String(first?.content), /Change the invoice address/)
})

test('a reply holds nothing of one person and claims nothing', async () => {
  const refused: readonly (readonly [string, RegExp])[] = [
    ['Write to anna@home.example for more.', /e-mail address/],
    ['Call +49 30 1234567 for more.', /number/],
    ['The invoice 4455667 shows it.', /number/],
    ['See order AB-1234 for more.', /order number/],
    ['Dear Cleo, hold the button.', /name Cleo/],
    ['Ask Cleo Tester.', /name Cleo Tester/],
    ['Hold the button. A second parcel goes out today.', /A second parcel goes out today/],
    ['Ich habe Ihnen den Betrag erstattet.', /Ich habe/],
  ]
  for (const [text, why] of refused) {
    const made = await reply({ title: 'A title', text, ticket_id: settled })
    assert.is(made.status, 422, text)
    assert.match(String(made.at('errors.text')), why)
  }
  assert.is((await reply({ title: 'For anna@home.example', text: 'Hold the button.' })).status, 422)
  assert.is((await reply({ title: 'Anybody', text: 'Tester of Cleo Tester' })).status, 422, 'a whole name of anybody')
  const fine = await reply({ title: 'A button of Cleopatra', text: 'Hold the button.', ticket_id: settled })
  assert.is(fine.status, 201, fine.text)
  const path = `/replies/${fine.at('data.id')}`
  assert.is((await desk.put(path, desk.agent, { text: 'We will call you.' })).status, 422)
  assert.is((await desk.put(path, desk.agent, { text: 'Press the button.' })).status, 200)
})

test('customers neither read nor write replies, and a deleted one is told no more', async () => {
  assert.is((await desk.get('/replies', desk.customer)).status, 403)
  assert.is((await reply({ title: 'a', text: 'b' }, desk.customer)).status, 403)
  const { list } = await desk.get('/replies?search=ten+seconds', desk.agent)
  assert.is((await desk.remove(`/replies/${list[0]?.id}`, desk.agent)).status, 204)
  const made = await suggestions()
  assert.not.ok(made.some(({ sources }) => sources.some(({ type }) => type === 'reply')))
})

test.run()
