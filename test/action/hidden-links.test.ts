/** Links to records that a caller may not see: they are no business of its lists of ids, which neither tell of them nor remove them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ANN, FILES, type Library, library, STAFF } from './library.ts'

const test = suite('links to hidden records')
let app: Library

const MARKS = `
resource: marks
soft_delete: true
fields: { name: { type: string }, is_internal: { type: boolean, default: false, nullable: false } }
policies:
  view: [{ permission: books.edit }, { who: signed_in, where: { is_internal: false } }]
  create: [{ permission: books.edit }]
  delete: [{ permission: books.edit }]
actions: [get, create, delete]
`
const PAGES = `
resource: pages
fields: { text: { type: string } }
relations: { marks: { many_to_many: marks, embed: [id] } }
policies:
  view: [{ who: signed_in }]
  create: [{ permission: books.edit }]
  update: [{ permission: books.edit }, { role: member }, { role: guest, fields: [text] }]
actions: [get, create, update]
`
const GUEST = '3:guest:'
const [OPEN, INTERNAL, OTHER] = [1, 2, 3]

test.before(async () => {
  app = await library({ ...FILES, 'marks.yaml': MARKS, 'pages.yaml': PAGES })
  for (const is_internal of [false, true, false, true]) await app.expect(201, 'POST', '/marks', STAFF, { is_internal })
})
test.after(() => app.close())

const ids = (page: { marks: readonly { id: number }[] }): readonly number[] => page.marks.map(({ id }) => id)

async function page(...mark_ids: readonly number[]): Promise<string> {
  return `/pages/${(await app.expect(201, 'POST', '/pages', STAFF, { text: 'Old', mark_ids })).id}`
}

async function linked(path: string): Promise<readonly number[]> {
  return ids(await app.expect(200, 'GET', path, STAFF))
}

test('a list replaces the links that its sender sees', async () => {
  const path = await page(OPEN, INTERNAL)
  assert.equal(ids(await app.expect(200, 'GET', path, ANN)), [OPEN])
  assert.equal(ids(await app.expect(200, 'PATCH', path, ANN, { mark_ids: [OTHER] })), [OTHER])
  assert.equal(await linked(path), [INTERNAL, OTHER])
  await app.expect(200, 'PATCH', path, ANN, { mark_ids: [] })
  assert.equal(await linked(path), [INTERNAL])
  await app.expect(200, 'PATCH', path, STAFF, { mark_ids: [OPEN] })
  assert.equal(await linked(path), [OPEN])
})

test('it does not tell whether there is a link to another record', async () => {
  const [with_, without] = [await page(OPEN, INTERNAL), await page(OPEN)]
  for (const [token, body] of [
    [ANN, { mark_ids: [OPEN, INTERNAL] }],
    [GUEST, { mark_ids: [OPEN, INTERNAL] }],
    [GUEST, { mark_ids: [OPEN] }],
    [GUEST, { mark_ids: [OPEN], text: 'New' }],
  ] as const) {
    const [one, other] = await Promise.all(
      [with_, without].map(async (path) => {
        const { body: answer, status } = await app.call('PATCH', `/api/v1${path}`, { token, body })
        return [status, answer.message, answer.errors]
      }),
    )
    assert.equal(one, other, JSON.stringify(body))
  }
})

test('what is sent back as it was read is no change, also where a linked record is deleted', async () => {
  const path = await page(OPEN, INTERNAL, OTHER)
  await app.expect(204, 'DELETE', `/marks/${OTHER}`, STAFF)
  const mark_ids = ids(await app.expect(200, 'GET', path, GUEST))
  assert.equal(mark_ids, [OPEN])
  assert.is((await app.expect(200, 'PATCH', path, GUEST, { text: 'New', mark_ids })).text, 'New')
  assert.equal(await linked(path), [OPEN, INTERNAL])
})

test.run()
