/** Customers, contacts and organizations from files, and those that are made because tickets name them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from '../../desk/desk.ts'
import { sendParts } from '../media/world.ts'

const csv = suite('people from files')

let desk: Desk
let manager: Person

csv.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
})

csv.after(() => desk.close())

function send(resource: string, text: string, query = '', as = manager) {
  const part = { name: 'file', value: text, file: 'people.csv' }
  return sendParts(desk, 'POST', `/${resource}/import${query}`, as, [part])
}

async function counted(table: string): Promise<number> {
  const [row] = await desk.engine.database.adhoc.run({ text: `select count(*) from ${table}` }, [])
  return Number(row?.[0])
}

csv('organizations, contacts and customers come from files, and those that are there are skipped', async () => {
  const organizations = 'Name,City,Country\nAcme,Bern,CH\nBolt,Wien,AT\n'
  assert.is((await send('organizations', organizations)).at('data.imported'), 2)
  assert.is((await send('organizations', organizations)).at('data.skipped'), 2)
  // A name is one however it is written, also twice in one file.
  const alike = await send('organizations', 'Name\nＡＣＭＥ\nbo\u200blt\nCu  Ltd\nCu\u00a0Ltd\n')
  assert.equal([alike.at('data.imported'), alike.at('data.skipped'), alike.at('data.failed')], [1, 3, 0], alike.text)
  const contacts = await send(
    'contacts',
    'Name,First Name,Last Name,Email,Organization\nAnn van Dyke,,,ann@acme.example,acme\n,Bob,Bolt,bob@bolt.example,Bolt\nCher,,,,\n,,,x@y.example,Nowhere\n',
  )
  assert.is(contacts.at('data.imported'), 3, contacts.text)
  assert.equal(contacts.at('data.errors.0.cells.organization_id'), { column: 'Organization', value: 'Nowhere' })
  const { list } = await desk.get('/contacts?sort=id', manager)
  assert.equal(
    list.map((one) => [one.first_name, one.last_name, (one.organization as { name?: string } | null)?.name]),
    [
      ['Ann van', 'Dyke', 'Acme'],
      ['Bob', 'Bolt', 'Bolt'],
      ['Cher', '-', undefined],
    ],
  )
  assert.is((await send('contacts', 'Name,Email\nAnn,ANN@acme.example\n')).at('data.skipped'), 1)
  const made = await send('contacts', 'Name,Organization\nDora Day,Dash\nEva Day,DASH\n', '?create_organizations=true')
  assert.equal(
    [made.at('data.imported'), made.at('data.created')],
    [2, { organizations: { count: 1, names: ['Dash'] } }],
  )
})

csv('imported customers hear nothing, unless whoever imports says so', async () => {
  const before = (await desk.mails()).length
  const text = 'Name,Email,Phone\nCarl Quiet,quiet@people.example,1\n,word@people.example,\n'
  const answer = await send('customers', text)
  assert.is(answer.at('data.imported'), 2, answer.text)
  const { at } = await desk.get(`/customers/${answer.at('data.ids.1')}`, manager)
  assert.equal([at('data.first_name'), at('data.last_name')], ['word', 'people.example'])
  assert.is((await send('customers', text.toUpperCase())).at('data.skipped'), 2)
  assert.is(
    (await send('customers', 'Name,Email\nLia Loud,loud@people.example\n', '?invite=true')).at('data.imported'),
    1,
  )
  const mails = (await desk.mails(before + 1)).slice(before)
  assert.is(mails.length, 1)
  assert.match(mails[0] ?? '', /loud@people\.example/)
  const silent = { first_name: 'Sil', last_name: 'Ent', email: 'silent@people.example', invite: false }
  assert.is((await desk.post('/customers', manager, silent)).status, 201)
  const invited = { ...silent, email: 'invited@people.example', invite: true }
  assert.is((await desk.post('/customers', manager, invited)).status, 201)
  assert.is((await desk.mails(before + 2)).length, before + 2)
})

csv('who may not import tickets imports no people', async () => {
  const agent = await desk.person('agent', 'Ada')
  for (const resource of ['customers', 'contacts', 'organizations'])
    assert.is((await send(resource, 'Name,Email\nx y,x@y.example\n', '', agent)).status, 403)
})

const TICKETS =
  'Subject,Customer Email,Customer Name,Priority\nOne,NEW@people.example,Nina New,\nTwo,new@people.example,,\nThree,other@people.example,,\nBad,bad@people.example,,Nowhere\nFour,quiet@people.example,,\n'

csv('unknown customers of tickets are created when asked for, once, and not for rows that fail', async () => {
  const before = await counted('users')
  const mails = (await desk.mails()).length
  const plain = await send('tickets', TICKETS)
  assert.equal([plain.at('data.imported'), plain.at('data.created')], [1, {}])
  assert.is(await counted('users'), before)
  const dry = await send('tickets', TICKETS, '?create_customers=true&dry_run=true&again=true')
  const created = { customers: { count: 2, names: ['new@people.example', 'other@people.example'] } }
  assert.equal([dry.at('data.imported'), dry.at('data.created')], [4, created])
  assert.match(String(dry.at('message')), /; 2 customers would be created; nothing was written$/)
  assert.is(await counted('users'), before)
  const answer = await send('tickets', TICKETS, '?create_customers=true&again=true')
  assert.equal([answer.at('data.imported'), answer.at('data.failed'), answer.at('data.created')], [4, 1, created])
  assert.is(await counted('users'), before + 2)
  const owners = await Promise.all(
    [0, 1, 2].map(async (at) =>
      (await desk.get(`/tickets/${answer.at(`data.ids.${at}`)}`, manager)).at('data.user.name'),
    ),
  )
  assert.equal(owners, ['Nina New', 'Nina New', 'other people.example'])
  assert.is((await desk.mails()).length, mails)
})

csv('a ticket that is refused by the database leaves no customer behind, and the next row makes them', async () => {
  const text = `Subject,Customer Email\n${'x'.repeat(256)},late@people.example\nFine,late@people.example\n`
  const answer = await send('tickets', text, '?create_customers=true')
  assert.equal([answer.at('data.imported'), answer.at('data.failed')], [1, 1])
  assert.equal(answer.at('data.created'), { customers: { count: 1, names: ['late@people.example'] } })
  const before = await counted('users')
  const only = `Subject,Customer Email\n${'x'.repeat(256)},never@people.example\n`
  assert.is((await send('tickets', only, '?create_customers=true')).at('data.failed'), 1)
  assert.is(await counted('users'), before)
})

csv('what cannot be created fails its row with the reason', async () => {
  const answer = await send('tickets', 'Subject,Customer Email\nNo address,nobody\n', '?create_customers=true')
  assert.match(
    JSON.stringify(answer.at('data.errors.0.errors.user_id')),
    /cannot be created: The email field must be a valid/,
  )
  const role = { name: 'Importer', slug: 'importer', permissions: ['tickets.view', 'tickets.create', 'tickets.import'] }
  assert.is((await desk.post('/settings/roles', desk.admin, role)).status, 201)
  const importer = await desk.person('importer', 'Ines')
  const refused = await send('tickets', TICKETS, '?create_customers=true&again=true', importer)
  assert.is(refused.at('data.imported'), 0, refused.text)
  assert.match(
    JSON.stringify(refused.at('data.errors.0.errors.user_id')),
    /The customer cannot be created: You need the permission customers\.create/,
    refused.text,
  )
})

csv('customers that are created with tickets are invited if that is asked for', async () => {
  const before = (await desk.mails()).length
  const text = 'Subject,Customer Email\nHello,guest@people.example\n'
  assert.is((await send('tickets', text, '?create_customers=true&invite=true')).at('data.imported'), 1)
  assert.match((await desk.mails(before + 1)).at(-1) ?? '', /guest@people\.example/)
})

csv('a person is found by an address in any spelling', async () => {
  await desk.engine.database.adhoc.run(
    {
      text: `insert into contacts (first_name, last_name, email) values ('Ida', 'Ü', 'ida@grün.example')`,
    },
    [],
  )
  const rows = ['One,IDA@GRÜN.EXAMPLE', 'Two, ida@xn--grn-ioa.example', 'Three,ida@gruen.example'].join('\n')
  const answer = await send('tickets', `Subject,Contact Email\n${rows}\n`)
  assert.equal([answer.at('data.imported'), answer.at('data.failed')], [2, 1], answer.text)
  assert.equal(answer.at('data.errors.0.errors'), { contact_id: ['The selected contact is invalid'] })
})

csv.run()
