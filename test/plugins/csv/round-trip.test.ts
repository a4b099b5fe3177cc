/** Import of an export loses nothing: whatever a ticket holds comes back byte for byte, in every column. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { sendParts } from '../media/world.ts'

const csv = suite('import of an export')

let desk: Desk

csv.before(async () => {
  desk = await openDesk()
})

csv.after(() => desk.close())

async function emptied(): Promise<void> {
  await desk.engine.database.adhoc.run({ text: 'delete from tickets' }, [])
}

async function columns(): Promise<readonly (readonly (string | null)[])[]> {
  const text =
    'select uid, external_number, subject, details, status_id, priority_id, category_id, sub_category_id, department_id, type_id, user_id, contact_id, assigned_to, due_date, tags, created_at, resolved_at, closed_at, first_response_at from tickets order by uid'
  return desk.engine.database.adhoc.run({ text }, [])
}

function importText(text: string) {
  return sendParts(desk, 'POST', '/tickets/import', desk.admin, [{ name: 'file', value: text, file: 'tickets.csv' }])
}

/** Texts that files stumble over, beside any other. */
const NASTY = [
  '=1+1',
  "'=1+1",
  "''=1+1",
  "'plain",
  '+49 30 1234',
  '-1',
  '@SUM(A1)',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(A1)',
  "'＝1+1",
  'x;=1+1',
  "x;''=1+1",
  'x;"=1+1"',
  'x;;＝1',
  'x\t=1+1',
  '<p>Not <b>mine</b></p>',
  "'<br>",
  '=<b>1</b>',
  'a < b and c > d',
  'first\n=1+1\r\n+2\r@3',
  'say "hello", twice',
  '"',
  '""',
  'one\ntwo\r\nthree\rfour',
  'a;b\\;c\\',
  '漢字 👩‍👩‍👧 ß é',
  '\u200fright to left',
  ',',
  'a,b;c|d',
  '\\',
  'null',
]

const text = fc
  .oneof(
    fc.constantFrom(...NASTY),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    fc
      .array(fc.constantFrom('"', "'", ',', ';', '\\', '\n', '\r', '=', '-', '＝', ' ', 'x', '\t', '\ufeff'), {
        minLength: 1,
      })
      .map((parts) => parts.join('')),
  )
  .filter((one) => one.trim() !== '' && !one.includes('\0'))

/** The same on one line, as subjects and tags are. */
const line = text.map((one) => one.replace(/\p{Cc}/gu, ' ')).filter((one) => one.trim() !== '')

csv('any texts survive in subject, details and tags', async () => {
  await emptied()
  const tickets = fc.sample(fc.record({ subject: line, details: text, tags: fc.array(line, { maxLength: 4 }) }), {
    numRuns: 60,
    seed: 7,
  })
  for (const body of tickets) {
    const made = await desk.post('/tickets', desk.admin, body)
    assert.is(made.status, 201, `${JSON.stringify(body)} ${made.text}`)
  }
  const [exported, before] = [(await desk.get('/tickets/export', desk.admin)).text, await columns()]
  await emptied()
  const imported = await importText(exported)
  assert.is(imported.at('data.imported'), tickets.length, imported.text)
  assert.equal(imported.at('data.errors'), [])
  assert.equal(await columns(), before)
  assert.is((await desk.get('/tickets/export', desk.admin)).text, exported)
})

csv('no cell is a formula to any spreadsheet, whichever sign begins it and whatever separates its cells', async () => {
  await emptied()
  const texts = NASTY.filter((one) => /[=+\-@＝＋－＠]/.test(one))
  for (const one of texts) await desk.post('/tickets', desk.admin, { subject: 'S', details: one, tags: ['a', one] })
  const exported = (await desk.get('/tickets/export', desk.admin)).text
  // A negative number alone in its cell is no formula.
  const formulas = exported.replaceAll(/(?<=^|,)-\d+(?:\.\d+)?(?=,|\r?$)/gm, '')
  // What another separator makes a cell of begins behind it, with or without quotes.
  assert.not.match(formulas, /(?:^|[,;\t\r\n])["\s]*[=+\-@＝＋－＠]/)
  assert.match(exported, /,'＝1\+1,/)
  assert.match(exported, /,x;'=1\+1,/)
})

csv('every column survives, with and without a byte order mark, whatever ends the lines', async () => {
  await emptied()
  const agent = await desk.person('agent', 'Abel')
  const customer = await desk.person('customer', 'Cleo')
  const setting = async (kind: string, body: object) =>
    Number((await desk.post(`/settings/${kind}`, desk.admin, body)).at('data.id'))
  const hardware = await setting('categories', { name: 'Hard, "ware"' })
  const office = await setting('categories', { name: 'Office' })
  await setting('categories', { name: 'Printer', parent_id: office })
  const printer = await setting('categories', { name: 'Printer', parent_id: hardware })
  const contact = Number(
    (await desk.post('/contacts', agent, { first_name: 'Con', last_name: 'Tact', email: 'con@tact.example' })).at(
      'data.id',
    ),
  )
  const made = await desk.post('/tickets', desk.admin, {
    subject: 'All of it',
    details: '- a list\n- of things',
    status_id: await desk.setting('statuses', 'in-progress'),
    priority_id: await desk.setting('priorities', 'Critical'),
    category_id: hardware,
    sub_category_id: printer,
    department_id: await setting('departments', { name: '=Field' }),
    type_id: await setting('types', { name: 'Störung' }),
    user_id: customer.id,
    contact_id: contact,
    assigned_to: agent.id,
    due_date: '2027-02-28',
    tags: ['a;b', 'c\\', '=d'],
  })
  assert.is(made.status, 201, made.text)
  const [exported, before] = [(await desk.get('/tickets/export', desk.admin)).text, await columns()]
  for (const given of [exported, exported.replace('\ufeff', ''), exported.replaceAll(/\n(?=[U3]|$)/g, '\r\n')]) {
    await emptied()
    const imported = await importText(given)
    assert.is(imported.at('data.imported'), 1, imported.text)
    assert.equal(await columns(), before)
    assert.is((await desk.get('/tickets/export', desk.admin)).text, exported)
  }
})

csv('what is there already is skipped, and a kept number is never given again', async () => {
  await emptied()
  await desk.post('/tickets', desk.admin, { subject: 'First', details: 'x' })
  const exported = (await desk.get('/tickets/export', desk.admin)).text
  const again = await importText(exported)
  assert.is(again.at('data.skipped'), 1)
  assert.is(again.at('data.imported'), 0)
  const [, first = ''] = /\n(\d{10}),/.exec(exported) ?? []
  const next = String(Number(first) + 1)
  assert.is((await importText(`uid,subject\n${next},Kept\n${next},Twice\n`)).at('data.skipped'), 1)
  const made = await desk.post('/tickets', desk.admin, { subject: 'Second', details: 'x' })
  assert.is(made.status, 201, made.text)
  assert.ok(Number(made.at('data.uid')) > Number(next))
  await desk.remove(`/tickets/${next}`, desk.admin)
  assert.is((await importText(`UID,Subject\n${next},Deleted\n`)).at('data.skipped'), 1)
  for (const number of ['42', '2999999999', '30000000011', 'x', '3000000001.5', '#-9']) {
    const kept = await importText(`UID,Subject\n${number},Of another desk\n`)
    const { at } = await desk.get(`/tickets/${kept.at('data.ids.0')}`, desk.admin)
    assert.equal([at('data.external_number'), String(at('data.uid')).length], [number, 10], kept.text)
    assert.is((await importText(`UID,Subject\n${number},Again\n`)).at('data.skipped'), 1)
    assert.is((await importText(`External Number,Subject\n${number},Again\n`)).at('data.skipped'), 1)
    const { list } = await desk.get(`/tickets?search=${encodeURIComponent(number)}`, desk.admin)
    assert.is(list[0]?.id, at('data.id'), `${number} is found, and comes first`)
  }
  const all = (await desk.get('/tickets/export', desk.admin)).text
  await emptied()
  assert.is((await importText(all)).at('data.failed'), 0)
  assert.is((await desk.get('/tickets/export', desk.admin)).text, all)
})

csv('the key of a deleted record is skipped, and an index finds it', async () => {
  await emptied()
  const made = await desk.post('/tickets', desk.admin, { subject: 'Gone', details: 'Long ago' })
  const uid = String(made.at('data.uid'))
  assert.is((await desk.call('DELETE', `/tickets/${uid}`, { as: desk.admin })).status, 204)
  const answer = await importText(`UID,Subject\n${uid},Back\n`)
  assert.equal([answer.at('data.imported'), answer.at('data.skipped')], [0, 1], answer.text)
  const text = `select count(*) from pg_indexes where tablename = 'tickets'
    and indexdef like '% btree (uid) WHERE (deleted_at IS NOT NULL)'`
  assert.equal(await desk.engine.database.adhoc.run({ text }, []), [['1']])
})

csv.run()
