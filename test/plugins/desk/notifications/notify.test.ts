/** The key `notify` in a library, which knows no tickets: who is told of what, in which words, and what comes of each state of a record. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { report } from '../../../../engine/cli/explain.ts'
import type { JsonObject } from '../../../../engine/index.ts'
import { application, type TestApplication } from '../../../../engine/testing/index.ts'

const FILES = {
  'app.yaml': `name: Library
prefix: /api
plugins:
  timestamps: {}
  soft_delete: {}
  mail: {}
  auth: { roles: [admin, keeper, member], verify: false, approval: off }
  notifications: { unassigned: [keeper], program_name: The library }
`,
  'users.yaml': 'resource: users\n',
  'roles.yaml': `resource: roles
seeds:
  key: slug
  rows:
    - { slug: keeper, name: Keeper, permissions: [loans.keep, notifications.own, users.view] }
    - { slug: member, name: Member, permissions: [notifications.own] }
`,
  'shelves.yaml': `resource: shelves
label: Shelf
fields: { name: { type: string, required: true }, is_open: { type: boolean, default: true } }
policies:
  view: [{ permission: loans.keep }, { who: signed_in, where: { is_open: true } }]
  create: [{ permission: loans.keep }]
  update: [{ permission: loans.keep }]
  delete: []
`,
  'loans.yaml': `resource: loans
fields:
  title: { type: string, required: true }
  remark: { type: text, read: { permission: loans.keep } }
  days: { type: integer, default: 14 }
  guests: { type: list, of: email, default: [] }
relations:
  shelf: { belongs_to: shelves, embed: false }
  borrower: { belongs_to: users, embed: [id, name] }
  wishes: { has_many: wishes }
policies:
  view: [{ permission: loans.keep }, { who: signed_in, where: { borrower: $actor } }]
  create: [{ permission: loans.keep }, { role: member, set: { borrower: $actor } }]
  update: [{ permission: loans.keep }, { role: member, where: { borrower: $actor } }]
  delete: []
notify:
  lent:
    on: create
    to:
      - { people: borrower, self: true, list: false, in_mail: { sentence: "You took {{ title }}", text: "" } }
      - { people: borrower, title: "You have {{ title }}" }
      - { roles: unassigned, when: { borrower: null }, title: "{{ title }} is nobody's" }
    copies: { of: borrower, to: guests, shows: [title] }
    title: "{{ title }} is lent"
    mail: true
  moved:
    on: update
    changed: shelf
    to:
      - { people: borrower, when: { before.shelf.is_open: true, shelf.is_open: false }, title: "{{ title }} left {{ before.shelf.name }} for {{ shelf.name }}." }
      - { people: borrower, when: { not: { before.shelf.is_open: true } } }
      - { permission: loans.keep }
    except: wishes.user
    title: "{{ actor.name }} put {{ title }} to {{ shelf.name }}, {{ remark }}"
  longer:
    on: [update]
    changed: [days]
    when: { any: [{ before.days: { lt: 20 }, days: { gte: 20 } }, { days: 3 }] }
    to: [wishes.user, { people: borrower, not_by: borrower }]
    title: "{{ title }}: {{ days }} days after {{ before.days }}"
`,
  'wishes.yaml': `resource: wishes
label: Wish
relations:
  loan: { belongs_to: loans, required: true }
  user: { belongs_to: users, required: true }
policies:
  view: [{ who: signed_in }]
  create: [{ permission: loans.keep }]
  update: []
  delete: []
notify:
  wished:
    on: create
    to: [user, loan.wishes.user]
    title: "Wish {{ id }} of {{ loan.title }}"
`,
}

const test = suite('notify in a library')
let folder: string
let app: TestApplication
type Person = Awaited<ReturnType<TestApplication['person']>>
let keeper: Person
let other: Person
let member: Person

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-library-'))
  await mkdir(join(folder, 'resources'))
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, 'resources', name), text)
  app = await application({ folder })
  keeper = await app.person('keeper', 'Kim')
  other = await app.person('keeper', 'Olga')
  member = await app.person('member', 'Mia')
})
test.after(async () => {
  await app?.close()
  await rm(folder, { recursive: true, force: true })
})

/** What somebody has not read, oldest first, as `type: title`; it is read then. */
async function told(person: Person): Promise<readonly string[]> {
  await app.settled()
  const { data }: { data: readonly Record<string, unknown>[] } = await person.get(
    '/notifications?unread_only=true&sort=id',
  )
  await person.post('/notifications/read-all')
  return data.map(({ title, type }) => `${type}: ${title}`)
}

async function made(person: Person, path: string, body: JsonObject): Promise<number> {
  const answer = await person.post(path, body)
  assert.is(answer.status, 201, answer.text)
  return Number(answer.data.id)
}

async function idOf(person: Person): Promise<number> {
  return Number((await person.get('/auth/me')).data.id)
}

async function mails(): Promise<string> {
  await app.settled()
  const box = join(app.dataDir, 'outbox')
  const names = await readdir(box).catch(() => [])
  return (await Promise.all(names.map((name) => readFile(join(box, name), 'utf8')))).join('\n')
}

test('who did it gets a receipt by mail alone, others are told, and guests get a copy of what may be shown', async () => {
  await made(member, '/loans', { title: 'Emma', guests: ['guest@elsewhere.example'] })
  assert.equal(await told(member), [])
  const said = await mails()
  assert.match(said, /You took Emma\./)
  assert.match(said, /^To: guest@elsewhere\.example/m)
  await made(keeper, '/loans', { title: 'Ulysses', borrower_id: await idOf(member) })
  assert.equal(await told(member), ['lent: You have Ulysses'])
  await made(keeper, '/loans', { title: 'Faust' })
  assert.equal([await told(keeper), await told(other)], [[], ["lent: Faust is nobody's"]])
})

test('each reads the record as it may see it, and as the write left it', async () => {
  const [hall, cellar] = [
    await made(keeper, '/shelves', { name: 'Hall' }),
    await made(keeper, '/shelves', { name: 'Cellar', is_open: false }),
  ]
  const loan = await made(keeper, '/loans', {
    title: 'Dune',
    remark: 'torn',
    shelf_id: hall,
    borrower_id: await idOf(member),
  })
  await app.settled()
  for (const one of [keeper, other, member]) await told(one)
  await keeper.patch(`/loans/${loan}`, { shelf_id: cellar })
  // The cellar is nothing that a member may see.
  assert.equal(await told(member), ['moved: Dune left Hall for .'])
  assert.equal(await told(other), ['moved: Kim Tester put Dune to Cellar, torn'])
  for (const shelf of [hall, cellar]) await other.patch(`/loans/${loan}`, { shelf_id: shelf })
  const lines = ['moved: Olga Tester put Dune to Hall, torn', 'moved: Olga Tester put Dune to Cellar, torn']
  assert.equal(await told(keeper), lines, 'however late it is told')
  await app.records('loans').update(loan, { shelf_id: hall })
  await told(other)
  assert.equal(await told(keeper), ['moved: The library put Dune to Hall, torn'])
  await app.records('loans').update(loan, { shelf_id: cellar })
  await made(keeper, '/wishes', { loan_id: loan, user_id: await idOf(other) })
  await told(other)
  await keeper.patch(`/loans/${loan}`, { shelf_id: hall })
  assert.equal(await told(other), [], 'who is named under except is not told')
})

test('conditions compare what is with what was, and know who did it', async () => {
  const loan = await made(keeper, '/loans', { title: 'Emil', borrower_id: await idOf(member) })
  await told(member)
  for (const days of [15, 25, 30]) await keeper.patch(`/loans/${loan}`, { days })
  assert.equal(await told(member), ['longer: Emil: 25 days after 15'])
  await member.patch(`/loans/${loan}`, { days: 3 })
  await keeper.patch(`/loans/${loan}`, { days: 4 })
  assert.equal(await told(member), [])
})

test('a path over many leads to the people of earlier records, and of who may not see it nobody is told', async () => {
  const loan = await made(keeper, '/loans', { title: 'Momo' })
  await told(other)
  const first = await made(keeper, '/wishes', { loan_id: loan, user_id: await idOf(other) })
  assert.equal(await told(other), [`wished: Wish ${first} of Momo`])
  const second = await made(keeper, '/wishes', { loan_id: loan, user_id: await idOf(member) })
  // A member reads the wish, and not the title of a loan that is not theirs.
  assert.equal(
    [await told(other), await told(member)],
    [[`wished: Wish ${second} of Momo`], [`wished: Wish ${second} of`]],
  )
})

test('the data names the record, and the kinds stand in everybody’s settings', async () => {
  const loan = await made(keeper, '/loans', { title: 'Krabat', borrower_id: await idOf(member) })
  await app.settled()
  const [one] = (await member.get('/notifications?type=lent')).data
  const nothing = { ticket_id: null, ticket_uid: null, ticket_subject: null }
  assert.equal(one?.data, { ...nothing, resource: 'loans', record_id: loan })
  const settings = (await member.get('/notifications/settings')).data
  assert.equal([settings.lent, settings.moved, settings.wished], ['default', 'default', 'default'])
  await member.put('/notifications/settings', { lent: 'neither' })
  await made(keeper, '/loans', { title: 'Krabat 2', borrower_id: await idOf(member) })
  assert.equal(await told(member), ['lent: You have Krabat'])
})

test('plinth explain tells who is told of each write, and of which nobody is', async () => {
  const loan = await made(keeper, '/loans', { title: 'Heidi', guests: ['g@elsewhere.example'] })
  await keeper.patch(`/loans/${loan}`, { title: 'Heidi 2' })
  const options = { listener: 'notifications.tell', record: `loans.${loan}` }
  const text = await report({ options, positionals: [] }, app.engine.app)
  assert.match(
    text,
    /update title, heard by .*loans\.yaml:\d+:\d+\n {6}→ tells nobody: nothing of shelf_id, days has changed/,
  )
  assert.match(text, /→ lent: olga\S* is told in the list and by mail\n/)
  assert.match(text, /→ lent: kim\S* made the change, and is not told\n/)
  assert.match(text, '→ lent: g@elsewhere.example gets a copy by mail')
})

test.run()
