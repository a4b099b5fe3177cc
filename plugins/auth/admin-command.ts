/** `plinth admin password [e-mail]`: a new password for whoever lost theirs, from a terminal of the machine. ⇄ */
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ApiError, type PluginContext } from '../../engine/index.ts'
import { type Account, accountOf } from './account.ts'
import { authOptions } from './options.ts'

const USAGE = 'Use: plinth admin password [e-mail] [--random]'
const RANDOM = '--random'

/** The terminal that somebody sits at. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream
}

/** Sets a new password and ends the account's sessions; 0, 1 when refused, 2 when the words are wrong. */
export async function adminCommand(
  context: PluginContext,
  args: readonly string[],
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<number> {
  const [verb, email, ...more] = args.filter((word) => word !== RANDOM)
  if (verb !== 'password' || more.length > 0) return refuse(USAGE, 2)
  const account = email === undefined ? await onlyAdmin(context) : await accountOf(context, email)
  if (typeof account === 'string') return refuse(account)
  if (account === undefined) return refuse(`There is no account of ${email}.`)
  const asks = input.isTTY === true && !args.includes(RANDOM)
  const given = asks ? await askTwice(account.email, { input, output }) : ''
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

/** The one account with the highest role, or the sentence that asks which is meant. */
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
    .where('role.slug', top)
    .orderBy('u.id')
    .select('u.id', 'u.email', 'u.status')
    .castTo<Pick<Account, 'id' | 'email' | 'status'>[]>()
  const [only] = found
  if (only === undefined) return `Nobody has the role ${top}: \`plinth start\` makes the first one.`
  if (found.length === 1) return only
  return `Several have the role ${top}; say which: ${found.map(({ email }) => email).join(', ')}`
}

/** What was typed, or an empty text where nothing was; undefined when the second time was not the first. */
async function askTwice(email: string, terminal: Terminal): Promise<string | undefined> {
  const first = await ask(`New password for ${email} (empty: one is made): `, terminal)
  return first === '' || (await ask('Once more: ', terminal)) === first ? first : undefined
}

/** One line typed at a terminal, which shows none of it. */
function ask(question: string, { input, output }: Terminal): Promise<string> {
  output.write(question)
  const nowhere = new Writable({ write: (_part, _encoding, done) => done() })
  const reader = createInterface({ input, output: nowhere, terminal: true })
  return new Promise<string>((resolve, reject) => {
    reader.once('close', () => reject(new Error('Nothing was changed.')))
    reader.once('SIGINT', () => reader.close())
    reader.question('', resolve)
  }).finally(() => {
    reader.close()
    output.write('\n')
  })
}
