/** `plinth user create|password|role|second-factor` ⇄: accounts from a terminal, by the rules for everybody. */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import {
  ApiError,
  INEXACT,
  inexactNumbers,
  isObject,
  type JsonObject,
  nearest,
  type PluginContext,
} from '../../engine/index.ts'
import { accountOf } from './account.ts'
import { removeFactors } from './factors/factor.ts'
import { note } from './history/acts.ts'
import { closeSessionsOf } from './opened-sessions.ts'
import { askTwice, readLine, TERMINAL, type Terminal } from './terminal.ts'

export const USER_USAGE =
  'plinth user create <e-mail> --role <role> --first-name <name> --last-name <name> [--set <JSON>] [--random|--invite]; plinth user password <e-mail> [--random]; plinth user role <e-mail> <role>; plinth user second-factor off <e-mail>'

const OPTIONS = {
  role: { type: 'string' },
  'first-name': { type: 'string' },
  'last-name': { type: 'string' },
  set: { type: 'string' },
  random: { type: 'boolean' },
  invite: { type: 'boolean' },
} as const

type Options = Readonly<Partial<Record<keyof typeof OPTIONS, string | boolean>>>

/** The options of each verb, and its number of words. */
const VERBS: Readonly<Record<string, { readonly words: number; readonly options: readonly string[] }>> = {
  create: { words: 1, options: Object.keys(OPTIONS) },
  password: { words: 1, options: ['random'] },
  role: { words: 2, options: [] },
  'second-factor': { words: 2, options: [] },
}

/** A sentence that ends the command, and its exit code. */
class Refused extends Error {
  readonly code: number
  constructor(sentence: string, code = 1) {
    super(sentence)
    this.code = code
  }
}

/** The words of the command line. */
interface Words {
  readonly verb: string
  readonly words: readonly string[]
  readonly options: Options
}

function readWords(args: readonly string[]): Words {
  const wrong = (sentence: string): Refused => new Refused(`${sentence} Use: ${USER_USAGE}`, 2)
  let read: { values: Options; positionals: string[] }
  try {
    read = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true })
  } catch {
    // The text after an unknown option may be a password, so it is not repeated.
    throw wrong('An option is unknown, or has no value; a password is never one.')
  }
  const [verb = '', ...words] = read.positionals
  const known = VERBS[verb]
  if (known === undefined) {
    const near = nearest(verb, Object.keys(VERBS))
    throw wrong(near === undefined ? 'Say create, password, role or second-factor.' : `Did you mean ${near}?`)
  }
  if (words.length !== known.words) throw wrong(`plinth user ${verb} takes ${known.words} words; a password is none.`)
  const other = Object.keys(read.values).find((name) => !known.options.includes(name))
  if (other !== undefined) throw wrong(`plinth user ${verb} does not take --${other}.`)
  if (read.values.random === true && read.values.invite === true) throw wrong('Say --random or --invite, not both.')
  return { verb, words, options: read.values }
}

/** Writes as the system; returns 0, 1 when refused, 2 for wrong words. */
export async function userCommand(
  context: PluginContext,
  args: readonly string[],
  terminal: Terminal = TERMINAL,
): Promise<number> {
  try {
    const { verb, words, options } = readWords(args)
    const [email = '', role = ''] = words
    if (verb === 'create') await create(context, email, options, terminal)
    else if (verb === 'password') await setPassword(context, email, options, terminal)
    else if (verb === 'second-factor') await secondFactorOff(context, words)
    else await setRole(context, email, role)
    return 0
  } catch (error) {
    const told = refusalOf(error)
    process.stderr.write(`${told.message}\n`)
    return told.code
  }
}

function refusalOf(error: unknown): Refused {
  if (error instanceof Refused) return error
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  const sentences = Object.values(error.params.errors ?? {}).flat()
  return new Refused(`${sentences.length > 0 ? sentences.join('; ') : error.message}. Nothing was changed.`)
}

async function create(context: PluginContext, email: string, options: Options, terminal: Terminal): Promise<void> {
  const role = await roleIdOf(context, options.role)
  const body: JsonObject = {
    ...readSet(options.set),
    email,
    ...(typeof options['first-name'] === 'string' && { first_name: options['first-name'] }),
    ...(typeof options['last-name'] === 'string' && { last_name: options['last-name'] }),
    role_id: role,
  }
  if (body.kind === 'service') return createService(context, body, options)
  const chosen = options.invite === true ? undefined : await choose(`Password for ${email}: `, options, terminal)
  const passwords = chosen && { password: chosen.password, password_confirmation: chosen.password }
  const made = await context.records('users', 'system').create({ ...body, ...(passwords ?? { invite: true }) })
  tellPassword(chosen)
  const invited = chosen === undefined ? ', and is mailed a link to choose a password' : ''
  process.stdout.write(`${String(made.email)} has an account with the id ${String(made.id)}${invited}.\n`)
}

async function createService(context: PluginContext, body: JsonObject, options: Options): Promise<void> {
  if (options.random === true || options.invite === true)
    throw new Refused('A service account has no password: leave --random and --invite out, and make a key for it.', 2)
  const made = await context.records('users', 'system').create(body)
  process.stdout.write(`${String(made.email)} is a service account with the id ${String(made.id)}.\n`)
}

async function setPassword(context: PluginContext, email: string, options: Options, terminal: Terminal): Promise<void> {
  const { id, status } = await known(context, email)
  const chosen = await choose(`New password for ${email}: `, options, terminal)
  const passwords = { password: chosen.password, password_confirmation: chosen.password }
  await context.records('users', 'system').update(id, passwords)
  tellPassword(chosen)
  process.stdout.write(`${email} has a new password, and is signed out everywhere.\n`)
  if (status !== 'active') process.stdout.write(`The account is ${status}.\n`)
}

async function setRole(context: PluginContext, email: string, role: string): Promise<void> {
  const { id, role: before } = await known(context, email)
  const roleId = await roleIdOf(context, role)
  if (before === role) {
    process.stdout.write(`${email} has the role ${role} already.\n`)
    return
  }
  await context.records('users', 'system').update(id, { role_id: roleId })
  process.stdout.write(`${email} has the role ${role}${before === null ? '' : ` instead of ${before}`}.\n`)
}

async function secondFactorOff(context: PluginContext, [word, email = '']: readonly string[]): Promise<void> {
  if (word !== 'off') throw new Refused(`A second factor is only taken away: plinth user second-factor off <e-mail>`, 2)
  const { id } = await known(context, email)
  if ((await removeFactors(context, id)) === 0) throw new Refused(`${email} has no second factor.`)
  await context.model('users').query().findById(id).patch({ second_factor_since: null })
  await closeSessionsOf(context, id)
  await note(context, { act: 'factor_ended', by: null, user: id, details: { kind: 'all' } })
  process.stdout.write(`${email} signs in without a second factor, and is signed out everywhere.\n`)
}

async function known(context: PluginContext, email: string) {
  const account = await accountOf(context, email)
  if (account === undefined) throw new Refused(`There is no account of ${email}.`)
  return account
}

/** The id of a role by its slug; people who register get the default one. */
async function roleIdOf({ model }: PluginContext, slug: string | boolean | undefined): Promise<number> {
  const found = await model('roles').query().modify('live').orderBy('slug').select('id', 'slug')
  const role = found.find((one) => one.slug === slug)
  if (role !== undefined) return Number(role.id)
  const slugs = found.map((one) => String(one.slug))
  if (typeof slug !== 'string') throw new Refused(`Say --role: ${slugs.join(', ')}.`, 2)
  const near = nearest(slug, slugs)
  throw new Refused(
    `There is no role ${slug}. ${near === undefined ? `There are ${slugs.join(', ')}.` : `Did you mean ${near}?`}`,
  )
}

function readSet(text: string | boolean | undefined): JsonObject {
  if (typeof text !== 'string') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (!isObject(value)) throw new Refused('--set takes an object of JSON: --set \'{"city": "Utrecht"}\'.', 2)
  const [inexact] = inexactNumbers(text, 1)
  if (inexact !== undefined) throw new Refused(`--set: the ${inexact.join('.')} ${INEXACT}.`, 2)
  if (Object.hasOwn(value, 'password'))
    throw new Refused('A password is no argument: it is asked for, or read from standard input.', 2)
  return value
}

interface Chosen {
  readonly password: string
  /** Made here, and shown once. */
  readonly made: boolean
}

/** A password that is typed, piped or made. */
async function choose(question: string, { random }: Options, terminal: Terminal): Promise<Chosen> {
  if (random === true) return { password: randomBytes(12).toString('base64url'), made: true }
  const isTyped = terminal.input.isTTY === true
  const given = isTyped ? await askTwice(question, terminal) : await readLine(terminal)
  if (given === undefined) throw new Refused('The two were not the same. Nothing was changed.')
  if (given === '')
    throw new Refused(
      'There was no password. Type one at a terminal, pipe one in, or say --random. Nothing was changed.',
    )
  return { password: given, made: false }
}

function tellPassword(chosen: Chosen | undefined): void {
  if (chosen?.made === true) process.stdout.write(`Password   ${chosen.password}   (shown only now)\n`)
}
