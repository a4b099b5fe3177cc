/** Every route of an application, described where nothing runs: for the command line. */
import type { Catalog } from '../catalog/catalog.ts'
import type { BoundRoute } from '../http/parts.ts'
import { resourceRoutes } from '../http/resource-routes.ts'
import { type Described, type OpenApiDocument, openapi } from './document.ts'
import { documentRoute } from './route.ts'

/** The routes of an application in their order: those given by plugins, those of its resources, and its document. */
export function allRoutes(
  given: readonly BoundRoute[],
  own: readonly BoundRoute[],
  catalog: Catalog,
  hooks: Described['hooks'],
): { readonly routes: readonly BoundRoute[]; readonly document: () => OpenApiDocument } {
  let made: OpenApiDocument | undefined
  const document = (): OpenApiDocument => {
    made ??= openapi({ catalog, routes, hooks })
    return made
  }
  const routes: readonly BoundRoute[] = [...given, ...own, documentRoute(document)]
  return { routes, document }
}

/** The document of an application that is not running. */
export function describeApplication(
  catalog: Catalog,
  given: readonly BoundRoute[],
  hooks: Described['hooks'],
): OpenApiDocument {
  const own = resourceRoutes(catalog, () => {
    throw new Error('nothing runs here')
  })
  return allRoutes(given, own, catalog, hooks).document()
}
