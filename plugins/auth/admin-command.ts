/** `plinth admin password [e-mail]`: a new password for an admin who lost theirs, from a terminal of the machine. ⇄ */
import { randomBytes } from 'node:crypto'
import { ApiError, type PluginContext } from '../../engine/index.ts'
import { type Account, accountOf } from './account.ts'
import { authOptions } from './options.ts'
import { askTwice, TERMINAL, type Terminal } from './terminal.ts'

const USAGE = 'Use: plinth admin password [e-mail] [--random]'
const RANDOM = '--random'

/** Sets a new password and ends the account's sessions; returns 0, 1 when refused, 2 for wrong words. */
export async function adminCommand(
  context: PluginContext,
  args: readonly string[],
  terminal: Terminal = TERMINAL,
): Promise<number> {
  const [verb, email, ...more] = args.filter((word) => word !== RANDOM)
  if (verb !== 'password' || more.length > 0) return refuse(USAGE, 2)
  const account = email === undefined ? await onlyAdmin(context) : await accountOf(context, email)
  if (typeof account === 'string') return refuse(account)
  if (account === undefined) return refuse(`There is no account of ${email}.`)
  const asks = terminal.input.isTTY === true && !args.includes(RANDOM)
  const question = `New password for ${account.email} (empty: one is made): `
  const given = asks ? await askTwice(question, terminal) : ''
  if (given === undefined) return refuse('The two were not the same. Nothing was changed.')
  const password = given === '' ? randomBytes(12).toString('base64url') : given
  try {
    const passwords = { password, password_confirmation: password }
    await context.records('users', 'system').update(account.id, passwords)
  } catch (error) {
    if (!(error instanceof ApiError) || error.params.errors === undefined) throw error
    return refuse(`${Object.values(error.params.errors).flat().join('; ')}. Nothing was changed.`)
  }
  if (given === '') process.stdout.write(`Password   ${password}   (shown only now)\n`)
  process.stdout.write(`${account.email} has a new password, and is signed out everywhere.\n`)
  if (account.status !== 'active') process.stdout.write(`The account is ${account.status}.\n`)
  return 0
}

function refuse(sentence: string, code = 1): number {
  process.stderr.write(`${sentence}\n`)
  return code
}

/** The one account with the highest role, or a sentence that asks which one. */
async function onlyAdmin({
  model,
  options,
}: PluginContext): Promise<Pick<Account, 'id' | 'email' | 'status'> | string> {
  const top = authOptions(options).roles[0] ?? ''
  const found = await model('users')
    .query()
    .alias('u')
    .modify('live')
    .joinRelated('role')
    .where({ 'role.slug': top, 'u.kind': 'person' })
    .orderBy('u.id')
    .select('u.id', 'u.email', 'u.status')
    .castTo<Pick<Account, 'id' | 'email' | 'status'>[]>()
  const [only] = found
  if (only === undefined) return `Nobody has the role ${top}: \`plinth start\` makes the first one.`
  if (found.length === 1) return only
  return `Several have the role ${top}; say which: ${found.map(({ email }) => email).join(', ')}`
}
