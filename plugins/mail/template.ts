/**
 * Mail templates: Liquid files with the subject in their first line and the text below, rendered as text and as HTML.
 */
import { readFile } from 'node:fs/promises'
import type { Template } from 'liquidjs'
import { type Budget, spendMemory, templateBudget } from '../templates/budget.ts'
import { filledText } from '../templates/liquid.ts'
import { escapeHtml, htmlText, liquidEngines, pageOf, plainText } from './rendering.ts'

/** The content of a mail. */
export interface Content {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The words of a mail, in Liquid. */
export interface MailWords {
  readonly subject: string
  readonly text: string
}

interface Compiled {
  readonly subject: Template[]
  readonly text: Template[]
  readonly html: Template[]
}

const SUBJECT = /^Subject: (.+)\r?\n\s*/

/** Files stay for the life of the program; texts of automations are dropped when there are many. */
const compiled = new Map<string, Compiled>()
const KEPT = 1_000

/** Characters that a file may produce on the way. */
const FILE_MEMORY = 50_000_000
const ESCAPED_LENGTH = 5

/**
 * Fills a template with `data`; rejects where the file is absent or names what `data` lacks. `{{ text | quote }}` is
 * quoted text with its lines, `{{ link | button: 'Open it' }}` a link. Both are paragraphs of their own. `inLanguage` is
 * the text that a language has in place of the file.
 */
export async function renderMail(
  template: URL,
  data: Readonly<Record<string, unknown>>,
  inLanguage?: string,
): Promise<Content> {
  const key = inLanguage ?? template.href
  const read = async () => partsOf(inLanguage ?? (await readFile(template, 'utf8')), template)
  return render(compiled.get(key) ?? compile(key, await read()), data, true)
}

/** Fills the words of an automation's mail in the same way; names that `data` lacks are empty. Throws OverBudget. */
export function renderWords(
  words: MailWords,
  data: Readonly<Record<string, unknown>>,
  budget: Budget = templateBudget(),
): Content {
  const key = JSON.stringify([words.subject, words.text])
  return render(compiled.get(key) ?? compile(key, words, false), data, false, budget)
}

function partsOf(file: string, { pathname }: URL): MailWords {
  const source = file.replace(/\r\n/g, '\n')
  const match = SUBJECT.exec(source)
  if (match === null) throw new Error(`${pathname} does not begin with "Subject: "`)
  return { subject: match[1] ?? '', text: source.slice(match[0].length) }
}

function compile(key: string, { subject, text }: MailWords, strict = true): Compiled {
  const { html, plain } = liquidEngines(strict)
  const parts = { subject: plain.parse(subject), text: plain.parse(text), html: html.parse(escapeStatic(text)) }
  if (compiled.size >= KEPT) compiled.clear()
  compiled.set(key, parts)
  return parts
}

function render(
  parts: Compiled,
  data: Readonly<Record<string, unknown>>,
  strict: boolean,
  budget: Budget = fileBudget(),
): Content {
  const { html, plain } = liquidEngines(strict)
  const subject = filledText(plain, parts.subject, data, budget).replace(/\s+/g, ' ').trim()
  const app = nameIn(data.app)
  const text = plainText(filledText(plain, parts.text, data, budget), app)
  // The same words as in the text, which was counted; an escaped sign becomes five.
  const page = filledText(html, parts.html, data, budget, (piece) => spendMemory(budget, piece.length / ESCAPED_LENGTH))
  return { subject, text, html: pageOf(subject, htmlText(page), app) }
}

/** Files of plugins only name what they are given, of any length. */
function fileBudget(): Budget {
  return { ...templateBudget(), ms: Number.POSITIVE_INFINITY, memory: FILE_MEMORY, bytes: FILE_MEMORY }
}

/** Automations know more of the application than its name. */
function nameIn(app: unknown): string {
  return typeof app === 'object' && app !== null && 'name' in app ? String(app.name) : String(app ?? '')
}

/** The template's own words are text too; its tags stay as they are. */
function escapeStatic(source: string): string {
  return source.replace(/(\{\{.*?\}\}|\{%.*?%\})|[&<>]/gs, (found, tag?: string) => tag ?? escapeHtml(found))
}
