/** Passwords: which are acceptable, and hashing with a limit on the work at once. */
import { hash, verify } from '@node-rs/argon2'
import { ApiError, type FieldDefinition, type FieldError, fieldError, type Json } from '../../engine/index.ts'

export const SHORTEST = 8
export const LONGEST = 128

/** Hashes computed at once: 40 would occupy Node's thread pool for seconds, and with it files and name look-ups. */
const AT_ONCE = 4
/** Hashes that may wait, a second or two; more are refused with Retry-After. */
const WAITING = 100

/** The two keys of a body that sets a password, in the words of the YAML. */
export const PASSWORD_INPUT: Readonly<Record<string, FieldDefinition>> = {
  password: { type: 'secret', description: `${SHORTEST} to ${LONGEST} characters, not the e-mail address` },
  password_confirmation: { type: 'secret', description: 'The password once more' },
}

/** The key of a body by which people prove that an account is theirs. */
export const CURRENT_INPUT: Readonly<Record<string, FieldDefinition>> = {
  current_password: { type: 'secret', description: 'Needed to change the own password or e-mail' },
}

let working = 0
const queue: (() => void)[] = []

/** Runs work in its turn; throws unavailable when too many wait. */
export async function gated<T>(work: () => Promise<T>): Promise<T> {
  if (queue.length >= WAITING) throw new ApiError('unavailable', { retryAfter: 2 })
  if (working >= AT_ONCE) await new Promise<void>((resolve) => queue.push(resolve))
  else working += 1
  try {
    return await work()
  } finally {
    // The next one takes this place, so that a new call does not overtake those that wait.
    const next = queue.shift()
    if (next === undefined) working -= 1
    else next()
  }
}

/** A password in the form for comparison, OpaqueString of RFC 8265 (section 4.2): any blank is U+0020, then NFC. */
function opaque(password: string): string {
  return password.replace(/\p{Zs}/gu, ' ').normalize('NFC')
}

/** Characters that no password may have (RFC 8264, section 9): controls, and invisible signs. */
const DISALLOWED = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/u

/** The hash to store for a password. */
export function hashPassword(password: string): Promise<string> {
  return gated(() => hash(opaque(password)))
}

let decoy: Promise<string> | undefined

/**
 * Whether the password has this hash, in its one form or, as earlier hashes were made, as it is written. Without a hash
 * it is false, after the same time.
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  // Hashed outside the queue: a refusal there would be kept as the decoy forever.
  decoy ??= hash('nobody has this password')
  const against = stored ?? (await decoy)
  let matches = false
  // Tries both, so that the time reveals nothing about the hash.
  for (const form of new Set([opaque(password), password]))
    matches = (await gated(() => verify(against, form))) || matches
  return matches && stored !== null && stored !== undefined
}

/** The mistakes in a new password, by field; undefined without any. */
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
