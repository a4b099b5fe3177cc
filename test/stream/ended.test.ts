/** What is committed behind the answer that ended a session, or took a right away, reaches no stream of it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Data, type Library, libraryOf } from '../plugins/webhooks/world.ts'
import { application } from '../support/application.ts'
import { until } from '../support/wait.ts'
import type { Reading } from './client.ts'
import { readingsOf } from './world.ts'

const FILES = {
  'app.yaml': [
    'name: Library',
    'prefix: /api',
    'plugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { approval: "off", roles: [admin, editor, reader] } }',
    'limits: { listenerPollMs: 200, streamPauseMs: 10 }',
  ].join('\n'),
  'roles.yaml': [
    'resource: roles',
    'seeds:',
    '  key: slug',
    '  rows:',
    '    - { name: Editor, slug: editor, permissions: [books.see] }',
    '    - { name: Reader, slug: reader, permissions: [] }',
  ].join('\n'),
  'books.yaml': [
    'resource: books',
    'stream: true',
    'fields: { number: { type: integer }, is_open: { type: boolean, default: true, nullable: false } }',
    'policies: { view: [{ permission: books.see }, { role: reader, where: { is_open: false } }], create: [{ role: admin }], update: [{ role: admin }], delete: [{ role: admin }] }',
  ].join('\n'),
}

const test = suite('streams: ended sessions')
const open = readingsOf(test)
let library: Library

test.before(async () => {
  const env = { ADMIN_EMAIL: 'boss@library.example', ADMIN_PASSWORD: 'a very long secret' }
  library = await libraryOf(await application({ resources: FILES, env }))
})
test.after(() => library?.close())

interface Session {
  readonly person: { readonly id: number; readonly token: string }
  readonly reading: Reading
}

/** Ways to end a session, or to take away what it sees. */
const ENDS: Readonly<
  Record<string, (person: Session['person'], roles: Readonly<Record<string, number>>) => Promise<Data>>
> = {
  'signing out': ({ token }) => library.must('POST', '/auth/logout', undefined, token),
  'deleting the account': ({ id }) => library.must('DELETE', `/users/${id}`),
  'another password': ({ id }) => {
    const password = 'another long password'
    return library.must('PUT', `/users/${id}`, { password, password_confirmation: password })
  },
  'another role': ({ id }, { reader }) => library.must('PUT', `/users/${id}`, { role_id: reader }),
}

test('nothing comes that was committed behind the answer', async () => {
  const kinds = Object.entries(ENDS)
  const roles: readonly Data[] = await library.must('GET', '/settings/roles')
  const roleIds = Object.fromEntries(roles.map(({ id, slug }) => [slug, id]))
  const sessions: Session[] = []
  for (let n = 0; n < 3 * kinds.length; n++) {
    const person = await library.person('editor', `Editor${n}`)
    sessions.push({ person, reading: await open(library.app.address, person.token, '/api/books/stream') })
  }
  let number = 0
  let isDone = false
  const writing = (async () => {
    while (!isDone) await library.must('POST', '/books', { number: ++number })
  })()
  // Which numbers were not even asked for when a session's answer came.
  const last = new Map<Session, number>()
  for (const [at, session] of sessions.entries()) {
    await until(() => session.reading.events.length > 3)
    await kinds[at % kinds.length]![1](session.person, roleIds)
    last.set(session, number)
  }
  const end = number + 5
  await until(() => number > end)
  isDone = true
  await writing
  await until(() => sessions.every(({ reading }) => reading.ended() || reading.told().includes('reset access')))
  for (const [at, session] of sessions.entries()) {
    const numbers = session.reading.events.map(({ data }) => Number(data.number ?? 0))
    const [name] = kinds[at % kinds.length]!
    assert.ok(Math.max(...numbers) <= last.get(session)!, `${name}: ${Math.max(...numbers)} after ${last.get(session)}`)
  }
})

test('a permission that a role loses ends what it shows, and those with other roles go on', async () => {
  const made = await library.must('POST', '/settings/roles', { name: 'Visitors', permissions: ['books.see'] })
  const [visitor, editor] = [await library.person(made.slug, 'Vera'), await library.person('editor', 'Edda')]
  const [ends, goesOn] = [
    await open(library.app.address, visitor.token, '/api/books/stream'),
    await open(library.app.address, editor.token, '/api/books/stream'),
  ]
  let number = 1000
  for (; number < 1010; number++) await library.must('POST', '/books', { number })
  await library.must('PUT', `/settings/roles/${made.id}`, { permissions: [] })
  for (; number < 1030; number++) await library.must('POST', '/books', { number })
  await until(() => ends.ended() && goesOn.events.at(-1)?.data.number === 1029)
  assert.ok(ends.events.every(({ data }) => Number(data.number ?? 0) < 1010))
  assert.is(goesOn.events.length, 31)
})

test.run()
