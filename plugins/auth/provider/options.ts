/** The option `providers` of the auth plugin: its schema, and each provider as a value, completed by its preset. */
import {
  ApiError,
  type Catalog,
  durationMs,
  isObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  memo,
  type RouteContext,
} from '../../../engine/index.ts'
import { PRESETS, type Preset } from './preset.ts'

/** What an account gets: its role by its slug, and values of further fields and relations. */
export interface Given {
  readonly role?: string
  readonly set: JsonObject
}

/** One line of a mapping. */
interface Mapped extends Given {
  readonly when: JsonObject
}

/** A provider that says who somebody is. */
export interface Provider {
  readonly name: string
  readonly label: string
  readonly issuer: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Domains, in lower case, whose addresses link to accounts that are there. */
  readonly trusted: readonly string[]
  /** Types of claims beyond the standard ones. */
  readonly claims: Readonly<Record<string, string>>
  readonly verifiedBy: readonly string[]
  readonly adapter: Preset['adapter']
  /** How often sessions from there ask it again, in milliseconds, and how; undefined: never. */
  readonly revalidate: ({ readonly everyMs: number } & Required<Preset>['lasting']) | undefined
  readonly admit: JsonObject | undefined
  /** What a new account gets; undefined: nobody gets one. */
  readonly created: Given | undefined
  /** The first that holds counts; undefined: no role comes from here. */
  readonly roles: readonly Mapped[] | undefined
  /** For somebody for whom none holds: refused, left as it is, or this role. */
  readonly otherwise: { readonly kind: 'deny' | 'keep' } | { readonly kind: 'role'; readonly role: string }
  /** The sign-ins that count as a second factor too: all of them, or those whose claims fulfil it; undefined: none. */
  readonly secondFactor: 'always' | JsonObject | undefined
  /** Whether roles are mapped when somebody comes for the first time, and never again. */
  readonly first: boolean
}

export const PROVIDER_NAME = '^[a-z][a-z0-9_]{0,39}$'

const SET: JsonSchema = {
  type: 'object',
  description:
    'Values of the account: a field with its value or `{ claim: name }`, a relation with the record that it leads to, such as `{ name: Support }`.',
}

const CONDITION: JsonSchema = { type: 'object', minProperties: 1 }

/** Who comes in, as whom: the same keys for all that name people. */
export const MAPPING: Readonly<Record<string, JsonSchema>> = {
  trust_addresses_of: {
    type: 'array',
    items: { type: 'string', pattern: '^[^\\s@]+\\.[^\\s@]+$' },
    description:
      'Domains for whose addresses its word counts: a verified one links to the account that has it. Without it no address links.',
  },
  claims: {
    type: 'object',
    propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
    additionalProperties: { enum: ['string', 'list', 'boolean', 'integer', 'timestamp'] },
    description: 'Types of claims that are not standard, so that conditions may ask for them.',
  },
  admit: {
    ...CONDITION,
    description: 'Who may come in, as a condition on the claims; one on `email` counts verified addresses alone.',
  },
  new: {
    type: 'object',
    description:
      'What somebody gets who has no account: `role`, `status` and further values of `users`. Without it nobody gets one.',
  },
  roles: {
    type: 'array',
    minItems: 1,
    description: 'Which role somebody has: the first line whose condition holds.',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['when', 'role'],
      properties: {
        when: { ...CONDITION, description: 'A condition on the claims.' },
        role: { type: 'string', minLength: 1, description: 'The slug of the role.' },
        set: SET,
      },
    },
  },
  roles_at: {
    enum: ['each', 'first'],
    default: 'each',
    description: 'Whether roles are mapped at each sign-in, or at the first alone.',
  },
  second_factor: {
    anyOf: [{ const: 'always' }, CONDITION],
    description:
      'Which of its sign-ins count as a second factor too: `always`, or a condition on the claims, such as `{ amr: mfa }`. Without it none does: the second factor of an account is asked for here.',
  },
  otherwise: {
    type: 'string',
    minLength: 1,
    default: 'deny',
    description: 'For somebody for whom no line holds: `deny`, `keep` (the role that the account has), or a role.',
  },
}

const PROVIDER: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['client_id'],
  properties: {
    label: { type: 'string', minLength: 1, maxLength: 60, description: 'Its name for people.' },
    preset: { enum: Object.keys(PRESETS), description: 'Fills in what is known of it.' },
    tenant: {
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$',
      description: 'The directory of Microsoft Entra, by its id or domain.',
    },
    issuer: {
      type: 'string',
      pattern: '^https?://[^\\s?#]+$',
      description: 'Its address, below which its discovery document is; https, but on this machine.',
    },
    client_id: { type: 'string', minLength: 1, maxLength: 300, description: 'By which it knows this application.' },
    revalidate: {
      type: 'string',
      pattern: '^([5-9]|[1-9][0-9]{1,3}) minutes$|^[1-9][0-9]{0,2} (hours?|days?)$',
      description:
        'How often sessions ask it whether the person may still come in, where it has no back-channel logout; five minutes or more.',
    },
    scopes: {
      type: 'array',
      items: { type: 'string', pattern: '^[^\\s"\\\\]+$' },
      description: 'What is asked of it besides openid, profile and email.',
    },
    ...MAPPING,
  },
}

/** The schema of the option. */
export const PROVIDERS: JsonSchema = {
  type: 'object',
  description:
    'Servers of companies by which people sign in (OpenID Connect), by names of your choice. The secret of one is AUTH_<NAME>_SECRET, or its private key AUTH_<NAME>_KEY.',
  propertyNames: { pattern: PROVIDER_NAME },
  additionalProperties: PROVIDER,
}

const texts = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

/** The providers of checked options by name; made once. */
export const providersIn = memo(
  (options: JsonObject): ReadonlyMap<string, Provider> =>
    new Map(Object.entries(object(options.providers)).map(([name, given]) => [name, providerOf(name, object(given))])),
)

/** A provider as a value, of its checked options. */
export function providerOf(name: string, given: JsonObject): Provider {
  const preset: Preset = PRESETS[String(given.preset)] ?? { label: name }
  const tenant = typeof given.tenant === 'string' ? given.tenant : undefined
  const known = preset.issuer?.replace('{tenant}', tenant ?? '{tenant}')
  const types = Object.entries(object(given.claims)).map(([claim, type]) => [claim, String(type)])
  return Object.freeze({
    name,
    label: typeof given.label === 'string' ? given.label : preset.label,
    issuer: typeof given.issuer === 'string' ? given.issuer : (known ?? ''),
    clientId: String(given.client_id ?? ''),
    scopes: [...new Set([...(preset.scopes ?? []), ...texts(given.scopes)])],
    trusted: texts(given.trust_addresses_of).map((domain) => domain.toLowerCase()),
    claims: { ...preset.claims, ...Object.fromEntries(types) },
    verifiedBy: preset.verifiedBy ?? [],
    adapter: preset.adapter,
    revalidate: revalidateIn(given.revalidate, preset),
    admit: isObject(given.admit) ? given.admit : undefined,
    created: isObject(given.new) ? givenIn(given.new) : undefined,
    roles: Array.isArray(given.roles) ? given.roles.map((line) => mappedIn(object(line))) : undefined,
    otherwise: otherwiseIn(String(given.otherwise ?? 'deny')),
    secondFactor: secondFactorIn(given.second_factor),
    first: given.roles_at === 'first',
  })
}

function revalidateIn(given: Json | undefined, { lasting }: Preset): Provider['revalidate'] {
  if (typeof given !== 'string') return undefined
  return { everyMs: durationMs(given) ?? 0, ...(lasting ?? { scopes: ['offline_access'], parameters: {} }) }
}

function secondFactorIn(given: Json | undefined): Provider['secondFactor'] {
  return given === 'always' || isObject(given) ? given : undefined
}

function givenIn({ role, ...set }: JsonObject): Given {
  return { ...(typeof role === 'string' && { role }), set }
}

function mappedIn({ role, set, when }: JsonObject): Mapped {
  return { ...givenIn({ role: role ?? null }), set: object(set), when: object(when) }
}

function otherwiseIn(word: string): Provider['otherwise'] {
  return word === 'deny' || word === 'keep' ? { kind: word } : { kind: 'role', role: word }
}

/**
 * What people call the provider of an identity: one of the options, or the plugin of that name; undefined where it is gone.
 */
export function labelOf({ pluginOptions }: Pick<Catalog, 'pluginOptions'>, name: string): string | undefined {
  const named = providersIn(pluginOptions.get('auth') ?? {}).get(name)?.label
  const plugin = pluginOptions.get(name)
  return named ?? (plugin === undefined ? undefined : String(plugin.label ?? name))
}

/** The provider that the path of a request names; throws record_not_found. */
export function providerNamed({ options, params }: Pick<RouteContext, 'options' | 'params'>): Provider {
  const provider = providersIn(options).get(params.name ?? '')
  if (provider === undefined) throw new ApiError('record_not_found', { label: 'Provider' })
  return provider
}

/** The environment variables with what a provider knows this application by. */
export function variablesOf({ name }: Pick<Provider, 'name'>): { readonly secret: string; readonly key: string } {
  const word = name.toUpperCase()
  return { secret: `AUTH_${word}_SECRET`, key: `AUTH_${word}_KEY` }
}
