/** Sessions: the row behind each token, read anew for every request, many requests by one statement. */
import { randomUUID } from 'node:crypto'
import type { Actor, Catalog, PluginContext, RouteContext } from '../../engine/index.ts'
import { actorColumns, actorOf } from './actor.ts'
import { type AuthOptions, authOptions } from './options.ts'
import { readToken, signToken } from './token.ts'

interface Waiting {
  readonly jti: string
  readonly resolve: (actor: Actor | null) => void
  readonly reject: (reason: unknown) => void
}

/** The checks of one database: those that wait for the next statement, while one is in flight. */
interface Desk {
  readonly text: string
  readonly approval: AuthOptions['approval']
  waiting: Waiting[]
  busy: boolean
}

/** Tokens asked for by one statement; beyond it, the rest waits for the next. */
const TOGETHER = 200

const desks = new WeakMap<Catalog, Desk>()

/** A session that is used is marked so no more often than this: to know it roughly must not cost a write a request. */
const TOUCH_MS = 600_000

/** The session by which each actor came. */
const sessions = new WeakMap<Actor, string>()

type SessionContext = Pick<PluginContext, 'settings' | 'catalog' | 'database' | 'options' | 'now'>

/**
 * Who a request's headers speak for, or null. The token's row, the user's state and the role are read
 * after the request arrived; requests that arrive while such a read is in flight share the next one.
 */
export async function authenticate(
  context: SessionContext & { readonly headers: Readonly<Record<string, string | undefined>> },
): Promise<Actor | null> {
  const claims = await readToken(context, context.headers.authorization)
  if (claims === undefined) return null
  const desk = deskOf(context)
  return new Promise((resolve, reject) => {
    desk.waiting.push({ jti: claims.jti, resolve, reject })
    if (!desk.busy) void serve(desk, context)
  })
}

async function serve(desk: Desk, context: SessionContext): Promise<void> {
  desk.busy = true
  const { approval } = desk
  while (desk.waiting.length > 0) {
    const served = desk.waiting.splice(0, TOGETHER)
    try {
      const stale = new Date(context.now().getTime() - TOUCH_MS)
      const wanted = [...new Set(served.map(({ jti }) => jti))]
      const rows = await context.database.compiled.run({ name: 'auth_sessions', text: desk.text }, [wanted, stale])
      const actors = new Map(rows.map((row) => [row[0], actorOf(row, context.catalog, approval)]))
      for (const [jti, actor] of actors) sessions.set(actor, String(jti))
      for (const { jti, resolve } of served) resolve(actors.get(jti) ?? null)
      touch(
        context,
        rows.filter((row) => row.at(-1) === 't').map((row) => row[0]),
      )
    } catch (error) {
      // Those behind them would wait as long for the same: a database that is out must not make a queue.
      for (const { reject } of [...served, ...desk.waiting.splice(0)]) reject(error)
    }
  }
  desk.busy = false
}

function deskOf({ catalog, options }: SessionContext): Desk {
  let desk = desks.get(catalog)
  if (desk === undefined) {
    // Text for a prepared statement: this is asked by every request.
    const table = (resource: string): string => `"${catalog.resources.get(resource)!.table}"`
    const live = (resource: string, alias: string): string =>
      catalog.resources.get(resource)!.fields.has('deleted_at') ? ` and ${alias}.deleted_at is null` : ''
    const text = `select s.jti, ${actorColumns(catalog)},
        coalesce(s.last_used_at, s.created_at) < $2::timestamptz
      from ${table('access_tokens')} s
      join ${table('users')} u on u.id = s.user_id and u.status <> 'declined'${live('users', 'u')}
      join ${table('roles')} r on r.id = u.role_id${live('roles', 'r')}
      where s.jti = any($1)`
    desk = { text, approval: authOptions(options).approval, waiting: [], busy: false }
    desks.set(catalog, desk)
  }
  return desk
}

/** Marks sessions as used; nobody waits for it, and a mark that is lost is made by the next request. */
function touch({ catalog, database, now }: SessionContext, jtis: readonly (string | null | undefined)[]): void {
  if (jtis.length === 0) return
  const { table } = catalog.resources.get('access_tokens')!
  const text = `update "${table}" set last_used_at = $2::timestamptz where jti = any($1)`
  database.adhoc.run({ text }, [jtis, now()]).catch(() => undefined)
}

/** The id in its token of the session by which an actor came; undefined for actors that came by none. */
export function sessionOf(actor: Actor): string | undefined {
  return sessions.get(actor)
}

/** Opens a session for a user; gives the token. */
export async function openSession(context: RouteContext, userId: number): Promise<string> {
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

/** What a program says of itself, as one line that fits. */
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
