/** No answer of the desk depends on what its reader may not see: for each role, asked in every way that a list can be asked. */
import { readdir, readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import { sentOf, widened } from '../support/leak-requests.ts'
import { leaksTo, type Reader } from '../support/leaks.ts'
import { type Desk, openDesk, type Person } from './desk.ts'

const test = suite('desk: leaks')
let desk: Desk
const people = new Map<string, Person>()

test.before(async () => {
  const { value } = await readCatalog({ resourcesDir: 'resources', pluginsDir: 'plugins' })
  assert.ok(value)
  const names = (await readdir('resources')).filter((name) => name.endsWith('.yaml'))
  const { 'app.yaml': app = '', ...files } = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(`resources/${name}`, 'utf8')] as const)),
  )
  desk = await openDesk({}, { 'app.yaml': app, ...widened(value.catalog, files, 3) })
  for (const [role, name] of [
    ['customer', 'Carla'],
    ['customer', 'Carl'],
    ['agent', 'Anna'],
    ['manager', 'Mona'],
  ] as const)
    people.set(name, await desk.person(role, name))
  await fill()
})
test.after(() => desk.close())

const person = (name: string): Person => people.get(name)!

/** Something of everything, of which each sees a part. */
async function fill(): Promise<void> {
  const made = async (path: string, as: Person, body: object): Promise<number> => {
    const answer = await desk.post(path, as, body)
    assert.is(answer.status, 201, `${path}: ${answer.text}`)
    return Number(answer.at('data.id'))
  }
  const organization_id = await made('/organizations', desk.admin, { name: 'Acme', city: 'Bonn', country: 'DE' })
  const contact = { first_name: 'Con', last_name: 'Tact', email: 'con@acme.example', phone: '1', organization_id }
  const contact_id = await made('/contacts', desk.admin, contact)
  for (const name of ['Carla', 'Carl']) {
    const ticket = await made('/tickets', person(name), { subject: `Help ${name}`, details: 'It is broken' })
    await made(`/tickets/${ticket}/comments`, person(name), { comment: 'Please' })
    await made(`/tickets/${ticket}/comments`, person('Anna'), { comment: 'A secret', is_internal: true })
    const update = { assigned_to: person('Anna').id, contact_id, cc: ['copy@acme.example'], tags: ['vip'] }
    const changed = await desk.put(`/tickets/${ticket}`, person('Mona'), update)
    assert.is(changed.status, 200, changed.text)
    await made(`/tickets/${ticket}/watchers`, person('Anna'), {})
  }
  await made('/notes', person('Anna'), { name: 'Mine', details: 'A note of my own' })
  await made('/notes', person('Mona'), { name: 'Mine too', details: 'Another' })
  for (const published of [true, false]) {
    await made('/knowledge-base', desk.admin, { title: `Article ${published}`, details: 'How it is', published })
    await made('/faqs', desk.admin, { name: `Question ${published}`, details: 'As it is', status: published })
  }
}

async function readerOf(role: string, name: string): Promise<Reader> {
  const text = 'select permissions from roles where slug = $1'
  const [row] = await desk.engine.database.adhoc.run({ text }, [role])
  const permissions: readonly string[] = JSON.parse(row?.[0] ?? '[]')
  const { id, token } = person(name)
  const actor = { kind: 'user', id, role, permissions: new Set(permissions), attributes: {} } as const
  return { name: `${role} ${name}`, token, actor }
}

const world = () => ({
  catalog: desk.engine.app.catalog,
  database: desk.engine.database,
  kept: ['access_tokens', 'roles'],
  async ask(request: string, token: string) {
    const { path, method, headers, ...rest } = sentOf(request)
    const sent = { ...rest, headers: { ...headers, authorization: `Bearer ${token}` } }
    const { body, status } = await desk.call(method, `/${path}`, sent)
    const { can, pagination, search } = body.meta ?? {}
    // A dry run says when its record was changed.
    const data = JSON.stringify(body.data ?? body.resources)?.replace(/"updated_at":"[^"]*"/g, '')
    return JSON.stringify([status, data, body.errors, pagination, search, can]).slice(1)
  },
})

/** How many hidden columns every list is asked about. */
const EACH = Number(process.env.LEAKS ?? 2)

for (const [role, name] of [
  ['customer', 'Carla'],
  ['agent', 'Anna'],
  ['manager', 'Mona'],
] as const) {
  test(`a ${role} learns nothing of what is hidden`, async () => {
    const { answered, asked, found, hidden } = await leaksTo(world(), await readerOf(role, name), 11, EACH)
    assert.equal(found.slice(0, 5), [])
    assert.ok(hidden > 5, `${hidden} values were changed`)
    assert.ok(asked > 20 && answered > 5, `${answered} of ${asked} requests were answered`)
  })
}

test.run()
