/**
 * All routes that a catalog has by itself, and those of summaries: GET /<resource>/summary groups the records of a list
 * and counts, adds and averages them.
 */

import { requireClause } from '../ask/policy.ts'
import type { Catalog, Field, Resource } from '../catalog/catalog.ts'
import { inSentence } from '../catalog/name.ts'
import type { FieldDefinition } from '../definition/definition.ts'
import { JsonText } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import { resolveFields } from '../resolve/fields.ts'
import { summarize } from '../run/read.ts'
import { batchRoutes } from './batch-routes.ts'
import type { EngineRoute } from './bound-route.ts'
import { choiceRoutes } from './choice-routes.ts'
import { type HookInputs, resourceRoutes, routeAccess } from './resource-routes.ts'
import { type OpenStream, streamRoutes } from './stream-route.ts'

/** Routes of actions, batches, summaries, choices and streams; without `open` the routes of streams can only be described. */
export function catalogRoutes(catalog: Catalog, hooks: HookInputs, open?: OpenStream): readonly EngineRoute[] {
  return [...routesOfRequests(catalog, hooks), ...streamRoutes(catalog, open)]
}

/** All but those of streams: made once, although a boot judges them before they are served. */
const routesOfRequests = memo((catalog: Catalog, hooks: HookInputs): readonly EngineRoute[] => [
  ...resourceRoutes(catalog, hooks),
  ...batchRoutes(catalog, hooks),
  ...summaryRoutes(catalog),
  ...choiceRoutes(catalog),
])

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
  const label = inSentence(resource.label)
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
