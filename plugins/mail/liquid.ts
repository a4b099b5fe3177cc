/** The two ways in which a template is filled: as the words of a text, and as HTML in which no value is markup. */
import { createRequire } from 'node:module'
import type { Liquid } from 'liquidjs'
import { escapeHtml, htmlButton, htmlQuote } from './html.ts'
import { excerpt, plainButton, plainQuote } from './plain.ts'

export interface Engines {
  readonly plain: Liquid
  readonly html: Liquid
}

const load = createRequire(import.meta.url)
const made = new Map<boolean, Engines>()

/** What one rendering may make: a loop in a template must not fill the memory. */
const MEMORY = 50_000_000

/**
 * Engines for templates, loaded when one is first asked for. A `strict` one refuses what its data lacks: a misspelt variable
 * must fail in a test, not send an empty line to a customer. The others are for templates whose paths were checked before.
 */
export function liquidEngines(strict: boolean): Engines {
  const found = made.get(strict)
  if (found !== undefined) return found
  const { Liquid }: typeof import('liquidjs') = load('liquidjs')
  // Without templates of its own, none can take in another file.
  const options = { strictFilters: true, ownPropertyOnly: true, templates: {}, memoryLimit: MEMORY, timezoneOffset: 0 }
  const plain = new Liquid({ ...options, strictVariables: strict })
  plain.registerFilter('quote', plainQuote)
  plain.registerFilter('button', plainButton)
  plain.registerFilter('excerpt', excerpt)
  const outputEscape = (value: unknown): string => escapeHtml(String(value ?? ''))
  const html = new Liquid({ ...options, strictVariables: strict, outputEscape })
  html.registerFilter('quote', { raw: true, handler: htmlQuote })
  html.registerFilter('button', { raw: true, handler: htmlButton })
  html.registerFilter('excerpt', excerpt)
  const engines = { plain, html }
  made.set(strict, engines)
  return engines
}
