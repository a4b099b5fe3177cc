/** Sessions: signed tokens, the row behind each, read again for every request, many requests by one statement, and the actors that accounts are. */
import { randomUUID } from 'node:crypto'
import {
  type Actor,
  type AttributeColumns,
  attributeColumns,
  type Catalog,
  type JsonObject,
  keysOf,
  memo,
  type PluginContext,
  type Resource,
  type RouteContext,
  type Row,
  type Runner,
  type Settings,
} from '../../engine/index.ts'
import { tokenInCookie } from './cookie.ts'
import { type AuthOptions, authOptions } from './options.ts'

interface Waiting extends Presented {
  readonly resolve: (actor: Actor | null) => void
  readonly reject: (reason: unknown) => void
}

/** The id of a session, and whether a cookie presented it. */
interface Presented {
  readonly jti: string
  readonly cookie: boolean
}

/** The session checks of an application: those that wait for the next statement while one runs. */
interface Batch {
  readonly text: string
  waiting: Waiting[]
  busy: boolean
}

/** The most tokens in one statement; the others wait for the next. */
const MOST_TOGETHER = 200

/** A session is marked as used at most this often, so that not every request writes. */
const TOUCH_MS = 600_000

/** The token id of each actor's session. */
const signedIn = memo((_: Actor): { by?: string } => ({}))

type SessionContext = Pick<PluginContext, 'settings' | 'catalog' | 'database' | 'options' | 'now' | 'instance'>

/**
 * The actor of a request's headers, or null. Token, user and role are read after the request arrived; requests that
 * arrive during such a read share the next one.
 */
export async function authenticate(
  context: SessionContext & { readonly headers: Readonly<Record<string, string | undefined>> },
): Promise<Actor | null> {
  const { authorization } = context.headers
  const cookie = authorization === undefined
  const token = cookie ? tokenInCookie(context, context.headers.cookie) : bearerIn(authorization)
  const claims = await readToken(context, token)
  if (claims === undefined) return null
  const batch = batchOf(context.catalog)
  return new Promise((resolve, reject) => {
    batch.waiting.push({ jti: claims.jti, cookie, resolve, reject })
    if (!batch.busy) void checkAll(batch, context)
  })
}

async function checkAll(batch: Batch, context: SessionContext): Promise<void> {
  batch.busy = true
  const own = authOptions(context.options)
  while (batch.waiting.length > 0) {
    const checked = batch.waiting.splice(0, MOST_TOGETHER)
    try {
      const time = context.now().getTime()
      const moments = [new Date(time - TOUCH_MS), new Date(time - own.session.idleMs)]
      const wanted = [...new Set(checked.map(({ jti }) => jti))]
      const rows = await context.database.compiled.run({ name: 'auth_sessions', text: batch.text }, [
        wanted,
        ...moments,
      ])
      const actors = new Map(rows.map((row) => [row[0], sessionActor(row, context.catalog, own)]))
      for (const [jti, actor] of actors) signedIn(actor).by = String(jti)
      for (const { jti, cookie, resolve } of checked) {
        const actor = actors.get(jti) ?? null
        // A token counts only in the way in which it was given.
        resolve(cookie === (actor?.bucket === 'session') ? actor : null)
      }
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

/** The actor of a row of the batch; that of a browser is counted in a limit of its own. */
function sessionActor(row: Row, catalog: Catalog, own: AuthOptions): Actor {
  const actor = actorOf(row, catalog, own)
  return row.at(-2) === 't' ? Object.freeze({ ...actor, bucket: 'session' }) : actor
}

const batchOf = memo((catalog: Catalog): Batch => {
  // Text of a prepared statement, because every request runs it.
  const table = (resource: string): string => `"${catalog.resources.get(resource)!.table}"`
  const live = (resource: string, alias: string): string => notDeletedSql(catalog.resources.get(resource)!, alias)
  const text = `select s.jti, ${actorColumns(catalog)}, s.cookie,
      coalesce(s.last_used_at, s.created_at) < $2::timestamptz
    from ${table('access_tokens')} s
    join ${table('users')} u on u.id = s.user_id and u.status <> 'declined'${live('users', 'u')}
    join ${table('roles')} r on r.id = u.role_id${live('roles', 'r')}
    where s.jti = any($1) and (not s.cookie or coalesce(s.last_used_at, s.created_at) > $3::timestamptz)`
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

/** How somebody proved who they are. */
export type Factor = 'password' | 'totp' | 'recovery_code' | 'passkey' | 'link' | 'provider'

/** What a session knows of the way in by which it was opened. */
export interface WayIn {
  readonly factors: readonly Factor[]
  /** The name of the provider that said who it is. */
  readonly provider?: string
  /** The id of the session at that provider, by which it ends the session. */
  readonly sid?: string
  /** Whether the token becomes a cookie; absent: it is sent as a bearer token. */
  readonly cookie?: boolean
}

/** Opens a session for a user who proved who they are by `wayIn`; gives the token. */
export async function openSession(
  context: Pick<RouteContext, 'headers' | 'ip' | 'model' | 'now' | 'options' | 'settings'>,
  userId: number,
  wayIn: WayIn,
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
    factors: wayIn.factors,
    provider: wayIn.provider ?? null,
    sid: wayIn.sid ?? null,
    fresh_at: opened,
    cookie: wayIn.cookie ?? false,
  }
  await context.model('access_tokens').query().insert(row)
  if (row.cookie) await keepMost(context, userId)
  return signToken(context, userId, { jti, expiresAt })
}

/** Ends the sessions by cookie of an account that are more than it may have: those that were unused for longest. */
async function keepMost({ model, options }: Pick<PluginContext, 'model' | 'options'>, userId: number): Promise<void> {
  const kept = model('access_tokens')
    .query()
    .where({ user_id: userId, cookie: true })
    .orderByRaw('coalesce(last_used_at, created_at) desc, id desc')
    .limit(authOptions(options).session.most)
    .select('id')
  await model('access_tokens').query().where({ user_id: userId, cookie: true }).whereNotIn('id', kept).delete()
}

/** The User-Agent header as one line of printable characters that fits the column. */
function agentOf(header: string | undefined): string | null {
  const line = (header ?? '').replace(/[^\x21-\x7e]+/g, ' ').trim()
  return line === '' ? null : line.slice(0, 255)
}

/** Ends the session of an actor. */
export async function closeSession({ model }: Pick<PluginContext, 'model'>, actor: Actor): Promise<void> {
  const jti = sessionOf(actor)
  if (jti !== undefined) await model('access_tokens').query().where({ jti }).delete()
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

/** The content of a verified token: the id of its row, and its end in milliseconds since the epoch. */
interface Claims {
  readonly jti: string
  readonly expiresAt: number
}

type TokenContext = Pick<PluginContext, 'settings' | 'now'>

/** Verified tokens kept, our own among them, so that a signature is checked once per token and not once per request. */
const KEPT_TOKENS = 10_000
/** Ours have some 300 characters; longer ones are not worth the hashing. */
const LONGEST = 2_048

const verifiedFor = memo((_: Settings) => new Map<string, Claims>())

/** A signed token for a user's session. */
export async function signToken(context: TokenContext, userId: number, claims: Claims): Promise<string> {
  const { SignJWT } = await import('jose')
  const { byId, current } = await keysOf(context.settings)
  const ends = Math.floor(claims.expiresAt / 1000)
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'HS256', kid: current })
    .setSubject(String(userId))
    .setJti(claims.jti)
    .setIssuedAt(Math.floor(context.now().getTime() / 1000))
    .setExpirationTime(ends)
    .sign(byId.get(current)!)
  keep(context, token, Object.freeze({ jti: claims.jti, expiresAt: ends * 1000 }))
  return token
}

/** The bearer token in an Authorization header (RFC 6750); undefined without one. */
function bearerIn(authorization: string): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization)?.[1]
}

/** The three parts of a signed token. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** The claims of a token; undefined for one that is not ours. */
export async function readToken(context: TokenContext, token: string | undefined): Promise<Claims | undefined> {
  if (token === undefined || token.length > LONGEST || !TOKEN.test(token)) return undefined
  const kept = verifiedFor(context.settings)
  let claims = kept.get(token)
  if (claims === undefined) claims = await verify(context, token)
  else kept.delete(token)
  if (claims === undefined || claims.expiresAt <= context.now().getTime()) return undefined
  keep(context, token, claims)
  return claims
}

/** Keeps a token as the one that was used last; the order of the map is that of last use. */
function keep({ settings }: TokenContext, token: string, claims: Claims): void {
  const kept = verifiedFor(settings)
  kept.set(token, claims)
  if (kept.size > KEPT_TOKENS) kept.delete(kept.keys().next().value!)
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

const WAITING = 'Your account is awaiting approval'

/** One set for each list of permissions: statements are compiled per set, so equal lists must share one. */
const permissionSets = new Map<string, ReadonlySet<string>>()

/** The number of lists before the map is emptied: an application has a handful, a hostile history of edits has more. */
const KEPT_LISTS = 1_000

/** The permissions in a role's JSON list. */
function permissionSet(json: string): ReadonlySet<string> {
  let set = permissionSets.get(json)
  if (set === undefined) {
    const list: unknown = JSON.parse(json)
    set = new Set(Array.isArray(list) ? list.map(String) : [])
    if (permissionSets.size >= KEPT_LISTS) permissionSets.clear()
    permissionSets.set(json, set)
  }
  return set
}

/** An SQL condition: the row of an alias is not deleted; empty where records of its resource never are. */
export function notDeletedSql({ fields }: Pick<Resource, 'fields'>, alias: string): string {
  return fields.has('deleted_at') ? ` and ${alias}.deleted_at is null` : ''
}

/** The columns of the account `u` and its role `r` for `actorOf`, after the id of the token. */
export function actorColumns(catalog: Catalog): string {
  return ['u.id', 'u.status', 'u.self_registered', 'r.slug', 'r.permissions', ...attributesOf(catalog).columns].join(
    ', ',
  )
}

/** The position of the attributes in a row, after the columns that are fixed. */
const ATTRIBUTES = 6

/** The actor of a row with jti and `actorColumns`. */
export function actorOf(
  row: Row,
  catalog: Catalog,
  { approval, quota }: Pick<AuthOptions, 'approval' | 'quota'>,
): Actor {
  const [, id, status, selfRegistered, role, permissions] = row
  // Accounts from before the quota only have their status.
  const isLimited = quota !== undefined && (selfRegistered === 't' || status === 'pending')
  return Object.freeze({
    kind: 'user',
    id: Number(id),
    role: role ?? null,
    permissions: permissionSet(permissions ?? '[]'),
    attributes: attributesOf(catalog).read(row, ATTRIBUTES),
    ...(isLimited && { quota }),
    ...(approval === 'required' && status === 'pending' ? { restriction: WAITING } : {}),
  })
}

const attributesOf = memo((catalog: Catalog): AttributeColumns => attributeColumns(catalog, 'u'))

/** The present actor of an address or an id; null where nobody who may sign in has it. */
export async function identify({ catalog, database, options }: PluginContext, name: string): Promise<Actor | null> {
  const { options: own, type } = catalog.resources.get('users')!.fields.get('email')!
  const address = type.parse(name, own)
  const values = ['value' in address ? address.value : name, name]
  const [found] = await findActors(
    { catalog, options, runner: database.adhoc },
    '(u.email = $1 or u.id::text = $2)',
    values,
  )
  return found ?? null
}

interface Asking {
  readonly catalog: Catalog
  readonly options: JsonObject
  readonly runner: Runner
}

/** The actors of those accounts that may sign in now. */
export function actors(asking: Asking, ids: readonly number[]): Promise<readonly Actor[]> {
  return findActors(asking, 'u.id = any($1::integer[])', [ids])
}

/** Reads the same columns as sessions do. */
async function findActors(
  { catalog, options, runner }: Asking,
  condition: string,
  values: readonly unknown[],
): Promise<readonly Actor[]> {
  const users = catalog.resources.get('users')!
  const roles = catalog.resources.get('roles')!
  const text = `select null, ${actorColumns(catalog)}
    from "${users.table}" u join "${roles.table}" r on r.id = u.role_id
    where ${condition} and u.status <> 'declined'${notDeletedSql(users, 'u')}${notDeletedSql(roles, 'r')} order by u.id`
  const own = authOptions(options)
  return (await runner.run({ text }, values)).map((row) => actorOf(row, catalog, own))
}
