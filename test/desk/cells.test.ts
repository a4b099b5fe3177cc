/** The table of permissions, one row a permission: each route × role × {own, another's, deleted, absent}, and roles of one permission alone. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, PASSWORD, type Person } from './desk.ts'

/** ✓ all, – none; own: what belongs to them; self: themselves; mine: own even for staff; published: as ✓ here, where all is published. */
type Cell = '✓' | '–' | 'own' | 'self' | 'mine' | 'published'
type Target = 'own' | 'another' | 'deleted' | 'absent'

const view = (group: string) => [`GET ${group}`, `GET ${group}/{}`]
/** PATCH is the same route as PUT. */
const change = (group: string) => [`PUT ${group}/{}`]
const manage = (group: string) => [`POST ${group}`, ...change(group), `DELETE ${group}/{}`]
const SETTINGS = ['categories', 'priorities', 'statuses', 'departments', 'types'].map((name) => `/settings/${name}`)

/** permission · manager, agent, customer · what it opens */
const TABLE: readonly (readonly [permission: string, cells: string, routes: readonly string[]])[] = [
  ['tickets.view', '✓ ✓ own', [...view('/tickets'), 'GET /tickets/{}/comments', 'GET /tickets/{}/activity']],
  ['tickets.create', '✓ ✓ own', ['POST /tickets']],
  ['tickets.comment', '✓ ✓ own', ['POST /tickets/{}/comments']],
  ['tickets.update', '✓ ✓ own', change('/tickets')],
  ['tickets.delete', '✓ – –', ['DELETE /tickets/{}']],
  ['tickets.restore', '✓ – –', ['POST /tickets/{}/restore']],
  ['tickets.import', '✓ – –', ['POST /tickets/import']],
  ['tickets.export', '✓ ✓ own', ['GET /tickets/export']],
  ...['contacts', 'customers', 'organizations'].flatMap((name) => [
    [`${name}.view`, '✓ ✓ –', view(`/${name}`)] as const,
    [`${name}.create`, '✓ ✓ –', [`POST /${name}`]] as const,
    [`${name}.update`, '✓ ✓ –', change(`/${name}`)] as const,
    [`${name}.delete`, '✓ – –', [`DELETE /${name}/{}`]] as const,
    [`${name}.restore`, '✓ – –', [`POST /${name}/{}/restore`]] as const,
  ]),
  ['users.view', '✓ ✓ self', view('/users')],
  ['users.create', '✓ – –', ['POST /users']],
  ['users.update', '✓ self self', change('/users')],
  ['users.delete', '✓ – –', ['DELETE /users/{}']],
  ['users.restore', '✓ – –', ['POST /users/{}/restore']],
  [
    'users.approve',
    '✓ – –',
    ['GET /users/pending', 'POST /users/pending/{}/approve', 'POST /users/pending/{}/decline'],
  ],
  [
    'conversations.view',
    '✓ ✓ own',
    [...view('/conversations'), 'GET /conversations/{}/messages', 'POST /conversations/{}/mark-read'],
  ],
  ['conversations.create', '✓ ✓ own', ['POST /conversations']],
  ['conversations.update', '✓ ✓ own', change('/conversations')],
  ['conversations.message', '✓ ✓ own', ['POST /conversations/{}/messages']],
  ['conversations.delete', '✓ – –', ['DELETE /conversations/{}']],
  ['conversations.restore', '✓ – –', ['POST /conversations/{}/restore']],
  ['settings.manage', '✓ – –', SETTINGS.flatMap((path) => [...manage(path), `POST ${path}/{}/restore`])],
  ['roles.view', '✓ – –', view('/settings/roles')],
  ['roles.manage', '– – –', manage('/settings/roles')],
  ['knowledge_base.view', '✓ ✓ published', view('/knowledge-base')],
  ['knowledge_base.manage', '✓ ✓ –', manage('/knowledge-base')],
  ['faqs.view', '✓ ✓ published', view('/faqs')],
  ['faqs.manage', '✓ – –', [...manage('/faqs'), 'POST /faqs/{}/restore']],
  ['posts.view', '✓ ✓ published', view('/posts')],
  ['posts.manage', '✓ – –', manage('/posts')],
  ['notes.own', 'mine mine mine', [...change('/notes'), 'POST /notes', 'DELETE /notes/{}']],
  ['notes.view_all', '✓ mine mine', view('/notes')],
  ['dashboard.view', '✓ ✓ own', ['GET /dashboard']],
  [
    'dashboard.analytics',
    '✓ ✓ –',
    ['metrics', 'analytics', 'performance', 'charts'].map((name) => `GET /dashboard/${name}`),
  ],
  ['reports.view', '✓ – –', [...view('/reports'), 'GET /reports/{}/download']],
  ['reports.generate', '✓ – –', ['POST /reports/generate']],
  [
    'ai.use',
    '✓ ✓ –',
    [
      ...['status', 'analytics', 'settings', 'knowledge-base/suggestions'].map((path) => `GET /ai/${path}`),
      ...['batch-classify', 'response-suggestions', 'sentiment-analysis'].map((path) => `POST /ai/${path}`),
      ...['GET suggestions', 'GET classification-history', 'POST classify', 'POST apply-classification'].map((route) =>
        route.replace(' ', ' /ai/tickets/{}/'),
      ),
    ],
  ],
  ['macros.use', '✓ mine –', [...view('/macros'), 'POST /macros']],
  ['macros.manage', '✓ mine –', [...change('/macros'), 'DELETE /macros/{}']],
  [
    'webhooks.manage',
    '– – –',
    [
      ...view('/webhooks'),
      'POST /webhooks',
      ...change('/webhooks'),
      'DELETE /webhooks/{}',
      ...['rotate', 'test'].map((action) => `POST /webhooks/{}/${action}`),
      ...view('/webhook-deliveries'),
    ],
  ],
  ['views.share', '✓ – –', []], // a field of what everybody may write; test/plugins/saved_views.test.ts tries it
  // A header on any request; test/desk/explained.test.ts tries it.
  ['answers.explain', '– – –', []],
  ['jobs.view', '– – –', [...view('/background-jobs'), ...view('/automation-runs')]],
  ['keys.own', '– – –', []],
  ['keys.manage', '– – –', [...view('/settings/keys'), 'DELETE /settings/keys/{}', 'GET /settings/key-uses']],
  ['rights.history', '– – –', ['GET /auth/history']],
  ['ai.manage', '– – –', ['POST /ai/settings']],
  ['media.view', '✓ ✓ own', [...view('/media'), 'GET /media/{}/download']],
  ['media.upload', '✓ ✓ own', ['POST /media']],
  ['media.manage', '✓ mine mine', [...change('/media'), 'DELETE /media/{}']],
  [
    'notifications.own',
    'mine mine mine',
    [
      'GET /notifications',
      'POST /notifications/{}/read',
      'POST /notifications/read-all',
      'GET /notifications/settings',
      'PUT /notifications/settings',
    ],
  ],
]

/** Open to everyone signed in, for what is theirs, whatever the role's permissions. */
const OPEN = /^(GET|PUT|PATCH) \/users|^(PUT|PATCH|DELETE) \/media/
/** What one permission opens beside its own row. */
const ALSO: Readonly<Record<string, RegExp>> = {
  'reports.generate': /^GET \/reports/,
  'notes.own': /^GET \/notes/,
  // Who manages sees it all, published or not.
  'knowledge_base.manage': /^GET \/knowledge-base/,
  'faqs.manage': /^GET \/faqs/,
  'media.manage': /^GET \/media/,
  'macros.use': /macros/,
  'macros.manage': /macros/,
}

/** What is of use only to those who may see what it is about. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  'tickets.export': ['tickets.view'],
  'ai.use': ['tickets.view'],
}

/** Of what is refused, every tenth route of every permission; TEST_THOROUGH=1 asks all. */
const STEP = process.env.TEST_THOROUGH === undefined ? 10 : 1

let desk: Desk
const people: Record<string, Person> = {}
/** By group, the record of each target; without `own` where nothing is anybody's own. */
const records = new Map<string, Partial<Record<Target, unknown>>>()
const test = suite('desk: cells of the permission table')

const PERSON = { first_name: 'A', last_name: 'B', password: PASSWORD, password_confirmation: PASSWORD }
let count = 0
const BODIES: Readonly<Record<string, () => object>> = {
  '/tickets': () => ({ subject: 's', details: 'd' }),
  '/contacts': () => ({ first_name: 'a', last_name: 'b' }),
  '/customers': () => ({ ...PERSON, email: `c${++count}@people.example` }),
  '/users': () => ({ ...PERSON, email: `u${++count}@people.example` }),
  '/organizations': () => ({ name: 'o' }),
  '/conversations': () => ({ ticket_id: records.get('/tickets')?.another, type: 'customer' }),
  ...Object.fromEntries([...SETTINGS, '/settings/roles'].map((path) => [path, () => ({ name: `n${++count}` })])),
  '/knowledge-base': () => ({ title: 't', details: 'd' }),
  '/faqs': () => ({ name: 'n', details: 'd', status: true }),
  '/posts': () => ({ title: 't', details: 'd' }),
  '/notes': () => ({ name: 'n' }),
  '/macros': () => ({ name: `m${++count}` }),
}

async function made(path: string, as: Person, body: object): Promise<unknown> {
  const answer = await desk.post(path, as, body)
  assert.is(answer.status, 201, `${path}: ${answer.text}`)
  return answer.at('data.id')
}

test.before(async () => {
  desk = await openDesk()
  people.admin = desk.admin
  for (const role of ['manager', 'agent', 'customer']) people[role] = await desk.person(role, `The${role}`)
  const customer = people.customer!
  for (const [group, body] of Object.entries(BODIES)) {
    const another = await made(group, desk.admin, body())
    const deleted = await made(group, desk.admin, body())
    records.set(group, { another, deleted, absent: 987_654 })
    assert.is((await desk.remove(`${group}/${deleted}`, desk.admin)).status, 204)
  }
  const own = (group: string, id: unknown) => records.set(group, { ...records.get(group), own: id })
  own('/tickets', await made('/tickets', customer, { subject: 's', details: 'd' }))
  own('/notes', await made('/notes', customer, { name: 'n' }))
  own('/users', customer.id)
  const mine = { ticket_id: records.get('/tickets')?.own, type: 'customer' }
  own('/conversations', await made('/conversations', customer, mine))
  for (const group of ['/media', '/reports', '/notifications', '/users/pending'])
    records.set(group, { absent: 987_654 })
  records.set('/ai/tickets', records.get('/tickets')!)
})
test.after(() => desk.close())

const groupOf = (route: string): string => route.slice(route.indexOf('/'), route.indexOf('/{}'))
const isOne = (route: string): boolean => route.includes('/{}')

function send(route: string, id: unknown, as: Person | undefined) {
  const [method = '', path = ''] = route.split(' ')
  const body = /^(GET|DELETE)|restore$|mark-read|\/read|approve|decline|classify$/.test(route)
    ? {}
    : { body: route.endsWith('apply-classification') ? { classification_id: 1 } : {} }
  return desk.call(method, path.replace('{}', String(id)), { as, ...body })
}

/** The status of a cell: 403, 404, or `fine` for 200, and 422 where the empty body is what is left to refuse. */
function expected(cell: Cell, target?: Target): string {
  if (cell === '–') return '403'
  if (target === 'absent' || target === 'deleted') return '404'
  return cell !== '✓' && cell !== 'published' && target === 'another' ? '403' : 'fine'
}

async function judge(route: string, id: unknown, as: Person, wanted: string, what: string): Promise<void> {
  const answer = await send(route, id, as)
  const seen = answer.status < 300 || answer.status === 422 ? 'fine' : String(answer.status)
  assert.is(seen, wanted, `${what}: ${route} with ${id} answered ${answer.status} ${answer.text.slice(0, 300)}`)
}

test('every permission of the catalogue has a row, and every row is one', () => {
  const fieldwise = ['tickets.assign', 'tickets.comment_internal']
  const named = [...TABLE.map(([permission]) => permission), ...fieldwise].sort()
  assert.equal([...desk.engine.app.catalog.permissions.keys()].sort(), named)
})

for (const [permission, cells, routes] of TABLE) {
  test(`${permission}: ${cells}`, async () => {
    const words = ['✓', ...cells.split(' ')] as readonly Cell[]
    for (const route of routes) {
      assert.is((await send(route, 987_654, undefined)).status, 401, route)
      for (const [index, role] of ['admin', 'manager', 'agent', 'customer'].entries()) {
        // What admins own is another's to the three: an admin may do everything with it.
        const cell = words[index]!
        const as = people[role]!
        if (!isOne(route)) await judge(route, '', as, expected(cell), role)
        else await judgeTargets(route, cell, role, as)
      }
    }
  })
}

async function judgeTargets(route: string, cell: Cell, role: string, as: Person): Promise<void> {
  const group = groupOf(route)
  for (const [target, id] of Object.entries(records.get(group) ?? {}) as [Target, unknown][]) {
    // Restoring what is deleted and deleting what is there would change the records of the next rows.
    if (target === 'deleted' && route.endsWith('/restore')) continue
    // Of what is deleted those read it who may restore it: activity.test.ts.
    if (target === 'deleted' && route.endsWith('/activity')) continue
    if (target !== 'absent' && route.startsWith('DELETE') && cell !== '–') continue
    const own = group === '/users' ? as.id : id
    if (target === 'own' && role !== 'customer' && group !== '/users') continue
    const wanted = expected(cell, target)
    await judge(route, target === 'own' ? own : id, as, wanted, `${role}, ${target}`)
  }
}

test('a role of one permission may do what its row says, over all records, and nothing of another row', async () => {
  const role = await desk.post('/settings/roles', desk.admin, { name: 'Narrow' })
  const holder = await desk.person('narrow', 'Nora')
  const wrong: string[] = []
  let turn = 0
  for (const [permission] of TABLE) {
    const permissions = [permission, ...(NEEDS[permission] ?? [])]
    const narrowed = await desk.put(`/settings/roles/${role.at('data.id')}`, desk.admin, { permissions })
    assert.is(narrowed.status, 200, narrowed.text)
    for (const [row, , routes] of TABLE) {
      for (const route of routes) {
        turn += 1
        if (!permissions.includes(row) && (turn % STEP !== 0 || OPEN.test(route) || ALSO[permission]?.test(route)))
          continue
        const wanted = !permissions.includes(row) ? [403] : isOne(route) ? [404] : [200, 201, 422]
        const { status, text } = await send(route, 987_654, holder)
        if (!wanted.includes(status))
          wrong.push(`${permissions.join(' and ')}: ${route} ${status} ${text.slice(0, 120)}`)
      }
    }
  }
  assert.equal(wrong, [])
})

test.run()
