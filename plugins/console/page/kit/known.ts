/** The catalog of the reader, for parts of the page that nobody hands it to. */
import { createContext, useContext } from 'react'
import type { Catalog } from '../client/catalog.ts'

const NOTHING: Catalog = { name: '', prefix: '', limits: {}, resources: {}, routes: [] }

export const Known = createContext<Catalog>(NOTHING)

/** The application as its reader may use it: resources, fields, relations and routes. */
export function useCatalog(): Catalog {
  return useContext(Known)
}
