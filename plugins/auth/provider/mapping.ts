/** What the YAML makes of claims: whether somebody is admitted, and which role and values they get. */
import type { Catalog, Filter, JsonObject, PluginContext } from '../../../engine/index.ts'
import { isObject, valuesHoldSql } from '../../../engine/index.ts'
import { type Claims, claimsAsked, leavesOut, readClaimCondition } from './claims.ts'
import type { Given, Provider } from './options.ts'

/** Why somebody does not come in. */
export type Refusal =
  | 'overage'
  | 'not_admitted'
  | 'no_role'
  | 'no_account'
  | 'no_address'
  | 'unverified_address'
  | 'address_taken'
  | 'address_unproved'
  | 'declined'
  | 'taken_identity'
  | 'not_made'

/** What a mapping decides. */
export type Decision =
  | { readonly kind: 'refused'; readonly why: Refusal }
  | { readonly kind: 'keep'; readonly factor: boolean }
  | { readonly kind: 'mapped'; readonly given: Given; readonly factor: boolean }

type Judging = Pick<PluginContext, 'catalog' | 'connection' | 'now'>

/**
 * What conditions of a provider say of claims: whether groups were left out, `admit`, each line of `roles`, and whether
 * the sign-in counts as a second factor too.
 */
interface Judged {
  readonly cut: boolean
  readonly admitted: boolean
  readonly factor: boolean
  readonly lines: readonly boolean[]
}

/** Asks the conditions of a provider of claims, by one statement. */
export async function judged(context: Judging, provider: Provider, claims: Claims): Promise<Judged> {
  const asked = claimsAsked(provider)
  const cut = (['groups', 'roles'] as const).some((claim) => asked.has(claim) && leavesOut(claims, claim))
  const { secondFactor } = provider
  const conditions = [provider.admit, isObject(secondFactor) ? secondFactor : {}, ...whensOf(provider)]
  const [admitted = false, held = false, ...lines] = await hold(context, provider, conditions, claims.values)
  return { cut, admitted, lines, factor: secondFactor !== undefined && held }
}

function whensOf({ roles = [] }: Provider): readonly JsonObject[] {
  return roles.map(({ when }) => when)
}

/** What the mapping of a provider makes of claims. */
export async function decide(context: Judging, provider: Provider, claims: Claims): Promise<Decision> {
  const { admitted, cut, factor, lines } = await judged(context, provider, claims)
  if (cut) return { kind: 'refused', why: 'overage' }
  if (!admitted) return { kind: 'refused', why: 'not_admitted' }
  if (provider.roles === undefined) return { kind: 'keep', factor }
  const found = provider.roles[lines.indexOf(true)]
  if (found !== undefined) return { kind: 'mapped', given: found, factor }
  const { otherwise } = provider
  if (otherwise.kind === 'role') return { kind: 'mapped', given: { role: otherwise.role, set: {} }, factor }
  return otherwise.kind === 'keep' ? { kind: 'keep', factor } : { kind: 'refused', why: 'no_role' }
}

/** Which of these conditions on claims hold; an empty one does. */
async function hold(
  context: Judging,
  provider: Provider,
  conditions: readonly (JsonObject | undefined)[],
  claims: JsonObject,
): Promise<readonly boolean[]> {
  const values: unknown[] = [JSON.stringify(claims)]
  const asked = conditions.map((written) =>
    written === undefined || Object.keys(written).length === 0
      ? 'true'
      : valuesHoldSql(context, conditionOf(context.catalog, provider, written), '$1::jsonb', values),
  )
  const [row = []] = await context.connection.run({ text: `select ${asked.join(', ')}, $1::jsonb is null` }, values)
  return row.slice(0, -1).map((held) => held === 't')
}

function conditionOf(catalog: Catalog, provider: Provider, written: JsonObject): Filter {
  const { condition, problems } = readClaimCondition(catalog, provider, written)
  if (condition === undefined) throw new Error(problems.map(({ message }) => message).join('; '))
  return condition
}
