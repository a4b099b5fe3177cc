/** `plinth explain 'GET /api/v1/tickets?status_id=1' --as agent@…`: the route, the rules with their places, and the SQL. */

import { createCachedTables } from '../action/cached-tables.ts'
import { type Execution, executionOf, type Foundation } from '../action/execution.ts'
import { type Explanation, explain } from '../action/explain.ts'
import { pluginContext } from '../action/plugin-context.ts'
import { type Actor, ANONYMOUS } from '../actor.ts'
import { bindRoutes } from '../boot/bind-routes.ts'
import type { Boot } from '../boot/boot.ts'
import type { Database } from '../database/database.ts'
import type { BoundRoute } from '../http/parts.ts'
import { type ResourceRoute, resourceRoutes } from '../http/resource-routes.ts'
import { compileTable } from '../http/table.ts'
import { createStatements } from '../query/compiled-statements.ts'
import { readLookup } from '../query/lookup.ts'
import { withDatabase } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

interface Found {
  readonly route: BoundRoute
  readonly pattern: string
  readonly named: string | undefined
  readonly query: URLSearchParams
}

function foundationOf({ catalog, composition }: Boot, database: Database, { settings, log }: Invocation): Foundation {
  const now = (): Date => new Date()
  return {
    catalog,
    database,
    statements: createStatements(),
    cachedTables: createCachedTables(catalog, database.compiled, now),
    hooks: composition.hooks,
    settings,
    // Nothing is stored here, so there is nothing to own.
    instance: 'explain',
    log,
    now,
    // Nothing is written here, so there is nobody to tell.
    changed: () => Promise.resolve(),
    jobs: { add: () => Promise.reject(new Error('explain does no work')), wake: () => Promise.resolve() },
    contextOf: pluginContext,
  }
}

async function actorNamed(name: string | undefined, { composition }: Boot, call: Execution): Promise<Actor> {
  if (name === undefined) return ANONYMOUS
  const { identify } = composition
  if (identify === undefined) throw new Error('No plugin of this application knows people by name: leave --as out.')
  const actor = await identify.value(pluginContext(call, identify.options), name)
  if (actor === null) throw new Error(`There is nobody called ${name}.`)
  return actor
}

function isResourceRoute(route: BoundRoute): route is ResourceRoute {
  return 'resource' in route && 'action' in route
}

/** The route of `GET /path?query`; throws the sentence that says why there is none. */
function findRoute(request: string, boot: Boot, foundation: Foundation): Found {
  const [, method = '', path = '', query] = /^\s*([A-Za-z]+)\s+(\/[^\s?]*)(?:\?(\S*))?\s*$/.exec(request) ?? []
  if (path === '') throw new Error(`"${request}" is no request such as 'GET /api/v1/tickets?status_id=1'.`)
  const { catalog, composition } = boot
  const { value: given } = bindRoutes(composition, catalog)
  const own = resourceRoutes(catalog, ({ actor, requestId, afterCommit }) =>
    executionOf(foundation, { actor, requestId, afterCommit }),
  )
  const match = compileTable([...given, ...own], catalog.prefix)(path)
  if (match === undefined) throw new Error(`No route answers ${path}: 404.`)
  const place = match.entry.methods.get(method.toUpperCase())
  if (place === undefined)
    throw new Error(`${match.entry.pattern} answers ${match.entry.allow.join(', ')}, not ${method.toUpperCase()}: 405.`)
  return { route: place.route, pattern: place.pattern, named: match.values[0], query: new URLSearchParams(query ?? '') }
}

async function explainResource(route: ResourceRoute, { named, query }: Found, call: Execution): Promise<Explanation> {
  const { resource, action, parent } = route
  const relation = resource.nested.find((nested) => nested.relation.target === parent?.name)?.relation
  const above = parent && relation && { relation, resource: parent, lookup: readLookup(parent, named ?? '') }
  const lookup = parent === undefined && named !== undefined ? { named } : {}
  return explain(call, { resource, action, query, ...lookup, ...(above === undefined ? {} : { parent: above }) })
}

function verdictLine({ clause, place, speaks, reaches, follows }: Explanation['verdicts'][number]): string {
  const verdict = !speaks
    ? 'not about this caller'
    : reaches === undefined
      ? 'applies'
      : reaches
        ? 'applies, and holds'
        : 'applies, but its condition is false'
  const kept = follows.length === 0 ? '' : `; what it follows must not be deleted: ${follows.join(', ')}`
  return `    ${place}  ${clause}\n      → ${verdict}${kept}`
}

function render({ policy, verdicts, statements, outcome }: Explanation): string {
  const rules = verdicts.length === 0 ? ['    there is none, so nobody may'] : verdicts.map(verdictLine)
  const sql = statements.map(
    ({ text, values }) => `    ${text.trim().replace(/\n\s*/g, '\n    ')}\n      → ${JSON.stringify(values)}`,
  )
  return [
    `  rules of ${policy}:`,
    ...rules,
    ...(sql.length === 0 ? [] : ['  statements:', ...sql]),
    `  outcome: ${outcome ?? 'the rules allow it; nothing was written'}`,
  ].join('\n')
}

async function explainRequest(invocation: Invocation, database: Database, boot: Boot): Promise<string> {
  const { positionals, options } = invocation
  const foundation = foundationOf(boot, database, invocation)
  const found = findRoute(positionals[0] ?? '', boot, foundation)
  const call = { requestId: 'explain', afterCommit: () => undefined }
  const name = typeof options.as === 'string' ? options.as : undefined
  const actor = await actorNamed(name, boot, executionOf(foundation, { ...call, actor: ANONYMOUS }))
  const { route, pattern } = found
  const caller = actor.kind === 'anonymous' ? 'nobody who is signed in' : `${name}, ${actor.role ?? 'without a role'}`
  const head = `${route.method} ${pattern}: ${route.summary}\n  asked by ${caller}`
  if (!isResourceRoute(route))
    return `${head}\n  a route of the plugin ${route.plugin}, which judges the request itself`
  return `${head}\n${render(await explainResource(route, found, executionOf(foundation, { ...call, actor })))}`
}

export function run(invocation: Invocation): Promise<ExitCode> {
  return withDatabase(invocation, async (database, boot) => {
    invocation.say(await explainRequest(invocation, database, boot))
    return 0
  })
}
