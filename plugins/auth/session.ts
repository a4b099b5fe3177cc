/** Sessions: signed tokens, the row behind each and behind each key, read again for every request, many requests by one statement. */
import {
  type Actor,
  type AttributeColumns,
  allowsOne,
  attributeColumns,
  type Catalog,
  keysOf,
  memo,
  type PluginContext,
  type Presented,
  type Resource,
  type Row,
  type Settings,
} from '../../engine/index.ts'
import { tokenInCookie } from './cookie.ts'
import { noteKeyUse } from './history/acts.ts'
import { actorOfKey, KEY_START, keyHash } from './key.ts'
import { noteUse } from './key-use.ts'
import { type AuthOptions, authOptions } from './options.ts'

interface Waiting {
  readonly id: string
  readonly resolve: (row: Row | undefined) => void
  readonly reject: (reason: unknown) => void
}

/**
 * A statement over a list of ids, whose rows begin with their id and end with whether they must be marked as used, and
 * those who wait for it while it runs.
 */
interface Batch {
  readonly name: string
  /** The resource of its rows, and the column of their ids. */
  readonly marks: readonly [resource: string, column: string]
  readonly text: string
  waiting: Waiting[]
  busy: boolean
}

/** The most ids in one statement; the others wait for the next. */
const MOST_TOGETHER = 200

/** A session or a key is marked as used at most this often, so that not every request writes. */
const TOUCH_MS = 600_000

/** The token id of each actor's session. */
const signedIn = memo((_: Actor): { by?: string; from?: string } => ({}))

type SessionContext = Pick<PluginContext, 'settings' | 'catalog' | 'database' | 'options' | 'now' | 'instance'>

/**
 * The actor of a request by its token, its cookie or its key, or null. Session or key, user and role are read after the
 * request arrived. Throws forbidden for a key that may not use the method.
 */
export async function authenticate(context: SessionContext & Presented): Promise<Actor | null> {
  const { authorization } = context.headers
  const { schemes } = authOptions(context.options)
  const token = authorization === undefined ? undefined : tokenIn(authorization, schemes)
  if (token?.startsWith(KEY_START) === true) return byKey(context, token)
  const cookie = authorization === undefined
  const claims = await readToken(context, cookie ? tokenInCookie(context, context.headers.cookie) : token)
  if (claims === undefined) return null
  const row = await rowOf(batchesOf(context.catalog).sessions, context, claims.jti)
  // A token counts only in the way in which it was given.
  if (row === undefined || cookie !== (row.at(-2) === 't')) return null
  const found = actorIn(row, context)
  const actor: Actor = cookie ? Object.freeze({ ...found, bucket: 'session' }) : found
  Object.assign(signedIn(actor), { by: claims.jti, from: context.ip })
  return actor
}

/** The actor of a row; one first seen without a second factor that it must have is noted: the time of grace begins. */
function actorIn(row: Row, { catalog, database, now, options }: SessionContext): Actor {
  const own = authOptions(options)
  const actor = actorOf(row, catalog, own)
  if (row[STANDING] === 'first' && mustHaveFactor(actor, row[STANDING], own)) {
    const { table } = catalog.resources.get('users')!
    const text = `update "${table}" set second_factor_since = $2::timestamptz where id = $1::integer`
    database.adhoc.run({ text }, [row[1], now()]).catch(() => undefined)
  }
  return actor
}

async function byKey(context: SessionContext & Presented, key: string): Promise<Actor | null> {
  const hash = keyHash(key)
  const row = hash === undefined ? undefined : await rowOf(batchesOf(context.catalog).keys, context, hash)
  if (row === undefined) return null
  const actor = actorIn(row, context)
  const [id, permissions, own, networks, methods, rate] = row.slice(-7, -1)
  const limits = { permissions: permissions!, own: own === 't', networks: networks!, methods: methods! }
  const less = actorOfKey(actor, limits, context, permissionSet)
  if (less === null) return null
  const limit = (rate ?? null) === null ? {} : { limit: { name: `key:${id}`, most: Number(rate) } }
  const used = (permission: string): void => noteUse(context, Number(id), permission)
  const limited: Actor = Object.freeze({ ...less, ...limit, used })
  signedIn(limited).from = context.ip
  if (row.at(-1) === 't') noteKeyUse(context, hash!)
  return limited
}

/** The row of an id, read after this call; requests that arrive while one is read share the next statement. */
function rowOf(batch: Batch, context: SessionContext, id: string): Promise<Row | undefined> {
  return new Promise((resolve, reject) => {
    batch.waiting.push({ id, resolve, reject })
    if (!batch.busy) void checkAll(batch, context)
  })
}

async function checkAll(batch: Batch, context: SessionContext): Promise<void> {
  batch.busy = true
  const { idleMs } = authOptions(context.options).session
  const { name, text } = batch
  while (batch.waiting.length > 0) {
    const checked = batch.waiting.splice(0, MOST_TOGETHER)
    try {
      const time = context.now().getTime()
      const moments = [TOUCH_MS, idleMs, 0].map((ago) => new Date(time - ago))
      const wanted = [...new Set(checked.map(({ id }) => id))]
      const rows = await context.database.compiled.run({ name, text }, [wanted, ...moments])
      const byId = new Map(rows.map((row) => [row[0], row]))
      for (const { id, resolve } of checked) resolve(byId.get(id))
      const used = rows.filter((row) => row.at(-1) === 't').map((row) => row[0])
      if (used.length > 0) touch(batch, context, used)
    } catch (error) {
      // Those that wait would fail too; a database that does not answer must not cause a queue.
      for (const { reject } of [...checked, ...batch.waiting.splice(0)]) reject(error)
    }
  }
  batch.busy = false
}

/** The texts of prepared statements, because every request runs one. All have the same parameters, used or not. */
const batchesOf = memo((catalog: Catalog): Readonly<Record<'sessions' | 'keys', Batch>> => {
  const table = (resource: string): string => `"${catalog.resources.get(resource)!.table}"`
  const live = (resource: string, alias: string): string => notDeletedSql(catalog.resources.get(resource)!, alias)
  const batch = (name: string, marks: Batch['marks'], columns: string, condition: string, proved?: string): Batch => {
    const text = `select s.${marks[1]}, ${actorColumns(catalog, proved)}, ${columns},
      coalesce(s.last_used_at, s.created_at) < $2::timestamptz
    from ${table(marks[0])} s
    join ${table('users')} u on u.id = s.user_id and u.status <> 'declined'${live('users', 'u')}
    join ${table('roles')} r on r.id = u.role_id${live('roles', 'r')}
    where s.${marks[1]} = any($1) and ${condition}`
    return { name, marks, text, waiting: [], busy: false }
  }
  const { longestDays } = authOptions(catalog.pluginOptions.get('auth') ?? {}).keys
  const unused = 's.cookie and coalesce(s.last_used_at, s.created_at) <= $3::timestamptz'
  const limits = 's.id, s.permissions, s.own, s.networks, s.methods, s.rate'
  return {
    sessions: batch(
      'auth_sessions',
      ['access_tokens', 'jti'],
      's.cookie',
      `not (${unused}) and s.expires_at > $4::timestamptz and u.kind = 'person'`,
      `s.factors ? 'provider_factor'`,
    ),
    keys: batch(
      'auth_keys',
      ['access_keys', 'key_hash'],
      limits,
      `s.expires_at > $4::timestamptz and $3::timestamptz is not null
        and s.created_at > $4::timestamptz - interval '${longestDays} days'`,
    ),
  }
})

/** Marks rows as used. No request waits for it; after a failure the next request marks them. */
function touch(
  { marks: [resource, column] }: Batch,
  context: SessionContext,
  ids: readonly (string | null | undefined)[],
): void {
  const { catalog, database, now } = context
  const { table } = catalog.resources.get(resource)!
  const text = `update "${table}" set last_used_at = $2::timestamptz where ${column} = any($1)`
  database.adhoc.run({ text }, [ids, now()]).catch(() => undefined)
}

/** The token id of an actor's session; undefined for actors without a session. */
export function sessionOf(actor: Actor): string | undefined {
  return signedIn(actor).by
}

/** The address from which an actor sends its request; null where no request is under way. */
export function addressFrom(actor: Actor): string | null {
  return signedIn(actor).from ?? null
}

/** The token in an Authorization header, after one of the schemes (RFC 9110, 11.6.2); undefined without one. */
function tokenIn(authorization: string, schemes: readonly string[]): string | undefined {
  const [, word = '', token] = /^([\w-]+) +(\S+)$/.exec(authorization) ?? []
  return schemes.some((scheme) => scheme.toLowerCase() === word.toLowerCase()) ? token : undefined
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

/**
 * The columns of the account `u` and its role `r` for `actorOf`, after the id of the token. `proved` is the condition for
 * a second factor that a provider asked for; without a session it is that of the last sign-in there.
 */
export function actorColumns(catalog: Catalog, proved?: string): string {
  const fixed = ['u.id', 'u.status', 'u.self_registered', 'r.slug', 'r.permissions', ...factorColumns(catalog, proved)]
  return [...fixed, ...attributesOf(catalog).columns].join(', ')
}

/**
 * What is known of an account without a second factor, in an application that demands any: seen so for the first time,
 * within the time of grace, or after it. Null with a factor.
 */
function factorColumns(catalog: Catalog, proved?: string): readonly string[] {
  const { graceMs, required } = authOptions(catalog.pluginOptions.get('auth') ?? {}).secondFactor
  if (required.length === 0) return ['null']
  const [factors, identities] = ['factors', 'identities'].map((name) => catalog.resources.get(name)!.table)
  const elsewhere = proved ?? `exists (select from "${identities}" i where i.user_id = u.id and i.proves_factor)`
  return [
    `case when ${elsewhere} or u.kind = 'service' then null
      when exists (select from "${factors}" f where f.user_id = u.id and f.confirmed_at is not null) then null
      when u.second_factor_since is null then 'first'
      when u.second_factor_since + interval '${graceMs} milliseconds' > now() then 'grace' else 'due' end`,
  ]
}

/** The position of the attributes in a row, after the columns that are fixed. */
const ATTRIBUTES = 7
/** The position of what is known of the account without a second factor. */
const STANDING = 6

/** The actor of a row with jti and `actorColumns`. */
export function actorOf(row: Row, catalog: Catalog, options: AuthOptions): Actor {
  const { approval, quota } = options
  const [, id, status, selfRegistered, role, permissions, standing] = row
  // Accounts from before the quota only have their status.
  const isLimited = quota !== undefined && (selfRegistered === 't' || status === 'pending')
  const actor: Actor = {
    kind: 'user',
    id: Number(id),
    role: role ?? null,
    permissions: permissionSet(permissions ?? '[]'),
    attributes: attributesOf(catalog).read(row, ATTRIBUTES),
    ...(isLimited && { quota }),
    ...(approval === 'required' && status === 'pending' ? { restriction: WAITING } : {}),
  }
  const isHeldBack = actor.restriction === undefined && mustHaveFactor(actor, standing, options)
  const isDue = standing === 'due' || options.secondFactor.graceMs === 0
  return Object.freeze(isHeldBack && isDue ? { ...actor, ...WITHOUT_FACTOR } : actor)
}

const WITHOUT_FACTOR = {
  restriction: 'Your account needs a second factor: set one up first',
  restrictionCode: 'second_factor_required',
} as const

/** Whether an account without a second factor must have one. */
function mustHaveFactor(actor: Actor, standing: string | null | undefined, { secondFactor }: AuthOptions): boolean {
  return (standing ?? null) !== null && secondFactor.required.some((one) => allowsOne([one], actor))
}

const attributesOf = memo((catalog: Catalog): AttributeColumns => attributeColumns(catalog, 'u'))

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
