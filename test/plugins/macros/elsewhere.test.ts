/** Macros in an application that is no desk, from YAML alone. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../../support/application.ts'

const ADMIN = { email: 'boss@shelf.example', password: 'a very long secret' }

const FILES = {
  'app.yaml': `
name: Shelf
prefix: /api/v1
plugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, reader] }, macros: {} }
`,
  'books.yaml': `
resource: books
label: Book
macros: true
fields:
  title: { type: string, required: true }
  state: { type: enum, values: [in, out], default: in }
policies:
  view: [{ who: signed_in }]
  create: [{ permission: books.manage }]
  update: [{ permission: books.manage }]
  delete: [{ permission: books.manage }]
`,
  'parcels.yaml': `
resource: parcels
label: Parcel
macros: true
conceal: true
fields: { state: { type: enum, values: [here, gone], default: here } }
policies:
  view: [{ who: signed_in, where: { state: here } }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
`,
  'remarks.yaml': `
resource: remarks
label: Remark
actions: []
nested: { book: { path: remarks, actions: [list, create] } }
fields: { text: { type: text, required: true, max: 60 } }
relations: { book: { belongs_to: books, required: true } }
policies:
  view: [{ who: signed_in }]
  create: [{ permission: books.manage }]
`,
}

interface State {
  app: TestApplication
  token: string
}

const test = suite<State>('macros elsewhere')
test.before(async (state) => {
  const env = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password }
  state.app = await application({ resources: FILES, env })
  state.token = (await state.app.call('POST', '/api/v1/auth/login', { body: ADMIN })).body.data.token
})
test.after(({ app }) => app.close())

test('any resource has macros that its file asks for', async ({ app, token }) => {
  const call = (method: string, path: string, body?: object) => app.call(method, `/api/v1${path}`, { token, body })
  await call('POST', '/books', { title: 'The Sea' })
  const create = { remarks: { text: 'Lent: {{ title }}, by {{ actor.email }}' } }
  const unnamed = await call('POST', '/macros', { name: 'Lend', set: { state: 'out' }, create })
  assert.equal([unnamed.status, Object.keys(unnamed.body.errors)], [422, ['resource']])
  const wrong = await call('POST', '/macros', { name: 'Lend', resource: 'books', set: { state: 'lost' }, create })
  assert.equal([wrong.status, Object.keys(wrong.body.errors)], [422, ['set.state']])
  const made = await call('POST', '/macros', { name: 'Lend', resource: 'books', set: { state: 'out' }, create })
  assert.is(made.status, 201, made.text)
  const done = await call('POST', '/books/1/macros/lend')
  assert.equal([done.status, done.body.data.state], [200, 'out'], done.text)
  const remarks = await call('GET', '/books/1/remarks')
  assert.equal(
    remarks.body.data.map(({ text }: { text: string }) => text),
    ['Lent: The Sea, by boss@shelf.example'],
  )
})

test('what a template makes too long is refused, and nothing is done', async ({ app, token }) => {
  const call = (method: string, path: string, body?: object) => app.call(method, `/api/v1${path}`, { token, body })
  const book = await call('POST', '/books', { title: 'A title that is much too long for a remark of sixty characters' })
  const refused = await call('POST', `/books/${book.body.data.id}/macros/lend`)
  assert.equal([refused.status, Object.keys(refused.body.errors)], [422, ['create.remarks.text']])
  assert.is((await call('GET', `/books/${book.body.data.id}`)).body.data.state, 'in')
  const { body } = await call('GET', `/books/${book.body.data.id}/macros`)
  assert.equal(
    body.data.map(({ slug }: { slug: string }) => slug),
    ['lend'],
    'a list fills no text in',
  )
})

test('one that takes a concealed record out of sight is done', async ({ app, token }) => {
  const call = (method: string, path: string, body?: object) => app.call(method, `/api/v1${path}`, { token, body })
  await call('POST', '/parcels', {})
  await call('POST', '/macros', { name: 'Send', resource: 'parcels', set: { state: 'gone' } })
  const sent = await call('POST', '/parcels/1/macros/send')
  assert.equal([sent.status, sent.body.data?.state], [200, 'gone'], sent.text)
  assert.is((await call('GET', '/parcels/1')).status, 404)
})

test.run()
