/** Sixty requests by RFC 7643 and 7644, in the forms in which Okta and Entra send them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../../support/answer.ts'
import { type Directory, openDirectory } from './directory.ts'

interface State {
  directory: Directory
}

const test = suite<State>('scim: two clients')

test.before(async (state) => {
  state.directory = await openDirectory()
})
test.after(({ directory }) => directory?.close())

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

const USERS = '/Users'

let requests = 0

/** A request that must be answered with a status. */
async function ask(
  { directory }: State,
  status: number,
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const answer = await directory.scim(method, path, body, headers)
  requests += 1
  assert.is(answer.status, status, `${method} ${path} ${answer.text}`)
  if (status !== 204 && status !== 304) assert.match(String(answer.headers['content-type']), /^application\/scim\+json/)
  if (status >= 400) assert.equal([answer.body.schemas, answer.body.status], [[ERROR], String(status)])
  return answer
}

const patch = (...operations: readonly object[]) => ({ schemas: [PATCH], Operations: operations })
const found = (filter: string, more = '') => `/Users?filter=${encodeURIComponent(filter)}${more}`
const groupsBy = (filter: string) => `/Groups?filter=${encodeURIComponent(filter)}`

async function roleOf({ directory }: State, id: string): Promise<string> {
  const { body } = await directory.call('GET', `/api/users/${id}`, { token: directory.admin })
  return body.data.role.slug
}

test('Okta: a person is looked for, made, read, changed, put out and let in again', async (state) => {
  await ask(state, 200, 'GET', '/ServiceProviderConfig')
  const types = await ask(state, 200, 'GET', '/ResourceTypes')
  assert.equal(
    types.body.Resources.map((one: { id: string }) => one.id),
    ['User', 'Group'],
  )
  assert.is((await ask(state, 200, 'GET', '/ResourceTypes/User')).body.schema, USER)
  assert.is((await ask(state, 200, 'GET', '/Schemas')).body.totalResults, 2)
  await ask(state, 200, 'GET', `/Schemas/${USER}`)
  const none = await ask(state, 200, 'GET', found('userName eq "Ann.Reed@acme.example"', '&startIndex=1&count=100'))
  assert.equal([none.body.totalResults, none.body.Resources], [0, []])
  const body = {
    schemas: [USER],
    userName: 'Ann.Reed@acme.example',
    name: { givenName: 'Ann', familyName: 'Reed' },
    emails: [{ primary: true, value: 'Ann.Reed@acme.example', type: 'work' }],
    displayName: 'Ann Reed',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq and more',
    active: true,
  }
  const made = await ask(state, 201, 'POST', '/Users', body)
  const { id } = made.body
  assert.equal(
    [made.body.userName, made.body.emails, made.body.externalId, made.body.active, made.body.password],
    [
      'Ann.Reed@acme.example',
      [{ value: 'ann.reed@acme.example', type: 'work', primary: true }],
      body.externalId,
      true,
      undefined,
    ],
  )
  assert.is(made.headers.location, `https://office.example/scim/v2/Users/${id}`)
  assert.is(made.headers.etag, made.body.meta.version)
  assert.is((await state.directory.signIn('ann.reed@acme.example', body.password)).status, 200)
  const twice = await ask(state, 409, 'POST', '/Users', { ...body, userName: 'ann.reed@ACME.example' })
  assert.is(twice.body.scimType, 'uniqueness')
  const read = await ask(state, 200, 'GET', `${USERS}/${id}`)
  assert.equal(read.body, made.body)
  assert.is((await ask(state, 200, 'GET', found('userName eq "ANN.REED@acme.example"'))).body.Resources[0].id, id)
  const replaced = await ask(state, 200, 'PUT', `${USERS}/${id}`, {
    ...read.body,
    name: { givenName: 'Anna', familyName: 'Reed' },
  })
  assert.equal([replaced.body.name.givenName, replaced.body.displayName], ['Anna', 'Anna Reed'])
  const out = await ask(state, 200, 'PATCH', `${USERS}/${id}`, patch({ op: 'replace', value: { active: false } }))
  assert.is(out.body.active, false)
  assert.is((await state.directory.signIn('ann.reed@acme.example', body.password)).status, 403)
  assert.is((await ask(state, 200, 'GET', found('active eq false'))).body.totalResults, 1)
  const back = await ask(state, 200, 'PATCH', `${USERS}/${id}`, patch({ op: 'replace', value: { active: true } }))
  assert.is(back.body.active, true)
  const moved = await ask(state, 200, 'PUT', `${USERS}/${id}`, {
    ...back.body,
    userName: 'anna@acme.example',
    emails: [{ primary: true, value: 'anna@acme.example', type: 'work' }],
  })
  assert.equal(
    [moved.body.userName, moved.body.emails[0].value, moved.body.externalId],
    ['anna@acme.example', 'anna@acme.example', body.externalId],
  )
  await ask(state, 200, 'PUT', `${USERS}/${id}`, { ...moved.body, password: 'another long password' })
  assert.is((await state.directory.signIn('anna@acme.example', 'another long password')).status, 200)
})

test('Okta: groups are pushed, their members added and taken out, and they give roles', async (state) => {
  const { directory } = state
  const [kim, lee] = [await directory.user('kim'), await directory.user('lee')]
  assert.is(await roleOf(state, kim), 'customer')
  await ask(state, 200, 'GET', '/Groups?startIndex=1&count=100')
  assert.is((await ask(state, 200, 'GET', groupsBy('displayName eq "Desk Agents"'))).body.totalResults, 0)
  const made = await ask(state, 201, 'POST', '/Groups', {
    schemas: [GROUP],
    displayName: 'Desk Agents',
    members: [{ value: kim, display: 'kim@acme.example' }],
  })
  const { id } = made.body
  assert.equal(
    made.body.members.map((one: { value: string }) => one.value),
    [kim],
  )
  assert.is(await roleOf(state, kim), 'agent')
  await ask(state, 409, 'POST', '/Groups', { schemas: [GROUP], displayName: 'DESK agents' })
  await ask(
    state,
    200,
    'PATCH',
    `/Groups/${id}`,
    patch({ op: 'add', path: 'members', value: [{ value: lee, display: 'lee' }] }),
  )
  assert.is(await roleOf(state, lee), 'agent')
  const less = await ask(
    state,
    200,
    'PATCH',
    `/Groups/${id}`,
    patch({ op: 'remove', path: `members[value eq "${kim}"]` }),
  )
  assert.equal(
    less.body.members.map((one: { value: string }) => one.value),
    [lee],
  )
  assert.is(await roleOf(state, kim), 'customer')
  await ask(
    state,
    200,
    'PATCH',
    `/Groups/${id}`,
    patch({ op: 'replace', value: { id, displayName: 'Agents of the desk' } }),
  )
  assert.is(await roleOf(state, lee), 'customer', 'a group of another name gives another role')
  await ask(state, 200, 'PATCH', `/Groups/${id}`, patch({ op: 'replace', path: 'displayName', value: 'Desk Agents' }))
  assert.is(await roleOf(state, lee), 'agent')
  const all = await ask(state, 200, 'PUT', `/Groups/${id}`, {
    displayName: 'Desk Agents',
    members: [{ value: kim }, { value: lee }],
  })
  assert.is(all.body.members.length, 2)
  const without = await ask(state, 200, 'GET', `/Groups/${id}?excludedAttributes=members`)
  assert.equal([without.body.displayName, without.body.members], ['Desk Agents', undefined])
  const user = await ask(state, 200, 'GET', `${USERS}/${kim}`)
  assert.equal(user.body.groups, [{ value: id, display: 'Desk Agents', type: 'direct' }])
  await ask(state, 204, 'DELETE', `/Groups/${id}`)
  assert.equal([await roleOf(state, kim), await roleOf(state, lee)], ['customer', 'customer'])
  await ask(state, 404, 'GET', `/Groups/${id}`)
})

test('Entra: its probe, its words with capital letters, and its values as texts', async (state) => {
  const probe = await ask(state, 200, 'GET', found('userName eq "6e1f9a3c-probe"'))
  assert.is(probe.body.totalResults, 0)
  const made = await ask(state, 201, 'POST', '/Users', {
    schemas: [USER, ENTERPRISE],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'mo.own@acme.example',
    active: 'True',
    displayName: 'Mo Own',
    emails: [{ primary: true, type: 'work', value: 'mo@mail.acme.example' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Mo Own', familyName: 'Own', givenName: 'Mo' },
    [ENTERPRISE]: { department: 'Support', employeeNumber: '701984' },
  })
  const { id } = made.body
  assert.equal([made.body.active, made.body.emails[0].value], [true, 'mo@mail.acme.example'])
  const by = await ask(state, 200, 'GET', found('externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"'))
  assert.is(by.body.Resources[0].id, id)
  await ask(state, 200, 'GET', found(`${USER}:userName eq "mo.own@acme.example"`))
  const changed = await ask(
    state,
    200,
    'PATCH',
    `${USERS}/${id}`,
    patch(
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'mo.own@mail.acme.example' },
      { op: 'Replace', path: 'name.familyName', value: 'Owner' },
      { op: 'Add', path: `${ENTERPRISE}:department`, value: 'Sales' },
      { op: 'Add', path: 'title', value: 'Head' },
    ),
  )
  assert.equal([changed.body.emails[0].value, changed.body.displayName], ['mo.own@mail.acme.example', 'Mo Owner'])
  const pathless = await ask(
    state,
    200,
    'PATCH',
    `${USERS}/${id}`,
    patch({ op: 'Add', value: { 'name.givenName': 'Moe', externalId: 'other', [`${ENTERPRISE}:department`]: 'HR' } }),
  )
  assert.equal([pathless.body.name.givenName, pathless.body.externalId], ['Moe', 'other'])
  const off = await ask(state, 200, 'PATCH', `${USERS}/${id}`, patch({ op: 'Replace', path: 'active', value: 'False' }))
  assert.is(off.body.active, false)
  const on = await ask(state, 200, 'PATCH', `${USERS}/${id}`, patch({ op: 'Add', path: 'active', value: 'True' }))
  assert.is(on.body.active, true)
  const renamed = await ask(
    state,
    200,
    'PATCH',
    `${USERS}/${id}`,
    patch({ op: 'Replace', path: 'userName', value: 'moe@acme.example' }),
  )
  assert.equal([renamed.body.userName, renamed.body.emails[0].value], ['moe@acme.example', 'mo.own@mail.acme.example'])
  await ask(state, 200, 'PATCH', `${USERS}/${id}`, patch({ op: 'Remove', path: 'externalId' }))
  const group = await ask(state, 201, 'POST', '/Groups', {
    schemas: [GROUP],
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName: 'Desk Admins',
    meta: { resourceType: 'Group' },
  })
  assert.equal(group.body.members, [])
  const shown = await ask(
    state,
    200,
    'GET',
    `/Groups?excludedAttributes=members&filter=${encodeURIComponent('displayName eq "desk admins"')}`,
  )
  assert.equal([shown.body.Resources[0].id, shown.body.Resources[0].members], [group.body.id, undefined])
  await ask(
    state,
    200,
    'PATCH',
    `/Groups/${group.body.id}`,
    patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: id }] }),
  )
  assert.is(await roleOf(state, id), 'admin')
  const member = await ask(state, 200, 'GET', groupsBy(`id eq "${group.body.id}" and members eq "${id}"`))
  assert.is(member.body.totalResults, 1)
  const gone = await ask(
    state,
    200,
    'PATCH',
    `/Groups/${group.body.id}`,
    patch({ op: 'Remove', path: 'members', value: [{ value: id }] }),
  )
  assert.equal(gone.body.members, [])
  assert.is(await roleOf(state, id), 'customer')
  await ask(state, 204, 'DELETE', `${USERS}/${id}`)
  await ask(state, 404, 'GET', `${USERS}/${id}`)
  const again = await ask(state, 201, 'POST', '/Users', { userName: 'moe@acme.example', displayName: 'Moe Again' })
  assert.not.equal(again.body.id, id)
  assert.equal(again.body.name, { formatted: 'Moe Again', givenName: 'Moe', familyName: 'Again' })
})

test('versions, pages, orders and parts of answers are as the standard has them', async (state) => {
  const { directory } = state
  const ids: string[] = []
  for (const name of ['p1', 'p2', 'p3']) ids.push(await directory.user(name, { externalId: `page-${name}` }))
  const read = await ask(state, 200, 'GET', `${USERS}/${ids[0]}`)
  const etag = String(read.headers.etag)
  assert.match(etag, /^W\/"/)
  await ask(state, 304, 'GET', `${USERS}/${ids[0]}`, undefined, { 'if-none-match': etag })
  const body = patch({ op: 'replace', path: 'name.givenName', value: 'Pat' })
  await ask(state, 412, 'PATCH', `${USERS}/${ids[0]}`, body, { 'if-match': 'W/"another"' })
  const changed = await ask(state, 200, 'PATCH', `${USERS}/${ids[0]}`, body, { 'if-match': etag })
  assert.not.equal(changed.headers.etag, etag)
  await ask(state, 412, 'DELETE', `${USERS}/${ids[0]}`, undefined, { 'if-match': etag })
  const mine = 'externalId sw "page-"'
  const first = await ask(state, 200, 'GET', found(mine, '&startIndex=1&count=2&sortBy=userName&sortOrder=descending'))
  assert.equal([first.body.totalResults, first.body.itemsPerPage, first.body.startIndex], [3, 2, 1])
  assert.equal(
    first.body.Resources.map((one: { id: string }) => one.id),
    [ids[2], ids[1]],
  )
  const last = await ask(state, 200, 'GET', found(mine, '&startIndex=3&count=2&sortBy=userName&sortOrder=descending'))
  assert.equal(
    last.body.Resources.map((one: { id: string }) => one.id),
    [ids[0]],
  )
  const counted = await ask(state, 200, 'GET', found(mine, '&count=0'))
  assert.equal([counted.body.totalResults, counted.body.Resources], [3, []])
  const part = await ask(state, 200, 'GET', found(mine, '&attributes=userName,name.givenName&count=1'))
  assert.equal(Object.keys(part.body.Resources[0]).sort(), ['id', 'name', 'schemas', 'userName'])
  assert.equal(Object.keys(part.body.Resources[0].name), ['givenName'])
})

test('filters compare as the standard says, and a wrong one is told', async (state) => {
  const { directory } = state
  const id = await directory.user('filt', {
    externalId: 'it\'s "quoted"',
    name: { givenName: 'Fil', familyName: 'Ter' },
  })
  const holds = async (filter: string) =>
    (await ask(state, 200, 'GET', found(filter))).body.Resources.map((one: { id: string }) => one.id).includes(id)
  for (const filter of [
    'name.familyName eq "TER" and name.givenName co "i"',
    'not (active eq false) and (userName sw "filt" or userName ew "nobody")',
    'emails[type eq "work" and value co "filt@"]',
    'emails.value eq "filt@acme.example"',
    'externalId eq "it\'s \\"quoted\\""',
    'displayName pr and not (groups pr)',
    'meta.created gt "2020-01-01T00:00:00Z" and meta.lastModified le "2999-01-01T00:00:00Z"',
    'USERNAME Eq "filt@acme.example"',
  ])
    assert.ok(await holds(filter), filter)
  for (const filter of [
    'userName ne "filt@acme.example"',
    'externalId eq null',
    'name.familyName gt "zzz"',
    'active ne true',
  ])
    assert.not(await holds(filter), filter)
  const deep = `${'('.repeat(30)}active eq true${')'.repeat(30)}`
  for (const filter of [
    'userName',
    'userName eq',
    'shoeSize eq 42',
    'userName eq "a" or',
    '(active eq true',
    'userName is "x"',
    'active eq "perhaps"',
    "userName eq 'x'",
    deep,
    'userName eq "\'; drop table users; --" x',
  ])
    assert.is((await ask(state, 400, 'GET', found(filter))).body.scimType, 'invalidFilter', filter)
})

test('what is wrong with a body is told by the words of the standard, and nothing is written', async (state) => {
  const { directory } = state
  const id = await directory.user('wrong')
  const before = (await ask(state, 200, 'GET', `${USERS}/${id}`)).body
  const cases: readonly (readonly [object, number, string | undefined])[] = [
    [patch({ op: 'replace', path: 'active', value: 'perhaps' }), 400, 'invalidValue'],
    [patch({ op: 'move', path: 'active', value: true }), 400, 'invalidSyntax'],
    [patch({ op: 'replace', path: 'shoeSize', value: 42 }), 400, 'invalidPath'],
    [patch({ op: 'replace', path: 'emails[type', value: 'x' }), 400, 'invalidPath'],
    [patch({ op: 'remove' }), 400, 'noTarget'],
    [patch({ op: 'replace', path: 'emails[value co "nobody"].value', value: 'a@b.example' }), 400, 'noTarget'],
    [patch({ op: 'replace', path: 'emails', value: [{ value: 'no address', primary: true }] }), 400, 'invalidValue'],
    [patch({ op: 'remove', path: 'userName' }), 400, 'invalidValue'],
    [patch({ op: 'replace', path: 'userName', value: 'boss@acme.example' }), 409, 'uniqueness'],
    [{ schemas: [PATCH] }, 400, 'invalidSyntax'],
    [
      patch({ op: 'replace', path: 'name.givenName', value: 'Kept' }, { op: 'replace', path: 'active', value: 7 }),
      400,
      'invalidValue',
    ],
  ]
  for (const [body, status, scimType] of cases)
    assert.is((await ask(state, status, 'PATCH', `${USERS}/${id}`, body)).body.scimType, scimType, JSON.stringify(body))
  assert.equal((await ask(state, 200, 'GET', `${USERS}/${id}`)).body, before)
  await ask(state, 400, 'POST', '/Users', { displayName: 'Nobody' })
  await ask(state, 400, 'POST', '/Groups', { displayName: 'Lost', members: [{ value: '999999' }] })
  assert.is((await ask(state, 200, 'GET', groupsBy('displayName eq "Lost"'))).body.totalResults, 0)
  for (const path of [`${USERS}/0`, `${USERS}/nobody`, '/Groups/999999', '/Schemas/none'])
    await ask(state, 404, 'GET', path)
})

test('that were sixty requests or more', () => {
  assert.ok(requests >= 60, `${requests}`)
})

test.run()
