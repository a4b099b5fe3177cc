/**
 * Keys of programs: `plk_`, eight characters by which people know one, 32 random bytes, and check digits by which
 * scanners tell a key that leaked from a text that only looks like one.
 */
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Actor, ApiError, addressOf, isWithin, memo, type Presented, subnetOf } from '../../engine/index.ts'

export const KEY_START = 'plk_'

const FORM = /^(plk_[0-9a-f]{8}_[\w-]{43})([0-9a-f]{8})$/

function checkDigits(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

/** A new key, and the characters at its start that may be shown. */
export function newKey(): { readonly key: string; readonly start: string } {
  const start = `${KEY_START}${randomBytes(4).toString('hex')}`
  const text = `${start}_${randomBytes(32).toString('base64url')}`
  return { key: `${text}${checkDigits(text)}`, start }
}

/** Refuses a key what only a person may do, such as `look after keys`: a key is less than its account, and must not become as much. */
export function refuseKeys({ scope }: Actor, act: string): void {
  if (scope !== undefined) throw new ApiError('forbidden', { message: `A key cannot ${act}: sign in for it` })
}

/** The hashes of keys that were presented lately, so that one is hashed once and not once per request. */
const hashes = new Map<string, string>()
const KEPT_HASHES = 1_000

/** The stored form of a key; undefined for a text that is none. Its 256 random bits need no slow hash. */
export function keyHash(key: string): string | undefined {
  const kept = hashes.get(key)
  if (kept !== undefined) return kept
  const [, text = '', digits] = FORM.exec(key) ?? []
  if (text === '' || digits !== checkDigits(text)) return undefined
  const hash = createHash('sha256').update(key).digest('hex')
  if (hashes.size >= KEPT_HASHES) hashes.clear()
  hashes.set(key, hash)
  return hash
}

/** The limits of a key as its row has them: lists as JSON. */
interface Limits {
  readonly permissions: string
  readonly own: boolean
  readonly networks: string
  readonly methods: string
}

/**
 * The actor of a key of an account: with the permissions that the account has and the key names. Null for a request from
 * another network; throws forbidden for another method.
 */
export function actorOfKey(
  account: Actor,
  limits: Limits,
  { ip, method }: Pick<Presented, 'ip' | 'method'>,
  setOf: (json: string) => ReadonlySet<string>,
): Actor | null {
  const networks = setOf(limits.networks)
  if (networks.size > 0 && !isFrom(ip, networks)) return null
  const methods = setOf(limits.methods)
  if (methods.size > 0 && !methods.has(method === 'HEAD' ? 'GET' : method))
    throw new ApiError('forbidden', { message: `This key takes ${[...methods].join(', ')} alone` })
  const permissions = setOf(shared(account.permissions, setOf(limits.permissions)))
  return Object.freeze({ ...account, permissions, scope: limits.own ? 'own' : 'permissions' })
}

function isFrom(ip: string, networks: ReadonlySet<string>): boolean {
  const address = addressOf(ip)
  if (address === undefined) return false
  return [...networks].some((text) => {
    const network = subnetOf(text)
    return network !== undefined && isWithin(address, network)
  })
}

/** The permissions in both sets, as JSON; `*` in one means all of the other. */
const shared = memo((account: ReadonlySet<string>, named: ReadonlySet<string>): string => {
  const [from, within] = named.has('*') ? [account, named] : [named, account]
  const both = within.has('*') ? [...from] : [...from].filter((permission) => within.has(permission))
  return JSON.stringify(both.sort())
})
