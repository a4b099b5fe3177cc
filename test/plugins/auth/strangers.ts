/** Addresses of every kind that a stranger may ask about. */
import * as assert from 'uvu/assert'
import { codeAt, stepAt } from '../../../plugins/auth/factors/totp.ts'
import type { Desk, Person } from '../../desk/desk.ts'
import { bytesOf } from '../../support/totp.ts'

/** Sets up an app of one-time codes for somebody. */
export async function setUpApp(desk: Desk, person: Person): Promise<void> {
  const begun = await desk.post('/auth/factors/totp', person, {})
  const code = codeAt(bytesOf(String(begun.at('data.secret'))), stepAt(new Date()))
  const done = await desk.post(`/auth/factors/totp/${begun.at('data.id')}/confirm`, person, { code })
  assert.is(done.status, 200, done.text)
}

/** An address without an account, and those of accounts with and without a second factor, a password or the right to come in. */
export async function strangers(desk: Desk): Promise<Readonly<Record<string, string>>> {
  const plain = await desk.person('customer', 'Plain')
  const guarded = await desk.person('customer', 'Guarded')
  await setUpApp(desk, guarded)
  const declined = await desk.person('customer', 'Declined')
  const without = await desk.person('customer', 'Without')
  const { knex } = desk.engine.database
  await knex('users').where({ email: declined.email }).update({ status: 'declined' })
  await knex('users').where({ email: without.email }).update({ password_hash: null })
  return {
    unknown: 'nobody@people.example',
    plain: plain.email,
    'with a second factor': guarded.email,
    declined: declined.email,
    'without a password': without.email,
  }
}
