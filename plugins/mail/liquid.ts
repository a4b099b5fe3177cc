/** The two ways in which a template is filled: as the words of a text, and as HTML in which no value is markup. */
import type { Liquid } from 'liquidjs'
import { createLiquid } from '../templates/liquid.ts'
import { escapeHtml, htmlButton, htmlQuote } from './html.ts'
import { excerpt, plainButton, plainQuote } from './plain.ts'

export interface Engines {
  readonly plain: Liquid
  readonly html: Liquid
}

const made = new Map<boolean, Engines>()

/**
 * Engines for templates, made when one is first asked for. A `strict` one refuses what its data lacks: a misspelt variable
 * must fail in a test, not send an empty line to a customer. The others are for templates whose paths were checked before.
 */
export function liquidEngines(strict: boolean): Engines {
  const found = made.get(strict)
  if (found !== undefined) return found
  const plain = createLiquid({ strict, filters: { quote: plainQuote, button: plainButton, excerpt } })
  const html = createLiquid({
    strict,
    written: (value) => escapeHtml(String(value ?? '')),
    filters: { quote: { raw: true, handler: htmlQuote }, button: { raw: true, handler: htmlButton }, excerpt },
  })
  const engines = { plain, html }
  made.set(strict, engines)
  return engines
}
