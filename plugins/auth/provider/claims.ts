/** Claims: what a provider says of somebody, as values that conditions in YAML speak of. */
import {
  type Catalog,
  type FieldDefinition,
  isObject,
  type Json,
  type JsonObject,
  memo,
  type ReadCondition,
  type ValueForm,
  valueForm,
} from '../../../engine/index.ts'
import type { Provider } from './options.ts'

const TEXT: FieldDefinition = { type: 'string', max: 2_000 }
const TEXTS: FieldDefinition = { type: 'list', of: 'string', max: 500, max_items: 1_000 }

/** The standard claims (OpenID Connect Core, 5.1), and those that nearly every provider has. */
const STANDARD: Readonly<Record<string, FieldDefinition>> = {
  iss: TEXT,
  sub: TEXT,
  name: TEXT,
  given_name: TEXT,
  family_name: TEXT,
  middle_name: TEXT,
  nickname: TEXT,
  preferred_username: TEXT,
  profile: TEXT,
  picture: TEXT,
  website: TEXT,
  email: { type: 'email' },
  email_verified: { type: 'boolean' },
  gender: TEXT,
  birthdate: TEXT,
  zoneinfo: TEXT,
  locale: TEXT,
  phone_number: TEXT,
  phone_number_verified: { type: 'boolean' },
  updated_at: { type: 'integer' },
  auth_time: { type: 'integer' },
  acr: TEXT,
  amr: TEXTS,
  hd: TEXT,
  tid: TEXT,
  oid: TEXT,
  groups: TEXTS,
  roles: TEXTS,
}

/** The definition of each claim of a provider. */
export function claimsOf({ claims }: Pick<Provider, 'claims'>): Readonly<Record<string, FieldDefinition>> {
  const own = Object.entries(claims).map(([name, type]) => [name, definitionOf(type)])
  return { ...STANDARD, ...Object.fromEntries(own) }
}

function definitionOf(type: string): FieldDefinition {
  if (type === 'list') return TEXTS
  return type === 'string' ? TEXT : { type }
}

const formOf = memo(
  (catalog: Catalog, provider: Provider): ValueForm =>
    valueForm(catalog, `the claims of ${provider.name}`, claimsOf(provider)),
)

/** Reads a condition on the claims of a provider. A value for a claim that is a list asks whether that has it. */
export function readClaimCondition(catalog: Catalog, provider: Provider, written: JsonObject): ReadCondition {
  return formOf(catalog, provider).read(inLists(claimsOf(provider), written))
}

/** A condition that asks of lists what it asks of values: `groups: admins` as `groups: { contains: admins }`. */
function inLists(claims: Readonly<Record<string, FieldDefinition>>, written: JsonObject): JsonObject {
  const all: JsonObject[] = []
  const parts = Object.entries(written).map(([key, value]): [string, Json] => {
    if (key === 'any' || key === 'all' || key === 'not') {
      const inner = (one: Json): Json => (isObject(one) ? inLists(claims, one) : one)
      return [key, Array.isArray(value) ? value.map(inner) : inner(value)]
    }
    if (claims[key]?.type !== 'list' || value === null || (isObject(value) && !Array.isArray(value)))
      return [key, value]
    if (!Array.isArray(value)) return [key, { contains: value }]
    all.push({ any: value.map((one) => ({ [key]: { contains: one } })) })
    return ['', null]
  })
  const own = Object.fromEntries(parts.filter(([key]) => key !== ''))
  return all.length === 0 ? own : { all: [...all, ...(Object.keys(own).length === 0 ? [] : [own])] }
}

/** The claims whose values conditions of a provider ask for. */
export function claimsAsked({ admit, roles = [] }: Provider): ReadonlySet<string> {
  const names = (written: JsonObject): readonly string[] =>
    Object.entries(written).flatMap(([key, value]) => {
      if (key !== 'any' && key !== 'all' && key !== 'not') return [key]
      const inner: readonly Json[] = Array.isArray(value) ? value : [value]
      return inner.flatMap((one) => (isObject(one) ? names(one) : []))
    })
  return new Set([...(admit === undefined ? [] : names(admit)), ...roles.flatMap(({ when }) => names(when))])
}

/** What a provider says of somebody, by the types of its claims. */
export interface Claims {
  readonly subject: string
  /** In the form in which accounts have it; null where there is none. */
  readonly email: string | null
  /** Whether the provider says that the address belongs to the person. */
  readonly isVerified: boolean
  /** What conditions are asked of: an address that is not verified is null. */
  readonly values: JsonObject
  /** As the provider sent them. */
  readonly raw: JsonObject
}

/** The claims of a token and of userinfo, decoded. */
export function readClaims(catalog: Catalog, provider: Provider, raw: JsonObject): Claims {
  const values = formOf(catalog, provider).decode(asTyped(claimsOf(provider), raw))
  const isVerified = ['email_verified', ...provider.verifiedBy].some((claim) => isTrue(raw[claim]))
  const email = typeof values.email === 'string' ? values.email : null
  return {
    subject: String(raw.sub ?? ''),
    email,
    isVerified: isVerified && email !== null,
    values: { ...values, email: isVerified ? email : null, email_verified: isVerified && email !== null },
    raw,
  }
}

/** Some providers send a list of one as a text, and a truth as a text or a number. */
function asTyped(claims: Readonly<Record<string, FieldDefinition>>, raw: JsonObject): JsonObject {
  const entries = Object.entries(raw).map(([name, value]): [string, Json] => {
    const type = claims[name]?.type
    if (type === 'list' && typeof value === 'string') return [name, [value]]
    if (type === 'boolean' && typeof value !== 'boolean') return [name, isTrue(value)]
    return [name, value]
  })
  return Object.fromEntries(entries)
}

function isTrue(value: Json | undefined): boolean {
  return value === true || value === 'true' || value === 1 || value === '1'
}

/**
 * Whether a provider left a list of groups out because it is too long for a token, as Entra does with more than 200
 * ("Groups overage claim"), or sent one that is longer than anybody's.
 */
export function leavesOut({ raw, values }: Claims, claim: 'groups' | 'roles'): boolean {
  const names = isObject(raw._claim_names) ? raw._claim_names : {}
  if (Object.hasOwn(names, claim) || (claim === 'groups' && isTrue(raw.hasgroups))) return true
  return Array.isArray(raw[claim]) && values[claim] === null
}
