/** The hold that tests have on answers: what the document does not say is found, and told so that it can be mended. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, send, type TestApplication } from '../support/application.ts'
import { holdToContract, type Seen } from '../support/contract.ts'

const POLICY = '[{ who: anyone }]'
const FILES = {
  'app.yaml': 'name: Notes\nprefix: /api\nplugins: { timestamps: {} }\n',
  'notes.yaml': `resource: notes
fields:
  title: { type: string, required: true, max: 20 }
  price: { type: decimal }
  kind:  { type: enum, values: [a, b], default: a }
policies: { view: ${POLICY}, create: ${POLICY}, update: ${POLICY}, delete: ${POLICY} }
`,
}

let app: TestApplication
let good: Seen
const test = suite('contract')

test.before(async () => {
  app = await application({ resources: FILES })
  await app.call('POST', '/api/notes', { body: { title: 'One', price: 1.5 } })
  good = await send(app.address, 'GET', '/api/notes/1', {})
})
test.after(() => app.close())

/** What is said of the good answer once it was changed. */
function complaint(change: Partial<Seen>, method = 'GET', path = '/api/notes/1'): string {
  try {
    holdToContract(app.engine.app, method, path, { ...good, ...change })
    return ''
  } catch (error) {
    return String(error instanceof Error ? error.message.split('\n')[0] : error)
  }
}

function changed(from: string, to: string): Partial<Seen> {
  assert.ok(good.text.includes(from), good.text)
  return { text: good.text.replace(from, to) }
}

test('an answer as the document has it passes', () => {
  assert.is(complaint({}), '')
  assert.is(complaint({}, 'GET', '/api/notes/1?unread=1'), '')
})

test('a property that the document does not know is named with its place', () => {
  assert.match(complaint(changed('"id":1', '"id":1,"extra":2')), '/data has "extra", which the document does not know')
  assert.match(complaint(changed('"meta":{', '"meta":{"more":1,')), '/meta has "more"')
})

test('a value of another type, word or form is named with its place', () => {
  assert.match(complaint(changed('"price":"1.50"', '"price":1.5')), '/data/price must be string,null')
  assert.match(complaint(changed('"kind":"a"', '"kind":"c"')), '/data/kind')
  assert.match(complaint(changed('"title":"One",', '')), "must have required property 'title'")
  assert.match(complaint(changed('"success":true', '"success":1')), '/success must be equal to constant')
})

test('a status, a header or a type that the document does not know is a mistake', () => {
  assert.match(complaint({ status: 418 }), 'the operation knows 200, 304, default')
  const { etag, ...headers } = good.headers
  assert.ok(etag)
  assert.match(complaint({ headers }), 'the header ETag is missing')
  const html = { ...good.headers, 'content-type': 'text/html' }
  assert.match(complaint({ headers: html }), 'its type is text/html, not application/json')
})

test('a refusal may have any status that refusals have, and errors by field with 422 only', () => {
  const fields = '"errors":{"title":["The title is required"]},"error_codes":{"title":["required"]},"meta"'
  const wrong = refusal.replace('"meta"', fields)
  const answered = (status: number, text: string) =>
    complaint({ status, text, headers: { ...good.headers, allow: '', 'retry-after': '1', 'www-authenticate': '' } })
  for (const status of [400, 403, 404, 409, 422, 500]) assert.is(answered(status, refusal), '', String(status))
  assert.is(answered(422, wrong), '')
  assert.match(answered(409, wrong), 'only 422 has errors by field')
  assert.match(answered(412, refusal), 'the operation knows')
  assert.match(answered(422, wrong.replace('"required"', '"no such code"')), '/error_codes/title')
})

test('a path that no route has may only be refused', () => {
  assert.match(complaint({}, 'GET', '/api/nowhere'), 'there is no such operation')
  assert.is(complaint({ status: 404, text: refusal }, 'GET', '/api/nowhere'), '')
  assert.is(complaint({ status: 405, text: refusal }, 'PUT', '/api/notes'), '')
  assert.match(complaint({ status: 404, text: '{}' }, 'GET', '/api/nowhere'), 'required')
})

const refusal = JSON.stringify({
  success: false,
  message: 'Route not found',
  code: 'route_not_found',
  meta: { timestamp: '2026-01-01T00:00:00.000000Z', version: '0.1.0' },
})

test.run()
