/** The notification rules of a resource, with everything that they read of a record: a batch of records is asked once. */
import type { Catalog, ChangeCondition, Resource, Survey } from '../../../engine/index.ts'
import { type AddressPaths, addressesAt } from './addresses.ts'
import type { Conditions, NotificationRule } from './notification-rule.ts'
import { RECORD } from './notification-rule.ts'
import { pathsOf, type Wording } from './wording.ts'

export interface RuleSet {
  readonly resource: Resource
  readonly rules: readonly NotificationRule[]
  readonly survey: Survey
  /** Positions in the findings of the survey. */
  readonly conditions: ReadonlyMap<ChangeCondition, number>
  readonly ways: ReadonlyMap<string, number>
  readonly values: ReadonlyMap<string, number>
  /** Paths that are read as each recipient sees them: of the record after the change, and before it. */
  readonly now: readonly string[]
  readonly before: readonly string[]
  /** The paths that each wording names. */
  readonly named: ReadonlyMap<Wording, readonly string[]>
  /** The addresses that get copies, by rule. */
  readonly addresses: ReadonlyMap<NotificationRule, readonly AddressPaths[]>
}

const BEFORE = /^before\./

/** Makes the rule set of a resource. */
export function ruleSetOf(catalog: Catalog, resource: Resource, rules: readonly NotificationRule[]): RuleSet {
  const place = { catalog, resource }
  const all: readonly Conditions[] = rules.flatMap((one) => [one, ...one.to, ...(one.copies ? [one.copies] : [])])
  const conditions = all.flatMap(({ when }) => when ?? [])
  const ways = [...all.flatMap(({ by, notBy }) => [...by, ...notBy]), ...rules.flatMap(peopleIn)]
  const addresses = new Map(rules.map((one) => [one, addressesOf(catalog, resource, one)]))
  const wordings = rules.flatMap(({ to }) => to.map(({ wording }) => wording))
  const named = new Map(wordings.map((wording) => [wording, pathsOf(place, wording)]))
  const read = [...named.values()].flat()
  const facts = rules.flatMap((one) => [...ticketPaths(one), ...Object.values(one.data)])
  const shown = rules.flatMap((one) =>
    one.copies === undefined
      ? []
      : [...one.copies.shows, ...(addresses.get(one) ?? []).flatMap(pathsTo), ...ticketPaths(one)],
  )
  const survey: Survey = {
    conditions: [...new Set(conditions)],
    ways: [...new Set(ways)].filter((way) => way !== RECORD),
    values: [...new Set(shown)].filter((path) => !BEFORE.test(path)),
  }
  return {
    resource,
    rules,
    survey,
    conditions: placesOf(survey.conditions),
    ways: placesOf(survey.ways),
    values: placesOf(survey.values),
    now: [...new Set([...read.filter((path) => !BEFORE.test(path)), ...facts])],
    before: [...new Set(read.filter((path) => BEFORE.test(path)).map((path) => path.replace(BEFORE, '')))],
    named,
    addresses,
  }
}

function peopleIn({ copies, except, to }: NotificationRule): readonly string[] {
  return [
    ...except,
    ...to.flatMap(({ only, people }) => [only ?? [], people ?? []].flat()),
    ...(copies ? [copies.of] : []),
  ]
}

function addressesOf(catalog: Catalog, resource: Resource, { copies }: NotificationRule): readonly AddressPaths[] {
  return (copies?.to ?? []).flatMap((path) => {
    const found = addressesAt({ catalog, resource }, path)
    return 'message' in found ? [] : [found]
  })
}

function pathsTo({ address, firstName }: AddressPaths): readonly string[] {
  return firstName === undefined ? [address] : [address, firstName]
}

/** The paths to the id, the number and the subject of the ticket. */
export function ticketPaths({ ticket }: Pick<NotificationRule, 'ticket'>): readonly string[] {
  if (ticket === undefined) return []
  const path = ticket === '' ? '' : `${ticket}.`
  return [`${path}id`, `${path}uid`, `${path}subject`]
}

function placesOf<T>(all: readonly T[]): ReadonlyMap<T, number> {
  return new Map(all.map((one, at) => [one, at]))
}
