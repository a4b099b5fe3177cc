/** ⇄ The client of PostgreSQL, for whoever makes one; types come from `pg` itself. */
import { createRequire } from 'node:module'

/**
 * `pg` asks `navigator` whether it runs at Cloudflare, and where there is none, which is in Node 20, it makes a Response
 * to see: Node then loads all of its `fetch`, 40 ms and 4 MB of a start that nobody else needs.
 */
function loadClient(): typeof import('pg') {
  const load = createRequire(import.meta.url)
  if ('navigator' in globalThis) return load('pg')
  Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Node.js' }, configurable: true })
  try {
    return load('pg')
  } finally {
    Reflect.deleteProperty(globalThis, 'navigator')
  }
}

export const { Client, Pool, types } = loadClient()
