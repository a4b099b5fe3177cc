/** Every route of an application in its order, and the document that describes them. */
import type { Catalog } from '../catalog/catalog.ts'
import { catalogRoutes } from '../http/catalog-routes.ts'
import type { BoundRoute } from '../http/parts.ts'
import { type Described, openapi } from './document.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import { documentRoute } from './route.ts'

/** The routes of plugins, of resources and of the document, in this order; the document is made when it is first asked for. */
export function allRoutes(
  given: readonly BoundRoute[],
  own: readonly BoundRoute[],
  catalog: Catalog,
  composition: Pick<Described, 'hooks' | 'plugins'>,
): { readonly routes: readonly BoundRoute[]; readonly document: () => OpenApiDocument } {
  let made: OpenApiDocument | undefined
  const document = (): OpenApiDocument => {
    made ??= openapi({ catalog, routes, hooks: composition.hooks, plugins: composition.plugins })
    return made
  }
  const routes: readonly BoundRoute[] = [...given, ...own, documentRoute(document)]
  return { routes, document }
}

/** The document of an application that is not running. */
export function describeApplication(
  catalog: Catalog,
  given: readonly BoundRoute[],
  composition: Pick<Described, 'hooks' | 'plugins'>,
): OpenApiDocument {
  return allRoutes(given, catalogRoutes(catalog), catalog, composition).document()
}
