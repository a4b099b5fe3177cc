/** `plinth user create|password|role`: accounts from a terminal, by the rules of REST. */
import { PassThrough } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SYSTEM } from '../../../engine/actor.ts'
import { pluginContext } from '../../../engine/context/plugin-context.ts'
import { executionOf } from '../../../engine/run/execution.ts'
import type { Terminal } from '../../../plugins/auth/terminal.ts'
import { userCommand } from '../../../plugins/auth/user-command.ts'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { printed } from '../../support/printed.ts'
import { typed } from '../../support/terminal.ts'

const test = suite('accounts from a terminal')
const ANN = ['ann@people.example', '--first-name', 'Ann', '--last-name', 'Reed', '--role', 'agent']
const WORDS = 'a horse of another colour'
let desk: Desk

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk.close())

function piped(text: string): Terminal {
  const input = new PassThrough()
  input.end(text)
  return { input, output: new PassThrough() }
}

async function run(args: readonly string[], at: Terminal = piped('')) {
  const { foundation } = desk.engine.app
  const call = executionOf(foundation, { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined })
  const context = pluginContext(call, foundation.catalog.pluginOptions.get('auth') ?? {})
  const { result, text } = await printed(() => userCommand(context, args, at))
  return { code: result, said: text }
}

test('an account is made with a password that is piped in, and may sign in', async () => {
  const { code, said } = await run(['create', ...ANN], piped(`${WORDS}\n`))
  assert.is(code, 0, said)
  assert.match(said, /^ann@people\.example has an account with the id \d+\.\n$/)
  const ann = await desk.login('ann@people.example', WORDS)
  const me = await desk.get('/auth/me', ann)
  assert.match(me.text, '"slug":"agent"')
})

test('the rules are those of REST: taken addresses, short passwords, fields that are needed, roles that exist', async () => {
  const pipe = () => piped(WORDS)
  const taken = await run(['create', ...ANN], pipe())
  assert.is(taken.code, 1)
  assert.match(taken.said, /email.*taken.*Nothing was changed/)
  const other = ['create', 'bob@people.example', ...ANN.slice(1)]
  assert.match((await run(other, piped('short'))).said, 'must have at least 8 characters. Nothing was changed.')
  assert.match((await run(other, piped('bob@people.example'))).said, 'may not be the e-mail address')
  assert.match(
    (await run(['create', 'bob@people.example', '--role', 'agent'], pipe())).said,
    /first name field is required/i,
  )
  assert.is((await run([...other.slice(0, -1), 'agnet'], pipe())).said, 'There is no role agnet. Did you mean agent?\n')
  assert.match((await run(['create', 'bob@people.example'], pipe())).said, /^Say --role: admin, agent, /)
  assert.match((await run([...other, '--set', '{"colour": 1}'], pipe())).said, /colour/)
  assert.is((await desk.get('/users?search=bob', desk.admin)).list.length, 0)
})

test('a password is typed twice and not shown, or made and shown once, and never an argument', async () => {
  const bob = ['create', 'bob@people.example', ...ANN.slice(1)]
  const { terminal: at, shown } = typed(WORDS, WORDS)
  const made = await run(bob, at)
  assert.is(made.code, 0, made.said)
  assert.is(shown(), 'Password for bob@people.example: \nOnce more: \n')
  const differs = await run(['password', 'bob@people.example'], typed(WORDS, 'something else').terminal)
  assert.equal(differs, { code: 1, said: 'The two were not the same. Nothing was changed.\n' })
  assert.match((await run(['password', 'bob@people.example'])).said, /^There was no password\. Type one/)
  const words = await run(['password', 'bob@people.example', 'hunter2222'])
  assert.is(words.code, 2)
  assert.match(words.said, 'takes 1 words; a password is none.')
  const option = await run(['password', 'bob@people.example', '--password=hunter2222'])
  assert.is(option.code, 2)
  assert.not.match(words.said + option.said, 'hunter2222')
  assert.is((await run([...bob, '--set', '{"password": "hunter2222"}'])).code, 2)
})

test('a new password ends every session', async () => {
  const bob = await desk.login('bob@people.example', WORDS)
  const { code, said } = await run(['password', 'BOB@people.example', '--random'])
  assert.is(code, 0, said)
  const [, password = ''] = /^Password {3}(\S{16}) {3}\(shown only now\)\n/.exec(said) ?? []
  assert.is((await desk.get('/auth/me', bob)).status, 401)
  await desk.login('bob@people.example', password)
  assert.equal(await run(['password', 'nobody@people.example', '--random']), {
    code: 1,
    said: 'There is no account of nobody@people.example.\n',
  })
})

test('a role changes what an open session may do', async () => {
  const ann = await desk.login('ann@people.example', WORDS)
  assert.is((await desk.get('/settings/roles', ann)).status, 403)
  assert.is(
    (await run(['role', 'ann@people.example', 'admin'])).said,
    'ann@people.example has the role admin instead of agent.\n',
  )
  assert.is((await desk.get('/settings/roles', ann)).status, 200)
  assert.match((await run(['role', 'ann@people.example', 'admin'])).said, 'already')
  assert.is((await run(['role', 'ann@people.example', 'king'])).code, 1)
  assert.is((await run(['role', 'ann@people.example', 'agent'])).code, 0)
})

test('who is invited chooses the password by a mailed link', async () => {
  const before = (await desk.mails()).length
  const { code, said } = await run(['create', 'cleo@people.example', ...ANN.slice(1), '--invite'])
  assert.is(code, 0, said)
  assert.match(said, 'is mailed a link to choose a password')
  const mails = await desk.mails(before + 1)
  assert.ok(mails.some((mail) => /To: .*cleo@people\.example/.test(mail)))
})

test('words that say nothing are told what would', async () => {
  const { code, said } = await run(['creat', 'x@people.example'])
  assert.is(code, 2)
  assert.match(said, /^Did you mean create\? Use: plinth user create /)
  assert.match((await run(['role', 'ann@people.example', 'agent', '--random'])).said, 'does not take --random')
})

test.run()
