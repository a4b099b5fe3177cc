/** Who comes from a provider: the account of an identity, one that is there and is linked to it, or a new one. */
import { ApiError, type JsonObject, type PluginContext, type SystemContext } from '../../../engine/index.ts'
import { type Account, accountOf } from '../account.ts'
import { note } from '../history/acts.ts'
import { ownOptions } from '../options.ts'
import { isLastAdmin, LAST_ADMIN } from '../roles.ts'
import { type Claims, claimsAsked } from './claims.ts'
import { valuesOf } from './given.ts'
import { refuseLink } from './link.ts'
import { type Decision, decide, type Refusal } from './mapping.ts'
import type { Provider } from './options.ts'

/** What comes of somebody whom a provider named. */
export type Outcome =
  | {
      readonly kind: 'in'
      readonly account: number
      readonly isNew: boolean
      readonly isLinked: boolean
      readonly keptRole: boolean
      /** Whether it counts as a second factor too. */
      readonly factor: boolean
      /** The role that the mapping gives, where it gives one. */
      readonly role: string | undefined
    }
  | { readonly kind: 'refused'; readonly why: Refusal; readonly account?: number; readonly reason?: string }

/** A request for the way back, or what does the same for tests. */
type Signing = SystemContext
type Mapped = Exclude<Decision, { kind: 'refused' }>

/** An identity that is there. */
export interface Known {
  readonly id: number
  readonly user_id: number
}

/**
 * Finds or makes the account of somebody whom a provider named, and gives it the role of the mapping. `connect` is an
 * account that is signed in and asked for the identity.
 */
export async function arrive(context: Signing, provider: Provider, claims: Claims, connect?: number): Promise<Outcome> {
  const decision = await decide(context, provider, claims)
  const known = await identityOf(context, provider, claims)
  if (decision.kind === 'refused') return refused(context, provider, decision.why, known?.user_id)
  if (known !== undefined && connect !== undefined && known.user_id !== connect)
    return { kind: 'refused', why: 'taken_identity' }
  return orRefused(known, () =>
    known !== undefined
      ? comesAgain(context, provider, claims, decision, known)
      : comesFirst(context, provider, claims, decision, connect),
  )
}

/**
 * Gives the account of somebody who came before what the mapping makes of present claims, without a sign-in; who may not
 * come in any more has no session left from there.
 */
export async function lookAgain(context: Signing, provider: Provider, claims: Claims, known: Known): Promise<Outcome> {
  const decision = await decide(context, provider, claims)
  if (decision.kind === 'refused') return refused(context, provider, decision.why, known.user_id)
  return orRefused(known, () => comesAgain(context, provider, claims, decision, known, false))
}

/** What comes of somebody; a write that is refused refuses the person. */
async function orRefused(known: Known | undefined, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const reason =
      Object.values(error.params.errors ?? {})
        .flat()
        .join('; ') || error.message
    return { kind: 'refused', why: 'not_made', reason, ...(known !== undefined && { account: known.user_id }) }
  }
}

/** What a provider opened, or began to open. */
export const OPENED = ['access_tokens', 'sign_in_challenges', 'provider_codes'] as const

/** Somebody who may not come in any more has no session left from there. */
async function refused(
  { model }: PluginContext,
  provider: Provider,
  why: Refusal,
  account: number | undefined,
): Promise<Outcome> {
  if (account === undefined) return { kind: 'refused', why }
  for (const resource of OPENED)
    await model(resource).query().where({ user_id: account, provider: provider.name }).delete()
  return { kind: 'refused', why, account }
}

async function identityOf(
  { model }: PluginContext,
  { issuer, name }: Provider,
  { subject }: Claims,
): Promise<Known | undefined> {
  return model('identities')
    .query()
    .findOne({ provider: name, issuer, subject })
    .select('id', 'user_id')
    .castTo<Known | undefined>()
}

async function comesAgain(
  context: Signing,
  provider: Provider,
  claims: Claims,
  decision: Mapped,
  { id, user_id: account }: Known,
  isThere = true,
): Promise<Outcome> {
  const { model, now } = context
  const found = await model('users').query().modify('live').findById(account).select('status')
  if (found === undefined || found.status === 'declined') return refused(context, provider, 'declined', account)
  const { factor } = decision
  const mapped = provider.first ? ({ kind: 'keep', factor } as const) : decision
  const keptRole = await giveRole(context, provider, claims, mapped, account)
  const { proves_factor, ...said } = seen(provider, claims, mapped, keptRole)
  // Who is there has proved something; of somebody who is not, nothing new is known of that.
  const proved = isThere ? { proves_factor, last_seen: now() } : {}
  await model('identities')
    .query()
    .findById(id)
    .patch({ ...said, ...proved })
  return { kind: 'in', account, isNew: false, isLinked: false, keptRole, factor, role: roleIn(mapped) }
}

async function comesFirst(
  context: Signing,
  provider: Provider,
  claims: Claims,
  decision: Mapped,
  connect: number | undefined,
): Promise<Outcome> {
  if (connect !== undefined) {
    const { factor } = decision
    await addIdentity(context, provider, claims, connect, { kind: 'keep', factor })
    return { kind: 'in', account: connect, isNew: false, isLinked: true, keptRole: false, factor, role: undefined }
  }
  const present = claims.email === null ? undefined : await accountOf(context, claims.email)
  if (present !== undefined) return linked(context, provider, claims, decision, present)
  if (provider.created === undefined) return { kind: 'refused', why: 'no_account' }
  if (claims.email === null) return { kind: 'refused', why: 'no_address' }
  if (!claims.isVerified) return { kind: 'refused', why: 'unverified_address' }
  return made(context, provider, claims, decision)
}

async function linked(
  context: Signing,
  provider: Provider,
  claims: Claims,
  decision: Mapped,
  account: Account,
): Promise<Outcome> {
  const why = await refuseLink(context, provider, claims, account, roleIn(decision) ?? provider.created?.role)
  if (why !== undefined) return { kind: 'refused', why, account: account.id }
  await addIdentity(context, provider, claims, account.id, decision)
  const keptRole = await giveRole(context, provider, claims, decision, account.id)
  const { factor } = decision
  return { kind: 'in', account: account.id, isNew: false, isLinked: true, keptRole, factor, role: roleIn(decision) }
}

function roleIn(decision: Mapped): string | undefined {
  return decision.kind === 'mapped' ? decision.given.role : undefined
}

/** A new account and its identity are one transaction. */
function made(context: Signing, provider: Provider, claims: Claims, decision: Mapped): Promise<Outcome> {
  return context.transaction(async (inner) => {
    const { created = { set: {} } } = provider
    const given = decision.kind === 'mapped' ? decision.given : { set: {} }
    const role = given.role ?? created.role
    const both = { set: { ...created.set, ...given.set }, ...(role !== undefined && { role }) }
    const user = await inner.records('users', 'system').create({
      ...(ownOptions(inner).names ? namesOf(claims) : {}),
      email: claims.email,
      // Its word counts where the YAML says so; elsewhere the owner of the address confirms it by a mailed link.
      email_verified: isTrusted(provider, claims),
      invite: false,
      ...(await valuesOf(inner, both, claims)),
    })
    const account = Number(user.id)
    await addIdentity(inner, provider, claims, account, decision)
    const { factor } = decision
    return { kind: 'in', account, isNew: true, isLinked: false, keptRole: false, factor, role }
  })
}

/** Whether the word of a provider counts for the address of somebody. */
export function isTrusted({ trusted }: Provider, { email, isVerified }: Claims): boolean {
  return isVerified && email !== null && trusted.includes(email.slice(email.lastIndexOf('@') + 1))
}

/** Names as far as a provider knows them: accounts have both. */
function namesOf({ email, values }: Claims): JsonObject {
  const text = (claim: string): string => (typeof values[claim] === 'string' ? values[claim].trim() : '')
  const [first = '', ...others] = text('name').split(/\s+/)
  const local = email?.split('@')[0] ?? ''
  return {
    first_name: (text('given_name') || first || local).slice(0, 100),
    last_name: (text('family_name') || others.join(' ') || '-').slice(0, 100),
  }
}

async function addIdentity(
  context: PluginContext,
  provider: Provider,
  claims: Claims,
  account: number,
  decision: Mapped,
): Promise<void> {
  const { issuer, name } = provider
  const row = { provider: name, issuer, subject: claims.subject, user_id: account, last_seen: context.now() }
  const more = { ...seen(provider, claims, decision, false), created_at: context.now() }
  await context
    .model('identities')
    .query()
    .insert({ ...row, ...more })
  await note(context, { act: 'identity_connected', by: account, user: account, provider: name })
}

/** What is kept of what was said: the claims that mappings ask for, and whether the role or a factor came from there. */
function seen(provider: Provider, { values }: Claims, decision: Mapped, keptRole: boolean) {
  const asked = [...claimsAsked(provider)].map((claim) => [claim, values[claim] ?? null] as const)
  const mapsRole = decision.kind === 'mapped' && decision.given.role !== undefined && !provider.first
  return { claims: Object.fromEntries(asked), maps_role: mapsRole, kept_role: keptRole, proves_factor: decision.factor }
}

/** Gives an account what the mapping says; true where it keeps its role, because nobody else is an active admin. */
async function giveRole(
  context: Signing,
  provider: Provider,
  claims: Claims,
  decision: Mapped,
  account: number,
): Promise<boolean> {
  if (decision.kind === 'keep') return false
  const values = await valuesOf(context, decision.given, claims)
  const present = await context.model('users').query().findById(account)
  const other = Object.fromEntries(Object.entries(values).filter(([name, value]) => present?.[name] !== value))
  if (Object.keys(other).length === 0) return false
  try {
    await context.records('users', 'system').update(account, other)
    return false
  } catch (error) {
    if (!isLastAdmin(error)) throw error
    context.log.warn({ user: account, provider: provider.name }, `a role was not taken: ${LAST_ADMIN}`)
    const kept = { act: 'role_kept', by: null, user: account, provider: provider.name } as const
    await note(context, { ...kept, details: { instead: decision.given.role ?? null } })
    const { role_id: _role, ...rest } = other
    if (Object.keys(rest).length > 0) await context.records('users', 'system').update(account, rest)
    return true
  }
}
