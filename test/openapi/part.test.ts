/** A part of the document is a document by itself, with what it needs and nothing else, however large the whole is. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import type { OpenApiDocument } from '../../engine/openapi/openapi-document.ts'
import { describeApplication } from '../../engine/openapi/routes.ts'
import { ANN, FILES, library, STAFF } from '../action/library.ts'
import { methodsOf } from '../support/document.ts'
import { writeLargeApplication } from '../support/large.ts'

const test = suite('openapi: parts')

/** The operation ids of a document by method and path. */
function operations(document: OpenApiDocument): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      methodsOf(item).map(([method, { operationId }]) => [`${method} ${path}`, operationId] as const),
    ),
  )
}

function tagsOf({ tags }: OpenApiDocument): readonly string[] {
  return (tags as readonly { readonly name: string }[]).map(({ name }) => name).sort()
}

function groupsOf({ info }: OpenApiDocument): readonly string[] {
  return (info as { readonly 'x-groups': readonly string[] })['x-groups']
}

/** Every reference leads to a component, and every component is referred to. */
function isWhole({ components, ...document }: OpenApiDocument): void {
  const { securitySchemes: _, ...parts } = components as Readonly<Record<string, object>>
  const found = JSON.stringify([document, parts]).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)
  const named = Object.entries(parts).flatMap(([kind, of]) => Object.keys(of).map((name) => `${kind}/${name}`))
  assert.equal([...new Set([...found].map(([, to]) => to))].sort(), named.sort())
}

test('a part of a large document refers to nothing outside of it, and is small', async () => {
  const { folder, remove } = await writeLargeApplication(120, 20)
  const { value } = await readCatalog({ resourcesDir: folder, pluginsDir: 'plugins' })
  await remove()
  assert.ok(value)
  const { catalog, composition, routes } = value
  const whole = describeApplication(catalog, routes, composition)
  const all = operations(whole)
  const part = describeApplication(catalog, routes, composition, { resource: ['resource_017s'] })
  const own = operations(part)
  assert.equal(
    [...own.keys()],
    [...all.keys()].filter((one) => /\/api\/resource-017s(?:\/|$)/.test(one)),
  )
  for (const [one, id] of own) assert.is(id, all.get(one), one)
  isWhole(part)
  const strange = Object.keys(part.components.schemas).filter((name) => /^Resource(?!017)\d/.test(name))
  assert.equal(strange, [])
  const bytes = Buffer.byteLength(JSON.stringify(part))
  assert.ok(bytes < 60_000, `${bytes} bytes`)
  assert.equal([...groupsOf(part), 'Operation'].sort(), tagsOf(whole))
})

test('every group of the desk is a document by itself, and together they have each route once', async () => {
  const { value } = await readCatalog({ resourcesDir: 'resources', pluginsDir: 'plugins' })
  assert.ok(value)
  const { catalog, composition, routes } = value
  const whole = describeApplication(catalog, routes, composition)
  const found: string[] = []
  for (const name of groupsOf(describeApplication(catalog, routes, composition, { group: ['Reference'] }))) {
    const part = describeApplication(catalog, routes, composition, { group: [name] })
    isWhole(part)
    assert.equal(tagsOf(part), [name])
    found.push(...operations(part).keys())
  }
  const probes = ['get /livez', 'get /metrics', 'get /readyz']
  assert.equal([...found, ...probes].sort(), [...operations(whole).keys()].sort())
})

test('/openapi.json?resource= tells callers a part of what they may see, and names nothing else', async () => {
  const audits =
    'resource: audits\nfields: { title: { type: string } }\npolicies: { view: [{ permission: books.edit }] }\nactions: [list, get]\n'
  const app = await library({ ...FILES, 'audits.yaml': audits })
  const asked = async (query: string, token?: string) => app.call('GET', `/openapi.json?${query}`, { token })
  const [whole, books, tags] = [
    await asked('', ANN),
    await asked('resource=books', ANN),
    await asked('group=Tags', ANN),
  ]
  const [staff, refused, misspelt] = [
    await asked('resource=audits', STAFF),
    await asked('resource=audits,books', ANN),
    await asked('resource=book'),
  ]
  const known = { headers: { 'if-none-match': String(books.headers.etag) }, token: ANN }
  const again = await app.call('GET', '/openapi.json?resource=books', known)
  await app.close()
  for (const { body } of [books, tags, staff]) isWhole(body)
  const all = operations(whole.body)
  assert.equal(
    [...operations(books.body)],
    [...all].filter(([one]) => one.includes('/api/v1/books')),
  )
  assert.ok(operations(tags.body).size > 0 && operations(staff.body).size > 0)
  assert.not.match(books.text, /[Aa]udit/)
  assert.is(refused.status, 422)
  assert.equal(refused.body.errors, { resource: ['There is no resource "audits" in this document'] })
  assert.is(misspelt.body.errors.resource[0], 'There is no resource "book" in this document; did you mean "books"?')
  assert.is(again.status, 304)
})

test.run()
