/** What an application is to those outside, as a value that outlives it: its interface, and who may do what. */
import { type DescribedAccess, describeAccess } from '../access/description.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { BoundRoute } from '../http/parts.ts'
import { contractOf } from '../openapi/contract.ts'
import type { OpenApiDocument } from '../openapi/openapi-document.ts'

/** The form of what is written down; another version of Plinth may have written another one. */
const FORM = 1

/** What is compared with what the YAML says later. */
export interface Served {
  readonly form: typeof FORM
  readonly api: OpenApiDocument
  readonly access: DescribedAccess
}

/** Describes an application by its catalog, its routes and its document; with places, also where its rules stand. */
export function served(
  catalog: Catalog,
  routes: readonly BoundRoute[],
  document: OpenApiDocument,
  places = false,
): Served {
  return { form: FORM, api: contractOf(document), access: describeAccess(catalog, routes, places) }
}

/** What was written down; undefined where it has another form. */
export function readServed(text: string): Served | undefined {
  const read = JSON.parse(text) as { readonly form?: unknown }
  return read.form === FORM ? (read as Served) : undefined
}
