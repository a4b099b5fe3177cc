/** Knowledge base, FAQs, posts, notes, and the address book. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from './desk.ts'

let desk: Desk
let manager: Person
let agent: Person
let customer: Person
const test = suite('desk: content')

test.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
})
test.after(() => desk.close())

test('articles are written by staff and read by everyone', async () => {
  const typeId = await desk.setting('types', 'Question')
  const made = await desk.post('/knowledge-base', agent, {
    title: 'Paper jams',
    details: 'Open the lid.',
    type_id: typeId,
  })
  assert.is(made.status, 201, made.text)
  assert.equal(made.keys, ['created_at', 'details', 'id', 'published', 'title', 'type', 'type_id', 'updated_at'])
  assert.equal(made.at('data.type'), { id: typeId, name: 'Question' })
  const path = `/knowledge-base/${made.at('data.id')}`
  assert.is((await desk.get(path, customer)).status, 200)
  assert.is((await desk.get(`/knowledge-base?search=LID&type_id=${typeId}`, customer)).list.length, 1)
  assert.is((await desk.put(path, customer, { title: 'x' })).status, 403)
  const empty = await desk.post('/knowledge-base', agent, {})
  assert.equal(Object.keys(empty.at('errors') as object).sort(), ['details', 'title'])
  assert.is((await desk.remove(path, agent)).status, 204)
  assert.is((await desk.get(path, agent)).at('message'), 'Article not found')
  assert.is((await desk.post(`${path}/restore`, manager)).at('message'), 'Route not found')
})

for (const { path, flag, body, label, restores, drafts } of [
  {
    path: '/faqs',
    flag: 'status',
    body: { name: 'How?', details: 'Thus.' },
    label: 'FAQ not found',
    restores: true,
    drafts: 0,
  },
  {
    path: '/posts',
    flag: 'is_active',
    body: { title: 'News', details: 'Good ones.' },
    label: 'Post not found',
    restores: false,
    drafts: 1,
  },
]) {
  test(`${path} that are not published do not exist for customers`, async () => {
    const shown = await desk.post(path, manager, { ...body, [flag]: true })
    const hidden = await desk.post(path, manager, { ...body, [flag]: false })
    assert.is(hidden.status, 201, hidden.text)
    assert.is((await desk.get(`${path}/${shown.at('data.id')}`, customer)).status, 200)
    const refused = await desk.get(`${path}/${hidden.at('data.id')}`, customer)
    assert.is(refused.status, 404)
    assert.is(refused.at('message'), label)
    assert.equal(
      (await desk.get(path, customer)).list.map(({ id }) => id),
      [shown.at('data.id')],
    )
    assert.is((await desk.get(path, customer)).at('meta.pagination.total'), 1)
    // Agents manage neither; news are shown to all staff.
    assert.is((await desk.get(path, agent)).list.length, 1 + drafts)
    assert.is((await desk.get(`${path}?${flag}=false`, agent)).list.length, drafts)
    assert.is((await desk.get(path, manager)).list.length, 2)
    assert.is((await desk.post(path, agent, body)).status, 403)
    const one = `${path}/${shown.at('data.id')}`
    assert.is((await desk.remove(one, manager)).status, 204)
    assert.is((await desk.post(`${one}/restore`, manager)).status, restores ? 200 : 404)
  })
}

test('a FAQ without a status is a draft', async () => {
  const made = await desk.post('/faqs', manager, { name: 'Half a question', details: 'No answer yet.' })
  assert.is(made.at('data.status'), false, made.text)
  assert.is((await desk.get(`/faqs/${made.at('data.id')}`, customer)).status, 404)
})

test('the image of a post is a relative path or a web address', async () => {
  for (const image of ['images/a.png', 'https://example.org/a.png', null]) {
    assert.is((await desk.post('/posts', manager, { title: 't', details: 'd', image })).status, 201, String(image))
  }
  for (const image of ['../secret.png', 'a/../../b.png', 'javascript:alert(1)', '//evil.example/a.png']) {
    const answer = await desk.post('/posts', manager, { title: 't', details: 'd', image })
    assert.is(answer.status, 422, image)
    assert.ok(answer.at('errors.image.0'))
  }
})

test('notes belong to who wrote them; a permission opens the others’', async () => {
  const own = await desk.post('/notes', agent, { name: 'Mine', details: 'secret plans' })
  assert.is(own.status, 201, own.text)
  assert.is(own.at('data.user.id'), agent.id)
  assert.equal(own.keys, ['created_at', 'details', 'id', 'name', 'updated_at', 'user', 'user_id'])
  const path = `/notes/${own.at('data.id')}`
  assert.is((await desk.get(path, customer)).status, 403)
  assert.is((await desk.get(path, manager)).status, 200)
  assert.is((await desk.get(`/notes?user_id=${agent.id}&search=PLANS`, manager)).list.length, 1)
  assert.is((await desk.get('/notes', customer)).list.length, 0)
  assert.is((await desk.put(path, customer, { name: 'x' })).status, 403)
  assert.is((await desk.put(path, agent, { name: 'Still mine' })).status, 200)
  assert.is((await desk.post('/notes', agent, { name: 'For her', user_id: manager.id })).status, 403)
  const named = await desk.post('/notes', customer, { name: 'Own', user_id: customer.id })
  assert.is(named.status, 201, named.text)
  assert.is((await desk.remove(path, agent)).status, 204)
  assert.is((await desk.post(`${path}/restore`, agent)).status, 404)
})

test('contacts have an organization, and addresses may repeat', async () => {
  const organization = await desk.post('/organizations', agent, {
    name: 'Acme',
    city: 'Oslo',
    email: 'office@acme.example',
  })
  assert.equal(organization.keys, [
    'address',
    'city',
    'contacts_count',
    'country',
    'created_at',
    'customers_count',
    'email',
    'id',
    'name',
    'phone',
    'state',
    'updated_at',
    'zip',
  ])
  const body = {
    first_name: 'Kai',
    last_name: 'Berg',
    email: 'Kai@Acme.example',
    phone: '+47 555',
    organization_id: organization.at('data.id'),
  }
  const made = await desk.post('/contacts', agent, body)
  assert.is(made.status, 201, made.text)
  assert.equal(made.keys, [
    'created_at',
    'email',
    'first_name',
    'id',
    'last_name',
    'name',
    'organization',
    'organization_id',
    'phone',
    'updated_at',
  ])
  assert.is(made.at('data.email'), 'kai@acme.example')
  assert.is((await desk.post('/contacts', agent, body)).status, 201)
  assert.is((await desk.get(`/organizations/${organization.at('data.id')}`, agent)).at('data.contacts_count'), 2)
  assert.is((await desk.get('/contacts?search=kai%20berg', agent)).list.length, 2)
  assert.is((await desk.get('/contacts?search=555', agent)).list.length, 2)
  const path = `/contacts/${made.at('data.id')}`
  assert.is((await desk.remove(path, agent)).status, 403)
  assert.is((await desk.remove(path, manager)).status, 204)
  assert.is((await desk.post(`${path}/restore`, manager)).status, 200)
  for (const at of ['/contacts', '/organizations']) assert.is((await desk.get(at, customer)).status, 403)
  assert.is((await desk.post('/organizations', agent, { city: 'Oslo' })).status, 422)
})

test.run()
