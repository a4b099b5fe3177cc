/** The OpenAPI 3.1 document of what is running: a pure function of the catalog, its routes and what hooks take. */
import { isDeepStrictEqual } from 'node:util'
import type { Catalog, Field, Resource } from '../catalog/catalog.ts'
import { fieldLabel } from '../catalog/name.ts'
import type { BoundRoute } from '../http/parts.ts'
import type { JsonSchema } from '../json.ts'
import { isResourceRoute } from './access-sentence.ts'
import { ENVELOPE_SCHEMAS, HEADERS, refusalComponents } from './answers.ts'
import { guide } from './guide.ts'
import type { Node, OpenApiDocument } from './openapi-document.ts'
import { createName, type Operation, type Outline, operationOf } from './operation.ts'
import { operationIds } from './operation-id.ts'
import { filtersSchema } from './parameters.ts'
import { PROBE_TAG, PROBES } from './probes.ts'
import { inputSchema, recordSchema } from './record-schema.ts'
import { linked, used } from './reference.ts'
import { schemaRef } from './schema.ts'
import { type TypeNames, typeNames } from './type-name.ts'

/** What a document is made from. */
export interface Described {
  readonly catalog: Catalog
  readonly routes: readonly BoundRoute[]
  /** Hook name → the body keys it takes beyond the resource's fields. */
  readonly hooks: ReadonlyMap<string, { readonly input: readonly Field[] }>
  /** What plugins say of themselves, for the groups of their routes. */
  readonly plugins: readonly { readonly name: string; readonly description: string }[]
}

/** The document that describes exactly these routes, and the three paths for operators. */
export function openapi({ catalog, routes, hooks, plugins }: Described): OpenApiDocument {
  const names = typeNames(catalog)
  const outline: Outline = {
    catalog,
    names,
    operationId: operationIds(names),
    tagOf,
  }
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = route.absolute === true ? route.path : catalog.prefix + route.path
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operationOf(outline, route)
  }
  const document = linked(names, {
    openapi: '3.1.0' as const,
    info: { title: catalog.name, version: catalog.version, description: guide(catalog) },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: tagsOf(catalog, routes, plugins),
    paths: { ...inOrder(paths), ...PROBES },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The token that signing in answers.' },
      },
      parameters: HEADER_PARAMETERS,
      headers: HEADERS,
      responses: refusalComponents(),
      schemas: { ...ENVELOPE_SCHEMAS, ...schemasOf({ catalog, hooks }, names) },
    },
  })
  return used(document)
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Paths by their letters and methods from reading to deleting, whoever gave them. */
function inOrder<T>(paths: Readonly<Record<string, Readonly<Record<string, T>>>>): Record<string, Record<string, T>> {
  const sorted = Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    sorted.map(([path, operations]) => {
      const methods = Object.entries(operations).sort(([a], [b]) => METHODS.indexOf(a) - METHODS.indexOf(b))
      return [path, Object.fromEntries(methods)]
    }),
  )
}

const HEADER_PARAMETERS = {
  IfNoneMatch: headerParameter('If-None-Match', 'An ETag: 304 is answered while nothing has changed.'),
  IfMatch: headerParameter('If-Match', 'The ETag of the record as it was read: 412 is answered when it has changed.'),
  IdempotencyKey: {
    ...headerParameter('Idempotency-Key', 'Any text of the caller’s; the same one again gets the first answer again.'),
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
}

function headerParameter(name: string, description: string): Node {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

/** The schemas of every resource, used or not, by name. */
export function schemasOf(
  { catalog, hooks }: Pick<Described, 'catalog' | 'hooks'>,
  names: ReadonlyMap<string, TypeNames>,
): Readonly<Record<string, JsonSchema>> {
  const schemas: Record<string, JsonSchema> = {}
  for (const resource of catalog.resources.values()) {
    const { single, list, create, update, filters } = names.get(resource.name)!
    const [alone, listed] = [recordSchema(resource, 'single'), recordSchema(resource, 'list')]
    schemas[single] = alone
    schemas[list] = isDeepStrictEqual(alone, listed) ? schemaRef(single) : listed
    schemas[create] = inputSchema(resource, 'create', hookInput(hooks, resource, 'create'))
    schemas[update] = inputSchema(resource, 'update', hookInput(hooks, resource, 'update'))
    if (resource.filters.size > 0) schemas[filters] = filtersSchema(resource)
  }
  for (const resource of catalog.resources.values()) {
    for (const { relation, actions } of resource.nested) {
      if (!actions.includes('create')) continue
      const input = hookInput(hooks, resource, 'create')
      // The path gives the record above, so the body need not.
      schemas[createName(resource, relation.target, names)] = inputSchema(resource, 'create', input, relation.field)
    }
  }
  return schemas
}

function hookInput(hooks: Described['hooks'], resource: Resource, action: 'create' | 'update'): readonly Field[] {
  const fields = new Map<string, Field>()
  for (const name of resource.hooks[action]) {
    for (const field of hooks.get(name)?.input ?? []) {
      if (!resource.fields.has(field.name)) fields.set(field.name, field)
    }
  }
  return [...fields.values()]
}

function tagOf(route: BoundRoute): string {
  if (isResourceRoute(route)) return fieldLabel((route.parent ?? route.resource).name)
  const tag = route.tag ?? route.plugin
  return /^[a-z]/.test(tag) ? fieldLabel(tag) : tag
}

/** The groups by name, each with what its resource says of itself, or the plugins that its routes come from. */
function tagsOf(catalog: Catalog, routes: readonly BoundRoute[], plugins: Described['plugins']): readonly Node[] {
  const told = new Map([...catalog.resources.values()].map(({ name, description }) => [fieldLabel(name), description]))
  const about = new Map(plugins.map(({ name, description }) => [name, description]))
  const givers = new Map<string, Set<string>>()
  for (const route of routes) {
    const tag = tagOf(route)
    givers.set(tag, (givers.get(tag) ?? new Set()).add(route.plugin))
  }
  const described = [...givers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, from]) => {
      const sentences = [...from].sort().flatMap((plugin) => about.get(plugin) ?? [])
      return { name, description: told.get(name) ?? (sentences.join(' ') || `${name}.`) }
    })
  return [...described, PROBE_TAG]
}
