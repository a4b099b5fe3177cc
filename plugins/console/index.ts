/** The console plugin: the application as screens at /console, drawn from /catalog.json with the rights of its reader. */
import { randomUUID } from 'node:crypto'
import { ApiError, definePlugin, memo, type Reply, type Route, type RouteContext } from '../../engine/index.ts'
import { rootOf } from '../pages/page.ts'
import { addedFile, builtPage, htmlOf, unbuiltHtml } from './files.ts'

/** Everything comes from this server, no script or style is inline, and no text becomes a script. */
const HEADERS = Object.freeze({
  'Content-Security-Policy':
    "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'; require-trusted-types-for 'script'",
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-cache',
})
/** A year: the version in the address changes with what is in a file. */
const FOR_GOOD = Object.freeze({
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
})

/** Where the page learns that the files of the application are others by now; there while `start --watch` serves. */
const SERVED = '/console/-/served'
const versionOf = memo((_: RouteContext['catalog']): string => randomUUID())

/** Another version after each change of the files. */
async function served({ catalog }: RouteContext): Promise<Reply> {
  return { data: { version: versionOf(catalog) }, headers: { 'Cache-Control': 'no-store' } }
}

/** The same HTML for every screen: the address says which one to draw. */
async function screen(context: RouteContext): Promise<Reply> {
  const page = builtPage()
  const { catalog, settings } = context
  const { name } = catalog
  const watched = settings.watched === true && !settings.production ? SERVED : undefined
  const body = page === undefined ? unbuiltHtml(name) : htmlOf(page, rootOf(context), name, watched)
  return { raw: { type: 'text/html; charset=utf-8', body }, headers: HEADERS }
}

/** A file of the page, or the screen of a record: both have two parts below /console. */
async function fileOrScreen(context: RouteContext): Promise<Reply> {
  const { resource, record } = context.params
  const page = builtPage()
  if (resource === undefined || !/^[0-9a-f]{12}$/.test(resource)) return screen(context)
  const added = [...context.catalog.additions.values()].find(({ version }) => version === resource)
  const own = page?.version === resource ? page.files.get(record ?? '') : undefined
  const file = own ?? (page && added && addedFile(added, record ?? '', page))
  if (file === undefined) throw new ApiError('route_not_found')
  return { raw: file, headers: FOR_GOOD }
}

function pageRoute(path: string, summary: string, handle: Route['handle'], produces = ['text/html']): Route {
  return {
    method: 'GET',
    path,
    absolute: true,
    summary,
    tag: 'Console',
    access: 'public',
    openToRestricted: true,
    produces,
    handle,
  }
}

const FILES = ['text/html', 'text/javascript', 'text/css', 'image/svg+xml']

const routes: readonly Route[] = [
  pageRoute('/console', 'The application as screens for people', screen),
  pageRoute('/console/{resource}', 'The screen of a list', screen),
  pageRoute('/console/{resource}/{record}', 'The screen of a record, or a file of the page', fileOrScreen, FILES),
  pageRoute('/console/{resource}/{record}/{below}', 'The screen of a list below a record', screen),
  {
    method: 'GET',
    path: SERVED,
    absolute: true,
    summary: 'Which version of the files is served',
    tag: 'Console',
    access: 'public',
    developing: true,
    handle: served,
  },
]

export default definePlugin({
  name: 'console',
  description: 'The application as screens at /console: lists, records and forms, as the rights of their reader allow.',
  routes,
  start: async ({ settings }) => [`Console    ${settings.baseUrl.replace(/\/+$/, '')}/console`],
})
