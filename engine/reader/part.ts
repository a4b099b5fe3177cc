/** The part of a resource for one class of callers: what they may read, ask for and write. */
import type { Actor } from '../actor.ts'
import type { Asker } from '../ask/askable.ts'
import { askedWords } from '../ask/filter-parameters.ts'
import { allowsOne, clausesFor, filterable, reach, readable, readableEntry } from '../ask/policy.ts'
import type { Catalog, Clause, EmbedEntry, Field, FieldPath, Relation, Resource } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import type { PolicyName } from '../definition/definition.ts'
import { isWritable } from '../record/decode.ts'

type SpecialOf = Resource['specials'] extends ReadonlyMap<string, infer S> ? S : never

/** A resource with the fields that a caller may read, and the clauses that apply to the caller. */
export function readBy(catalog: Catalog, resource: Resource, actor: Actor): Resource {
  const paths = (given: ReadonlyMap<string, FieldPath>) =>
    new Map([...given].filter(([, path]) => filterable(path, actor)))
  const specials = [...resource.specials].flatMap(([name, { values, ...rest }]): [string, SpecialOf][] => {
    const asked = askedWords({ catalog, actor }, resource, values)
    return asked.size === 0 ? [] : [[name, { ...rest, values: asked }]]
  })
  const policies = Object.entries(resource.policies).map(([name, clauses]) => [name, clausesFor(clauses, actor)])
  return {
    ...resource,
    fields: new Map([...resource.fields].flatMap(([name, field]) => readField(name, field, actor))),
    relations: new Map([...resource.relations].flatMap(([name, relation]) => readRelation(name, relation, actor))),
    filters: paths(resource.filters),
    lookup: resource.lookup.filter((field) => field === resource.key || readable(field, actor)),
    specials: new Map(specials),
    ranges: new Map([...resource.ranges].filter(([, field]) => filterable({ relations: [], field }, actor))),
    sort: {
      keys: paths(resource.sort.keys),
      default: resource.sort.default.filter(({ path }) => filterable(path, actor)),
    },
    search: resource.search.filter((path) => filterable(path, actor) && allowsOne(path.through?.many.read, actor)),
    policies: Object.fromEntries(policies),
  }
}

/** Answers always have what the caller may read, so the schema mentions no other callers. */
function readField(name: string, field: Field, actor: Actor): [string, Field][] {
  return allowsOne(field.read, actor) ? [[name, { ...field, read: undefined }]] : []
}

function readRelation(name: string, relation: Relation, actor: Actor): [string, Relation][] {
  if (!allowsOne(relation.read, actor)) return []
  return [[name, { ...relation, read: undefined, embed: relation.embed && readEmbed(relation.embed, actor) }]]
}

function readEmbed(entries: readonly EmbedEntry[], actor: Actor): readonly EmbedEntry[] {
  return entries
    .filter((entry) => readableEntry(entry, actor))
    .map(({ name, value }): EmbedEntry => {
      if (value.kind === 'embed') {
        const relation = { ...value.relation, read: undefined }
        return { name, value: { ...value, relation, entries: readEmbed(value.entries, actor) } }
      }
      const { field, relations } = value.path
      const path = {
        relations: relations.map((relation) => ({ ...relation, read: undefined })),
        field: { ...field, read: undefined },
      }
      return { name, value: { ...value, path } }
    })
}

/** A resource with the fields and lists that a caller may send with an action. */
export function writtenBy(resource: Resource, actor: Actor, action: 'create' | 'update'): Resource {
  return writtenUnder(resource, actor, clausesFor(resource.policies[action], actor))
}

/** The same under some of the clauses; the system is held to none. */
export function writtenUnder(resource: Resource, actor: Actor, clauses: readonly Clause[]): Resource {
  const isCovered = (name: string): boolean =>
    actor.kind === 'system' ||
    clauses.some(
      ({ fields, set }) =>
        (fields === undefined || fields.has(name)) && !set.some((assignment) => assignment.field.name === name),
    )
  const isSent = (name: string, write: Field['write']): boolean => allowsOne(write, actor) && isCovered(name)
  const fields = [...resource.fields].filter(([name, field]) => isSent(name, field.write))
  const relations = [...resource.relations].filter(
    ([, relation]) => relation.kind !== 'many_to_many' || isSent(relation.writeAs, relation.write),
  )
  const sent = fields.map(([name, field]) => [name, { ...field, write: undefined }] as const)
  return { ...resource, fields: new Map(sent), relations: new Map(relations) }
}

/** Whether the caller may set a relation of some record, and sees some of the records that it leads to. */
export function isChosenBy({ actor, catalog }: Asker, resource: Resource, relation: Relation): boolean {
  if (relation.kind === 'has_many') return false
  const target = targetOf(catalog, relation)
  if (reach(target.policies.view, actor).kind === 'none') return false
  return WRITES.some((action) => {
    if (!isOffered(resource, action) || !isAllowed(resource, action, actor)) return false
    const { fields, relations } = writtenBy(resource, actor, action)
    if (relation.kind === 'many_to_many') return relations.has(relation.name)
    const { field } = relation
    return fields.has(field.name) && isWritable(field) && !(action === 'update' && field.immutable)
  })
}

const WRITES = ['create', 'update'] as const

/** Whether the resource has a route for the action, of its own or below another record. */
export function isOffered({ actions, nested }: Resource, action: 'create' | 'update'): boolean {
  return actions.has(action) || (action === 'create' && nested.some((below) => below.actions.includes('create')))
}

const POLICIES: Readonly<Record<string, PolicyName>> = { list: 'view', get: 'view' }

/** Whether the caller may do the action to some record, as far as clauses say that. */
export function isAllowed({ policies }: Resource, action: string, actor: Actor): boolean {
  return actor.kind === 'system' || clausesFor(policies[POLICIES[action] ?? (action as PolicyName)], actor).length > 0
}
