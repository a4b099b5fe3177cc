/**
 * All routes that a catalog has by itself, and those of summaries: GET /<resource>/summary groups the records of a list
 * and counts, adds and averages them.
 */

import { requireClause } from '../ask/policy.ts'
import type { Catalog, Field, Resource } from '../catalog/catalog.ts'
import type { FieldDefinition } from '../definition/definition.ts'
import { JsonText } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { resolveFields } from '../resolve/fields.ts'
import type { BoundHook } from '../run/execution.ts'
import { summarize } from '../run/read.ts'
import { batchRoutes } from './batch-routes.ts'
import type { EngineRoute } from './bound-route.ts'
import { choiceRoutes } from './choice-routes.ts'
import { resourceRoutes, routeAccess } from './resource-routes.ts'
import { type OpenStream, streamRoutes } from './stream-route.ts'

/** The parts of a running application; without them the routes can be described, and open no stream. */
interface Running {
  readonly hooks: ReadonlyMap<string, BoundHook>
  readonly open: OpenStream
}

/** Routes of actions, batches, summaries, choices and streams. */
export function catalogRoutes(catalog: Catalog, running?: Running): readonly EngineRoute[] {
  return [
    ...resourceRoutes(catalog, running?.hooks),
    ...batchRoutes(catalog, running?.hooks),
    ...summaryRoutes(catalog),
    ...choiceRoutes(catalog),
    ...streamRoutes(catalog, running?.open),
  ]
}

const QUERY: Readonly<Record<string, FieldDefinition>> = {
  by: { type: 'list', of: 'string', max_items: LIMITS.summaryTerms },
  of: { type: 'list', of: 'string', max_items: LIMITS.summaryFigures },
  sort: { type: 'list', of: 'string' },
  zone: { type: 'string' },
  limit: { type: 'integer', min: 1, max: LIMITS.summaryGroups },
}

/** The summary routes of the resources that have a summary. */
function summaryRoutes({ resources, fieldTypes }: Catalog): readonly EngineRoute[] {
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
