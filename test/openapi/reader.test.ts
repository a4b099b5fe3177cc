/** /openapi.json with a token holds what its bearer may do, read and write, and nothing else. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, FILES, library, STAFF } from '../action/library.ts'
import { type Desk, openDesk, type Person } from '../desk/desk.ts'
import { flat, methodsOf, resolved } from '../support/document.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is walked freely
type Document = any

let desk: Desk
const people: Record<string, Person> = {}
const documents: Record<string, Document> = {}
const test = suite('openapi: for each reader')

test.before(async () => {
  desk = await openDesk()
  people.admin = desk.admin
  for (const role of ['manager', 'agent', 'customer']) people[role] = await desk.person(role, `O${role}`)
  for (const [role, person] of Object.entries(people)) documents[role] = (await desk.get('//openapi.json', person)).body
  documents.nobody = (await desk.call('GET', '//openapi.json')).body
})
test.after(() => desk?.close())

const operations = (document: Document): readonly string[] =>
  Object.entries<object>(document.paths).flatMap(([path, item]) =>
    ['get', 'post', 'put', 'patch', 'delete'].filter((method) => method in item).map((method) => `${method} ${path}`),
  )

function schema(role: string, name: string): { properties: Record<string, unknown>; required: readonly string[] } {
  const document = documents[role]
  return flat(document, document.components.schemas[name])
}

test('without a token it is the whole document, with one it is a part of that, and what is for people who explain', () => {
  const all = new Set(operations(documents.nobody))
  assert.equal(documents.nobody, JSON.parse(JSON.stringify(desk.engine.app.document())))
  for (const role of Object.keys(people)) {
    const own = operations(documents[role])
    const more = role === 'admin' ? ['get /access.json', 'get /operations.json', 'get /schema.json'] : []
    assert.equal(own.filter((one) => !all.has(one)).sort(), more, role)
  }
  assert.is(operations(documents.admin).filter((one) => all.has(one)).length, all.size)
  assert.ok(operations(documents.customer).length < operations(documents.agent).length)
})

test('what a reader may not do at all is refused, and stands in no document of theirs', async () => {
  for (const role of ['agent', 'customer']) {
    const own = new Set(operations(documents[role]))
    for (const one of operations(documents.nobody)) {
      const [method = '', path = ''] = one.split(' ')
      if (own.has(one) || !path.startsWith('/api/v1')) continue
      const called = path.replace('/api/v1', '').replaceAll(/\{\w+\}/g, '4711')
      const { status } = await desk.call(method.toUpperCase(), called, {
        as: people[role],
        ...(method === 'get' || method === 'delete' ? {} : { body: {} }),
      })
      assert.is(status, 403, `${role}: ${one}`)
    }
  }
})

test("what stands in a reader's document about a record is not refused to that reader whatever the record", async () => {
  for (const role of ['agent', 'customer'])
    for (const one of operations(documents[role])) {
      if (!one.startsWith('get /api/v1') || !one.includes('{id}')) continue
      const { status } = await desk.get(one.replace('get /api/v1', '').replace('{id}', '4711'), people[role])
      assert.is(status, 404, `${role}: ${one}`)
    }
})

test('fields that a reader may not read or write are missing', () => {
  const secret = Object.keys(schema('admin', 'Ticket').properties)
  for (const role of ['manager', 'agent', 'customer'])
    assert.equal(
      Object.keys(schema(role, 'Ticket').properties).filter((name) => !secret.includes(name)),
      [],
      role,
    )
  const [all, own] = [schema('admin', 'TicketCreate').properties, schema('customer', 'TicketCreate').properties]
  assert.ok('assigned_to' in all)
  assert.not('assigned_to' in own)
  assert.not('user_id' in own, 'a rule fills it in')
  assert.ok('subject' in own)
})

test('a document is whole: every reference leads somewhere, and its descriptions speak to its reader', () => {
  for (const [role, document] of Object.entries(documents)) {
    for (const [, kind = '', name = ''] of JSON.stringify(document).matchAll(
      /"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g,
    ))
      assert.ok(document.components[kind]?.[name], `${role}: ${kind}/${name}`)
    for (const item of Object.values<object>(document.paths))
      for (const operation of methodsOf(item as never)) assert.ok(resolved(document, operation), role)
  }
  assert.match(JSON.stringify(documents.nobody.paths['/api/v1/tickets'].post), /tickets\.create/)
  assert.not.match(JSON.stringify(documents.customer.paths['/api/v1/tickets'].post), /tickets\.create/)
})

test('what is said once for several resources bears the name of none that its reader may not see', async () => {
  const alike = (name: string, who: string) =>
    `resource: ${name}\nfields: { title: { type: string, max: 100 }, pages: { type: integer }, isbn: { type: string } }\nfilters: [title, pages]\npolicies: { view: [${who}], create: [${who}], update: [${who}] }\nactions: [list, get, create, update]\n`
  const app = await library({
    ...FILES,
    'audits.yaml': alike('audits', '{ permission: books.edit }'),
    'papers.yaml': alike('papers', '{ who: signed_in }'),
    'prints.yaml': alike('prints', '{ who: signed_in }'),
  })
  const documentFor = async (token: string) => (await app.call('GET', '/openapi.json', { token })).body as Document
  const [staff, ann] = [await documentFor(STAFF), await documentFor(ANN)]
  await app.close()
  const { PaperUpdate, PrintUpdate, PaperFilters } = staff.components.schemas
  assert.equal(PaperUpdate, { $ref: '#/components/schemas/AuditUpdate' })
  assert.equal(PrintUpdate, { $ref: '#/components/schemas/AuditUpdate' })
  assert.equal(PaperFilters, { $ref: '#/components/schemas/AuditFilters' })
  assert.not.match(JSON.stringify(ann), /Audit/)
  assert.equal(ann.components.schemas.PrintUpdate, { $ref: '#/components/schemas/PaperUpdate' })
  assert.ok('isbn' in flat(ann, ann.components.schemas.PrintUpdate).properties)
})

test('its entity tag is that of the reader’s document', async () => {
  const first = await desk.get('//openapi.json', people.agent)
  const tag = String(first.headers.etag)
  const again = await desk.call('GET', '//openapi.json', { as: people.agent, headers: { 'if-none-match': tag } })
  assert.is(again.status, 304)
  const other = await desk.call('GET', '//openapi.json', { as: people.customer, headers: { 'if-none-match': tag } })
  assert.is(other.status, 200)
  assert.match(String(other.headers.vary), /Authorization/)
})

test.run()
