/** Safeguards of an application's files: clauses of policies, guards, rules and moves. */
import type { Access, Catalog, Field, Relation, Resource } from '../catalog/catalog.ts'
import { placeOf, type Span, writtenAt } from '../text/source.ts'

/** A safeguard as written, with the parts of the catalog that it became. */
export interface Safeguard {
  readonly kind: 'clause' | 'read' | 'write' | 'rule' | 'moves' | 'move'
  readonly span: Span
  /** `view: { who: signed_in }`. */
  readonly title: string
  readonly parts: ReadonlySet<object>
}

type Found = Omit<Safeguard, 'parts'> & { readonly part: object }

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
  ])
  const byPlace = new Map<string, Found[]>()
  for (const one of found) {
    const key = keyOf(one)
    byPlace.set(key, [...(byPlace.get(key) ?? []), one])
  }
  return [...byPlace.values()]
    .map(([first, ...others]): Safeguard => {
      const { kind, span, title } = first!
      return { kind, span, title, parts: new Set([first!, ...others].map(({ part }) => part)) }
    })
    .filter(({ span }) => files.has(span.source.file))
    .sort((a, b) => compared(a.span.source.file, b.span.source.file) || a.span.start - b.span.start)
}

function compared(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function clausesOf({ policies }: Resource): readonly Found[] {
  return Object.entries(policies).flatMap(([policy, clauses]) =>
    clauses.map((part) => ({
      kind: 'clause',
      span: part.span,
      title: `${policy}: ${writtenAt(part.span)}`,
      part,
    })),
  )
}

/** A foreign key has the guard of its relation, and a field on another resource's table that of the owner's field. */
function guardsOf(catalog: Catalog, resource: Resource): readonly Found[] {
  const owner = catalog.resources.get(resource.owner) ?? resource
  const guard = (one: Field | Relation, kind: 'read' | 'write', access: readonly Access[] | undefined): Found[] => {
    if (access === undefined) return []
    const { name, span } = writer(owner, one) ?? one
    return [{ kind, span, title: `${kind} of ${name}: ${access.map(written).join(' or ')}`, part: access }]
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

function written(access: Access): string {
  switch (access.kind) {
    case 'permission':
      return access.permission
    case 'role':
      return access.roles.join(', ')
    default:
      return access.kind
  }
}

function rulesOf({ rules, counts, soles, overlaps, moves }: Resource): readonly Found[] {
  // Safeguards from plugins are in no file.
  const isWritten = ({ name, span }: Resource['rules' | 'counts' | 'soles' | 'overlaps'][number]): boolean =>
    span.source.text.startsWith(name, span.start)
  const named = [...rules, ...counts, ...soles, ...overlaps].filter(isWritten).map((part): Found => {
    return { kind: 'rule', span: part.span, title: `rule ${part.name}`, part }
  })
  const allowed = moves.flatMap(({ allow, name }) =>
    allow.map((part): Found => {
      return { kind: 'move', span: part.span, title: `move of ${name}: ${writtenAt(part.span)}`, part }
    }),
  )
  return [
    ...named,
    ...moves.map((part): Found => ({ kind: 'moves', span: part.span, title: `moves of ${part.name}`, part })),
    ...allowed,
  ]
}
