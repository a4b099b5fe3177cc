/** Mistakes in notification rules: people, conditions and texts that do not exist, each at its place in the YAML. */
import {
  type ActionMistake,
  type ActionPlace,
  type ChangeCondition,
  endOf,
  isObject,
  type Json,
  type JsonObject,
  nearest,
  type Resource,
  readChangeCondition,
  relatedPath,
  wayOf,
} from '../../../engine/index.ts'
import { readWords } from '../../mail/index.ts'
import { addressesAt } from './addresses.ts'
import { dataIn, listOf, RECORD, ticketOf } from './notification-rule.ts'
import { ticketPaths } from './rule-set.ts'
import { EXTRA_NAMES, pathsOf, STATES, wordingOf, wordMistakes } from './wording.ts'

/** The place of a rule. With `ofChange` a change causes the notification, so the record has values from before. */
export interface RulePlace extends Pick<ActionPlace, 'catalog' | 'resource'> {
  readonly ofChange: boolean
}

type Mistake = Omit<ActionMistake, 'at'>
type At = readonly (string | number)[]

/** Judges everything that the schema cannot. */
export function ruleMistakes(given: JsonObject, place: RulePlace): readonly ActionMistake[] {
  return [
    ...conditionMistakes(given, place, []),
    ...each(given.to, ['to'], (entry, at) => entryMistakes(entry, place, at)),
    ...each(given.except, ['except'], (entry, at) => placed(peopleMistake(place, String(entry)), at)),
    ...wordMistakes(place, given, place.ofChange),
    ...aboutMistakes(given, place),
    ...copyMistakes(given, place),
    ...Object.entries(dataIn(given)).flatMap(([name, path]) =>
      readWords(place, `{{ ${path} }}`).mistakes.map((mistake) => ({ ...mistake, at: ['data', name] })),
    ),
  ]
}

function each(
  value: Json | undefined,
  at: At,
  judge: (entry: Json, at: At) => readonly ActionMistake[],
): readonly ActionMistake[] {
  return listOf(value).flatMap((entry, index) => judge(entry, Array.isArray(value) ? [...at, index] : at))
}

function placed(mistake: Mistake | undefined, at: At): readonly ActionMistake[] {
  return mistake === undefined ? [] : [{ ...mistake, at }]
}

function entryMistakes(entry: Json, place: RulePlace, at: At): readonly ActionMistake[] {
  if (!isObject(entry)) return placed(peopleMistake(place, String(entry)), at)
  const { only } = entry
  return [
    ...placed(audienceMistake(place, entry), at),
    ...(typeof only === 'string' ? placed(peopleMistake(place, only), [...at, 'only']) : []),
    ...conditionMistakes(entry, place, at),
    ...wordMistakes(place, entry, place.ofChange).map((one) => ({ ...one, at: [...at, ...(one.at ?? [])] })),
  ]
}

/** An entry must name people, roles or a permission that exist. */
function audienceMistake(place: RulePlace, { people, permission, roles }: JsonObject): Mistake | undefined {
  const { catalog } = place
  const named = listOf(roles).map(String)
  if (people === undefined) {
    if (named.length === 0 && permission === undefined)
      return { message: 'This names nobody', expected: ['people', 'roles', 'permission'] }
    const known = catalog.accounts?.roles
    const unknown = roles === 'unassigned' ? undefined : named.find((role) => known?.has(role) === false)
    if (unknown !== undefined) return { message: `There is no role "${unknown}"`, expected: [...(known ?? [])] }
    if (permission === undefined || catalog.permissions.has(String(permission))) return undefined
    return { message: `There is no permission "${permission}"` }
  }
  if (named.length > 0 || permission !== undefined)
    return { message: '"people" does not go with "roles" and "permission"', hint: 'write two entries' }
  return peopleMistake(place, String(people))
}

/** A path to people must lead to accounts. */
function peopleMistake({ catalog, resource }: RulePlace, path: string): Mistake | undefined {
  const isAccount = ({ owner }: Resource): boolean =>
    owner === catalog.resources.get(catalog.accounts?.resource ?? '')?.owner
  if (path === RECORD)
    return isAccount(resource) ? undefined : { message: `A record of "${resource.name}" is no account` }
  try {
    const target = endOf(catalog, resource, wayOf(catalog, resource, path))
    return isAccount(target) ? undefined : { message: `"${path}" leads to ${target.name}, which are no accounts` }
  } catch {
    return { message: `"${path}" leads nowhere from "${resource.name}"`, hint: 'name a relation to accounts' }
  }
}

function conditionMistakes(given: JsonObject, place: RulePlace, at: At): readonly ActionMistake[] {
  const people = (['by', 'not_by'] as const).flatMap((key) =>
    each(given[key], [...at, key], (path, inner) => placed(peopleMistake(place, String(path)), inner)),
  )
  if (given.when === undefined) return people
  const { problems = [], condition } = readChangeCondition(place.catalog, place.resource, given.when)
  const before = !place.ofChange && condition !== undefined && kindsIn(condition).includes('before')
  const hint = 'write it under notify of the resource, which hears of each change'
  return [
    ...people,
    ...problems.map((one) => ({ ...one, at: [...at, 'when', ...one.at] })),
    ...(before ? [{ message: 'An automation knows nothing of before the change', hint, at: [...at, 'when'] }] : []),
  ]
}

function kindsIn(condition: ChangeCondition): readonly string[] {
  if (condition.kind === 'not') return kindsIn(condition.of)
  return condition.kind === 'all' || condition.kind === 'any' ? condition.of.flatMap(kindsIn) : [condition.kind]
}

function aboutMistakes({ about }: JsonObject, { catalog, resource }: RulePlace): readonly ActionMistake[] {
  if (typeof about !== 'string') return []
  try {
    const { many, relations } = relatedPath(catalog, resource, about)
    if (many === undefined && relations.at(-1)?.target === 'tickets') return []
  } catch {
    // The path leads nowhere: the mistake below says so.
  }
  return [{ message: `"${about}" leads to no ticket`, at: ['about'], hint: 'name relations to one ticket' }]
}

function copyMistakes(given: JsonObject, place: RulePlace): readonly ActionMistake[] {
  const { copies } = given
  if (!isObject(copies)) return []
  const shows = listOf(copies.shows).map(String)
  const entries = listOf(given.to)
  const copied = entries.filter((entry) => (isObject(entry) ? entry.people : entry) === copies.of)
  const names = entries.map((entry) => String(isObject(entry) ? (entry.people ?? '') : entry)).filter(Boolean)
  const near = nearest(String(copies.of), names)
  // The subject of a mail names the ticket.
  const ticket = aboutMistakes(given, place).length > 0 ? undefined : ticketOf(place.resource, given.about)
  const subject = ticketPaths({ ticket }).slice(1)
  const named = [...copied.flatMap((entry) => pathsOf(place, wordingOf(given, entry))), ...subject]
  const unread = named.filter((one) => !shows.includes(one))
  return [
    ...(copied.length > 0
      ? []
      : [
          {
            message: `No entry of "to" tells "${copies.of}", so there are no words to copy`,
            at: ['copies', 'of'],
            ...(near === undefined ? { expected: names } : { hint: `did you mean "${near}"?` }),
          },
        ]),
    ...each(copies.to, ['copies', 'to'], (path, at) => {
      const found = addressesAt(place, String(path))
      return 'message' in found ? [{ ...found, at }] : []
    }),
    ...each(copies.shows, ['copies', 'shows'], (path, at) =>
      readWords(place, `{{ ${path} }}`, EXTRA_NAMES, STATES).mistakes.map((mistake) => ({ ...mistake, at })),
    ),
    ...[...new Set(unread)].map((path) => ({
      message: `A recipient without an account may not read "${path}"`,
      hint: `name it under shows: [${[...shows, path].join(', ')}]`,
      at: ['copies', 'shows'],
    })),
    ...conditionMistakes(copies, place, ['copies']),
  ]
}
