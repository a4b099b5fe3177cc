/** What comes of claims without a provider: for tests, for `plinth explain --sign-in`, and for `plinth plan`. */
import {
  type Catalog,
  type JsonObject,
  type ProvidersContribution,
  type Runner,
  type SystemContext,
  valuesHoldSql,
} from '../../../engine/index.ts'
import { openSession } from '../opened-sessions.ts'
import { type Claims, claimsAsked, readClaimCondition, readClaims } from './claims.ts'
import { judged } from './mapping.ts'
import { type Provider, providersIn } from './options.ts'
import { arrive, type Outcome } from './sign-in.ts'
import { refusalTrouble } from './trouble.ts'

/** The servers of a plugin that name people, and how a sign-in by them differs. */
interface Servers {
  /** Those of the options of the plugin, by name. */
  readonly of: (options: JsonObject) => ReadonlyMap<string, Provider>
  /** What somebody proves there. */
  readonly proof: 'provider' | 'password'
  /** Claims as the plugin makes them of what the server says. */
  readonly complete: (claims: JsonObject) => JsonObject
}

/** Somebody whose address the provider verified, as far as a test says nothing else. */
function somebody({ issuer, trusted }: Provider, claims: JsonObject): JsonObject {
  const sub = typeof claims.sub === 'string' ? claims.sub : 'pat'
  const email = `${sub}@${trusted[0] ?? 'people.example'}`
  return { iss: issuer, sub, name: 'Pat Tester', email, email_verified: true, ...claims }
}

async function signIn(context: SystemContext, provider: Provider, { complete, proof }: Servers, given: JsonObject) {
  const outcome = await arrive(
    context,
    provider,
    readClaims(context.catalog, provider, complete(somebody(provider, given))),
  )
  if (outcome.kind === 'refused') throw new Error(sentenceFor(provider, outcome))
  const token = await openSession({ ...context, headers: {}, ip: '' }, outcome.account, {
    factors: outcome.factor ? [proof, 'provider_factor'] : [proof],
    provider: provider.name,
  })
  const role = await roleOf(context, outcome.account)
  return { id: outcome.account, role, headers: { authorization: `Bearer ${token}` } }
}

async function roleOf({ model }: Pick<SystemContext, 'model'>, account: number): Promise<string> {
  const found = await model('users').query().alias('u').joinRelated('role').findById(account).select('role.slug')
  return String(found?.slug)
}

function sentenceFor(provider: Provider, { reason, why }: Extract<Outcome, { kind: 'refused' }>): string {
  const { advice, sentence } = refusalTrouble(provider, why, reason)
  return `${sentence} ${advice}`
}

/** Takes back what was tried, and carries what came of it. */
class Tried extends Error {
  readonly outcome: Outcome
  constructor(outcome: Outcome) {
    super('tried')
    this.outcome = outcome
  }
}

/** The outcome of a sign-in that is taken back. */
async function tried(context: SystemContext, provider: Provider, claims: Claims): Promise<Outcome> {
  try {
    return await context.transaction(async (inner) => {
      const within: SystemContext = { ...inner, dryRun: true, transaction: (work) => work(within) }
      throw new Tried(await arrive(within, provider, claims))
    })
  } catch (error) {
    if (error instanceof Tried) return error.outcome
    throw error
  }
}

async function explain(context: SystemContext, provider: Provider, given: JsonObject): Promise<readonly string[]> {
  const claims = readClaims(context.catalog, provider, given)
  if (claims.subject === '') throw new Error('The claims have no "sub", by which a provider knows somebody.')
  const { admitted, factor, lines } = await judged(context, provider, claims)
  const asked = [...claimsAsked(provider)].map((claim) => `  ${claim}: ${JSON.stringify(claims.values[claim] ?? null)}`)
  const roles = (provider.roles ?? []).map(
    ({ role, set, when }, at) =>
      `  ${lines[at] === true ? 'holds  ' : 'does not'} ${JSON.stringify(when)} → ${[role ?? 'no role', ...Object.keys(set)].join(', ')}`,
  )
  return [
    `${provider.label} says: ${claims.subject}, ${addressOf(claims)}`,
    ...(asked.length === 0 ? [] : ['conditions ask for', ...asked]),
    ...(provider.admit === undefined
      ? []
      : [`admit ${admitted ? 'holds' : 'does not hold'}: ${JSON.stringify(provider.admit)}`]),
    ...(provider.secondFactor === undefined
      ? []
      : [`it ${factor ? 'counts' : 'does not count'} as a second factor too`]),
    ...(roles.length === 0 ? [] : ['roles, of which the first that holds counts', ...roles]),
    `outcome: ${await outcomeOf(context, provider, await tried(context, provider, claims))}`,
  ]
}

function addressOf({ isVerified, raw }: Claims): string {
  if (typeof raw.email !== 'string') return 'no address'
  return `${raw.email}, ${isVerified ? 'verified' : 'not verified'}`
}

async function outcomeOf({ model }: SystemContext, provider: Provider, outcome: Outcome): Promise<string> {
  if (outcome.kind === 'refused') return `refused: ${sentenceFor(provider, outcome)}`
  const whose = outcome.isNew
    ? 'a new account'
    : `account ${outcome.account}${outcome.isLinked ? ', which the address links' : ''}`
  if (outcome.keptRole) return `signed in to ${whose}, which keeps its role as the last active admin`
  if (outcome.isNew) return `signed in to ${whose}${outcome.role === undefined ? '' : ` with the role ${outcome.role}`}`
  const present = await roleOf({ model }, outcome.account)
  const role = outcome.role ?? present
  return `signed in to ${whose} with the role ${role}${role === present ? '' : ` instead of ${present}`}`
}

interface Moving {
  readonly catalog: Catalog
  readonly options: JsonObject
  readonly runner: Runner
  readonly now: () => Date
}

/** Of each provider whom its mapping would move at the next sign-in, by what was kept of the last one. */
async function moved(asking: Moving, providers: Iterable<Provider>): Promise<readonly string[]> {
  const sentences: string[] = []
  for (const provider of providers) {
    if (provider.roles !== undefined && !provider.first) sentences.push(...(await movedBy(asking, provider)))
  }
  return sentences
}

async function movedBy({ catalog, now, runner }: Moving, provider: Provider): Promise<readonly string[]> {
  const [identities, users, roles] = ['identities', 'users', 'roles'].map((name) => catalog.resources.get(name)!.table)
  const asked = [...claimsAsked(provider)]
  const values: unknown[] = [provider.name, JSON.stringify(Object.fromEntries(asked.map((claim) => [claim, null])))]
  const holds = (written: JsonObject): string => {
    const { condition } = readClaimCondition(catalog, provider, written)
    return condition === undefined
      ? 'false'
      : valuesHoldSql({ catalog, now }, condition, '$2::jsonb || i.claims', values)
  }
  const word = (text: string | null): string => `$${values.push(text)}::text`
  const admit = provider.admit === undefined ? [] : [`when not ${holds(provider.admit)} then ${word('')}`]
  const lines = (provider.roles ?? []).map(({ role, when }) => `when ${holds(when)} then ${word(role ?? null)}`)
  const { otherwise } = provider
  const last = otherwise.kind === 'role' ? word(otherwise.role) : otherwise.kind === 'deny' ? word('') : 'r.slug'
  const text = `select r.slug, case when not i.claims ?& ${`$${values.push(asked)}`}::text[] then null
      ${[...admit, ...lines].join(' ')} else ${last} end as becomes, count(*)
    from "${identities}" i join "${users}" u on u.id = i.user_id join "${roles}" r on r.id = u.role_id
    where i.provider = $1 group by 1, 2 order by 1, 2`
  const rows = await runner.run({ text }, values)
  return rows.flatMap(([from, to, count]) => {
    if (from === to) return []
    const people = `${count} ${count === '1' ? 'person' : 'people'} with the role ${from}`
    if (to === null) return [`${provider.name}: of ${people} it is not known yet what conditions ask for`]
    return [`${provider.name}: ${people} ${to === '' ? 'would not be let in' : `would get ${to}`} at the next sign-in`]
  })
}

/** What a plugin says of its servers without asking them. */
export function trialsOf(servers: Servers): ProvidersContribution {
  const { complete, of } = servers
  return {
    names: (options) => [...of(options).keys()],
    signIn: (context, name, claims) => signIn(context, of(context.options).get(name)!, servers, claims),
    explain: (context, name, claims) => explain(context, of(context.options).get(name)!, complete(claims)),
    moved: (asking) => moved(asking, of(asking.options).values()),
  }
}

export const providers = trialsOf({ of: providersIn, proof: 'provider', complete: (claims) => claims })
