/** Passwords: what is acceptable, and hashing that never takes the whole machine. */
import { hash, verify } from '@node-rs/argon2'
import { ApiError, type FieldDefinition, type FieldError, fieldError, type Json } from '../../engine/index.ts'

export const SHORTEST = 8
export const LONGEST = 128

/** Hashes at work at once: 40 together would hold Node's thread pool, and with it every file and name look-up, for seconds. */
const AT_ONCE = 4
/** The most hashes that wait for their turn, a second or two; further ones are refused with Retry-After. */
const WAITING = 100

/** The two body keys of whatever sets a password, in the words of the YAML. */
export const PASSWORD_INPUT: Readonly<Record<string, FieldDefinition>> = {
  password: { type: 'secret', description: `${SHORTEST} to ${LONGEST} characters, not the e-mail address` },
  password_confirmation: { type: 'secret', description: 'The password once more' },
}

/** The body key by which people show that an account is theirs. */
export const CURRENT_INPUT: Readonly<Record<string, FieldDefinition>> = {
  current_password: { type: 'secret', description: 'Needed to change the own password or e-mail' },
}

let working = 0
const queue: (() => void)[] = []

/** Does work when it is its turn; throws unavailable when too many wait already. */
export async function gated<T>(work: () => Promise<T>): Promise<T> {
  if (queue.length >= WAITING) throw new ApiError('unavailable', { retryAfter: 2 })
  if (working >= AT_ONCE) await new Promise<void>((resolve) => queue.push(resolve))
  else working += 1
  try {
    return await work()
  } finally {
    // The next one takes over this place, so that a call that arrives now does not overtake those that wait.
    const next = queue.shift()
    if (next === undefined) working -= 1
    else next()
  }
}

/** A password in the one form by which it is compared: OpaqueString of RFC 8265 (section 4.2): any blank is U+0020, then NFC. */
function opaque(password: string): string {
  return password.replace(/\p{Zs}/gu, ' ').normalize('NFC')
}

/** What no password may hold (RFC 8264, section 9): controls, and signs that nobody sees. */
const DISALLOWED = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/u

/** The hash to store for a password. */
export function hashPassword(password: string): Promise<string> {
  return gated(() => hash(opaque(password)))
}

let decoy: Promise<string> | undefined

/**
 * Whether the password is the one that was hashed, in its one form or, as hashes of before were made, as it is written;
 * takes the same time when there is no hash, and is then false.
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  // Hashed outside the queue: a refusal there would be kept as the decoy for ever.
  decoy ??= hash('nobody has this password')
  const against = stored ?? (await decoy)
  let matches = false
  // Both are tried whatever the first one says, so that the time tells nothing of the hash.
  for (const form of new Set([opaque(password), password]))
    matches = (await gated(() => verify(against, form))) || matches
  return matches && stored !== null && stored !== undefined
}

/** What is wrong with a new password, by field; undefined when nothing is. */
export function passwordErrors(
  password: Json | undefined,
  confirmation: Json | undefined,
  email: string,
): Record<string, (FieldError | string)[]> | undefined {
  if (typeof password !== 'string' || password === '')
    return { password: [fieldError('required', 'The password is required')] }
  const wrong: (FieldError | string)[] = []
  const one = opaque(password)
  const length = [...one].length
  if (DISALLOWED.test(one)) wrong.push('The password must not contain control characters or signs that cannot be seen')
  if (length < SHORTEST) wrong.push(fieldError('too_short', `The password must have at least ${SHORTEST} characters`))
  if (length > LONGEST) wrong.push(fieldError('too_long', `The password may not have more than ${LONGEST} characters`))
  if (one.toLowerCase() === email.toLowerCase()) wrong.push('The password may not be the e-mail address')
  const same = typeof confirmation === 'string' && opaque(confirmation) === one
  const mismatch = same ? [] : [fieldError('mismatch', 'The password confirmation does not match')]
  if (wrong.length + mismatch.length === 0) return undefined
  const both = { password: [...wrong, ...mismatch] }
  return mismatch.length === 0 ? both : { ...both, password_confirmation: mismatch }
}
