/**
 * Sessions: signed tokens, and the row behind each, read again for every request, many requests by one statement. Also the
 * people of tests.
 */
import { randomUUID } from 'node:crypto'
import {
  type Actor,
  type Catalog,
  keysOf,
  memo,
  type PeopleContribution,
  type PluginContext,
  type RouteContext,
  type Settings,
} from '../../engine/index.ts'
import { actorColumns, actorOf, notDeletedSql } from './actor.ts'
import { type AuthOptions, authOptions } from './options.ts'

interface Waiting {
  readonly jti: string
  readonly resolve: (actor: Actor | null) => void
  readonly reject: (reason: unknown) => void
}

/** The session checks of an application: those that wait for the next statement while one runs. */
interface Batch {
  readonly text: string
  own?: AuthOptions
  waiting: Waiting[]
  busy: boolean
}

/** The most tokens in one statement; the others wait for the next. */
const MOST_TOGETHER = 200

/** A session is marked as used at most this often, so that not every request writes. */
const TOUCH_MS = 600_000

/** The token id of each actor's session. */
const signedIn = memo((_: Actor): { by?: string } => ({}))

type SessionContext = Pick<PluginContext, 'settings' | 'catalog' | 'database' | 'options' | 'now'>

/**
 * The actor of a request's headers, or null. Token, user and role are read after the request arrived; requests that
 * arrive during such a read share the next one.
 */
export async function authenticate(
  context: SessionContext & { readonly headers: Readonly<Record<string, string | undefined>> },
): Promise<Actor | null> {
  const claims = await readToken(context, context.headers.authorization)
  if (claims === undefined) return null
  const batch = batchOf(context.catalog)
  return new Promise((resolve, reject) => {
    batch.waiting.push({ jti: claims.jti, resolve, reject })
    if (!batch.busy) void checkAll(batch, context)
  })
}

async function checkAll(batch: Batch, context: SessionContext): Promise<void> {
  batch.busy = true
  batch.own ??= authOptions(context.options)
  const { own } = batch
  while (batch.waiting.length > 0) {
    const checked = batch.waiting.splice(0, MOST_TOGETHER)
    try {
      const stale = new Date(context.now().getTime() - TOUCH_MS)
      const wanted = [...new Set(checked.map(({ jti }) => jti))]
      const rows = await context.database.compiled.run({ name: 'auth_sessions', text: batch.text }, [wanted, stale])
      const actors = new Map(rows.map((row) => [row[0], actorOf(row, context.catalog, own)]))
      for (const [jti, actor] of actors) signedIn(actor).by = String(jti)
      for (const { jti, resolve } of checked) resolve(actors.get(jti) ?? null)
      touch(
        context,
        rows.filter((row) => row.at(-1) === 't').map((row) => row[0]),
      )
    } catch (error) {
      // Those that wait would fail too; a database that does not answer must not cause a queue.
      for (const { reject } of [...checked, ...batch.waiting.splice(0)]) reject(error)
    }
  }
  batch.busy = false
}

const batchOf = memo((catalog: Catalog): Batch => {
  // Text of a prepared statement, because every request runs it.
  const table = (resource: string): string => `"${catalog.resources.get(resource)!.table}"`
  const live = (resource: string, alias: string): string => notDeletedSql(catalog.resources.get(resource)!, alias)
  const text = `select s.jti, ${actorColumns(catalog)},
      coalesce(s.last_used_at, s.created_at) < $2::timestamptz
    from ${table('access_tokens')} s
    join ${table('users')} u on u.id = s.user_id and u.status <> 'declined'${live('users', 'u')}
    join ${table('roles')} r on r.id = u.role_id${live('roles', 'r')}
    where s.jti = any($1)`
  return { text, waiting: [], busy: false }
})

/** Marks sessions as used. No request waits for it; after a failure the next request marks them. */
function touch({ catalog, database, now }: SessionContext, jtis: readonly (string | null | undefined)[]): void {
  if (jtis.length === 0) return
  const { table } = catalog.resources.get('access_tokens')!
  const text = `update "${table}" set last_used_at = $2::timestamptz where jti = any($1)`
  database.adhoc.run({ text }, [jtis, now()]).catch(() => undefined)
}

/** The token id of an actor's session; undefined for actors without a session. */
export function sessionOf(actor: Actor): string | undefined {
  return signedIn(actor).by
}

/** Opens a session for a user; gives the token. */
export async function openSession(
  context: Pick<RouteContext, 'headers' | 'ip' | 'model' | 'now' | 'options' | 'settings'>,
  userId: number,
): Promise<string> {
  const opened = context.now()
  const expiresAt = opened.getTime() + authOptions(context.options).tokenDays * 86_400_000
  const jti = randomUUID()
  const row = {
    jti,
    user_id: userId,
    expires_at: new Date(expiresAt),
    created_at: opened,
    address: context.ip.slice(0, 45),
    user_agent: agentOf(context.headers['user-agent']),
  }
  await context.model('access_tokens').query().insert(row)
  return signToken(context, userId, { jti, expiresAt })
}

/** The User-Agent header as one line of printable characters that fits the column. */
function agentOf(header: string | undefined): string | null {
  const line = (header ?? '').replace(/[^\x21-\x7e]+/g, ' ').trim()
  return line === '' ? null : line.slice(0, 255)
}

/** Ends the session whose token these headers present. */
export async function closeSession(context: PluginContext, authorization: string | undefined): Promise<void> {
  const claims = await readToken(context, authorization)
  if (claims !== undefined) await context.model('access_tokens').query().where({ jti: claims.jti }).delete()
}

/** Ends every session of a user; `except` is the one that stays. */
export async function closeSessionsOf(
  { model }: Pick<PluginContext, 'model'>,
  userId: number,
  except?: string,
): Promise<void> {
  const query = model('access_tokens').query().where({ user_id: userId })
  if (except !== undefined) query.whereNot({ jti: except })
  await query.delete()
}

export const people: PeopleContribution = {
  body: (name) => ({
    first_name: name,
    last_name: 'Tester',
    email: `${name.toLowerCase().replace(/[^a-z0-9]+/g, '.')}@people.example`,
    email_verified: true,
    status: 'active',
    invite: false,
  }),
  headers: async (context, account) => ({
    authorization: `Bearer ${await openSession({ ...context, headers: {}, ip: '' }, account)}`,
  }),
}

/** The content of a verified token: the id of its row, and its end in milliseconds since the epoch. */
interface Claims {
  readonly jti: string
  readonly expiresAt: number
}

type TokenContext = Pick<PluginContext, 'settings' | 'now'>

/** Verified tokens kept, so that a signature is checked once per token and not once per request. */
const KEPT = 10_000
/** Ours have some 300 characters; longer ones are not worth the hashing. */
const LONGEST = 2_048

const verifiedFor = memo((_: Settings) => new Map<string, Claims>())

/** A signed token for a user's session. */
export async function signToken(context: TokenContext, userId: number, claims: Claims): Promise<string> {
  const { SignJWT } = await import('jose')
  const { byId, current } = await keysOf(context.settings)
  return new SignJWT()
    .setProtectedHeader({ alg: 'HS256', kid: current })
    .setSubject(String(userId))
    .setJti(claims.jti)
    .setIssuedAt(Math.floor(context.now().getTime() / 1000))
    .setExpirationTime(Math.floor(claims.expiresAt / 1000))
    .sign(byId.get(current)!)
}

/** The claims of the bearer token in an Authorization header; undefined without a token of ours. */
export async function readToken(context: TokenContext, authorization: string | undefined): Promise<Claims | undefined> {
  const token = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined || token.length > LONGEST) return undefined
  const kept = verifiedFor(context.settings)
  let claims = kept.get(token)
  if (claims === undefined) claims = await verify(context, token)
  else kept.delete(token)
  if (claims === undefined || claims.expiresAt <= context.now().getTime()) return undefined
  // Moved to the end: the order of the map is that of last use.
  kept.set(token, claims)
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!)
  return claims
}

async function verify(context: TokenContext, token: string): Promise<Claims | undefined> {
  const { errors, jwtVerify } = await import('jose')
  const { byId } = await keysOf(context.settings)
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = kid === undefined ? undefined : byId.get(kid)
        if (key === undefined) throw new errors.JWKSNoMatchingKey()
        return key
      },
      { algorithms: ['HS256'], requiredClaims: ['exp', 'jti', 'sub'], currentDate: context.now() },
    )
    return Object.freeze({ jti: String(payload.jti), expiresAt: Number(payload.exp) * 1000 })
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
