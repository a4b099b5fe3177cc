/** GET /<resource>/summary: how many records a list has, and sums and means of them, by groups. */

import { summarize } from '../action/read.ts'
import type { Catalog, Field, Resource } from '../catalog/catalog.ts'
import type { FieldDefinition } from '../definition/definition.ts'
import { JsonText } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { requireClause } from '../query/policy.ts'
import { resolveFields } from '../resolve/fields.ts'
import type { EngineRoute } from './parts.ts'
import { routeAccess } from './resource-routes.ts'

const QUERY: Readonly<Record<string, FieldDefinition>> = {
  by: { type: 'list', of: 'string', max_items: LIMITS.summaryTerms },
  of: { type: 'list', of: 'string', max_items: LIMITS.summaryFigures },
  sort: { type: 'list', of: 'string' },
  zone: { type: 'string' },
  limit: { type: 'integer', min: 1, max: LIMITS.summaryGroups },
}

/** The summaries of the resources that have one. */
export function summaryRoutes({ resources, fieldTypes }: Catalog): readonly EngineRoute[] {
  const fields = resolveFields(QUERY, fieldTypes).value ?? []
  return [...resources.values()]
    .filter(({ summary }) => summary !== undefined)
    .map((resource) => summaryRoute(resource, fields))
}

function summaryRoute(resource: Resource, queryFields: readonly Field[]): EngineRoute {
  const label = resource.label.toLowerCase()
  return {
    method: 'GET',
    path: `/${resource.path}/summary`,
    summary: `Sum up the ${label} records`,
    description: 'See **Summaries** at the head of this document.',
    tag: resource.name,
    access: routeAccess(resource, 'list'),
    filters: resource.name,
    brief: true,
    body: 'none',
    plugin: 'engine',
    options: {},
    inputFields: undefined,
    queryFields,
    output: { type: 'array', items: { type: 'object' } },
    meta: { more: { type: 'boolean', description: 'Whether there are more groups.' } },
    admit: (actor) => requireClause(resource.policies.view, actor),
    run: async (execution, { query }) => {
      const { groups, more } = await summarize(execution, resource, query)
      return { data: new JsonText(`[${groups.join(',')}]`), meta: { more } }
    },
  }
}
