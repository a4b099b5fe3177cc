/** GET /<resource>/choices/<relation>: the records that a relation may be set to, for forms that offer them. */

import type { Actor } from '../actor.ts'
import { clausesFor, forbiddenBy } from '../ask/policy.ts'
import type { BelongsTo, Catalog, Clause, Field, ManyToMany, Relation, Resource } from '../catalog/catalog.ts'
import { inSentence } from '../catalog/name.ts'
import type { FieldDefinition } from '../definition/definition.ts'
import { ApiError } from '../error.ts'
import type { JsonSchema } from '../json.ts'
import { isChosenBy, isOffered } from '../reader/part.ts'
import { isWritable } from '../record/decode.ts'
import { resolveFields } from '../resolve/fields.ts'
import { listChoices } from '../run/choices.ts'
import type { EngineRoute } from './bound-route.ts'
import { listReply, routeAccess } from './resource-routes.ts'

type Chosen = BelongsTo | ManyToMany

/** The routes of all relations that bodies set. */
export function choiceRoutes(catalog: Catalog): readonly EngineRoute[] {
  const queryFields = resolveFields(QUERY, catalog.fieldTypes).value ?? []
  return [...catalog.resources.values()].flatMap((resource) =>
    [...resource.relations.values()].flatMap((relation) => {
      if (!isSet(resource, relation)) return []
      const route = choiceRoute(catalog, resource, relation, queryFields)
      return [route, ...underEarlierNames(resource, relation, route)]
    }),
  )
}

const QUERY: Readonly<Record<string, FieldDefinition>> = {
  search: { type: 'string', description: 'As in the list of the other resource.' },
  id: { type: 'string', description: 'The record whose relation is set; absent where it is to come.' },
  record: {
    type: 'text',
    description: 'Values of the record that are not stored yet, as JSON, where the choice depends on them.',
  },
  page: { type: 'integer', min: 1 },
  per_page: { type: 'integer', min: 1 },
  cursor: { type: 'string' },
}

/** The same route by the earlier names of the relation. */
function underEarlierNames(resource: Resource, relation: Relation, route: EngineRoute): readonly EngineRoute[] {
  return [...resource.relations.values()].flatMap(({ earlier, name }) =>
    earlier?.instead === relation.name
      ? [{ ...route, path: `/${resource.path}/choices/${name}`, earlier: { ...earlier, path: name } }]
      : [],
  )
}

/** Whether anybody sets the relation by a body. */
function isSet(resource: Resource, relation: Relation): relation is Chosen {
  if (relation.kind === 'has_many' || relation.earlier !== undefined) return false
  if (!WRITES.some((action) => isOffered(resource, action))) return false
  return relation.kind === 'many_to_many' || isWritable(relation.field)
}

function choiceRoute(
  catalog: Catalog,
  resource: Resource,
  relation: Chosen,
  queryFields: readonly Field[],
): EngineRoute {
  const isPublic = WRITES.some((action) => routeAccess(resource, action) === 'public')
  const admit = (actor: Actor): readonly Clause[] => {
    if (isChosenBy({ catalog, actor }, resource, relation))
      return WRITES.flatMap((action) => clausesFor(resource.policies[action], actor))
    throw actor.kind === 'anonymous' ? new ApiError('unauthenticated') : forbiddenBy([], actor)
  }
  return {
    method: 'GET',
    path: `/${resource.path}/choices/${relation.name}`,
    summary: `List what the ${inSentence(relation.label)} of a ${inSentence(resource.label)} may be`,
    tag: resource.name,
    access: isPublic ? 'public' : [{ kind: 'signed_in' }],
    body: 'none',
    plugin: 'engine',
    options: {},
    inputFields: undefined,
    queryFields,
    output: CHOICES,
    meta: { pagination: { type: 'object', description: 'The pages, as in lists.' } },
    admit,
    run: async (execution, { query }) => {
      const asked = [...query].filter(([name, value]) => name !== 'id' && name !== 'record' && value !== '')
      const [named, record] = ['id', 'record'].map((name) => query.get(name) || undefined)
      const choices = await listChoices(execution, { resource, relation, named, record, query: asked })
      const { etag: _, ...reply } = listReply(choices, 200)
      return reply
    },
  }
}

const WRITES = ['create', 'update'] as const

const CHOICES: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'title'],
    properties: { id: { type: ['integer', 'string'] }, title: { type: 'string' } },
  },
}
