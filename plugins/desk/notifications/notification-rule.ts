/** A notification rule, read from YAML once: whom to notify, when, and in which words. */
import {
  type Catalog,
  type ChangeCondition,
  isObject,
  type Json,
  type JsonObject,
  type Resource,
  readChangeCondition,
} from '../../../engine/index.ts'
import { kindOf } from './kinds.ts'
import { type Wording, wordingOf } from './wording.ts'

/** Conditions in addition to the write itself. */
export interface Conditions {
  readonly when: ChangeCondition | undefined
  /** Paths to people: one of `by` must have made the change, and none of `notBy`. */
  readonly by: readonly string[]
  readonly notBy: readonly string[]
}

/** An entry of `to`: some of the people to notify, with their wording. */
export interface Audience extends Conditions {
  /** A path of relations to accounts, or `$record`: the account that the record is. */
  readonly people: string | undefined
  readonly only: string | undefined
  /** Roles, or `unassigned` for the roles of the option of this name. */
  readonly roles: readonly string[] | 'unassigned'
  readonly permission: string | null
  /** Whether the entry is for the person who made the change, whom no other entry tells. */
  readonly self: boolean
  readonly listed: boolean
  readonly wording: Wording
}

/** People without an account, who get a copy by mail. */
export interface Copies extends Conditions {
  readonly of: string
  readonly to: readonly string[]
  readonly shows: readonly string[]
}

export interface NotificationRule extends Conditions {
  readonly kind: string
  readonly to: readonly Audience[]
  readonly except: readonly string[]
  readonly copies: Copies | undefined
  /** The path to the ticket of the record; empty where the record is the ticket, undefined without one. */
  readonly ticket: string | undefined
  /** Whether people who made no choice get it by mail; undefined: the option `mail` decides. */
  readonly mail: boolean | undefined
  readonly data: Readonly<Record<string, string>>
}

/** A path to the record itself, where the record is an account. */
export const RECORD = '$record'

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value]
}

/** Reads a rule that the schema and `ruleMistakes` have accepted. */
export function ruleOf(catalog: Catalog, resource: Resource, given: JsonObject, name: string): NotificationRule {
  return {
    ...conditionsOf(catalog, resource, given),
    kind: kindOf(given, name),
    to: listOf(given.to).map((entry) => audienceOf(catalog, resource, given, entry)),
    except: listOf(given.except).map(String),
    copies: isObject(given.copies) ? copiesOf(catalog, resource, given.copies) : undefined,
    ticket: ticketOf(resource, given.about),
    mail: typeof given.mail === 'boolean' ? given.mail : undefined,
    data: dataIn(given),
  }
}

function conditionsOf(catalog: Catalog, resource: Resource, given: JsonObject): Conditions {
  const read = given.when === undefined ? undefined : readChangeCondition(catalog, resource, given.when)
  return { when: read?.condition, by: listOf(given.by).map(String), notBy: listOf(given.not_by).map(String) }
}

function audienceOf(catalog: Catalog, resource: Resource, given: JsonObject, entry: Json): Audience {
  const own = isObject(entry) ? entry : { people: entry }
  const { only, people, permission, roles } = own
  return {
    ...conditionsOf(catalog, resource, own),
    people: typeof people === 'string' ? people : undefined,
    only: typeof only === 'string' ? only : undefined,
    roles: roles === 'unassigned' ? roles : listOf(roles).map(String),
    permission: typeof permission === 'string' ? permission : null,
    self: own.self === true,
    listed: own.list !== false,
    wording: wordingOf(given, entry),
  }
}

function copiesOf(catalog: Catalog, resource: Resource, copies: JsonObject): Copies {
  const { of, shows, to } = copies
  return {
    ...conditionsOf(catalog, resource, copies),
    of: String(of),
    to: listOf(to).map(String),
    shows: listOf(shows).map(String),
  }
}

/** The paths under `data`, by the name under which programs read their values. */
export function dataIn({ data }: JsonObject): Readonly<Record<string, string>> {
  return isObject(data) ? Object.fromEntries(Object.entries(data).map(([name, path]) => [name, String(path)])) : {}
}

/** The path to the ticket of a record: `about`, or the record itself, or its relation `ticket`. */
export function ticketOf({ owner, relations }: Resource, about: Json | undefined): string | undefined {
  if (typeof about === 'string') return about
  if (owner === 'tickets') return ''
  const relation = relations.get('ticket')
  return relation?.kind === 'belongs_to' && relation.target === 'tickets' ? 'ticket' : undefined
}
