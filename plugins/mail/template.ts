/** Mail templates: Liquid files with the subject in their first line and the text below it, rendered as text and as HTML. */
import { readFile } from 'node:fs/promises'
import type { Template } from 'liquidjs'
import { escapeHtml, htmlButton, htmlQuote, htmlText, pageOf } from './html.ts'
import { plainButton, plainQuote, plainText } from './plain.ts'

/** What stands in a mail. */
export interface Content {
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface Compiled {
  readonly subject: Template[]
  readonly text: Template[]
  readonly html: Template[]
}

const SUBJECT = /^Subject: (.+)\r?\n\s*/

const loadEngines = async () => {
  const { Liquid } = await import('liquidjs')
  // A misspelt variable must fail in a test, not send an empty line to a customer.
  const strict = { strictVariables: true, strictFilters: true, ownPropertyOnly: true }
  const plain = new Liquid(strict)
  plain.registerFilter('quote', plainQuote)
  plain.registerFilter('button', plainButton)
  const html = new Liquid({ ...strict, outputEscape: (value: unknown) => escapeHtml(String(value ?? '')) })
  html.registerFilter('quote', { raw: true, handler: htmlQuote })
  html.registerFilter('button', { raw: true, handler: htmlButton })
  return { plain, html }
}

let engines: ReturnType<typeof loadEngines> | undefined
const compiled = new Map<string, Compiled>()

/**
 * A template filled with `data`; rejects when the file is absent or names what `data` lacks. `{{ text | quote }}` is what
 * somebody wrote, with its lines; `{{ link | button: 'Open it' }}` a link. Both stand in a paragraph of their own.
 */
export async function renderMail(template: URL, data: Readonly<Record<string, unknown>>): Promise<Content> {
  engines ??= loadEngines()
  const { plain, html } = await engines
  let parts = compiled.get(template.href)
  if (parts === undefined) {
    const source = (await readFile(template, 'utf8')).replace(/\r\n/g, '\n')
    const match = SUBJECT.exec(source)
    if (match === null) throw new Error(`${template.pathname} does not begin with "Subject: "`)
    const body = source.slice(match[0].length)
    parts = { subject: plain.parse(match[1] ?? ''), text: plain.parse(body), html: html.parse(escapeStatic(body)) }
    compiled.set(template.href, parts)
  }
  const subject = String(await plain.render(parts.subject, data))
    .replace(/\s+/g, ' ')
    .trim()
  const app = String(data.app ?? '')
  const text = plainText(String(await plain.render(parts.text, data)), app)
  return { subject, text, html: pageOf(subject, htmlText(String(await html.render(parts.html, data))), app) }
}

/** The template's own words are text too; its tags stay as they are. */
function escapeStatic(source: string): string {
  return source.replace(/(\{\{.*?\}\}|\{%.*?%\})|[&<>]/gs, (found, tag?: string) => tag ?? escapeHtml(found))
}
