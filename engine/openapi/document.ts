/** The OpenAPI 3.1 document: a pure function of the catalog, its routes and the input of hooks. */
import { isDeepStrictEqual } from 'node:util'
import type { Catalog, Field, Resource } from '../catalog/catalog.ts'
import { fieldLabel } from '../catalog/name.ts'
import { targetOf } from '../catalog/stored.ts'
import type { BoundRoute } from '../http/bound-route.ts'
import { type HookInputs, isResourceRoute } from '../http/resource-routes.ts'
import { pathFromRoot } from '../http/table.ts'
import type { JsonObject, JsonSchema } from '../json.ts'
import { atOnce, each, type Pieces } from '../turns.ts'
import { COMMON_ANSWERS, ENVELOPE_SCHEMAS, HEADERS } from './answers.ts'
import { BATCH_SCHEMAS, outcomesOf } from './batch.ts'
import { guide, offer } from './guide.ts'
import type { Node, OpenApiDocument } from './openapi-document.ts'
import { answerSchema, createName, type OperationDraft, type Outline, operationOf, pathItem } from './operation.ts'
import { operationIds } from './operation-id.ts'
import { filterSchemas } from './parameters.ts'
import { tagOf } from './part.ts'
import { PROBE_TAG, PROBES } from './probes.ts'
import { inputSchema, recordSchema } from './record-schema.ts'
import { linked, references, used } from './reference.ts'
import { listOf, schemaRef } from './schema.ts'
import { folded, type Names, shared } from './share.ts'
import { type TypeNames, typeNames } from './type-name.ts'

/** What a document is made from. */
export interface Described {
  readonly catalog: Catalog
  readonly routes: readonly BoundRoute[]
  readonly hooks: HookInputs
  /** Descriptions of plugins, for the groups of their routes. */
  readonly plugins: readonly { readonly name: string; readonly description: string }[]
  /** Tells who the bearer of a token is; undefined: no plugin does, and tokens mean nothing. */
  readonly authenticate?: unknown
  /** Further ways in which callers present themselves, by the names of their security schemes. */
  readonly schemes?: Readonly<Record<string, JsonObject>>
  /** Of a part: the names of the groups of the whole document. */
  readonly groups?: readonly string[]
  /** A resource as callers of an action write it, where its readers do not read the same fields. */
  readonly written?: (resource: Resource, action: 'create' | 'update') => Resource
}

/** The document of exactly these routes, and of the three paths for operators, which a part leaves out. */
export function openapi(described: Described): OpenApiDocument {
  return atOnce(openapiPieces(described))
}

/** The same in pieces. */
export function* openapiPieces(described: Described): Pieces<OpenApiDocument> {
  const { catalog, groups, routes, plugins } = described
  const names = typeNames(catalog)
  const outline: Outline = {
    catalog,
    names,
    operationId: operationIds(names),
    tagOf,
    security: securityOf(described),
  }
  const drafts: Record<string, Record<string, OperationDraft>> = {}
  yield* each(routes, (route) => {
    const path = pathFromRoot(route, catalog.prefix)
    drafts[path] ??= {}
    const draft = operationOf(outline, route)
    drafts[path][route.method.toLowerCase()] = isResourceRoute(route) ? draft : linked(names, draft)
  })
  const partNames = new Map<unknown, Names>()
  const items = Object.entries(inOrder(drafts)).map(([path, methods]) => [path, pathItem(methods, partNames)])
  yield
  const resources = groups === undefined ? [...catalog.resources.values()] : referredTo(catalog, names, items)
  const own = yield* schemaPieces(described, names, resources)
  const schemas = { ...ENVELOPE_SCHEMAS, ...BATCH_SCHEMAS, ...shortened(resources, own, names) }
  yield
  const filters = filterSchemas(resources, names, Object.keys(schemas))
  yield
  const whole: OpenApiDocument = {
    openapi: '3.1.0',
    info: infoOf(described),
    servers: [{ url: '/' }],
    security: outline.security,
    tags: [...tagsOf(catalog, routes, plugins), ...(groups === undefined ? [PROBE_TAG] : [])],
    paths: { ...Object.fromEntries(items), ...(groups === undefined ? PROBES : {}) },
    components: {
      securitySchemes: schemesOf(described),
      headers: HEADERS,
      parameters: HEADER_PARAMETERS,
      responses: COMMON_ANSWERS,
      schemas: { ...schemas, ...filters },
    },
  }
  yield
  // Components that nothing refers to are left out, so that no name reveals a hidden resource.
  const document = used(whole)
  yield
  return yield* shared(document, partNames)
}

/** The resources with a schema that paths refer to: a record holds all that is embedded in it. */
function referredTo(catalog: Catalog, names: ReadonlyMap<string, TypeNames>, paths: unknown): readonly Resource[] {
  const found = references(paths)
  const isFound = (name: string): boolean => found.has(String(schemaRef(name).$ref))
  return [...catalog.resources.values()].filter(
    (resource) =>
      Object.values(names.get(resource.name)!).some(isFound) ||
      resource.nested.some(({ relation }) => isFound(createName(resource, relation.target, names))),
  )
}

/** The alternatives by which a caller presents itself. */
function securityOf({ authenticate, schemes = {} }: Described): readonly Node[] {
  if (authenticate === undefined) return []
  return ['bearer', ...Object.keys(schemes)].map((name) => ({ [name]: [] }))
}

function schemesOf({ authenticate, groups, schemes }: Described): Node {
  return {
    ...(authenticate === undefined ? {} : { bearer: bearerOf('The token that a sign-in returns.'), ...schemes }),
    ...(groups === undefined ? { metrics: bearerOf('The token for metrics, `METRICS_TOKEN`.') } : {}),
  }
}

function bearerOf(description: string): Node {
  return { type: 'http', scheme: 'bearer', description }
}

function infoOf({ catalog, groups, routes }: Described): Node {
  const { name: title, version } = catalog
  const info = { title, version, description: offer(catalog, routes, tagOf), 'x-guide': guide(catalog) }
  return groups === undefined ? info : { ...info, 'x-groups': groups }
}

/** The schemas of a record and of a create refer to those of a list and of an update for what they share. */
function shortened(
  resources: readonly Resource[],
  schemas: Readonly<Record<string, JsonSchema>>,
  names: ReadonlyMap<string, TypeNames>,
): Readonly<Record<string, JsonSchema>> {
  const short: Record<string, JsonSchema> = { ...schemas }
  for (const resource of resources) {
    const { single, list, create, update, answer, outcomes } = names.get(resource.name)!
    short[answer] = answerSchema(resource, single)
    short[outcomes] = outcomesOf(schemaRef(single))
    if (!('$ref' in schemas[list]!)) short[single] = folded(schemas[single]!, list, schemas[list]!)
    short[create] = folded(schemas[create]!, update, schemas[update]!)
  }
  return short
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Paths in alphabetical order, methods from reading to deleting. */
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
  LastEventId: headerParameter('Last-Event-ID', 'The id of the last event that came; the stream goes on behind it.'),
  IfNoneMatch: headerParameter('If-None-Match', 'An ETag. The answer is 304 while nothing has changed.'),
  Prefer: headerParameter('Prefer', '`can` asks in `meta.can` what the caller may do to each record.'),
  OnlyNew: headerParameter(
    'If-None-Match',
    'With `*` the record is only created. The answer is 412 where it is there.',
  ),
  IfMatch: headerParameter('If-Match', 'The ETag of the record as it was read. The answer is 412 when it has changed.'),
  IdempotencyKey: {
    ...headerParameter(
      'Idempotency-Key',
      'A text that the caller chooses. A second request with it gets the first answer.',
    ),
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
}

function headerParameter(name: string, description: string): Node {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

type Schemas = Readonly<Record<string, JsonSchema>>

/** The schemas of resources by name, used or not; of all of them if none are given. */
export function schemasOf(...given: Parameters<typeof schemaPieces>): Schemas {
  return atOnce(schemaPieces(...given))
}

/** The same in pieces. */
export function* schemaPieces(
  { catalog, hooks, written = (resource) => resource }: Pick<Described, 'catalog' | 'hooks' | 'written'>,
  names: ReadonlyMap<string, TypeNames>,
  resources: readonly Resource[] = [...catalog.resources.values()],
): Pieces<Schemas> {
  const schemas: Record<string, JsonSchema> = {}
  for (const resource of resources) {
    const { single, list, create, update } = names.get(resource.name)!
    const [alone, listed] = [recordSchema(resource, 'single'), recordSchema(resource, 'list')]
    schemas[single] = alone
    schemas[list] = isDeepStrictEqual(alone, listed) ? schemaRef(single) : listed
    schemas[create] = inputSchema(written(resource, 'create'), 'create', hookInput(hooks, resource, 'create'))
    schemas[update] = inputSchema(written(resource, 'update'), 'update', hookInput(hooks, resource, 'update'))
    yield
  }
  for (const resource of resources) {
    for (const relation of resource.relations.values()) {
      if (relation.kind !== 'has_many' || !relation.withParent) continue
      const child = targetOf(catalog, relation)
      const { create } = names.get(resource.name)!
      const name = `${names.get(child.name)!.create}With${names.get(resource.name)!.single}`
      const input = hookInput(hooks, child, 'create')
      schemas[name] = inputSchema(written(child, 'create'), 'create', input, relation.by[0]?.field)
      const { properties, ...rest } = schemas[create]!
      const list = { ...listOf(schemaRef(name)), description: 'Created with it.' }
      schemas[create] = { ...rest, properties: { ...Object(properties), [relation.name]: list } }
    }
    for (const { relation, actions } of resource.nested) {
      if (!actions.includes('create')) continue
      const input = hookInput(hooks, resource, 'create')
      // The path names the parent, so the body need not.
      schemas[createName(resource, relation.target, names)] = inputSchema(
        written(resource, 'create'),
        'create',
        input,
        relation.field,
      )
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

/** The groups by name, described by their resource, or by the plugins of their routes. */
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
  return described
}
