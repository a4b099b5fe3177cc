/** What a route's `output` and `meta` say in the words of the catalog: `#/resources/users` is a record of users. */
import type { Route } from './route.ts'

const RECORD = /^#\/resources\/([A-Za-z]\w*)(\/list)?$/

/** The resource that a reference stands for, and whether as in a list; undefined for any other reference. */
export function recordReference(target: string): { readonly resource: string; readonly listed: boolean } | undefined {
  const [, resource, list] = RECORD.exec(target) ?? []
  return resource === undefined ? undefined : { resource, listed: list !== undefined }
}

/** Every resource that a route names: in its output, its meta, and as the one whose filters it takes. */
export function resourcesNamed(route: Pick<Route, 'output' | 'accepted' | 'meta' | 'filters'>): ReadonlySet<string> {
  const found = new Set<string>(route.filters === undefined ? [] : [route.filters])
  const look = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      const reference = key === '$ref' && typeof value === 'string' ? recordReference(value) : undefined
      if (reference !== undefined) found.add(reference.resource)
      else look(value)
    }
  }
  look(route.output)
  look(route.accepted)
  look(route.meta)
  return found
}
