/** What has to be known of records to tell of them: asked of all records of a batch at once. */
import type { Catalog, ChangeCondition, Resource, Survey } from '../../../engine/index.ts'
import { type AddressPaths, addressesAt } from './addresses.ts'
import type { Conditions, Notice } from './notice.ts'
import { RECORD } from './notice.ts'
import { pathsOf, type Wording } from './wording.ts'

export interface Plan {
  readonly resource: Resource
  readonly notices: readonly Notice[]
  readonly survey: Survey
  /** Where the answers of the survey stand. */
  readonly conditions: ReadonlyMap<ChangeCondition, number>
  readonly ways: ReadonlyMap<string, number>
  readonly values: ReadonlyMap<string, number>
  /** What is read as each reader sees it: of the record as a change left it, and as it was before. */
  readonly now: readonly string[]
  readonly before: readonly string[]
  /** What each wording names. */
  readonly named: ReadonlyMap<Wording, readonly string[]>
  /** Whom each notice is copied to. */
  readonly addresses: ReadonlyMap<Notice, readonly AddressPaths[]>
}

const BEFORE = /^before\./

/** The plan of what is told of a resource. */
export function planOf(catalog: Catalog, resource: Resource, notices: readonly Notice[]): Plan {
  const place = { catalog, resource }
  const all: readonly Conditions[] = notices.flatMap((one) => [one, ...one.to, ...(one.copies ? [one.copies] : [])])
  const conditions = all.flatMap(({ when }) => when ?? [])
  const ways = [...all.flatMap(({ by, notBy }) => [...by, ...notBy]), ...notices.flatMap(peopleIn)]
  const addresses = new Map(notices.map((one) => [one, addressesOf(catalog, resource, one)]))
  const wordings = notices.flatMap(({ to }) => to.map(({ wording }) => wording))
  const named = new Map(wordings.map((wording) => [wording, pathsOf(place, wording)]))
  const read = [...named.values()].flat()
  const facts = notices.flatMap((one) => [...ticketPaths(one), ...Object.values(one.data)])
  const shown = notices.flatMap((one) =>
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
    notices,
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

function peopleIn({ copies, except, to }: Notice): readonly string[] {
  return [
    ...except,
    ...to.flatMap(({ only, people }) => [only ?? [], people ?? []].flat()),
    ...(copies ? [copies.of] : []),
  ]
}

function addressesOf(catalog: Catalog, resource: Resource, { copies }: Notice): readonly AddressPaths[] {
  return (copies?.to ?? []).flatMap((path) => {
    const found = addressesAt({ catalog, resource }, path)
    return 'message' in found ? [] : [found]
  })
}

function pathsTo({ address, firstName }: AddressPaths): readonly string[] {
  return firstName === undefined ? [address] : [address, firstName]
}

/** The paths to what is said of the ticket: its id, its number and its subject. */
export function ticketPaths({ ticket }: Pick<Notice, 'ticket'>): readonly string[] {
  if (ticket === undefined) return []
  const path = ticket === '' ? '' : `${ticket}.`
  return [`${path}id`, `${path}uid`, `${path}subject`]
}

function placesOf<T>(all: readonly T[]): ReadonlyMap<T, number> {
  return new Map(all.map((one, at) => [one, at]))
}
