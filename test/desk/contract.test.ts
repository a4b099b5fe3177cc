/** Every line of the specification's route tables: it is in the document, refuses who is not signed in, and answers as specified. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sendParts } from '../plugins/media/world.ts'
import { type Desk, openDesk } from './desk.ts'

const one = (path: string) => [`GET ${path}/{id}`, `PUT ${path}/{id}`, `PATCH ${path}/{id}`, `DELETE ${path}/{id}`]
const group = (path: string) => [`GET ${path}`, `POST ${path}`, ...one(path)]
const restorable = (path: string) => [...group(path), `POST ${path}/{id}/restore`]

const PUBLIC = [
  'POST /auth/login',
  'POST /auth/register',
  'POST /auth/password/reset',
  'POST /auth/password/reset/{token}',
]

/** The tables, group by group. */
const ROUTES: readonly string[] = [
  ...PUBLIC,
  'GET /auth/me',
  'POST /auth/logout',
  ...restorable('/tickets'),
  ...['POST', 'GET'].map((method) => `${method} /tickets/{id}/comments`),
  'GET /tickets/{id}/conversations',
  'POST /tickets/import',
  'GET /tickets/export',
  ...['/contacts', '/customers', '/users', '/organizations'].flatMap(restorable),
  'GET /users/pending',
  'POST /users/pending/{id}/approve',
  'POST /users/pending/{id}/decline',
  ...restorable('/conversations'),
  ...['POST', 'GET'].map((method) => `${method} /conversations/{id}/messages`),
  'POST /conversations/{id}/mark-read',
  ...['categories', 'priorities', 'statuses', 'departments', 'types'].flatMap((name) =>
    restorable(`/settings/${name}`),
  ),
  ...group('/settings/roles'),
  ...group('/knowledge-base'),
  ...restorable('/faqs'),
  ...group('/posts'),
  ...group('/notes'),
  ...['', '/metrics', '/analytics', '/performance', '/charts'].map((path) => `GET /dashboard${path}`),
  'GET /reports',
  'POST /reports/generate',
  'GET /reports/{id}',
  ...['status', 'analytics', 'settings', 'knowledge-base/suggestions'].map((path) => `GET /ai/${path}`),
  ...['batch-classify', 'settings', 'response-suggestions', 'sentiment-analysis'].map((path) => `POST /ai/${path}`),
  'GET /ai/tickets/{id}/suggestions',
  'POST /ai/tickets/{id}/classify',
  'POST /ai/tickets/{id}/apply-classification',
  'GET /ai/tickets/{id}/classification-history',
  'GET /media',
  'POST /media',
  ...one('/media'),
  'GET /notifications',
  'POST /notifications/{id}/read',
  'POST /notifications/read-all',
]

let desk: Desk
let ticket: unknown
const test = suite('desk: the specification, line by line')

test.before(async () => {
  desk = await openDesk()
  ticket = (await desk.post('/tickets', desk.admin, { subject: 'Printer', details: 'Broken' })).at('data.id')
})
test.after(() => desk.close())

test('every line is in the document', () => {
  assert.is(ROUTES.length, new Set(ROUTES).size)
  const { paths } = desk.engine.app.document() as { readonly paths: Readonly<Record<string, object>> }
  for (const route of ROUTES) {
    const [method = '', path = ''] = route.split(' ')
    assert.ok(method.toLowerCase() in (paths[`/api/v1${path}`] ?? {}), route)
  }
})

test('every line but the four public ones needs a token', async () => {
  for (const route of ROUTES) {
    const [method = '', path = ''] = route.split(' ')
    const body = /^(GET|DELETE)/.test(route) ? {} : { body: {} }
    const answer = await desk.call(method, path.replace(/\{\w+\}/, '1'), body)
    if (PUBLIC.includes(route)) assert.is(answer.status, 422, `${route} ${answer.text}`)
    else assert.equal([answer.status, answer.at('message')], [401, 'Unauthenticated'], route)
  }
})

/** Status, route and body of what the table of groups does not cover; `#` is the ticket. Shapes are held to the document. */
const ANSWERS: readonly (readonly [status: number, route: string, body?: object])[] = [
  ...['', '/metrics', '/analytics', '/performance', '/charts'].map((path) => [200, `GET /dashboard${path}`] as const),
  [200, 'GET /dashboard/metrics?date_from=2026-01-01&date_to=2026-01-31&department_id=1&assigned_to=1'],
  [422, 'GET /dashboard/charts?date_from=2026-02-01&date_to=2026-01-31'],
  [200, 'GET /reports'],
  ...['tickets', 'agents', 'customers', 'departments', 'performance', 'ticket_summary'].map(
    (type) => [201, 'POST /reports/generate', { type }] as const,
  ),
  ...['json', 'csv', 'xlsx', 'pdf'].map(
    (format) => [201, 'POST /reports/generate', { type: 'tickets', format }] as const,
  ),
  [422, 'POST /reports/generate', { type: 'weather' }],
  [200, 'GET /reports/1'],
  [200, 'GET /reports/1/download'],
  [404, 'GET /reports/987654'],
  [200, 'GET /ai/status'],
  [200, 'GET /ai/analytics'],
  [200, 'GET /ai/settings'],
  [200, 'POST /ai/settings', { max_suggestions: 3 }],
  [200, 'POST /ai/batch-classify', { ticket_ids: ['#'] }],
  [422, 'POST /ai/batch-classify', { ticket_ids: [] }],
  [200, 'POST /ai/response-suggestions', { ticket_id: '#', context: 'be brief' }],
  [422, 'POST /ai/response-suggestions', { ticket_id: 987_654 }],
  [200, 'POST /ai/sentiment-analysis', { text: 'Thank you, this is great!' }],
  [200, 'GET /ai/knowledge-base/suggestions?query=printer&limit=3'],
  [422, 'GET /ai/knowledge-base/suggestions'],
  [200, 'GET /ai/tickets/#/suggestions'],
  [200, 'POST /ai/tickets/#/classify'],
  [200, 'GET /ai/tickets/#/classification-history'],
  [200, 'POST /ai/tickets/#/apply-classification', { classification_id: 1 }],
  [422, 'POST /ai/tickets/#/apply-classification', { classification_id: 987_654 }],
  [200, 'GET /media'],
  [200, 'GET /media/1'],
  [200, 'PUT /media/1', { name: 'renamed.txt' }],
  [200, 'PATCH /media/1', { ticket_id: '#' }],
  [204, 'DELETE /media/1'],
  [404, 'GET /media/1'],
  [200, 'GET /notifications?page=1&per_page=5&unread_only=true'],
  [404, 'POST /notifications/987654/read'],
  [200, 'POST /notifications/read-all'],
  [200, 'GET /tickets/export?status_id=1'],
  [422, 'POST /tickets/import', {}],
  [200, 'POST /auth/password/reset', { email: 'nobody@people.example' }],
  [200, 'GET /auth/me'],
  [200, 'POST /auth/logout'],
  [401, 'GET /auth/me'],
]

test('a file is uploaded with 201, and an import is answered with 200', async () => {
  const file = (value: string, name: string) => [{ name: 'file', value, file: name }]
  assert.is((await sendParts(desk, 'POST', '/media', desk.admin, file('Some words\n', 'note.txt'))).status, 201)
  const imported = await sendParts(desk, 'POST', '/tickets/import', desk.admin, file('Subject\nFrom a file\n', 'a.csv'))
  assert.equal([imported.status, imported.at('data.imported')], [200, 1], imported.text)
})

for (const [status, route, body] of ANSWERS) {
  test(`${route} ${body === undefined ? '' : JSON.stringify(body)} answers ${status}`, async () => {
    const [method = '', path = ''] = route.replace('#', String(ticket)).split(' ')
    const sent = body === undefined ? {} : { body: JSON.parse(JSON.stringify(body).replace('"#"', String(ticket))) }
    const answer = await desk.call(method, path, { as: desk.admin, ...sent })
    assert.is(answer.status, status, answer.text)
  })
}

test.run()
