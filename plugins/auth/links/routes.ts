/** Signing in by a mailed link or code instead of a password, for the accounts that the application names. */
import { randomInt } from 'node:crypto'
import {
  ApiError,
  allowsOne,
  fieldError,
  invalid,
  type JsonObject,
  type Reply,
  type Route,
  type RouteContext,
} from '../../../engine/index.ts'
import { newToken, tokenHash } from '../../keys/seal.ts'
import { sendMail } from '../../mail/index.ts'
import { type Account, greetingOf, personOf } from '../account.ts'
import { requireCookies } from '../cookie.ts'
import { admitted, CHALLENGE } from '../factors/step.ts'
import { countedAs, noteFailure, refusePaused } from '../failures.ts'
import { authOptions } from '../options.ts'
import { SESSION_INPUT, SESSION_KINDS, signedInSchema } from '../signed-in.ts'

const SENT = 'If the address belongs to an account that signs in so, a mail with a link and a code is on its way'
/** One mail a minute to an address. */
const PAUSE_MS = 60_000
const TRIES = 5

/** The account of an address, if the application lets it sign in by links. */
async function admissible(context: RouteContext, email: string): Promise<Account | undefined> {
  const account = await personOf(context, email)
  if (account === undefined || account.status === 'declined' || account.role === null) return undefined
  const actor = (await context.as(account.id))?.actor
  const { magicLink } = authOptions(context.options)
  return actor !== undefined && magicLink?.for.some((one) => allowsOne([one], actor)) === true ? account : undefined
}

/** The route to ask for a mail. The answer, and the work until it, are the same for every address. */
function ask(): Route {
  return {
    method: 'POST',
    path: '/auth/link',
    summary: 'Send a link and a code to sign in',
    description:
      'The answer has a `request`, which the browser keeps: with it the link is enough, and so is the code. In another browser the link asks for the code too, so that a program that opens the links of mails does not sign in.',
    tag: 'Authentication',
    access: 'public',
    bucket: 'auth',
    input: { email: { type: 'email', required: true } },
    output: { type: 'object', properties: { request: { type: 'string' } }, required: ['request'] },
    handle: async (context) => {
      const email = String(context.body.email).toLowerCase()
      const [request, token, code] = [newToken(), newToken(), String(randomInt(100_000_000)).padStart(8, '0')]
      const isNew = await store(context, email, { request, token, code })
      // After the answer, whose time must not show whether the address has an account.
      if (isNew)
        setImmediate(() => {
          mail(context, email, token, code).catch((error: unknown) =>
            context.log.error({ err: error }, 'a mail could not be queued'),
          )
        })
      return { data: { request }, message: SENT, headers: { 'cache-control': 'private, no-store' } }
    },
  }
}

interface Secrets {
  readonly request: string
  readonly token: string
  readonly code: string
}

/** Stores what was asked for, unless there was a mail within the minute; one after the other for each address. */
function store(context: RouteContext, email: string, { request, token, code }: Secrets): Promise<boolean> {
  const { minutes = 0 } = authOptions(context.options).magicLink ?? {}
  return context.transaction(async ({ model, now, transaction }) => {
    await transaction.knex.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`plinth auth link ${email}`])
    const time = now()
    const earlier = await model('sign_in_links')
      .query()
      .findOne({ email })
      .where('created_at', '>', new Date(time.getTime() - PAUSE_MS))
      .select('id')
    const row = {
      email,
      request_hash: tokenHash(request),
      token_hash: tokenHash(token),
      code_hash: codeHash(tokenHash(request), code),
      expires_at: new Date(time.getTime() + minutes * 60_000),
      created_at: time,
    }
    if (earlier === undefined) await model('sign_in_links').query().insert(row)
    return earlier === undefined
  })
}

async function mail(context: RouteContext, email: string, token: string, code: string): Promise<void> {
  const account = await admissible(context, email)
  if (account === undefined) return
  const { minutes = 0 } = authOptions(context.options).magicLink ?? {}
  const link = `${context.settings.baseUrl.replace(/\/+$/, '')}/sign-in/link/${token}`
  const data = { first_name: greetingOf(account), link, code, minutes }
  const template = new URL('../mails/link.liquid', import.meta.url)
  await sendMail(context, { template, to: account.email, data, urgent: true })
}

interface StoredLink {
  readonly id: number
  readonly email: string
  readonly token_hash: string
  readonly request_hash: string
  readonly code_hash: string
}

/** The link that a body names, with this try counted; throws invalid where there is none that can be used. */
async function tried({ body, model, now }: RouteContext): Promise<StoredLink> {
  const [request, token] = [String(body.request ?? ''), String(body.token ?? '')]
  const [link] = await model('sign_in_links')
    .query()
    .where((either) => either.where({ token_hash: tokenHash(token) }).orWhere({ request_hash: tokenHash(request) }))
    .whereNull('used_at')
    .where('expires_at', '>', now())
    .where('tries', '<', TRIES)
    .increment('tries', body.code === undefined ? 0 : 1)
    .returning(['id', 'email', 'token_hash', 'request_hash', 'code_hash'])
    .castTo<StoredLink[]>()
  if (link === undefined) throw invalid({ token: ['The link is not valid any more: ask for a new one'] })
  return link
}

/** Uses a link up; two of the link, its code, and what the browser keeps that asked must be there. */
async function use(context: RouteContext): Promise<Reply> {
  const { body, model, now } = context
  if (body.session === 'cookie') requireCookies(context)
  const link = await tried(context)
  const counted = await countedAs(context, link.email, context.ip)
  await refusePaused(context, counted)
  const hasToken = tokenHash(String(body.token ?? '')) === link.token_hash
  const hasRequest = tokenHash(String(body.request ?? '')) === link.request_hash
  const hasCode = typeof body.code === 'string' && isCode(body.code, link)
  if (body.code !== undefined && !hasCode) {
    await noteFailure(context, link.email, counted)
    throw invalid({ code: [fieldError('invalid', 'The code is wrong')] })
  }
  if (Number(hasToken) + Number(hasRequest) + Number(hasCode) < 2)
    throw invalid({ code: [fieldError('required', 'In another browser the code of the mail is required')] })
  const account = await admissible(context, link.email)
  const used = await model('sign_in_links').query().findById(link.id).whereNull('used_at').patch({ used_at: now() })
  if (account === undefined || used === 0) throw new ApiError('invalid_credentials')
  // The mail reached its owner.
  if (!account.email_verified) await context.records('users', 'system').update(account.id, { email_verified: true })
  return admitted(context, account, { factors: ['link'] })
}

function isCode(code: string, { code_hash, request_hash }: StoredLink): boolean {
  return codeHash(request_hash, code.replace(/[\s-]/g, '')) === code_hash
}

function codeHash(requestHash: string, code: string): string {
  return tokenHash(`${requestHash} ${code}`)
}

function useRoute(options: JsonObject): Route {
  return {
    method: 'POST',
    path: '/auth/link/use',
    summary: 'Sign in by a mailed link or code',
    description: `Two of these: the \`token\` of the link, the \`code\` of the mail, the \`request\` of the browser that asked. A link takes five codes. ${SESSION_KINDS}`,
    tag: 'Authentication',
    access: 'public',
    bucket: 'auth',
    input: {
      token: { type: 'string', max: 100 },
      request: { type: 'string', max: 100 },
      code: { type: 'string', max: 20 },
      session: SESSION_INPUT,
    },
    output: signedInSchema(options),
    accepted: CHALLENGE,
    handle: use,
  }
}

/** The routes of links, where the application has them. */
export function linkRoutes(options: JsonObject): readonly Route[] {
  return authOptions(options).magicLink === undefined ? [] : [ask(), useRoute(options)]
}
