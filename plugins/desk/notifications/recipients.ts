/** Recipients of the notifications of a batch: finds them, excludes some with a reason, and reads what each may see. */
import type { Actor, Json, JsonObject, ListenerContext } from '../../../engine/index.ts'
import { groupOf, idsAt, isMet, type Match, type NotificationEvent, namedBy, valuesOf } from './event.ts'
import type { Audience } from './notification-rule.ts'
import { type People, type Person, peopleOf } from './people.ts'
import type { RuleSet } from './rule-set.ts'

/** A person whom a matching rule names. */
export interface Recipient {
  readonly match: Match
  readonly audience: Audience
  readonly person: Person
  /** Whether it concerns the person, and not just the role. */
  readonly concerned: boolean
  /** The values that the person may read; undefined: the person is not told. */
  readonly seen: Seen | undefined
  /** The reason why the person is not told. */
  readonly excluded: string | undefined
}

/** The values at the paths of a rule set. */
export interface Seen {
  readonly now: readonly Json[]
  readonly before: readonly Json[]
}

export type Context = Pick<
  ListenerContext,
  'actorsOf' | 'catalog' | 'options' | 'settings' | 'sightings' | 'survey' | 'transaction'
>

const MADE = 'made the change'
const EXCEPTED = 'is named under except'
const ABSENT = 'may not see it, or may not sign in'
const UNSEEN = 'may not see the record'

/** All recipients, in the order of the matches. A person who several entries of a rule name is told by the first one. */
export async function recipientsOf(
  context: Context,
  matches: readonly Match[],
): Promise<{ readonly recipients: readonly Recipient[]; readonly people: People }> {
  const { people, named } = await namedIn(context, matches)
  const judged = matches.flatMap((match, at) => judge(match, named[at]!, people))
  const open = judged.filter(({ excluded }) => excluded === undefined)
  const actors = await context.actorsOf([...new Set(open.map(({ person }) => person.id))])
  const seen = await seenBy(context, open, new Map(actors.map((actor) => [actor.id ?? 0, actor])))
  const recipients = judged.map((one): Recipient => {
    const found = seen.get(one)
    if (one.excluded !== undefined || found?.seen !== undefined) return { ...one, seen: found?.seen }
    return { ...one, seen: undefined, excluded: found?.reader === undefined ? ABSENT : UNSEEN }
  })
  return { recipients, people }
}

/** An audience with the accounts that it names. */
interface Named {
  readonly audience: Audience
  readonly ids: readonly number[]
}

type Judged = Omit<Recipient, 'seen'>

async function namedIn(context: Context, matches: readonly Match[]) {
  const { catalog, options, transaction } = context
  const groups = new Map<string, number>()
  const wanted: Parameters<typeof peopleOf>[1]['groups'][number][] = []
  const met = matches.map((match) => match.rule.to.filter((audience) => isMet(match, audience)))
  for (const audience of met.flat()) {
    const group = groupOf(options, audience)
    const key = JSON.stringify(group ?? null)
    if (group !== undefined && !groups.has(key)) groups.set(key, wanted.push(group) - 1)
  }
  const accounts = matches.flatMap((match, at) => [
    ...met[at]!.flatMap((audience) => namedBy(match, audience)),
    ...(match.rule.copies === undefined ? [] : idsAt(match, match.rule.copies.of)),
    ...(match.event.actorId === null ? [] : [match.event.actorId]),
  ])
  const kinds = [...new Set(matches.map(({ rule }) => rule.kind))]
  const people = await peopleOf({ catalog, transaction }, { accounts, groups: wanted, kinds })
  const named = matches.map((match, at) =>
    met[at]!.map((audience): Named => {
      const group = groupOf(options, audience)
      if (group === undefined) return { audience, ids: namedBy(match, audience) }
      return { audience, ids: people.members[groups.get(JSON.stringify(group))!] ?? [] }
    }),
  )
  return { people, named }
}

/** Judges the accounts of a match by the rule itself; what they may see comes later. */
function judge(match: Match, named: readonly Named[], people: People): readonly Judged[] {
  const excepted = new Set(match.rule.except.flatMap((path) => idsAt(match, path)))
  const found = new Map<number, Judged>()
  for (const { audience, ids } of named) {
    for (const id of ids) {
      const person = people.byId.get(id)
      const before = found.get(id)
      if (person === undefined || (before !== undefined && before.excluded === undefined)) continue
      const isSelf = id === match.event.actorId
      // `self` entries are for the person who made the change.
      if (audience.self && !isSelf) continue
      const excluded = isSelf && !audience.self ? MADE : excepted.has(id) ? EXCEPTED : person.live ? undefined : ABSENT
      if (before !== undefined && excluded !== undefined) continue
      const own = audience.people === '$record'
      const whole = { ...person, customer: person.customer || own }
      found.set(id, { match, audience, person: whole, concerned: audience.people !== undefined, excluded })
    }
  }
  return [...found.values()]
}

interface View {
  readonly reader: Actor | undefined
  readonly seen: Seen | undefined
}

/** What each recipient may read of the record, by one statement for each resource. */
async function seenBy(
  { sightings }: Context,
  judged: readonly Judged[],
  actors: ReadonlyMap<number, Actor>,
): Promise<ReadonlyMap<Judged, View>> {
  const found = new Map<Judged, View>()
  for (const one of judged) found.set(one, { reader: actors.get(one.person.id), seen: undefined })
  for (const ruleSet of new Set(judged.map(({ match }) => match.event.ruleSet))) {
    const own = judged.filter(({ match }) => match.event.ruleSet === ruleSet)
    const pairs = pairsOf(ruleSet, own, actors)
    const seen = await sightings(ruleSet.resource.name, [...pathsOf(ruleSet)], [...pairs.values()])
    const byKey = new Map([...pairs.keys()].map((key, at) => [key, seen[at]] as const))
    for (const one of own) {
      const now = byKey.get(keyOf(one, 'to'))
      const before = ruleSet.before.length === 0 ? now : byKey.get(keyOf(one, 'from'))
      if (one.match.event.record === undefined) found.set(one, { ...found.get(one)!, seen: nothingOf(ruleSet) })
      if (now === undefined || before === undefined) continue
      const seenOf = { now: now.slice(0, ruleSet.now.length), before: before.slice(ruleSet.now.length) }
      found.set(one, { ...found.get(one)!, seen: seenOf })
    }
  }
  return found
}

function pathsOf({ before, now }: RuleSet): readonly string[] {
  return [...now, ...before]
}

function nothingOf({ before, now }: RuleSet): Seen {
  return { now: now.map(() => null), before: before.map(() => null) }
}

/** Rules of one event share what a person reads of its record. */
function keyOf({ match: { event }, person }: Judged, side: 'from' | 'to'): string {
  const { change, record } = event
  return `${change === undefined ? `record ${record}` : `change ${change.id}`} ${side} ${person.id}`
}

function pairsOf(ruleSet: RuleSet, judged: readonly Judged[], actors: ReadonlyMap<number, Actor>) {
  const pairs = new Map<string, Parameters<Context['sightings']>[2][number]>()
  const changed = changedValues(ruleSet)
  for (const one of judged) {
    const { change, record } = one.match.event
    const reader = actors.get(one.person.id)
    if (reader === undefined || record === undefined) continue
    for (const side of ruleSet.before.length === 0 ? (['to'] as const) : (['to', 'from'] as const)) {
      const values = change === undefined ? {} : { values: changed(one.match.event, side) }
      pairs.set(keyOf(one, side), { record, reader, ...values })
    }
  }
  return pairs
}

/** The values of a change that wordings can name; recipients of one event share them. */
function changedValues({
  before,
  now,
  resource,
}: RuleSet): (event: NotificationEvent, side: 'from' | 'to') => JsonObject {
  const first = [...now, ...before].map((path) => path.split('.')[0] ?? '')
  const names = first.map((word) => {
    const relation = resource.relations.get(word)
    return relation?.kind === 'belongs_to' ? relation.field.name : word
  })
  const isComputed = names.some((name) => resource.fields.get(name)?.computed !== undefined)
  const known = { from: new Map<NotificationEvent, JsonObject>(), to: new Map<NotificationEvent, JsonObject>() }
  return (event, side) => {
    const found = known[side].get(event)
    if (found !== undefined) return found
    const named = Object.entries(valuesOf(event, side)).filter(([name]) => isComputed || names.includes(name))
    const values = Object.fromEntries(named)
    known[side].set(event, values)
    return values
  }
}
