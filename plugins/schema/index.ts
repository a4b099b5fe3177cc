/** The schema plugin: what the application is and who may do what in it, for those who may ask why; and its files to edit, on a developer's machine. */
import {
  accessTable,
  type Catalog,
  definePlugin,
  describeSchema,
  inLanguage,
  invalid,
  languageFor,
  memo,
  nearest,
  type Reply,
  type Route,
  type RouteContext,
} from '../../engine/index.ts'
import { editRoutes } from './edit-routes.ts'
import { operations } from './operations.ts'

/** It is made for one caller, and changes with every write. */
const PRIVATE = { 'cache-control': 'private, no-store' }

const described = memo((catalog: Catalog) => describeSchema(catalog))

async function schema({ catalog, headers }: RouteContext): Promise<Reply> {
  return { data: described(inLanguage(catalog, languageFor(catalog, headers))), headers: PRIVATE }
}

async function access({ catalog, database, now, parameters }: RouteContext): Promise<Reply> {
  const { resource } = parameters
  if (typeof resource === 'string' && !catalog.resources.has(resource)) {
    const near = nearest(resource, catalog.resources.keys())
    const hint = near === undefined ? '' : `; did you mean ${near}?`
    throw invalid({ resource: [`is no resource of this application${hint}`] })
  }
  const only = typeof resource === 'string' ? resource : undefined
  return { data: await accessTable({ catalog, runner: database.adhoc, now: now() }, only), headers: PRIVATE }
}

async function state(context: RouteContext): Promise<Reply> {
  return { data: await operations(context), headers: PRIVATE }
}

function readRoute(path: string, summary: string, description: string, handle: Route['handle']): Route {
  return {
    method: 'GET',
    path,
    absolute: true,
    summary,
    description,
    tag: 'Schema',
    access: 'explain',
    query: {},
    output: { type: 'object' },
    handle,
  }
}

const routes: readonly Route[] = [
  readRoute(
    '/schema.json',
    'What the application is made of, with where each part is written',
    'Resources with their fields, relations, policies, rules, moves, what follows from writes, automations and listeners; each part with its file, line and text.',
    schema,
  ),
  {
    ...readRoute(
      '/access.json',
      'Who may do what, with how many records that are now',
      'For everyone without a token and for each role of the database: no records, some or all, of each resource and policy, with the clauses that say so. `records` is null where it depends on who asks; `uncounted` then says why.',
      access,
    ),
    query: { resource: { type: 'string', description: 'This resource alone.' } },
  },
  readRoute(
    '/operations.json',
    'What is going on: jobs, automations, listeners, and the plan of the files',
    'Jobs that were given up, the state of automations and listeners, and what the present files would change in the database, for clients and in access, as `plinth plan` says it. Nothing is changed.',
    state,
  ),
  ...editRoutes,
]

export default definePlugin({
  name: 'schema',
  description:
    "Shows what the application is made of and who may do what in it, to those whom `explain` in app.yaml names; while `start --watch` runs on a developer's machine, its files can be edited.",
  routes,
  console: new URL('./console.tsx', import.meta.url),
})
