/** Why somebody did not come in, in words for them: what the YAML refuses, and what went wrong on the way. */
import { ApiError, BreakerOpen, isUnreachable } from '../../../engine/index.ts'
import type { Refusal } from './mapping.ts'
import { type Provider, variablesOf } from './options.ts'
import type { Trouble } from './page.ts'

type Words = (label: string, reason: string) => readonly [sentence: string, advice: string]

const ADMINS = 'Ask those who look after your accounts'

const REFUSALS: Readonly<Record<Refusal, Words>> = {
  overage: (label) => [
    `${label} left your groups out, because there are too many of them.`,
    `For those who run ${label}: use app roles, or assign groups to the application, so that it sends these alone.`,
  ],
  not_admitted: (label) => [
    `Your account at ${label} may not be used here.`,
    'Sign in there with another account, or ask for access.',
  ],
  no_role: (label) => [
    `Your account at ${label} has none of the groups that may work here.`,
    `${ADMINS} for one of these groups, and sign in again.`,
  ],
  no_account: () => ['You have no account here.', 'Ask for one, and sign in again when it is there.'],
  no_address: (label) => [
    `${label} did not say your e-mail address.`,
    'Allow it to, or enter an address there, and sign in again.',
  ],
  unverified_address: (label) => [
    `${label} does not say that your e-mail address is yours.`,
    'Confirm the address there, and sign in again.',
  ],
  address_taken: (label) => [
    `There is an account with your e-mail address, and ${label} may not open it by the address alone.`,
    `Sign in as you usually do, and connect ${label} to your account. A mail to the address says the same.`,
  ],
  address_unproved: () => [
    'There is an account with your e-mail address, and nobody has confirmed that address yet.',
    'Ask for a new password with the address: that makes the account yours. Then sign in again.',
  ],
  declined: () => ['Your account is not active.', ADMINS.concat('.')],
  taken_identity: (label) => [
    `Your account at ${label} belongs to another account here.`,
    'Sign in there with another account, or end the connection of the other one first.',
  ],
  not_made: (_, reason) => [`Your account could not be made or changed: ${reason}.`, ADMINS.concat('.')],
}

/** A refusal as a page says it. */
export function refusalTrouble({ label }: Provider, why: Refusal, reason = ''): Trouble {
  const [sentence, advice] = REFUSALS[why](label, reason)
  return { status: 403, title: 'You are not signed in', sentence, advice }
}

const BEGIN = 'Begin again.'

/** A sign-in that this browser did not begin, or began too long ago, or has ended already. */
export const NOT_BEGUN: Trouble = {
  status: 400,
  title: 'This sign-in is over',
  sentence: 'This sign-in was used already, took more than ten minutes, or began in another browser.',
  advice: BEGIN,
}

/** What the provider itself said (RFC 6749, 4.1.2.1). */
export function answeredTrouble({ label }: Provider, error: string): Trouble {
  const refused = error === 'access_denied'
  return {
    status: refused ? 403 : 400,
    title: 'You are not signed in',
    sentence: refused ? `${label} says that you did not agree, or may not.` : `${label} could not sign you in.`,
    advice: BEGIN,
  }
}

/** An error on the way as a page says it: a server that is out, clocks that differ, or an answer that is not as it must be. */
export function failureTrouble(provider: Provider, error: unknown): Trouble {
  const { label } = provider
  const title = 'You are not signed in'
  if (error instanceof BreakerOpen || isUnreachable(error) || codeOf(error) === 'OAUTH_TIMEOUT')
    return {
      status: 503,
      title,
      sentence: `${label} does not answer at the moment.`,
      advice: 'Wait a moment, and begin again.',
    }
  if (isOfTime(error))
    return {
      status: 400,
      title,
      sentence: `The answer of ${label} is from another time: the clocks of the two servers differ by more than five minutes.`,
      advice: 'For those who run the servers: set their clocks, as by NTP.',
    }
  if (isUnknown(error))
    return {
      status: 400,
      title,
      sentence: `${label} does not take the secret of this application.`,
      advice: `For those who run the application: compare client_id and ${variablesOf(provider).secret} with what ${label} has.`,
    }
  return {
    status: 400,
    title,
    sentence: `The answer of ${label} is not what was asked for, and was not taken.`,
    advice: BEGIN,
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined
}

/** Whether a provider did not take what this application proves itself with (RFC 6749, 5.2). */
function isUnknown(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, error: word, status }: { code?: unknown; error?: unknown; status?: unknown } = error
  return (
    word === 'invalid_client' ||
    word === 'unauthorized_client' ||
    (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' && status === 401)
  )
}

function isOfTime(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { claim, cause, code }: { claim?: unknown; cause?: unknown; code?: unknown } = error
  if (code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED' || code === 'ERR_JWT_EXPIRED') return true
  return ['exp', 'iat', 'nbf'].includes(String(claim)) || isOfTime(cause)
}

/** Whether an error is one of this application, such as a database that is out, and not of a provider. */
export function isOwn(error: unknown): boolean {
  return error instanceof ApiError && !(error instanceof BreakerOpen)
}
