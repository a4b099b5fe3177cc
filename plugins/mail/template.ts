/** Mail templates: Liquid files with the subject in their first line and the text below it. */
import { readFile } from 'node:fs/promises'
import type { Template } from 'liquidjs'

interface Compiled {
  readonly subject: Template[]
  readonly text: Template[]
}

const SUBJECT = /^Subject: (.+)\r?\n\s*/

const loadEngine = async () => {
  const { Liquid } = await import('liquidjs')
  // A misspelt variable must fail in a test, not send an empty line to a customer.
  return new Liquid({ strictVariables: true, strictFilters: true, ownPropertyOnly: true })
}

let engine: ReturnType<typeof loadEngine> | undefined
const compiled = new Map<string, Compiled>()

/** Subject and plain text of a template filled with `data`; rejects when the file is absent or names what `data` lacks. */
export async function renderMail(
  template: URL,
  data: object,
): Promise<{ readonly subject: string; readonly text: string }> {
  engine ??= loadEngine()
  const liquid = await engine
  let parts = compiled.get(template.href)
  if (parts === undefined) {
    const source = await readFile(template, 'utf8')
    const match = SUBJECT.exec(source)
    if (match === null) throw new Error(`${template.pathname} does not begin with "Subject: "`)
    parts = { subject: liquid.parse(match[1] ?? ''), text: liquid.parse(source.slice(match[0].length)) }
    compiled.set(template.href, parts)
  }
  const subject = String(await liquid.render(parts.subject, data))
  return { subject: subject.replace(/\s+/g, ' ').trim(), text: String(await liquid.render(parts.text, data)) }
}
