/** The page at /dashboard and its files, all served from here. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ApiError, type Reply, type Route, type RouteContext } from '../../../engine/index.ts'
import { escaped, ICON, rootOf, THEME } from '../../pages/page.ts'
import { MEANINGS } from '../tickets/figures.ts'
import { zoneOf } from '../tickets/zone.ts'

const require = createRequire(import.meta.url)
const chartLibrary = join(dirname(require.resolve('uplot/package.json')), 'dist')

const SCRIPT = 'text/javascript; charset=utf-8'
const STYLE = 'text/css; charset=utf-8'

function own(name: string): URL {
  return new URL(`./page/${name}`, import.meta.url)
}

/** Name → the place and the type of a file. */
const SOURCES: Readonly<Record<string, readonly [file: URL | string, type: string]>> = {
  'dashboard.js': [own('dashboard.js'), SCRIPT],
  'session.js': [own('session.js'), SCRIPT],
  'element.js': [own('element.js'), SCRIPT],
  'view.js': [own('view.js'), SCRIPT],
  'days.js': [own('days.js'), SCRIPT],
  'listed.js': [own('listed.js'), SCRIPT],
  'tickets.js': [own('tickets.js'), SCRIPT],
  'figures.js': [own('figures.js'), SCRIPT],
  'drawing.js': [own('drawing.js'), SCRIPT],
  'theme.css': [THEME, STYLE],
  'dashboard.css': [own('dashboard.css'), STYLE],
  'uplot.js': [join(chartLibrary, 'uPlot.esm.js'), SCRIPT],
  'uplot.css': [join(chartLibrary, 'uPlot.min.css'), STYLE],
}

interface Asset {
  readonly type: string
  readonly body: string
}

interface Assets {
  readonly files: ReadonlyMap<string, Asset>
  /** Changes with any file, so that browsers may keep their copies for good. */
  readonly version: string
  readonly html: string
}

let read: Assets | undefined

/** The files, read on first use. */
function assets(): Assets {
  if (read !== undefined) return read
  const files = new Map(
    Object.entries(SOURCES).map(([name, [file, type]]) => [name, { type, body: readFileSync(file, 'utf8') }]),
  )
  const html = readFileSync(own('dashboard.html'), 'utf8')
  const hash = createHash('sha256').update(html)
  for (const { body } of files.values()) hash.update(body)
  read = { files, version: hash.digest('hex').slice(0, 12), html }
  return read
}

/** Scripts and styles from here alone, none inline, and no requests elsewhere. */
const HEADERS = Object.freeze({
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-cache',
})

const KEPT = Object.freeze({ 'Cache-Control': 'public, max-age=31536000, immutable' })

async function page(context: RouteContext): Promise<Reply> {
  const { catalog } = context
  const root = rootOf(context)
  const { html, version } = assets()
  const words: Readonly<Record<string, string>> = {
    name: catalog.name,
    api: `${root}${catalog.prefix}`,
    assets: `${root}/dashboard/${version}`,
    zone: zoneOf(catalog),
    icon: ICON,
    root,
  }
  const meanings = MEANINGS.map(([term, meaning]) => `<dt>${escaped(term)}</dt><dd>${escaped(meaning)}</dd>`)
  const body = html
    .replace(/\{\{(\w+)\}\}/g, (whole, word: string) => (word === 'meanings' ? whole : escaped(words[word] ?? '')))
    .replace('{{meanings}}', meanings.join(''))
  return { raw: { type: 'text/html; charset=utf-8', body }, headers: HEADERS }
}

async function asset({ params }: RouteContext): Promise<Reply> {
  const { files, version } = assets()
  const found = files.get(params.file ?? '')
  if (found === undefined) throw new ApiError('route_not_found')
  // A page from before an update asks with the old version: it gets the present file, which is not cached under that
  // name.
  return { raw: found, headers: params.version === version ? KEPT : { 'Cache-Control': 'no-cache' } }
}

export const pageRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/dashboard',
    absolute: true,
    summary: 'The dashboard as a page for people',
    tag: 'Dashboard',
    access: 'public',
    openToRestricted: true,
    produces: ['text/html'],
    handle: page,
  },
  {
    method: 'GET',
    path: '/dashboard/{version}/{file}',
    absolute: true,
    summary: 'A script or style of the page',
    tag: 'Dashboard',
    access: 'public',
    openToRestricted: true,
    produces: ['text/javascript', 'text/css'],
    handle: asset,
  },
]
