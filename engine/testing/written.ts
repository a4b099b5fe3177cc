/** ⇄ Steps of a scenario without a request: records that the application itself writes, and mails; their answers are like those of requests. */
import { ApiError } from '../error.ts'
import type { FieldErrors } from '../field-error.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { hintOf } from '../text/nearest.ts'
import type { Answer } from './answer.ts'
import type { TestApplication } from './application.ts'

/**
 * Creates a record like a plugin, or updates the one of this id; returns 201, 200 or the refusal. Throws for an unknown
 * resource.
 */
export async function writtenBySystem(
  app: TestApplication,
  name: string,
  id: string | undefined,
  body: Json | undefined,
): Promise<Answer> {
  const { resources } = app.engine.app.catalog
  const resource = resources.get(name)
  if (resource === undefined) {
    const { hint } = hintOf(name, resources.keys())
    throw new Error(`There is no resource "${name}"${hint === undefined ? '' : `, ${hint}`}`)
  }
  const values = isObject(body) ? Object.entries(body) : []
  const isFixed = (key: string): boolean => resource.fields.get(key)?.readOnly === true
  const input = Object.fromEntries(values.filter(([key]) => !isFixed(key)))
  const fixed = Object.fromEntries(values.filter(([key]) => isFixed(key)))
  const records = app.records(name)
  try {
    const data = id === undefined ? await records.create(input, fixed) : await records.update(id, input, { fixed })
    return answered(id === undefined ? 201 : 200, { data: data as JsonObject })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, message, params, status } = error
    return answered(status, { code, message, errors: sentencesIn(params.errors) })
  }
}

/** The mails to a person or an address, but those of `before`; of a text the part that `expected` names, if it is there. */
export async function mailsRead(
  app: TestApplication,
  whose: string,
  before: ReadonlySet<string>,
  expected: Json | undefined,
): Promise<Answer> {
  const address = whose.includes('@') ? whose : await addressOf(app, whose)
  const parts = isObject(expected) && Array.isArray(expected.data) ? expected.data : []
  const mails = (await app.mails()).filter(
    ({ id, to }) => !before.has(id) && to.toLowerCase() === address.toLowerCase(),
  )
  const data = mails.map(({ subject, text, to }, index) => {
    const part = parts[index] as Json | undefined
    const named = isObject(part) && typeof part.text === 'string' ? part.text : undefined
    return { to, subject, text: named !== undefined && joined(text).includes(joined(named)) ? named : text }
  })
  return answered(200, { data })
}

/** Lines of a mail are cut where they become long. */
function joined(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

async function addressOf(app: TestApplication, whose: string): Promise<string> {
  const [role = '', ...names] = whose.split(' ')
  const { id } = await app.person(role, names.join(' ') || undefined)
  const { resource, address } = app.engine.app.catalog.accounts!
  const field = address?.field ?? 'email'
  return String((await app.records(resource).get(id))[field])
}

function answered(status: number, body: JsonObject): Answer {
  const { data, code, message, errors = {} } = body
  const parts = { data, meta: undefined, errors, code, message } as Pick<
    Answer,
    'data' | 'meta' | 'errors' | 'code' | 'message'
  >
  return Object.freeze({ status, headers: {}, text: JSON.stringify(body), body, ...parts })
}

function sentencesIn(errors: FieldErrors = {}): JsonObject {
  return Object.fromEntries(Object.entries(errors).map(([name, mistakes]) => [name, mistakes.map(String)]))
}
