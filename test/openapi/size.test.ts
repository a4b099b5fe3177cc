/** How large the document is: what operations have in common is said once, so that it grows with what resources say. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import type { OpenApiDocument } from '../../engine/openapi/openapi-document.ts'
import { describeApplication } from '../../engine/openapi/routes.ts'
import { methodsOf } from '../support/document.ts'
import { largeName, writeFiles, writeLargeApplication } from '../support/large.ts'

const test = suite('openapi: size')

async function documentOf(resourcesDir: string): Promise<OpenApiDocument> {
  const { value } = await readCatalog({ resourcesDir, pluginsDir: 'plugins' })
  assert.ok(value)
  const { catalog, composition, routes } = value
  return describeApplication(catalog, routes, composition)
}

async function documentOfLarge(resources: number, fields = 30): Promise<OpenApiDocument> {
  const { folder, remove } = await writeLargeApplication(resources, fields)
  try {
    return await documentOf(folder)
  } finally {
    await remove()
  }
}

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

test('an operation of the desk takes below 1,300 bytes with all that it refers to', async () => {
  const document = await documentOf('resources')
  const operations = Object.values(document.paths).flatMap(methodsOf).length
  const each = bytes(document) / operations
  assert.ok(each < 1_300, `${each} bytes for each of ${operations} operations`)
})

test('a field takes below 190 bytes, and a resource of 30 fields that others have too below 14 KB', async () => {
  const [narrow, wide] = [await documentOfLarge(1, 30), await documentOfLarge(1, 90)]
  const field = (bytes(wide) - bytes(narrow)) / 60
  assert.ok(field < 190, `${field} bytes for each field`)
  const [few, many] = [await documentOfLarge(20), await documentOfLarge(60)]
  const each = (bytes(many) - bytes(few)) / 40
  assert.ok(each < 14_000, `${each} bytes for each`)
  const { parameters, schemas } = many.components as Readonly<Record<string, object>>
  for (const name of ['Page', 'PerPage', 'Cursor', 'Order', 'CreatedAt']) assert.ok(name in parameters!, name)
  for (const name of ['Matched', 'Resource017Page']) assert.ok(name in schemas!, name)
})

test('an answer of success stands in its operation, and no two components have the same name', async () => {
  for (const document of [await documentOf('resources'), await documentOf('test/library/resources')]) {
    const operations = Object.values(document.paths).flatMap(methodsOf)
    const answers = operations.flatMap(([, { responses }]) => Object.entries(Object(responses)))
    const elsewhere = answers.filter(([status, answer]) => status.startsWith('2') && '$ref' in Object(answer))
    assert.equal(elsewhere, [])
    const names = Object.values(document.components).flatMap((parts) => Object.keys(Object(parts)))
    assert.equal(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    )
  }
})

test('schemas that are equal are written once under the name of the first, each with its own description', async () => {
  const { schemas } = (await documentOfLarge(3)).components
  assert.ok('properties' in schemas.Resource001Update!)
  assert.equal(schemas.Resource003Update, { $ref: '#/components/schemas/Resource001Update' })
  const text = (name: string, about: string) =>
    `resource: ${name}\n${about}fields: { title: { type: string, max: 100 }, pages: { type: integer } }\npolicies: { view: [{ who: anyone }] }\nactions: [get]\n`
  const { folder, remove } = await writeFiles({
    'app.yaml': 'name: Alike\nprefix: /api\nplugins: {}\n',
    'albums.yaml': text('albums', 'description: Pictures.\n'),
    'books.yaml': text('books', 'description: Texts.\n'),
    'prints.yaml': text('prints', ''),
  })
  const { Album, Book, Print } = (await documentOf(folder)).components.schemas
  await remove()
  assert.is(Album?.description, 'Pictures.')
  assert.equal(Book, { $ref: '#/components/schemas/Album', description: 'Texts.' })
  assert.ok(Print !== undefined && 'properties' in Print && !('description' in Print), 'nothing is said of it')
})

test('every reference leads somewhere, and every component is referred to', async () => {
  for (const document of [await documentOf('resources'), await documentOf('test/library/resources')]) {
    const targets = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, to]) => to),
    )
    const { securitySchemes, ...components } = document.components as Readonly<Record<string, object>>
    assert.ok(securitySchemes)
    const known = Object.entries(components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `${kind}/${name}`),
    )
    assert.equal([...targets].sort(), known.sort())
  }
})

test('the same application gives the same document', async () => {
  const { folder, remove } = await writeLargeApplication(5, 12)
  const [once, again] = [await documentOf(folder), await documentOf(folder)]
  await remove()
  assert.is(JSON.stringify(once), JSON.stringify(again))
  assert.ok(`/api/${largeName(3).replace('_', '-')}` in once.paths)
})

test.run()
