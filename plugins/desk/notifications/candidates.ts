/** Who is to be told on the occasions of a batch: found, told apart from who is not, and asked what they may see. */
import type { Actor, Json, JsonObject, ListenerContext } from '../../../engine/index.ts'
import type { Audience } from './notice.ts'
import { groupOf, idsAt, isMet, type Lot, namedBy, type Occasion, valuesOf } from './occasion.ts'
import { type People, type Person, peopleOf } from './people.ts'
import type { Plan } from './plan.ts'

/** Somebody who is named on an occasion. */
export interface Candidate {
  readonly lot: Lot
  readonly audience: Audience
  readonly person: Person
  /** Whether it concerns the person, and not just the role. */
  readonly concerned: boolean
  /** What the person reads of the record; undefined: they are not told. */
  readonly seen: Seen | undefined
  /** Why somebody is not told. */
  readonly barred: string | undefined
}

/** Values of the paths of a plan. */
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

/** Everybody who is named, in the order of the lots; each is told once of a lot, by the first entry that reaches them. */
export async function candidatesOf(
  context: Context,
  lots: readonly Lot[],
): Promise<{ readonly candidates: readonly Candidate[]; readonly people: People }> {
  const { people, named } = await namedIn(context, lots)
  const judged = lots.flatMap((lot, at) => judge(lot, named[at]!, people))
  const open = judged.filter(({ barred }) => barred === undefined)
  const actors = await context.actorsOf([...new Set(open.map(({ person }) => person.id))])
  const seen = await seenBy(context, open, new Map(actors.map((actor) => [actor.id ?? 0, actor])))
  const candidates = judged.map((one): Candidate => {
    const found = seen.get(one)
    if (one.barred !== undefined || found?.seen !== undefined) return { ...one, seen: found?.seen }
    return { ...one, seen: undefined, barred: found?.reader === undefined ? ABSENT : UNSEEN }
  })
  return { candidates, people }
}

/** An audience with the accounts that it names. */
interface Named {
  readonly audience: Audience
  readonly ids: readonly number[]
}

type Judged = Omit<Candidate, 'seen'>

async function namedIn(context: Context, lots: readonly Lot[]) {
  const { catalog, options, transaction } = context
  const groups = new Map<string, number>()
  const wanted: Parameters<typeof peopleOf>[1]['groups'][number][] = []
  const met = lots.map((lot) => lot.notice.to.filter((audience) => isMet(lot, audience)))
  for (const audience of met.flat()) {
    const group = groupOf(options, audience)
    const key = JSON.stringify(group ?? null)
    if (group !== undefined && !groups.has(key)) groups.set(key, wanted.push(group) - 1)
  }
  const accounts = lots.flatMap((lot, at) => [
    ...met[at]!.flatMap((audience) => namedBy(lot, audience)),
    ...(lot.notice.copies === undefined ? [] : idsAt(lot, lot.notice.copies.of)),
    ...(lot.occasion.actorId === null ? [] : [lot.occasion.actorId]),
  ])
  const kinds = [...new Set(lots.map(({ notice }) => notice.kind))]
  const people = await peopleOf({ catalog, transaction }, { accounts, groups: wanted, kinds })
  const named = lots.map((lot, at) =>
    met[at]!.map((audience): Named => {
      const group = groupOf(options, audience)
      if (group === undefined) return { audience, ids: namedBy(lot, audience) }
      return { audience, ids: people.members[groups.get(JSON.stringify(group))!] ?? [] }
    }),
  )
  return { people, named }
}

/** Tells who is not told for a reason of the notice's own. */
function judge(lot: Lot, named: readonly Named[], people: People): readonly Judged[] {
  const excepted = new Set(lot.notice.except.flatMap((path) => idsAt(lot, path)))
  const found = new Map<number, Judged>()
  for (const { audience, ids } of named) {
    for (const id of ids) {
      const person = people.byId.get(id)
      const before = found.get(id)
      if (person === undefined || (before !== undefined && before.barred === undefined)) continue
      const isSelf = id === lot.occasion.actorId
      // An entry for who did it is nothing for others.
      if (audience.self && !isSelf) continue
      const barred = isSelf && !audience.self ? MADE : excepted.has(id) ? EXCEPTED : person.live ? undefined : ABSENT
      if (before !== undefined && barred !== undefined) continue
      const own = audience.people === '$record'
      const whole = { ...person, customer: person.customer || own }
      found.set(id, { lot, audience, person: whole, concerned: audience.people !== undefined, barred })
    }
  }
  return [...found.values()]
}

interface Sight {
  readonly reader: Actor | undefined
  readonly seen: Seen | undefined
}

/** What they read of the records, by one statement for each resource. */
async function seenBy(
  { sightings }: Context,
  judged: readonly Judged[],
  actors: ReadonlyMap<number, Actor>,
): Promise<ReadonlyMap<Judged, Sight>> {
  const found = new Map<Judged, Sight>()
  for (const one of judged) found.set(one, { reader: actors.get(one.person.id), seen: undefined })
  for (const plan of new Set(judged.map(({ lot }) => lot.occasion.plan))) {
    const own = judged.filter(({ lot }) => lot.occasion.plan === plan)
    const pairs = pairsOf(plan, own, actors)
    const seen = await sightings(plan.resource.name, [...pathsOf(plan)], [...pairs.values()])
    const byKey = new Map([...pairs.keys()].map((key, at) => [key, seen[at]] as const))
    for (const one of own) {
      const now = byKey.get(keyOf(one, 'to'))
      const before = plan.before.length === 0 ? now : byKey.get(keyOf(one, 'from'))
      if (one.lot.occasion.record === undefined) found.set(one, { ...found.get(one)!, seen: nothingOf(plan) })
      if (now === undefined || before === undefined) continue
      const seenOf = { now: now.slice(0, plan.now.length), before: before.slice(plan.now.length) }
      found.set(one, { ...found.get(one)!, seen: seenOf })
    }
  }
  return found
}

function pathsOf({ before, now }: Plan): readonly string[] {
  return [...now, ...before]
}

function nothingOf({ before, now }: Plan): Seen {
  return { now: now.map(() => null), before: before.map(() => null) }
}

/** Each reader looks at each record once on an occasion, whatever is told of it. */
function keyOf({ lot: { occasion }, person }: Judged, side: 'from' | 'to'): string {
  const { change, record } = occasion
  return `${change === undefined ? `record ${record}` : `change ${change.id}`} ${side} ${person.id}`
}

function pairsOf(plan: Plan, judged: readonly Judged[], actors: ReadonlyMap<number, Actor>) {
  const pairs = new Map<string, Parameters<Context['sightings']>[2][number]>()
  const laid = laidOver(plan)
  for (const one of judged) {
    const { change, record } = one.lot.occasion
    const reader = actors.get(one.person.id)
    if (reader === undefined || record === undefined) continue
    for (const side of plan.before.length === 0 ? (['to'] as const) : (['to', 'from'] as const)) {
      const values = change === undefined ? {} : { values: laid(one.lot.occasion, side) }
      pairs.set(keyOf(one, side), { record, reader, ...values })
    }
  }
  return pairs
}

/** Gives the values of a change that the words can name, found once for all who are told of it. */
function laidOver({ before, now, resource }: Plan): (occasion: Occasion, side: 'from' | 'to') => JsonObject {
  const first = [...now, ...before].map((path) => path.split('.')[0] ?? '')
  const names = first.map((word) => {
    const relation = resource.relations.get(word)
    return relation?.kind === 'belongs_to' ? relation.field.name : word
  })
  const isComputed = names.some((name) => resource.fields.get(name)?.computed !== undefined)
  const known = { from: new Map<Occasion, JsonObject>(), to: new Map<Occasion, JsonObject>() }
  return (occasion, side) => {
    const found = known[side].get(occasion)
    if (found !== undefined) return found
    const named = Object.entries(valuesOf(occasion, side)).filter(([name]) => isComputed || names.includes(name))
    const values = Object.fromEntries(named)
    known[side].set(occasion, values)
    return values
  }
}
