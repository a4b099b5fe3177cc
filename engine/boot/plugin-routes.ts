/** The routes of plugins with their inputs as fields, and the mistakes in them. */
import type { Catalog } from '../catalog/catalog.ts'
import { sentenceOf } from '../error.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { catalogRoutes } from '../http/catalog-routes.ts'
import { DRY_RUN } from '../http/resource-routes.ts'
import type { Route } from '../http/route.ts'
import { BODY_KINDS, bodyKind, resourcesNamed } from '../http/route.ts'
import { nameless, pathFromRoot, routeName } from '../http/table.ts'
import type { Bound, Composition } from '../plugin/compose.ts'
import { resolveFields } from '../resolve/fields.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { hintOf } from '../text/nearest.ts'

/**
 * The routes of a composition, including those for each resource; a field that cannot be resolved is a complaint that
 * names the route.
 */
function bindRoutes(composition: Composition, catalog: Catalog): Required<Collected<readonly BoundRoute[]>> {
  const diagnostics: Diagnostic[] = []
  const routes = routesOf(composition, catalog, diagnostics)
  const value = routes.flatMap(({ plugin, options, value: route }): readonly BoundRoute[] => {
    const access = accessTo(route, catalog)
    if (access === undefined) return []
    const fields = (given: typeof route.input) => {
      if (given === undefined) return undefined
      const resolved = resolveFields(given, catalog.fieldTypes)
      const named = `The route ${route.method} ${route.path} of the plugin "${plugin}"`
      diagnostics.push(...resolved.diagnostics.map((one) => ({ ...one, message: `${named}: ${one.message}` })))
      return resolved.value ?? []
    }
    if (typeof route.handle !== 'function') {
      const message = `The route ${route.method} ${route.path} of the plugin "${plugin}" has no function "handle"`
      diagnostics.push({ code: 'wrong_plugin', message, hint: 'add handle: async (context) => ({ data: … })' })
    }
    diagnostics.push(...wrongBody({ plugin, value: route }))
    for (const name of resourcesNamed(route)) {
      if (!catalog.resources.has(name)) diagnostics.push(unknownResource({ plugin, value: route }, name, catalog))
    }
    const bound: BoundRoute = {
      ...route,
      access,
      plugin,
      options,
      inputFields: fields(route.input),
      queryFields: isDry(route) ? [...(fields(route.query) ?? []), ...DRY_RUN] : fields(route.query),
      dryRun: isDry(route),
      ...(route.access === 'explain' || route.developing === true ? { unlisted: true } : {}),
    }
    return [Object.freeze(bound)]
  })
  return { value, diagnostics }
}

/** Who may call a route; undefined where nobody may, because app.yaml names no permission for those who ask why. */
function accessTo({ access }: Route, { explain }: Catalog): BoundRoute['access'] | undefined {
  if (access !== 'explain') return access
  return explain === undefined ? undefined : [{ kind: 'permission', permission: explain }]
}

/** The mistake in the kind of body that a route takes. */
function wrongBody({ plugin, value: route }: Pick<Bound<Route>, 'plugin' | 'value'>): readonly Diagnostic[] {
  const named = `The route ${route.method} ${route.path} of the plugin "${plugin}"`
  const kind = bodyKind(route)
  if (!BODY_KINDS.includes(kind)) {
    const message = `${named} takes a body of the kind ${JSON.stringify(kind)}, which there is not`
    return [{ code: 'wrong_plugin', message, ...hintOf(String(kind), BODY_KINDS) }]
  }
  if (kind !== 'raw' || route.input === undefined) return []
  const message = `${named} takes a raw body, which has no fields, and declares "input"`
  return [{ code: 'wrong_plugin', message, hint: 'leave out input and read context.raw, or take a form' }]
}

/** Whether a route can be tried: only where all of its work is that of one transaction. */
function isDry({ dryRun, once }: Route): boolean {
  return once === true && dryRun === true
}

/** A route that answers records of a resource, or takes its filters, which this application does not have. */
function unknownResource(
  { plugin, value: { method, path } }: Pick<Bound<Route>, 'plugin' | 'value'>,
  name: string,
  catalog: Catalog,
): Diagnostic {
  return {
    code: 'unknown_resource',
    message: `The route ${method} ${path} of the plugin "${plugin}" speaks of the resource "${name}", which there is not`,
    ...hintOf(name, catalog.resources.keys()),
  }
}

function routesOf(composition: Composition, catalog: Catalog, diagnostics: Diagnostic[]): readonly Bound<Route>[] {
  const given = composition.resourceRoutes.flatMap(({ plugin, options, value }) => {
    try {
      return [...catalog.resources.values()].flatMap((resource) =>
        value(resource, options).map((route) => ({ plugin, options, value: route })),
      )
    } catch (error) {
      const reason = sentenceOf(error)
      diagnostics.push({
        code: 'plugin_failed',
        message: `The plugin "${plugin}" could not give its routes: ${reason}`,
      })
      return []
    }
  })
  return [...composition.routes, ...given]
}

/** The routes of plugins, with their mistakes and their clashes with the routes of resources. */
export function judgedRoutes(composition: Composition, catalog: Catalog): Required<Collected<readonly BoundRoute[]>> {
  const { value, diagnostics } = bindRoutes(composition, catalog)
  const own = catalogRoutes(catalog, composition.hooks)
  return {
    value,
    diagnostics: [...diagnostics, ...clashes([...value, ...own], catalog.prefix), ...uncalled(value, catalog)],
  }
}

/** Routes that screens name and no plugin has. */
function uncalled(routes: readonly BoundRoute[], { resources }: Catalog): readonly Diagnostic[] {
  const named = [...resources.values()].flatMap(({ screens }) => [
    ...[...screens.buttons.values()].flatMap(({ calls }) => (calls === undefined ? [] : [{ ...calls, reads: false }])),
    ...[...screens.views.values()].flatMap(({ reads }) => reads.map((one) => ({ ...one, reads: true }))),
  ])
  return named.flatMap(({ inputs = [], name, reads, span }): Diagnostic[] => {
    const fitting = routes.filter(({ method }) => (method === 'GET') === reads)
    const known = new Set(fitting.map(routeName))
    const taken = new Set(fitting.find((route) => routeName(route) === name)?.inputFields?.map((field) => field.name))
    if (known.has(name))
      return inputs.flatMap((one): Diagnostic[] => {
        if (taken.has(one.name)) return []
        const message = `The route "${name}" takes no "${one.name}"`
        return [{ code: 'wrong_screen', message, span: one.span, ...hintOf(one.name, taken) }]
      })
    const message = `No plugin has a route "${name}"${reads ? ' that is read' : ' that does something'}`
    const hint = 'it is named by its plugin and the last word of its path: merging.merge'
    return [{ code: 'wrong_screen', message, span, hint, ...hintOf(name, known) }]
  })
}

function clashes(routes: readonly BoundRoute[], prefix: string): readonly Diagnostic[] {
  const taken = new Map<string, BoundRoute>()
  return routes.flatMap((route): Diagnostic[] => {
    const path = pathFromRoot(route, prefix)
    const key = `${route.method} ${nameless(path)}`
    const other = taken.get(key)
    taken.set(key, other ?? route)
    if (other === undefined) return []
    const message = `The route ${route.method} ${path} is given by both ${other.plugin} and ${route.plugin}`
    return [{ code: 'plugin_clash', message, hint: 'give one of them another path' }]
  })
}
