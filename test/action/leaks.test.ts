/** No answer of the library depends on what its reader may not see. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Actor } from '../../engine/actor.ts'
import { readCatalog } from '../../engine/boot/boot.ts'
import { sentOf, widened } from '../support/leak-requests.ts'
import { leaksTo, type Reader } from '../support/leaks.ts'
import { ANN, BEN, FILES, type Library, library, STAFF, STRANGER } from './library.ts'
import { fill } from './shelf.ts'

const test = suite('library: leaks')
let app: Library

function reader(name: string, token: string): Reader {
  const [id = '', role = '', permissions = ''] = token.split(':')
  const actor: Actor = {
    kind: 'user',
    id: Number(id),
    role: role || null,
    permissions: new Set(permissions.split(',').filter((word) => word !== '')),
    attributes: {},
  }
  return { name, token, actor }
}

test.before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-leaks-'))
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text)
  const { value } = await readCatalog({ resourcesDir: folder, pluginsDir: 'test/action/plugins' })
  await rm(folder, { recursive: true })
  assert.ok(value)
  app = await library(widened(value.catalog, FILES, 1))
  await fill(app)
  for (const [book, text, stars, is_private, token] of [
    [1, 'good', 5, false, ANN],
    [1, 'bad', 1, true, STAFF],
    [2, 'good too', 4, false, BEN],
  ] as const)
    await app.expect(201, 'POST', `/books/${book}/reviews`, token, { text, stars, ...(is_private && { is_private }) })
  for (const token of [ANN, BEN]) await app.expect(201, 'POST', '/drafts', token, { text: 'a draft' })
  await app.expect(201, 'POST', '/drafts/1/remarks', ANN, { text: 'a remark' })
  await app.expect(201, 'POST', '/tags', STAFF, { name: 'old' })
  for (const keeper of [1, 2])
    await app.expect(201, 'POST', '/loans', STAFF, { text: 'a loan', keeper, book_id: keeper })
  await app.expect(201, 'POST', '/notes', STAFF, { text: 'a note', stamp: 'x' })
})
test.after(() => app.close())

const world = () => ({
  catalog: app.engine.app.catalog,
  database: app.engine.database,
  async ask(request: string, token: string) {
    const { path, method, ...rest } = sentOf(request)
    const { body, status } = await app.call(method, path, { token, ...rest })
    const { can, pagination, search } = body.meta ?? {}
    // A dry run says when its record was changed.
    const data = JSON.stringify(body.data ?? body.resources)?.replace(/"updated_at":"[^"]*"/g, '')
    return JSON.stringify([status, data, body.errors, pagination, search, can]).slice(1)
  },
})

for (const [name, token] of [
  ['a member', ANN],
  ['another member', BEN],
  ['a stranger', STRANGER],
] as const) {
  test(`${name} learns nothing of what is hidden`, async () => {
    const { answered, asked, found, hidden } = await leaksTo(world(), reader(name, token), 7, 6)
    assert.equal(found.slice(0, 5), [])
    assert.ok(hidden > 5, `${hidden} values were changed`)
    assert.ok(asked > 20 && answered > 10, `${answered} of ${asked} requests were answered`)
  })
}

test('the same changes show to whoever may see them', async () => {
  const staff = reader('staff', STAFF)
  const { asked, found } = await leaksTo(world(), { ...reader('a member', ANN), token: staff.token }, 7, 6)
  assert.ok(found.length > asked / 10, `${found.length} of ${asked} requests tell`)
})

test.run()
