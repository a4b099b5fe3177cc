/** Plugins' routes become servable: their inputs and queries resolved to fields, their options beside them. */
import type { Catalog } from '../catalog/catalog.ts'
import { resourcesNamed } from '../http/output.ts'
import type { BoundRoute } from '../http/parts.ts'
import type { Route } from '../http/route.ts'
import type { Bound, Composition } from '../plugin/compose.ts'
import { resolveFields } from '../resolve/fields.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { nearest } from '../text/nearest.ts'

/** The routes of a composition, its resources' included; a field that can't be resolved is a complaint that names the route. */
export function bindRoutes(composition: Composition, catalog: Catalog): Required<Collected<readonly BoundRoute[]>> {
  const diagnostics: Diagnostic[] = []
  const value = routesOf(composition, catalog).map(({ plugin, options, value: route }): BoundRoute => {
    const fields = (given: typeof route.input) => {
      if (given === undefined) return undefined
      const resolved = resolveFields(given, catalog.fieldTypes)
      const named = `The route ${route.method} ${route.path} of the plugin "${plugin}"`
      diagnostics.push(...resolved.diagnostics.map((one) => ({ ...one, message: `${named}: ${one.message}` })))
      return resolved.value ?? []
    }
    for (const name of resourcesNamed(route)) {
      if (!catalog.resources.has(name)) diagnostics.push(unknownResource({ plugin, value: route }, name, catalog))
    }
    return Object.freeze({
      ...route,
      plugin,
      options,
      inputFields: fields(route.input),
      queryFields: fields(route.query),
    })
  })
  return { value, diagnostics }
}

/** A route that answers records of a resource, or takes its filters, which this application does not have. */
function unknownResource(
  { plugin, value: { method, path } }: Pick<Bound<Route>, 'plugin' | 'value'>,
  name: string,
  catalog: Catalog,
): Diagnostic {
  const near = nearest(name, [...catalog.resources.keys()])
  return {
    code: 'unknown_resource',
    message: `The route ${method} ${path} of the plugin "${plugin}" speaks of the resource "${name}", which there is not`,
    ...(near === undefined ? {} : { hint: `did you mean "${near}"?` }),
  }
}

function routesOf(composition: Composition, catalog: Catalog): readonly Bound<Route>[] {
  const given = composition.resourceRoutes.flatMap(({ plugin, options, value }) =>
    [...catalog.resources.values()].flatMap((resource) =>
      value(resource, options).map((route) => ({ plugin, options, value: route })),
    ),
  )
  return [...composition.routes, ...given]
}
