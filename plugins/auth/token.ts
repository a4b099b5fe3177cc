/** Signed tokens: what they say, and whether they are ours. */
import { keysOf, memo, type PluginContext, type Settings } from '../../engine/index.ts'

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
