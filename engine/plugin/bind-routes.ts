/** Plugins' routes become servable: their inputs and queries resolved to fields, their options beside them. */
import { resolveFields } from '../catalog/fields.ts'
import type { FieldType } from '../field/field-type.ts'
import type { BoundRoute } from '../http/parts.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import type { Composition } from './compose.ts'

/** The routes of a composition; a field that can't be resolved is a complaint that names the route. */
export function bindRoutes(
  composition: Composition,
  fieldTypes: ReadonlyMap<string, FieldType>,
): Required<Collected<readonly BoundRoute[]>> {
  const diagnostics: Diagnostic[] = []
  const value = composition.routes.map(({ plugin, options, value: route }): BoundRoute => {
    const fields = (given: typeof route.input) => {
      if (given === undefined) return undefined
      const resolved = resolveFields(given, fieldTypes)
      const named = `The route ${route.method} ${route.path} of the plugin "${plugin}"`
      diagnostics.push(...resolved.diagnostics.map((one) => ({ ...one, message: `${named}: ${one.message}` })))
      return resolved.value ?? []
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
