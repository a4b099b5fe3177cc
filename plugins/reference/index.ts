/** The reference plugin: the interface of what is running as a page to read and to try, from this machine alone. */
import { ApiError, definePlugin, guide, type Reply, type Route, type RouteContext } from '../../engine/index.ts'
import { hashOf, themeText } from '../pages/page.ts'
import { pageFiles } from './file.ts'
import { GUIDE_STYLE, guidePage, page } from './page.ts'

/** Scripts and styles are files of this server, and requests go to it alone; pictures in the style are part of it. */
const HEADERS = Object.freeze({
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
})
/** A year: the name of a file changes with what is in it. */
const FOR_GOOD = 'public, max-age=31536000, immutable'

/** More resources than this would keep the browser of a reader at work for seconds: their groups are shown one by one. */
const MANY = 60

async function reference({ catalog }: RouteContext): Promise<Reply> {
  const { styles, scripts } = await pageFiles()
  const below = (name: string): string => `docs/${name}`
  const first = [...catalog.resources.values()].find(({ actions }) => actions.size > 0)
  const alone = catalog.resources.size > MANY ? first?.name : undefined
  const body = page(catalog.name, { styles: styles.map(below), scripts: scripts.map(below) }, alone)
  return { raw: { type: 'text/html; charset=utf-8', body }, headers: HEADERS }
}

/** The guide, with no script and no style but its own. */
async function guideOfAll({ catalog }: RouteContext): Promise<Reply> {
  const style = `${themeText()}${GUIDE_STYLE}`
  const policy = `default-src 'none'; style-src ${hashOf(style)}; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return {
    raw: { type: 'text/html; charset=utf-8', body: guidePage(catalog.name, guide(catalog), style) },
    headers: { ...HEADERS, 'Content-Security-Policy': policy },
  }
}

async function file({ params }: RouteContext): Promise<Reply> {
  const { byName } = await pageFiles()
  const found = byName.get(params.file ?? '')
  if (found === undefined) throw new ApiError('record_not_found', { label: 'File' })
  return { raw: { type: found.type, body: await found.read() }, headers: { 'Cache-Control': FOR_GOOD } }
}

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/docs',
    absolute: true,
    summary: 'This document as a page to read and to try',
    tag: 'Reference',
    access: 'public',
    query: {
      group: { type: 'string', description: 'The group of routes that the page of a large application shows.' },
    },
    produces: ['text/html'],
    handle: reference,
  },
  {
    method: 'GET',
    path: '/docs/guide',
    absolute: true,
    summary: 'How requests and answers work, whatever the route',
    tag: 'Reference',
    access: 'public',
    query: {},
    produces: ['text/html'],
    handle: guideOfAll,
  },
  {
    method: 'GET',
    path: '/docs/{file}',
    absolute: true,
    summary: 'A script or style of the page',
    tag: 'Reference',
    access: 'public',
    query: {},
    produces: ['text/javascript', 'text/css'],
    handle: file,
  },
]

export default definePlugin({
  name: 'reference',
  description: 'The reference at /docs: every route of what is running, to read and to try, without a network.',
  routes,
  start: async ({ settings }) => [`Reference  ${settings.baseUrl.replace(/\/+$/, '')}/docs`],
})
