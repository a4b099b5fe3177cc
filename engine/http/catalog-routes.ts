/** Every route that the catalog gives by itself. */
import type { BoundHook } from '../action/execution.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { batchRoutes } from './batch-routes.ts'
import type { EngineRoute } from './parts.ts'
import { resourceRoutes } from './resource-routes.ts'
import { type OpenStream, streamRoutes } from './stream-route.ts'
import { summaryRoutes } from './summary-route.ts'

/** What the routes need of a running application; without it they can be described, and no stream can be opened. */
interface Running {
  readonly hooks: ReadonlyMap<string, BoundHook>
  readonly open: OpenStream
}

/** The routes of actions, of many records at once, of summaries and of streams. */
export function catalogRoutes(catalog: Catalog, running?: Running): readonly EngineRoute[] {
  return [
    ...resourceRoutes(catalog, running?.hooks),
    ...batchRoutes(catalog, running?.hooks),
    ...summaryRoutes(catalog),
    ...streamRoutes(catalog, running?.open),
  ]
}
