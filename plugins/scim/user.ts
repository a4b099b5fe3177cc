/** Accounts as users of SCIM (RFC 7643, section 4.1), and what a user of SCIM writes into an account. */
import { type Catalog, isObject, type Json, type JsonObject, type ResourceDefinition } from '../../engine/index.ts'
import { refused } from './error.ts'
import { valueAt } from './filter/holds.ts'
import { plainName } from './filter/parse.ts'
import { elementsOf, lowered, type Shape } from './patch.ts'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'

/** What the standard knows of people and accounts do not have: clients may send it, and it is not kept. */
const NOT_KEPT = [
  'nickname',
  'profileurl',
  'title',
  'usertype',
  'preferredlanguage',
  'locale',
  'timezone',
  'phonenumbers',
  'ims',
  'photos',
  'addresses',
  'groups',
  'entitlements',
  'roles',
  'x509certificates',
]

export const USER_SHAPE: Shape = {
  known: ['username', 'externalid', 'name', 'displayname', 'emails', 'active', 'password'],
  several: ['emails'],
  complex: ['name'],
  ignored: (name) => NOT_KEPT.includes(name) || name.startsWith('enterprise'),
}

/** Adds to accounts what a directory calls them. */
export function withScimFields(resource: ResourceDefinition): ResourceDefinition {
  if (resource.resource !== 'users') return resource
  const own = { type: 'string', max: 255, read_only: true, show: 'never' } as const
  return {
    ...resource,
    fields: {
      ...resource.fields,
      scim_user_name: { ...own, description: 'What a directory calls the account, as it is written there' },
      scim_user_key: { ...own, unique: 'exact', description: 'The same in lower case' },
      scim_external_id: { ...own, description: 'The id of the person in a directory' },
    },
    indexes: [...(resource.indexes ?? []), ['scim_external_id']],
  }
}

/** An account as it was read: its record, and what only a directory knows. */
export interface StoredUser {
  readonly record: JsonObject
  readonly userName: string
  readonly externalId: string | null
  readonly groups: readonly JsonObject[]
}

const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== ''

/** An account as SCIM shows it, without `meta`. */
export function shownUser({ externalId, groups, record, userName }: StoredUser): JsonObject {
  const { email, first_name, last_name, name } = record
  return {
    schemas: [USER_SCHEMA],
    id: String(record.id),
    ...(externalId !== null && { externalId }),
    userName,
    ...(isText(name) && {
      name: {
        formatted: name,
        ...(isText(first_name) && { givenName: first_name }),
        ...(isText(last_name) && { familyName: last_name }),
      },
      displayName: name,
    }),
    ...(isText(email) && { emails: [{ value: email, type: 'work', primary: true }] }),
    active: record.status !== 'declined',
    ...(groups.length > 0 && { groups }),
  }
}

/** A user as a client sent it, by attributes in lower case. */
export function sentUser(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) => {
      const name = plainName(key)
      return USER_SHAPE.known.includes(name)
        ? [[name, name === 'name' && isObject(value) ? lowered(value) : value]]
        : []
    }),
  )
}

/** An account as an operation of a PATCH finds it. */
export function draftOf(user: StoredUser): JsonObject {
  return sentUser(shownUser(user))
}

/** What a user of SCIM says about an account. */
export interface Wanted {
  readonly userName: string
  readonly externalId: string | null
  readonly email: string
  readonly names: { readonly first_name: string; readonly last_name: string } | undefined
  readonly isActive: boolean
  readonly password: string | undefined
}

/** Reads a user of SCIM; throws a refusal of the type invalidValue. `before` is the account that it changes. */
export function wantedOf({ resources }: Catalog, draft: JsonObject, before: StoredUser | undefined): Wanted {
  const userName = textIn(draft, 'username')?.trim()
  if (!isText(userName)) throw refused('invalidValue', '"userName" is missing')
  const email = addressIn(draft) ?? (userName.includes('@') ? userName : undefined) ?? before?.record.email
  if (!isText(email))
    throw refused('invalidValue', 'An account needs an address: send "emails", or a "userName" that is one')
  const hasNames = resources.get('users')!.fields.has('first_name')
  return {
    userName,
    email,
    externalId: textIn(draft, 'externalid') ?? null,
    names: hasNames ? namesIn(draft, email, before) : undefined,
    isActive: truthIn(draft, 'active') ?? true,
    password: textIn(draft, 'password'),
  }
}

function textIn(object: JsonObject, name: string): string | undefined {
  const value = valueAt(object, name)
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw refused('invalidValue', `"${name}" must be text`)
  if (value.length > 255) throw refused('invalidValue', `"${name}" has more than 255 characters`)
  return value
}

/** A boolean; some clients write it as text. */
function truthIn(object: JsonObject, name: string): boolean | undefined {
  const value = valueAt(object, name)
  if (value === undefined || value === null) return undefined
  const word = String(value).toLowerCase()
  if (word !== 'true' && word !== 'false') throw refused('invalidValue', `"${name}" must be true or false`)
  return word === 'true'
}

/** The primary address, or the last of those that were sent. */
function addressIn(draft: JsonObject): string | undefined {
  const all = elementsOf(draft.emails).filter((one) => isText(one.value))
  const primary = all.findLast((one) => String(one.primary).toLowerCase() === 'true') ?? all.at(-1)
  return primary === undefined ? undefined : textIn(primary, 'value')
}

function namesIn(draft: JsonObject, email: string, before: StoredUser | undefined) {
  const name = isObject(draft.name) ? draft.name : {}
  const whole = textIn(name, 'formatted') ?? textIn(draft, 'displayname') ?? ''
  const [first = '', ...others] = whole.trim().split(/\s+/)
  const given =
    textIn(name, 'givenname') ??
    (before === undefined ? first || email.split('@')[0]! : String(before.record.first_name))
  const family =
    textIn(name, 'familyname') ?? (before === undefined ? others.join(' ') || '-' : String(before.record.last_name))
  return { first_name: given.slice(0, 100), last_name: family.slice(0, 100) }
}

/** The values of an account that differ from those that it has; all of a new one. */
export function changesFor(wanted: Wanted, before: StoredUser | undefined): JsonObject {
  const { email, isActive, names, password } = wanted
  const record = before?.record ?? {}
  const wasActive = record.status === undefined ? true : record.status !== 'declined'
  const values: JsonObject = {
    email: email.toLowerCase() === String(record.email ?? '').toLowerCase() ? record.email! : email,
    ...names,
  }
  return {
    ...Object.fromEntries(Object.entries(values).filter(([name, value]) => record[name] !== value)),
    ...(wasActive !== isActive && { status: isActive ? 'active' : 'declined' }),
    ...(password !== undefined && { password, password_confirmation: password }),
  }
}
