/** The options of the auth plugin in app.yaml: their schema, and their typed values. */
import {
  type Access,
  type Actor,
  accessOf,
  type Catalog,
  durationMs,
  isObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  memo,
} from '../../engine/index.ts'
import { PROVIDERS } from './provider/options.ts'

export interface AuthOptions {
  readonly tokenDays: number
  /** Of sessions by cookie: how long one may be unused, in milliseconds, and how many an account may have. */
  readonly session: { readonly idleMs: number; readonly most: number }
  /** How many days a key lasts at most, and who makes keys of their own: those whom one of `for` admits. */
  readonly keys: { readonly longestDays: number; readonly for: readonly Access[] }
  readonly approval: 'review' | 'required' | 'off'
  /** Slugs of the built-in roles, highest first. */
  readonly roles: readonly string[]
  readonly resetMinutes: number
  readonly inviteHours: number
  /** Whether an address counts only once its owner has confirmed it. */
  readonly verify: boolean
  readonly verifyHours: number
  /** Path of the page on which people sign in. */
  readonly language: string | undefined
  readonly signInPage: string | undefined
  /** The quota of an account that registered itself, until it is approved; undefined: no special one. */
  readonly quota: Actor['quota']
  /** Whether accounts have a first and a last name. */
  readonly names: boolean
  /** Further fields that a registration takes. */
  readonly register: readonly string[]
  /** What the first admin has in further fields. */
  readonly admin: JsonObject
  /** The unique fields by which people sign in, the first of them as the usual one. */
  readonly signIn: readonly string[]
  readonly secondFactor: {
    /** The accounts that must have one: those that one of these admits. */
    readonly required: readonly Access[]
    /** How long such an account may do without one, from when it was first seen without. */
    readonly graceMs: number
    /** Which acts need a proof that is not older; undefined: only changes of second factors. */
    readonly again: { readonly afterMs: number; readonly for: readonly string[] } | undefined
  }
  /** Who signs in by mailed links, and how long one works; undefined: nobody. */
  readonly magicLink: { readonly for: readonly Access[]; readonly minutes: number } | undefined
  /** The schemes of the header Authorization, as answers write them. */
  readonly schemes: readonly string[]
}

/** The quota without an option. */
const QUOTA = { records: 1_000, bytes: '100MB' } as const

/** The bounds of sessions by cookie without an option. */
const SESSION = { idle: '12 hours', most: 20 } as const

/** The bounds of keys without an option. */
const KEYS = { longest: '365 days', for: [{ permission: 'keys.own' }] } as const

const DURATION = '^[1-9][0-9]{0,3} (minutes?|hours?|days?)$'

/** Accounts by what they hold. */
const ACCESS_LIST = {
  type: 'array',
  maxItems: 50,
  items: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    properties: {
      permission: { type: 'string', description: 'Accounts that hold it.' },
      role: { type: 'string', description: 'Accounts that have it.' },
    },
  },
} as const

export const OPTIONS_SCHEMA: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    token_days: {
      type: 'integer',
      minimum: 1,
      maximum: 3650,
      default: 30,
      description: 'How many days a sign-in lasts, by token or by cookie.',
    },
    session: {
      type: 'object',
      additionalProperties: false,
      description: 'Bounds of the sessions of browsers, which are kept by a cookie.',
      properties: {
        idle: {
          type: 'string',
          pattern: '^([1-9][0-9]{0,3} hours?|[1-9][0-9]{0,2} days?)$',
          default: SESSION.idle,
          description:
            'How long a session may be unused before it ends, to within ten minutes; an open stream uses it.',
        },
        most: {
          type: 'integer',
          minimum: 1,
          maximum: 1_000,
          default: SESSION.most,
          description: 'How many one account has; one more ends the one that was unused for longest.',
        },
      },
    },
    keys: {
      type: 'object',
      additionalProperties: false,
      description: 'Keys of programs: how long one lasts, and who makes them.',
      properties: {
        longest: {
          type: 'string',
          pattern: '^[1-9][0-9]{0,3} days?$',
          default: KEYS.longest,
          description: 'How long a key lasts at most, also one that was made before.',
        },
        for: {
          ...ACCESS_LIST,
          minItems: 1,
          default: KEYS.for,
          description: 'Accounts that make keys of their own.',
        },
      },
    },
    approval: {
      enum: ['review', 'required', 'off'],
      default: 'review',
      description:
        'What becomes of people who register: `review` lets them work and lists them as pending, `required` makes them wait, `off` makes them active.',
    },
    roles: {
      type: 'array',
      items: { type: 'string' },
      minItems: 2,
      uniqueItems: true,
      default: ['admin', 'member'],
      description:
        'Slugs of the built-in roles, highest first; the last is given to those who register. The first, with every permission, and the last, with none, are seeded by the plugin where resources/roles.yaml does not.',
    },
    reset_minutes: {
      type: 'integer',
      minimum: 5,
      maximum: 1440,
      default: 60,
      description: 'How long the link to set a new password works.',
    },
    invite_hours: {
      type: 'integer',
      minimum: 1,
      maximum: 720,
      default: 72,
      description: 'How long the link in the mail to somebody whose account was made without a password works.',
    },
    verify: {
      type: 'boolean',
      default: true,
      description:
        'Whether people confirm their address by a link that is mailed to it when they register or change it. Without it every address is taken at its word, and with it the tickets that staff open for the one who has that address.',
    },
    verify_hours: {
      type: 'integer',
      minimum: 1,
      maximum: 720,
      default: 24,
      description: 'How long the link to confirm an address works.',
    },
    quota: {
      description:
        'What an account that registered itself may store until somebody with users.approve approves it: records that it creates, deleted ones among them, and the bytes of their values and files. Accounts that staff make have none.',
      anyOf: [
        { enum: ['off'] },
        {
          type: 'object',
          additionalProperties: false,
          properties: {
            records: {
              type: 'integer',
              minimum: 1,
              maximum: 1_000_000_000,
              default: QUOTA.records,
              description: 'How many records it may create.',
            },
            bytes: {
              default: QUOTA.bytes,
              description: 'How many bytes its values and files may take: a number, or `50MB`.',
              anyOf: [
                { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
                { type: 'string', pattern: '^[1-9]\\d{0,5} ?(?:KB|MB|GB)$' },
              ],
            },
          },
        },
      ],
    },
    names: {
      type: 'boolean',
      default: true,
      description:
        'Whether accounts have a first and a last name. Without them an account is called by the first text among the fields of `sign_in` and `register`, or by its address up to the @.',
    },
    register: {
      type: 'array',
      items: { type: 'string' },
      uniqueItems: true,
      default: [],
      description: 'Further fields of accounts that a registration takes.',
    },
    admin: {
      type: 'object',
      additionalProperties: true,
      description: 'What the first admin has in further fields of accounts.',
    },
    language: {
      type: 'string',
      description: 'The field of accounts with the language that its person reads: mails and notifications are in it.',
    },
    sign_in: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      default: ['email'],
      description: 'The fields by which people sign in: `email`, and other texts of accounts that are unique.',
    },
    schemes: {
      type: 'array',
      items: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9-]{0,19}$' },
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      default: ['Bearer'],
      description: 'The words before a token in the header Authorization.',
    },
    history_days: {
      type: 'integer',
      minimum: 1,
      maximum: 36_500,
      default: 400,
      description: 'How many days the history of rights is kept.',
    },
    providers: PROVIDERS,
    magic_link: {
      type: 'object',
      additionalProperties: false,
      required: ['for'],
      description: 'Signing in by a link or a code that is mailed, instead of a password; nobody does without it.',
      properties: {
        for: { ...ACCESS_LIST, minItems: 1, description: 'Accounts that sign in so.' },
        minutes: {
          type: 'integer',
          minimum: 5,
          maximum: 60,
          default: 15,
          description: 'How long the link and the code of a mail work.',
        },
      },
    },
    second_factor: {
      type: 'object',
      additionalProperties: false,
      description: 'Who must have a second factor, and which acts ask for a proof once more.',
      properties: {
        required: {
          ...ACCESS_LIST,
          description: 'Accounts that must have one: until it is set up they can do nothing but set it up.',
        },
        grace: {
          type: 'string',
          pattern: DURATION,
          description: 'How long such an account may do without one, from its first request on; not at all if absent.',
        },
        again: {
          type: 'object',
          additionalProperties: false,
          required: ['for'],
          description: 'Acts before which people prove once more who they are.',
          properties: {
            after: {
              type: 'string',
              pattern: DURATION,
              default: '10 minutes',
              description: 'How old the last proof may be.',
            },
            for: {
              type: 'array',
              items: { type: 'string' },
              minItems: 1,
              uniqueItems: true,
              description: '`auth.keys`, `auth.second_factor`, or `<resource>.<action>` of a write.',
            },
          },
        },
      },
    },
    sign_in_page: {
      type: 'string',
      pattern: '^/(?!/)',
      description:
        'Path of the page on which people sign in, below BASE_URL: the pages behind mailed links lead there. Without it they lead nowhere.',
    },
  },
}

/** The checked options, typed; made once. */
export const authOptions = memo((options: JsonObject): AuthOptions => {
  const approval = options.approval
  return {
    tokenDays: Number(options.token_days ?? 30),
    keys: keysIn(options.keys),
    session: sessionIn(options.session),
    approval: approval === 'required' || approval === 'off' ? approval : 'review',
    roles: textsIn(options.roles, ['admin', 'member']),
    resetMinutes: Number(options.reset_minutes ?? 60),
    inviteHours: Number(options.invite_hours ?? 72),
    verify: options.verify !== false,
    verifyHours: Number(options.verify_hours ?? 24),
    quota: quotaIn(options.quota),
    names: options.names !== false,
    register: textsIn(options.register, []),
    admin: isObject(options.admin) ? options.admin : {},
    signIn: textsIn(options.sign_in, ['email']),
    magicLink: isObject(options.magic_link)
      ? { for: accessIn(options.magic_link.for), minutes: Number(options.magic_link.minutes ?? 15) }
      : undefined,
    secondFactor: secondFactorIn(options.second_factor),
    schemes: textsIn(options.schemes, ['Bearer']),
    language: typeof options.language === 'string' ? options.language : undefined,
    signInPage: typeof options.sign_in_page === 'string' ? options.sign_in_page : undefined,
  }
})

/** The same of an application, for work that another plugin asked for. */
export function ownOptions({ catalog }: { readonly catalog: Pick<Catalog, 'pluginOptions'> }): AuthOptions {
  return authOptions(catalog.pluginOptions.get('auth') ?? {})
}

function accessIn(given: Json | undefined): readonly Access[] {
  return Array.isArray(given) ? given.flatMap((one) => (isObject(one) ? accessOf(one) : [])) : []
}

function keysIn(given: Json | undefined): AuthOptions['keys'] {
  const { longest = KEYS.longest, for: makers = KEYS.for as Json } = isObject(given) ? given : {}
  return { longestDays: Number.parseInt(String(longest), 10), for: accessIn(makers) }
}

function secondFactorIn(given: Json | undefined): AuthOptions['secondFactor'] {
  const { again, grace, required } = isObject(given) ? given : {}
  const after = isObject(again)
    ? { afterMs: durationMs(String(again.after)) ?? 0, for: textsIn(again.for, []) }
    : undefined
  return {
    required: accessIn(required),
    graceMs: grace === undefined ? 0 : (durationMs(String(grace)) ?? 0),
    again: after,
  }
}

function textsIn(given: Json | undefined, absent: readonly string[]): readonly string[] {
  return Array.isArray(given) ? given.map(String) : absent
}

function sessionIn(given: Json | undefined): AuthOptions['session'] {
  const { idle = SESSION.idle, most = SESSION.most } = isObject(given) ? given : {}
  return { idleMs: durationMs(String(idle)) ?? 0, most: Number(most) }
}

const UNITS = { KB: 1_000, MB: 1_000_000, GB: 1_000_000_000 } as const

function quotaIn(given: Json | undefined): AuthOptions['quota'] {
  if (given === 'off') return undefined
  const { bytes = QUOTA.bytes, records = QUOTA.records } = isObject(given) ? given : {}
  const unit = Object.entries(UNITS).find(([name]) => String(bytes).endsWith(name))
  return { records: Number(records), bytes: Number.parseInt(String(bytes), 10) * (unit?.[1] ?? 1) }
}
