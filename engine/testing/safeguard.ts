/** What an application's files say that scenarios can try: clauses, guards, rules, moves, their conditions, and consequences. */
import type { Access, Catalog, Clause, Field, Move, Moves, Relation, Resource } from '../catalog/catalog.ts'
import type { Changes } from '../catalog/without.ts'
import { placeOf, type Span, writtenAt } from '../text/source.ts'
import { accessIn, accessWords, conditionsIn, type Found } from './conditions.ts'
import { consequencesOf } from './consequence.ts'

/** A safeguard as written, with the parts of the catalog that it became. */
export interface Safeguard {
  readonly kind: string
  readonly span: Span
  /** `view: { who: signed_in }`. */
  readonly title: string
  /** The scenarios that exercise one of them have tried it. */
  readonly parts: ReadonlySet<object>
  /** The catalog without it. */
  readonly without: Changes
}

/** The key of a safeguard in every catalog of the same files. */
export function keyOf({ span, kind }: Pick<Safeguard, 'span' | 'kind'>): string {
  return `${placeOf(span)} ${kind}`
}

/** The safeguards of these files, in the order of files and lines. */
export function safeguardsOf(catalog: Catalog, files: ReadonlySet<string>): readonly Safeguard[] {
  const found = [...catalog.resources.values()].flatMap((resource) => [
    ...clausesOf(resource),
    ...guardsOf(catalog, resource),
    ...rulesOf(resource),
    ...consequencesOf(resource),
    ...selectionsOf(resource),
  ])
  const byPlace = new Map<string, Found[]>()
  for (const one of found) {
    const key = keyOf(one)
    byPlace.set(key, [...(byPlace.get(key) ?? []), one])
  }
  return [...byPlace.values()]
    .map(([first, ...others]): Safeguard => {
      const { kind, span, title } = first!
      const all = [first!, ...others]
      const without = new Map(all.flatMap((one) => [...one.without]))
      return { kind, span, title, parts: new Set(all.map(({ part }) => part)), without }
    })
    .filter(({ span }) => files.has(span.source.file))
    .sort((a, b) => compared(a.span.source.file, b.span.source.file) || a.span.start - b.span.start)
}

function compared(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** A part that can be missing. */
function part(kind: string, span: Span, title: string, one: object): Found {
  return { kind, span, title, part: one, without: new Map([[one, 'nothing']]) }
}

const ANYONE: readonly Access[] = [{ kind: 'anyone' }]

function clausesOf({ policies }: Resource): readonly Found[] {
  return Object.entries(policies).flatMap(([policy, clauses]) =>
    clauses.flatMap((clause): readonly Found[] => {
      const { access, fields, set, span, where } = clause
      const title = `${policy}: ${writtenAt(span)}`
      const holder = { of: clause, span, title: policy }
      return [
        part('clause', span, title, clause),
        ...accessIn(access, ANYONE, { ...holder, key: 'access', part: access }),
        ...conditionsIn(where, { ...holder, key: 'where', part: where ?? clause, whole: true }),
        ...narrowingOf(clause, policy),
        ...(fields === undefined
          ? []
          : [
              {
                ...part('fields', span, `fields of ${title}`, clause),
                without: new Map([[clause, { fields: undefined }]]),
              },
            ]),
        ...set.map((one, index) => ({
          ...part(`set ${index}`, span, `set of ${policy}: ${one.field.relation ?? one.field.name}`, one),
          part: clause,
        })),
      ]
    }),
  )
}

/** The condition by which another file narrows a clause: the same one in each clause of the policy. */
function narrowingOf(clause: Clause, policy: string): readonly Found[] {
  const { span, where, wheres = [] } = clause
  const isElsewhere = ({ source, start, end }: Span): boolean =>
    source.file !== span.source.file || start < span.start || end > span.end
  return wheres.flatMap((place, index) => {
    if (where === undefined || !isElsewhere(place)) return []
    const isWhole = wheres.length === 1
    const own = isWhole ? where : where.kind === 'and' ? where.of[index] : undefined
    const left = isWhole
      ? { of: clause, instead: { where: undefined } }
      : { of: own ?? clause, instead: 'nothing' as const }
    const holder = { of: clause, key: 'and', span: place, title: policy, part: where, whole: true, left }
    return conditionsIn(own, holder)
  })
}

/** The conditions of the resource itself and of its relations: which records there are, or may be chosen. */
function selectionsOf(resource: Resource): readonly Found[] {
  const { name, relations, scope, span } = resource
  const part = resource
  return [
    ...conditionsIn(scope, { of: resource, key: 'scope', span, title: name, part, whole: true }),
    ...[...relations.values()].flatMap((one) =>
      conditionsIn(one.where, { of: one, key: 'where', span: one.span, title: one.name, part, whole: true }),
    ),
  ]
}

/** A foreign key has the guard of its relation, and a field on another resource's table that of the owner's field. */
function guardsOf(catalog: Catalog, resource: Resource): readonly Found[] {
  const owner = catalog.resources.get(resource.owner) ?? resource
  const guard = (one: Field | Relation, kind: 'read' | 'write', access: readonly Access[] | undefined): Found[] => {
    if (access === undefined) return []
    const { name, span } = writer(owner, one) ?? one
    return [part(kind, span, `${kind} of ${name}: ${access.map(accessWords).join(' or ')}`, access)]
  }
  return [...resource.fields.values(), ...resource.relations.values()].flatMap((one) => [
    ...guard(one, 'read', one.read),
    ...('write' in one ? guard(one, 'write', one.write) : []),
  ])
}

function writer({ fields, relations }: Resource, one: Field | Relation): Field | Relation | undefined {
  const field = fields.get(one.name)
  const relation = relations.get(field?.relation ?? one.name)
  return relation ?? field
}

function rulesOf(resource: Resource): readonly Found[] {
  const { rules, counts, soles, overlaps, moves } = resource
  // Safeguards from plugins are in no file.
  const isWritten = ({ name, span }: Resource['rules' | 'counts' | 'soles' | 'overlaps'][number]): boolean =>
    span.source.text.startsWith(name, span.start)
  const named = [...rules, ...counts, ...soles, ...overlaps].filter(isWritten)
  const conditions = [
    ...rules
      .filter(isWritten)
      .flatMap((rule) => [
        ...conditionsIn(rule.when, { ...holderOf(rule), key: 'when', whole: true }),
        ...conditionsIn(rule.must, { ...holderOf(rule), key: 'must', whole: false }),
      ]),
    ...counts
      .filter(isWritten)
      .flatMap((rule) => conditionsIn(rule.where, { ...holderOf(rule), key: 'where', whole: true })),
  ]
  return [
    ...named.map((rule) => part('rule', rule.span, `rule ${rule.name}`, rule)),
    ...conditions,
    ...moves.map((one) => part('moves', one.span, `moves of ${one.name}`, one)),
    ...moves.flatMap((one) => one.allow.flatMap((move) => waysOf(one, move))),
  ]
}

function holderOf(rule: Resource['rules' | 'counts'][number]) {
  return { of: rule, span: rule.span, title: `rule ${rule.name}`, part: rule }
}

function waysOf(moves: Moves, move: Move): readonly Found[] {
  const { access, span } = move
  const title = `move of ${moves.name}: ${writtenAt(span)}`
  const ends = (['from', 'to'] as const).filter(
    (key) => move[key] !== undefined && isWider(moves, { ...move, [key]: undefined }),
  )
  return [
    part('move', span, title, move),
    ...accessIn(access, [], { of: move, key: 'access', span, title, part: move }),
    ...ends.map((key) => ({
      ...part(key, span, `"${key}" of ${title}`, move),
      without: new Map([[move, { [key]: undefined }]]),
    })),
  ]
}

/** Whether a move allows something that no move for everybody does. */
function isWider({ allow, words }: Moves, wider: Move): boolean {
  if (words === undefined) return true
  const has = (ends: Move['from'], word: string): boolean => ends === undefined || ends.has(word)
  const known = (from: string, to: string): boolean =>
    allow.some((one) => (one.access.length === 0 || one.span === wider.span) && has(one.from, from) && has(one.to, to))
  return words.some((from) =>
    words.some((to) => from !== to && has(wider.from, from) && has(wider.to, to) && !known(from, to)),
  )
}
