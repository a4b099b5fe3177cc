/** Who may do what, what the application is made of and what is going on: for those who may ask why, and for nobody else. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { FILES, NOTES, notesWorld, type World } from './world.ts'

const test = suite('schema: what is, and who may')

interface Cell {
  readonly kind: string
  readonly records: number | null
  readonly uncounted?: string
  readonly fields?: readonly string[]
  readonly clauses: readonly number[]
}
interface Row {
  readonly clauses: readonly { readonly text: string; readonly place: string }[]
  readonly cells: Readonly<Record<string, Cell>>
}

const READS = ['/schema.json', '/access.json', '/operations.json']

/** The line of the notes that has a text. */
function lineOf(text: string): number {
  return NOTES.split('\n').findIndex((line) => line.includes(text)) + 1
}

let world: World
test.before(async () => {
  world = await notesWorld({ people: ['reader', 'writer', 'customer'] })
  for (const [who, title] of [
    ['admin', 'one'],
    ['writer', 'two'],
    ['writer', 'three'],
  ] as const) {
    const made = await world.call(who, 'POST /api/notes', { title })
    assert.is(made.status, 201, made.text)
  }
  const done = await world.call('admin', 'PATCH /api/notes/3', { kind: 'done' })
  assert.is(done.status, 200, done.text)
})
test.after(() => world.close())

test('each role has none, some or all, with the records that these are now and the clauses that say so', async () => {
  const answer = await world.call('reader', 'GET /access.json?resource=notes')
  assert.is(answer.status, 200, answer.text)
  const notes = answer.at('data.resources.notes.actions') as Readonly<Record<string, Row>>
  const { cells, clauses } = notes.view!
  assert.equal(cells.admin, { kind: 'all', records: 3, clauses: [0, 1] })
  assert.equal(cells.reader, { kind: 'some', records: 2, clauses: [1] })
  assert.equal(cells.writer, { kind: 'some', records: null, uncounted: 'how many depends on who asks', clauses: [2] })
  assert.equal(cells.customer, { kind: 'none', records: null, clauses: [] })
  assert.equal(cells['everyone without a token'], { kind: 'none', records: null, clauses: [] })
  assert.match(clauses[1]?.text ?? '', /permission: notes\.view, where: \{ kind: open \}/)
  assert.match(clauses[1]?.place ?? '', new RegExp(`notes\\.yaml:${lineOf('permission: notes.view')}:7$`))
  assert.equal(notes.update?.cells.writer?.fields, ['title'])
  assert.equal(notes.create?.cells.writer?.kind, 'all')
  assert.equal(notes.delete?.cells.writer?.kind, 'none')
  assert.equal(Object.keys(answer.at('data.resources') as object), ['notes'])
})

test('the counts are those that each role is answered', async () => {
  const answer = await world.call('admin', 'GET /access.json')
  const view = answer.at('data.resources.notes.actions.view') as Row
  for (const who of ['admin', 'reader']) {
    const list = await world.call(who, 'GET /api/notes')
    assert.is(list.at('meta.pagination.total'), view.cells[who]?.records, who)
  }
})

test('a resource that there is not is refused with the nearest one', async () => {
  const answer = await world.call('admin', 'GET /access.json?resource=nots')
  assert.is(answer.status, 422, answer.text)
  assert.match(answer.text, /did you mean notes\?/)
})

test('the schema has fields, guards, relations, rules, moves and policies, each with its file and line', async () => {
  const answer = await world.call('reader', 'GET /schema.json')
  assert.is(answer.status, 200, answer.text)
  const named = (part: string, name: string): Readonly<Record<string, unknown>> =>
    (answer.at(`data.resources.notes.${part}`) as readonly Readonly<Record<string, unknown>>[]).find(
      (one) => one.name === name,
    ) ?? {}
  const secret = named('fields', 'secret')
  assert.equal(secret.read, [{ kind: 'role', roles: ['admin'] }])
  assert.match(String(secret.place), new RegExp(`notes\\.yaml:${lineOf('secret:')}:3$`))
  assert.is(secret.text, 'secret: { type: string, read: { role: admin } }')
  assert.equal(named('relations', 'owner').to, 'users')
  assert.equal(named('rules', 'has_a_title').says, 'A note has a title')
  assert.equal(named('moves', 'kind').words, ['open', 'done', 'old'])
  assert.is((named('moves', 'kind').allow as readonly unknown[]).length, 2)
})

test('what is going on has jobs, automations, listeners and the plan; what went wrong is for those who see jobs', async () => {
  const [admin, reader] = [
    await world.call('admin', 'GET /operations.json'),
    await world.call('reader', 'GET /operations.json'),
  ]
  assert.is(admin.status, 200, admin.text)
  assert.equal(admin.at('data.jobs.failed'), [])
  assert.equal(admin.at('data.plan.plan.steps'), [])
  assert.is(reader.at('data.jobs.failed'), null)
  assert.is(reader.at('data.listeners.failed'), null)
})

test('who may not ask why is refused, and is told of no such route', async () => {
  for (const path of READS) {
    assert.is((await world.call(undefined, `GET ${path}`)).status, 401, path)
    for (const who of ['writer', 'customer'])
      assert.is((await world.call(who, `GET ${path}`)).status, 403, `${who} ${path}`)
  }
  for (const who of ['writer', undefined]) {
    const catalog = await world.call(who, 'GET /catalog.json')
    assert.not.match(catalog.text, /access\.json|schema\.files/)
  }
  const reader = await world.call('reader', 'GET /catalog.json')
  assert.match(reader.text, /"\/access\.json"/)
  assert.not.match(reader.text, /"\/schema\/edits"/)
})

test('where app.yaml lets nobody ask why, there are no such routes', async () => {
  const without = (name: string, part: RegExp): string => (FILES[name] ?? '').replace(part, '')
  const files = {
    ...FILES,
    'app.yaml': without('app.yaml', /^explain:.*\n/m),
    'roles.yaml': without('roles.yaml', /, answers\.explain/),
  }
  const silent = await notesWorld({ files })
  try {
    for (const path of READS) assert.is((await silent.call('admin', `GET ${path}`)).status, 404, path)
  } finally {
    await silent.close()
  }
})

test.run()
