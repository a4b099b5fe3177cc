/** Mails of the desk: what customers, contacts and staff get, how it reads, and how each person turns kinds off. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, mailsTo, openDesk, type Person, registerAt } from '../../../desk/desk.ts'

let desk: Desk
let folder: string
let manager: Person
let agent: Person
let customer: Person
const test = suite('desk: mails')

/** The desk as it is shipped, with a page for tickets, an address for answers, and what ended opened again after a day only. */
async function resources(): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), 'plinth-mails-'))
  await cp('resources', folder, { recursive: true })
  const file = join(folder, 'app.yaml')
  const text = (await readFile(file, 'utf8'))
    .replace(/^ {2}mail:.*$/m, '  mail:\n    reply_to: help@desk.example')
    .replace(/^ {4}# ticket_page: \S+/m, '    ticket_page: https://desk.example/t/{uid}')
  await writeFile(file, text)
  const comments = join(folder, 'ticket_comments.yaml')
  const offered = /# (reopens_from: .*|- \{ changed: ticket, .*|any: .*)$/gm
  const switched = (await readFile(comments, 'utf8')).replace(offered, '$1')
  assert.is(switched.match(/^ *(?:reopens_from: |- \{ changed: ticket, |any: )/gm)?.length, 3)
  await writeFile(comments, switched)
  return folder
}

test.before(async () => {
  desk = await openDesk({}, await resources())
  manager = await desk.person('manager', 'Mona')
  agent = await desk.person('agent', 'Alba')
  customer = await desk.person('customer', 'Cleo')
})
test.after(async () => {
  await desk.close()
  await rm(folder, { recursive: true })
})

interface Read {
  readonly head: string
  readonly text: string
  readonly html: string
}

/** The parts of the mails to an address about a ticket, oldest first. */
async function mails(email: string, about: Opened, atLeast: number): Promise<readonly Read[]> {
  const found = await mailsTo(desk, email, atLeast, new RegExp(`#${about.uid}`))
  return found.map((mail) => {
    const [head = '', text = '', html = ''] = mail.replace(/\r\n/g, '\n').split(/\n--[-_\w.]+(?:\n|--)/)
    return { head: head.replace(/\n[ \t]+/g, ' '), text: text.slice(text.indexOf('\n\n') + 2), html }
  })
}

interface Opened {
  readonly id: string
  readonly uid: string
}

async function open(as: Person, more: object = {}): Promise<Opened> {
  const made = await desk.post('/tickets', as, { subject: 'Printer <1>', details: 'It burns.\n\nHelp!', ...more })
  assert.is(made.status, 201, made.text)
  return { id: String(made.at('data.id')), uid: String(made.at('data.uid')) }
}

const comment = async (on: Opened, as: Person, text: string, more: object = {}) => {
  const made = await desk.post(`/tickets/${on.id}/comments`, as, { comment: text, ...more })
  assert.is(made.status, 201, made.text)
}
const move = async (on: Opened, as: Person, status: string) =>
  desk.put(`/tickets/${on.id}`, as, { status_id: await desk.setting('statuses', status) })

async function contact(name: string): Promise<{ readonly id: unknown; readonly email: string }> {
  const email = `${name.toLowerCase()}@elsewhere.example`
  const made = await desk.post('/contacts', agent, { first_name: name, last_name: 'Tact', email })
  return { id: made.at('data.id'), email }
}

test('a customer has the whole text of an answer, with its lines and links, and a link to the ticket', async () => {
  const ticket = await open(customer)
  await comment(
    ticket,
    agent,
    'Hello Cleo,\n\n- pull the plug\n- read https://desk.example/fire?a=1&b=2\n\n<b>Alba</b>',
  )
  const found = await mails(customer.email, ticket, 2)
  const [receipt, answer] = ['received', 'answered'].map((word) => found.find(({ text }) => text.includes(word)))
  assert.match(receipt?.text ?? '', /^Hello Cleo,\n\nWe have received your ticket #\d+\. We will write/)
  assert.match(receipt?.text ?? '', /\n\n {2}It burns\.\n\n {2}Help!\n/)
  assert.match(answer?.head ?? '', new RegExp(`^Subject: \\[#${ticket.uid}\\] Printer <1>$`, 'm'))
  assert.is(
    answer?.text.trimEnd(),
    `Hello Cleo,

Alba Tester answered your ticket #${ticket.uid}:

  Hello Cleo,

  - pull the plug
  - read https://desk.example/fire?a=1&b=2

  <b>Alba</b>

https://desk.example/t/${ticket.uid}

Answer this mail to reach us.

--${' '}
Support Desk`,
  )
  assert.match(
    answer?.html ?? '',
    /<br>- pull the plug<br>- read <a href="https:\/\/desk\.example\/fire\?a=1&amp;b=2">/,
  )
  assert.match(answer?.html ?? '', /<br>&lt;b&gt;Alba&lt;\/b&gt;<\/blockquote>/)
  assert.match(answer?.html ?? '', new RegExp(`<a class="button" href="https://desk.example/t/${ticket.uid}">Open the`))
})

test('mails of one ticket are one conversation, each with a name of its own', async () => {
  const ticket = await open(customer)
  await comment(ticket, agent, 'One')
  await comment(ticket, agent, 'Two')
  const found = await mails(customer.email, ticket, 3)
  const ids = found.map(({ head }) => /^Message-ID: <ticket-(\d+)\.[-0-9a-f]{36}@desk\.example>$/m.exec(head))
  assert.equal(
    ids.map((match) => match?.[1]),
    [ticket.uid, ticket.uid, ticket.uid],
  )
  assert.is(new Set(ids.map((match) => match?.[0])).size, 3)
  for (const { head } of found) {
    assert.ok(head.includes(`\nIn-Reply-To: <ticket-${ticket.uid}@desk.example>`), head)
    assert.ok(head.includes(`\nReferences: <ticket-${ticket.uid}@desk.example>`), head)
    assert.match(head, /^Auto-Submitted: auto-generated$/m)
    assert.match(head, /^Reply-To: help@desk\.example$/m)
  }
})

test('a contact is told by mail of the ticket opened, answered, written about and resolved, and of nothing internal', async () => {
  const { id, email } = await contact('Conny')
  const ticket = await open(agent, { contact_id: id })
  await comment(ticket, agent, 'Have you tried water?')
  await comment(ticket, manager, 'Conny is a vampire.', { is_internal: true })
  await move(ticket, agent, 'Pending')
  for (const [type, text] of [
    ['customer', 'A word in a chat.'],
    ['internal', 'A vampire, surely.'],
  ]) {
    const chat = await desk.post('/conversations', agent, { ticket_id: Number(ticket.id), type })
    await desk.post(`/conversations/${chat.at('data.id')}/messages`, agent, { message: text })
  }
  await move(ticket, agent, 'Resolved')
  const found = await mails(email, ticket, 4)
  const said = (text: string) => found.filter((mail) => mail.text.includes(text)).length
  assert.is(found.length, 4, found.map(({ text }) => text).join('\n'))
  assert.is(said(`We have opened the ticket #${ticket.uid} for you. We will`), 1)
  assert.is(said(`Alba Tester answered your ticket #${ticket.uid}:\n\n  Have you tried water?`), 1)
  assert.is(said(`Alba Tester wrote to you about your ticket #${ticket.uid}:\n\n  A word in a chat.`), 1)
  assert.is(said(`Your ticket #${ticket.uid} has been resolved.`), 1)
  assert.not.match(JSON.stringify(found), /ampire|Pending|desk\.example\/t\//, 'no page for who cannot sign in')
})

test('a contact who is the customer is told once, and a deleted one not at all', async () => {
  const same = await desk.post('/contacts', agent, { first_name: 'Cleo', last_name: 'T', email: customer.email })
  const ticket = await open(agent, { contact_id: same.at('data.id') })
  await comment(ticket, agent, 'Soon.')
  const gone = await contact('Gone')
  const other = await open(agent, { contact_id: gone.id })
  await desk.heard()
  assert.is((await desk.remove(`/contacts/${gone.id}`, manager)).status, 204)
  await comment(other, agent, 'Anybody?')
  await move(ticket, agent, 'Closed')
  assert.is((await mails(customer.email, ticket, 3)).length, 3)
  assert.is((await mails(gone.email, other, 1)).length, 1, 'what came before the deletion')
})

test('a customer hears of chat messages, and of the ticket resolved', async () => {
  const ticket = await open(customer)
  const chat = await desk.post('/conversations', agent, { ticket_id: Number(ticket.id), type: 'customer' })
  await desk.post(`/conversations/${chat.at('data.id')}/messages`, agent, { message: 'Are you\nthere?' })
  await desk.post(`/conversations/${chat.at('data.id')}/messages`, agent, { message: 'Zombie', is_internal: true })
  await move(ticket, agent, 'Resolved')
  const found = (await mails(customer.email, ticket, 3)).map(({ text }) => text).join('\n')
  assert.match(found, /Alba Tester wrote to you about your ticket #\d+:\n\n {2}Are you\n {2}there\?\n/)
  assert.match(found, /\nYour ticket #\d+ has been resolved\.\n/)
  assert.not.match(found, /Zombie/)
})

test('staff read who did what, with the text', async () => {
  const ticket = await open(customer)
  await desk.put(`/tickets/${ticket.id}`, manager, { assigned_to: agent.id })
  await comment(ticket, customer, 'It still burns.')
  const found = (await mails(agent.email, ticket, 2)).map(({ text }) => text).join('\n')
  assert.match(found, /Mona Tester assigned the ticket #\d+ to you\.\n\n {2}It burns\./)
  assert.match(found, /Cleo Tester wrote a comment on the ticket #\d+:\n\n {2}It still burns\./)
  assert.not.match(found, /Answer this mail/)
})

test('who is approved is told by mail and in the list, without a word of theirs while the address is not confirmed', async () => {
  const nell = await registerAt(desk, 'Nell', { first_name: 'YOU WON' })
  assert.is((await desk.post(`/users/pending/${nell.id}/approve`, desk.admin)).status, 200)
  const [mail = ''] = await mailsTo(desk, nell.email, 1, /was approved/)
  assert.match(mail, /Hello,\r?\n\r?\nYour account at Support Desk has been approved\./)
  assert.not.match(mail, /YOU WON/)
  const [one] = (await desk.get('/notifications', nell)).list
  assert.equal([one?.type, one?.title], ['account_approved', 'Your account at Support Desk was approved'])
})

test('a ticket of who did not confirm the address brings no receipt to it', async () => {
  const sly = await registerAt(desk, 'Sly')
  const ticket = await open(sly)
  await comment(ticket, agent, 'Who are you?')
  const found = await mails(sly.email, ticket, 1)
  assert.is(found.length, 1)
  assert.match(found[0]?.text ?? '', /^Hello,\n\nThere is news on the ticket/)
  assert.not.match(JSON.stringify(found), /Printer|Who are you/)
})

test('each person chooses how to be told of each kind', async () => {
  const fay = await desk.person('customer', 'Fay')
  const before = await desk.get('/notifications/settings', fay)
  assert.equal(new Set(Object.values(before.at('data') as object)), new Set(['default']))
  const set = await desk.put('/notifications/settings', fay, { ticket_commented: 'list', conversation_message: 'mail' })
  assert.equal([set.status, set.at('data.ticket_commented'), set.at('data.ticket_created')], [200, 'list', 'default'])
  await desk.put('/notifications/settings', fay, { ticket_status_changed: 'neither', ticket_priority_changed: 'both' })
  const ticket = await open(agent, { user_id: fay.id })
  await comment(ticket, agent, 'Only in the list')
  await move(ticket, agent, 'Pending')
  await desk.put(`/tickets/${ticket.id}`, agent, { priority_id: await desk.setting('priorities', 'High') })
  const chat = await desk.post('/conversations', agent, { ticket_id: Number(ticket.id), type: 'customer' })
  await desk.post(`/conversations/${chat.at('data.id')}/messages`, agent, { message: 'Only by mail' })
  const found = (await mails(fay.email, ticket, 3)).map(({ text }) => /\n\n(.*)/.exec(text)?.[1])
  assert.equal(found.sort(), [
    `Alba Tester wrote to you about your ticket #${ticket.uid}:`,
    `The priority of your ticket #${ticket.uid} is now High.`,
    `We have opened the ticket #${ticket.uid} for you. We will write to you as soon`,
  ])
  const types = (await desk.get('/notifications', fay)).list.map(({ type }) => type)
  assert.equal(types, ['ticket_priority_changed', 'ticket_commented', 'ticket_created'])
  await desk.put('/notifications/settings', fay, { ticket_commented: 'default' })
  assert.is((await desk.get('/notifications/settings', fay)).at('data.ticket_commented'), 'default')
  assert.is((await desk.get('/notifications/settings', customer)).at('data.conversation_message'), 'default')
  for (const body of [{ ticket_commented: 'loud' }, { ticket_commented: null }, { tickets: 'mail' }]) {
    assert.is((await desk.put('/notifications/settings', fay, body)).status, 422, JSON.stringify(body))
  }
})

test('what is told to a role is mailed to whom asks for it', async () => {
  await desk.put('/notifications/settings', manager, { ticket_created: 'both' })
  const ticket = await open(customer)
  const found = await mails(manager.email, ticket, 1)
  await desk.put('/notifications/settings', manager, { ticket_created: 'default' })
  assert.equal([found.length, (await mails('boss@desk.example', ticket, 0)).length], [1, 0])
  assert.match(
    found[0]?.text ?? '',
    /Cleo Tester opened the ticket #\d+\. Nobody is assigned to it\.\n\n {2}It burns\./,
  )
})

test('the longest comment goes by mail as it is', async () => {
  const ticket = await open(customer)
  const text = '😀"'.repeat(16_000)
  await comment(ticket, agent, `${text}\nend`)
  const found = (await mails(customer.email, ticket, 2)).map(({ text: read }) => read)
  assert.match(found.join(''), /\n {2}end\n/)
})

test('with `after`, a comment soon after the solution does not open the ticket again', async () => {
  const ticket = await open(customer)
  await move(ticket, agent, 'Resolved')
  await comment(ticket, customer, 'One more thing.')
  assert.is((await desk.get(`/tickets/${ticket.id}`, agent)).at('data.status.slug'), 'resolved')
  const { knex } = desk.engine.database
  await knex('tickets')
    .where({ id: Number(ticket.id) })
    .update({ resolved_at: new Date(Date.now() - 25 * 3_600_000) })
  await comment(ticket, customer, 'One more thing.')
  assert.is((await desk.get(`/tickets/${ticket.id}`, agent)).at('data.status.slug'), 'open')
})

test.run()
