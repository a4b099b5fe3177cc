/** A desk whose administrator chose other defaults: the rules hold for what is filled in as for what is sent. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, PASSWORD, type Person } from './desk.ts'

const test = suite('desk: other defaults')
let folder: string
let desk: Desk
let manager: Person

const CHANGES = [
  ['users.yaml', 'relations:\n', 'relations:\n  role: { default: { slug: admin } }\n'],
  [
    'tickets.yaml',
    'subCategory:   { belongs_to: categories,',
    'subCategory: { belongs_to: categories, default: { name: Invoices },',
  ],
] as const

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-defaults-'))
  await cp('resources', folder, { recursive: true })
  for (const [file, from, to] of CHANGES) {
    const text = await readFile(join(folder, file), 'utf8')
    assert.ok(text.includes(from), file)
    await writeFile(join(folder, file), text.replace(from, to))
  }
  desk = await openDesk({}, folder)
  manager = await desk.person('manager', 'Mona')
})
test.after(async () => {
  await desk.close()
  await rm(folder, { recursive: true, force: true })
})

test('an account without a role is no way above one’s own', async () => {
  const account = { first_name: 'a', last_name: 'b', password: PASSWORD, password_confirmation: PASSWORD }
  const answer = await desk.post('/users', manager, { ...account, email: 'up@people.example' })
  assert.is(answer.status, 403, answer.text)
  assert.is(answer.at('message'), 'You cannot give a role above your own')
  assert.is((await desk.post('/users', desk.admin, { ...account, email: 'two@people.example' })).status, 201)
})

test('a sub-category that nobody named stands below the ticket’s category as well', async () => {
  const letter = { subject: 'a', details: 'b' }
  const elsewhere = await desk.post('/tickets', manager, letter)
  assert.is(elsewhere.status, 422, elsewhere.text)
  assert.ok(elsewhere.at('errors.sub_category_id.0'))
  const category_id = await desk.setting('categories', 'Billing')
  assert.is((await desk.post('/tickets', manager, { ...letter, category_id })).status, 201)
  assert.is((await desk.post('/tickets', manager, { ...letter, sub_category_id: null })).status, 201)
})

test('a ticket that begins as solved by default is stamped as one', async () => {
  const solved = `/settings/statuses/${await desk.setting('statuses', 'resolved')}`
  assert.is((await desk.put(solved, manager, { is_default: true })).status, 200)
  const answer = await desk.post('/tickets', manager, { subject: 'a', details: 'b', sub_category_id: null })
  assert.is(answer.at('data.status.name'), 'Resolved')
  assert.type(answer.at('data.resolved_at'), 'string')
})

test.run()
