/** `plinth admin password`: the way back in for whoever runs the machine. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SYSTEM } from '../../../engine/actor.ts'
import { pluginContext } from '../../../engine/context/plugin-context.ts'
import { executionOf } from '../../../engine/run/execution.ts'
import { adminCommand } from '../../../plugins/auth/admin-command.ts'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { printed } from '../../support/printed.ts'
import { typed } from '../../support/terminal.ts'

const test = suite('desk: a lost password')
let desk: Desk

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk.close())

async function run(...args: string[]) {
  const { result, text } = await printed(() => desk.engine.command('admin', args))
  return { code: result, said: text }
}

async function type(...lines: string[]) {
  const { foundation } = desk.engine.app
  const call = executionOf(foundation, { actor: SYSTEM, requestId: 'test', afterCommit: () => undefined })
  const context = pluginContext(call, foundation.catalog.pluginOptions.get('auth') ?? {})
  const { terminal: at, shown } = typed(...lines)
  const { result, text } = await printed(() => adminCommand(context, ['password'], at))
  return { code: result, said: text, shown: shown() }
}

test('it prints a new password once, ends every session, and the old password no longer works', async () => {
  const { admin } = desk
  const { code, said } = await run('password', '--random')
  assert.is(code, 0, said)
  const [, password = ''] = /^Password {3}(\S{16}) {3}\(shown only now\)\n/.exec(said) ?? []
  assert.is((await desk.get('/auth/me', admin)).status, 401)
  await desk.login(admin.email, password)
  const old = await desk.post('/auth/login', undefined, { email: admin.email, password: admin.password })
  assert.is(old.status, 401)
})

test('what is typed at a terminal is not shown, and is asked for twice', async () => {
  const words = 'typed at the terminal'
  const { code, said, shown } = await type(words, words)
  assert.is(code, 0, said)
  assert.is(shown, `New password for ${desk.admin.email} (empty: one is made): \nOnce more: \n`)
  assert.not.match(said, words)
  await desk.login(desk.admin.email, words)
  assert.match((await type(words, 'something else')).said, 'The two were not the same. Nothing was changed.')
  assert.match(
    (await type('short', 'short')).said,
    'The password must have at least 8 characters. Nothing was changed.',
  )
  await desk.login(desk.admin.email, words)
})

test('it asks whose when there are several, and knows who there is', async () => {
  assert.is((await run('password', 'nobody@people.example')).said, 'There is no account of nobody@people.example.\n')
  assert.equal(await run('pasword'), { code: 2, said: 'Use: plinth admin password [e-mail] [--random]\n' })
  const admin = await desk.login(desk.admin.email, 'typed at the terminal')
  const second = { first_name: 'Anna', last_name: 'Tester', email: 'anna@people.example', role_id: await role(admin) }
  const passwords = { password: 'another horse battery', password_confirmation: 'another horse battery' }
  assert.is((await desk.post('/users', admin, { ...second, ...passwords })).status, 201)
  const several = await run('password', '--random')
  assert.equal(several, {
    code: 1,
    said: `Several have the role admin; say which: ${desk.admin.email}, anna@people.example\n`,
  })
  assert.is((await run('password', 'ANNA@people.example', '--random')).code, 0)
})

async function role(admin: Parameters<Desk['get']>[1]): Promise<number> {
  const { list } = await desk.get('/settings/roles', admin)
  return Number(list.find(({ slug }) => slug === 'admin')?.id)
}

test.run()
