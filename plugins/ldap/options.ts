/** The options of the plugin in app.yaml: their schema, and the directory as a value. */
import { durationMs, isObject, type JsonObject, type JsonSchema, memo } from '../../engine/index.ts'
import { MAPPING, type Provider, providerOf } from '../auth/provider/options.ts'

/** The name of identities and sessions that come from the directory. */
export const NAME = 'ldap'

/** What this reads of the environment, for the documents. */
export const VARIABLES = {
  LDAP_PASSWORD: { otherwise: 'searches without a password', meaning: 'the password of `bind` of the plugin ldap' },
}

/** What is usual in a kind of directory. */
interface Kind {
  readonly filter: string
  readonly id: string
  readonly signIn: readonly string[]
  readonly groupFilter: string
}

/** Sources: RFC 2798 and RFC 4530 for OpenLDAP, RFC 2307 for groups, and "User-Account-Control attribute" of Microsoft. */
const KINDS: Readonly<Record<string, Kind>> = {
  openldap: {
    filter: '(objectClass=inetOrgPerson)',
    id: 'entryUUID',
    signIn: ['uid'],
    groupFilter: '(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup))',
  },
  active_directory: {
    // Bit 2 is ACCOUNTDISABLE.
    filter: '(&(objectCategory=person)(objectClass=user)(!(userAccountControl:1.2.840.113556.1.4.803:=2)))',
    id: 'objectGUID',
    signIn: ['sAMAccountName', 'userPrincipalName'],
    groupFilter: '(objectClass=group)',
  },
}

const ATTRIBUTE = '^[A-Za-z][A-Za-z0-9-]{0,99}$'
const text = (description: string, more: JsonSchema = {}): JsonSchema => ({ type: 'string', ...more, description })

export const OPTIONS_SCHEMA: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url', 'base'],
  properties: {
    label: text('Its name for people.', { minLength: 1, maxLength: 60, default: 'LDAP' }),
    url: text('The server: `ldaps://…`, or `ldap://…` with `starttls`.', { pattern: '^ldaps?://[^\\s/?#]+/?$' }),
    starttls: {
      type: 'boolean',
      default: false,
      description: 'Whether a connection to `ldap://…` is encrypted before anything is sent (StartTLS).',
    },
    ca: text('A file with the certificate (PEM) of the authority that signed its own, where that is a private one.', {
      format: 'file',
    }),
    kind: {
      enum: Object.keys(KINDS),
      default: 'openldap',
      description: 'What is usual in it: the names of attributes, who counts as a person, and who is disabled.',
    },
    bind: text('The entry that searches; its password is LDAP_PASSWORD. Without it searches are anonymous.', {
      minLength: 3,
    }),
    base: text('The entry below which people are.', { minLength: 1 }),
    filter: text('Who may sign in, as a filter of LDAP (RFC 4515); an entry that it leaves out is disabled.', {
      pattern: '^\\(.*\\)$',
    }),
    sign_in: {
      type: 'array',
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      items: { type: 'string', pattern: ATTRIBUTE },
      description: 'The attributes by which people name themselves, such as `[uid, mail]`.',
    },
    attributes: {
      type: 'object',
      additionalProperties: false,
      description: 'The attributes that have what accounts need.',
      properties: {
        id: text('What stays the same when an entry is renamed: `entryUUID` or `objectGUID`.', { pattern: ATTRIBUTE }),
        email: text('The address.', { pattern: ATTRIBUTE, default: 'mail' }),
        name: text('The whole name.', { pattern: ATTRIBUTE, default: 'cn' }),
        given_name: text('The first name.', { pattern: ATTRIBUTE, default: 'givenName' }),
        family_name: text('The last name.', { pattern: ATTRIBUTE, default: 'sn' }),
      },
    },
    groups: {
      type: 'object',
      additionalProperties: false,
      required: ['base'],
      description: 'Where the claim `groups` comes from: the names of groups that an entry belongs to.',
      properties: {
        base: text('The entry below which groups are.', { minLength: 1 }),
        filter: text('Which of them count, as a filter of LDAP.', { pattern: '^\\(.*\\)$' }),
        name: text('The attribute with the name of a group.', { pattern: ATTRIBUTE, default: 'cn' }),
        nested: {
          type: 'boolean',
          default: true,
          description: 'Whether the groups count that the groups of an entry belong to.',
        },
      },
    },
    check_every: text('How often it is asked who is disabled or gone, and which groups people have by now.', {
      pattern: '^[1-9][0-9]{0,2} (hours?|days?)$',
      default: '1 day',
    }),
    ...MAPPING,
  },
}

/** A directory: where it is, how it is asked, and what becomes of those whom it names. */
export interface Directory {
  readonly label: string
  readonly url: string
  readonly starttls: boolean
  /** The path of a file with a certificate. */
  readonly ca: string | undefined
  readonly bind: string | undefined
  readonly base: string
  readonly filter: string
  readonly signIn: readonly string[]
  /** The attribute of each claim. */
  readonly attributes: Readonly<Record<'id' | 'email' | 'name' | 'given_name' | 'family_name', string>>
  readonly groups:
    | { readonly base: string; readonly filter: string; readonly name: string; readonly nested: boolean }
    | undefined
  readonly checkMs: number
  /** The same, as what names people is known to the plugin auth. */
  readonly provider: Provider
}

const texts = (given: unknown, absent: readonly string[]): readonly string[] =>
  Array.isArray(given) ? given.map(String) : absent

/** The directory of checked options; made once. */
export const directoryOf = memo((options: JsonObject): Directory => {
  const kind = KINDS[String(options.kind)] ?? KINDS.openldap!
  const { id, ...attributes } = isObject(options.attributes) ? options.attributes : {}
  const groups = isObject(options.groups) ? options.groups : undefined
  const usual = { email: 'mail', name: 'cn', given_name: 'givenName', family_name: 'sn' }
  const url = String(options.url).replace(/\/$/, '')
  return {
    label: String(options.label ?? 'LDAP'),
    url,
    starttls: options.starttls === true,
    ca: typeof options.ca === 'string' ? options.ca : undefined,
    bind: typeof options.bind === 'string' ? options.bind : undefined,
    base: String(options.base),
    filter: String(options.filter ?? kind.filter),
    signIn: texts(options.sign_in, kind.signIn),
    attributes: { ...usual, ...attributes, id: String(id ?? kind.id) },
    groups: groups && {
      base: String(groups.base),
      filter: String(groups.filter ?? kind.groupFilter),
      name: String(groups.name ?? 'cn'),
      nested: groups.nested !== false,
    },
    checkMs: durationMs(String(options.check_every ?? '1 day')) ?? 0,
    // An identity stays what it is when the server moves.
    provider: providerOf(NAME, { label: 'LDAP', ...options, issuer: `ldap:${String(options.base).toLowerCase()}` }),
  }
})
