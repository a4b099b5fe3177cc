/** How large the document is: what operations have in common is said once, so that it grows with what resources say. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import type { OpenApiDocument } from '../../engine/openapi/openapi-document.ts'
import { describeApplication } from '../../engine/openapi/routes.ts'
import { methodsOf } from '../support/document.ts'
import { largeName, writeLargeApplication } from '../support/large.ts'

const test = suite('openapi: size')

async function documentOf(resourcesDir: string): Promise<OpenApiDocument> {
  const { value } = await readCatalog({ resourcesDir, pluginsDir: 'plugins' })
  assert.ok(value)
  const { catalog, composition, routes } = value
  return describeApplication(catalog, routes, composition)
}

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

test('an operation of the desk takes below 1,180 bytes with all that it refers to', async () => {
  const document = await documentOf('resources')
  const operations = Object.values(document.paths).flatMap(methodsOf).length
  const each = bytes(document) / operations
  assert.ok(each < 1_180, `${each} bytes for each of ${operations} operations`)
})

test('a resource of 30 fields takes below 14 KB, so that 500 of them take little more than 7 MB', async () => {
  const [few, many] = [await writeLargeApplication(20, 30), await writeLargeApplication(60, 30)]
  const [small, large] = [await documentOf(few.folder), await documentOf(many.folder)]
  await Promise.all([few.remove(), many.remove()])
  const each = (bytes(large) - bytes(small)) / 40
  assert.ok(each < 14_000, `${each} bytes`)
  const { responses, parameters } = large.components as Readonly<Record<string, object>>
  for (const name of ['Page', 'PerPage', 'Cursor', 'Order', 'CreatedAt']) assert.ok(name in parameters!, name)
  for (const name of ['Refused', 'NotModified', 'Done', 'Resource017Answer']) assert.ok(name in responses!, name)
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
