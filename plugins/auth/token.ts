/** Tokens as text: signed, and verified once each; whether one is still good is the database's to say. */
import { keysOf, memo, type PluginContext, type Settings } from '../../engine/index.ts'

/** What a verified token says: its row's id, and when it ends in milliseconds since the epoch. */
export interface Claims {
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

/** The claims of the bearer token in an Authorization header; undefined when there is none, or none of ours. */
export async function readToken(context: TokenContext, authorization: string | undefined): Promise<Claims | undefined> {
  const token = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined || token.length > LONGEST) return undefined
  const kept = verifiedFor(context.settings)
  let claims = kept.get(token)
  if (claims === undefined) claims = await verify(context, token)
  else kept.delete(token)
  if (claims === undefined || claims.expiresAt <= context.now().getTime()) return undefined
  // Put back at the end: the map's order is the order of last use.
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
