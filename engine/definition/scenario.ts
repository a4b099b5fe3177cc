/** Scenarios in YAML: requests of roles with the expected answers; their types, and the schema from which editors complete them. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import type { Source } from '../text/source.ts'
import type { Document } from './definition.ts'
import { judge } from './judge.ts'
import { parseDocument } from './parse.ts'
import { key, map, named, TEXT } from './word-schema.ts'

/** One request and what must come back. */
export interface Step {
  /** A role, or a role and a name: `member`, `member Ann`; absent: a caller without a token. */
  readonly as?: string
  /** `POST /bookings`, below the prefix of the application. */
  readonly request?: string
  /** Instead of a request: the resource of a record that the application makes itself. */
  readonly create?: string
  /** Instead of a request: resource and id of a record that the application changes itself. */
  readonly update?: string
  readonly body?: Json
  /** A file that is sent as the part `file` of a form, together with the values of `body`. */
  readonly file?: { readonly name: string; readonly text: string }
  readonly status: number
  /** Parts of the answer. */
  readonly answer?: JsonObject
  /** Name → path into the answer, for later steps. */
  readonly keep?: Readonly<Record<string, string>>
}

export interface ScenarioFile {
  readonly scenarios: Readonly<Record<string, readonly Step[]>>
}

/** The keys of a step. */
export const STEP_KEYS: Readonly<Record<string, JsonSchema>> = {
  as: key(
    'Who asks: a role, or a role and a name for another person of it; if absent, a caller without a token.',
    'member Ann',
    TEXT,
  ),
  request: key(
    'The method, and the path below the prefix; `{name}` is a value that an earlier step has kept.',
    'PATCH /bookings/{booking}',
    {
      type: 'string',
      pattern: '^(GET|POST|PUT|PATCH|DELETE) /\\S*$',
      'x-expects': 'a method and a path, such as POST /bookings',
    },
  ),
  create: key(
    'Instead of `request`: a record of this resource that the application makes itself, as its plugins do. No policy is asked, rules hold, and `body` may have fields that nobody may write.',
    'bookings',
    TEXT,
  ),
  update: key(
    'Instead of `request`: a record that the application changes itself, by its resource and id, in the same way.',
    'bookings/{booking}',
    { type: 'string', pattern: '^\\w+/\\S+$', 'x-expects': 'a resource and an id, such as bookings/{booking}' },
  ),
  body: key('What is sent, as JSON; a text `"{name}"` becomes the value that was kept.', { title: 'Planning' }, {}),
  file: key(
    'A file that is sent as the part `file` of a form; the values of `body` are its other parts.',
    { name: 'guests.csv', text: 'Name' },
    map({ name: key('The name of the file.', 'guests.csv', TEXT), text: key('What is in it.', 'Name', TEXT) }, [
      'name',
      'text',
    ]),
  ),
  status: key('The status that is answered.', 201, { type: 'integer', minimum: 100, maximum: 599 }),
  answer: key(
    'Parts of the answer: all of them must be there, and lists must be as long.',
    { data: { title: 'Planning' } },
    { type: 'object' },
  ),
  keep: key(
    'Values of the answer for later steps, each under a name, by its path; `data.0.id` is that of the first of a list.',
    { booking: 'data.id' },
    named({
      type: 'string',
      pattern: '^\\w+(\\.\\w+)*$',
      maxLength: 200,
      'x-expects': 'a path into the answer, such as data.id',
    }),
  ),
}

const STEP = map(STEP_KEYS, ['status'])

/** The schema of a file of scenarios. */
export const SCENARIO_SCHEMA: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Scenarios of an application of Plinth',
  ...map(
    {
      scenarios: key(
        'Scenarios by what they show, in a few words; those of a file follow each other on one database.',
        { 'a member books a room': [{ as: 'member', request: 'POST /bookings', status: 201 }] },
        named(
          { type: 'array', items: STEP, minItems: 1, maxItems: LIMITS.stepsPerScenario },
          { ...TEXT, maxLength: 200 },
        ),
      ),
    },
    ['scenarios'],
  ),
}

/** Checks a file of scenarios; there is a value only without mistakes. */
export function checkScenarios(document: Document<unknown>): Collected<Document<ScenarioFile>> {
  const { diagnostics, usable, place } = judge(SCENARIO_SCHEMA, document)
  if (diagnostics.length > 0 || !isObject(usable)) return { diagnostics }
  const value = usable as JsonObject & ScenarioFile
  const wrong = Object.entries(value.scenarios).flatMap(([name, steps]) =>
    steps.flatMap((step, index) => faultsOf(step).map((one) => ({ ...one, span: place(['scenarios', name, index]) }))),
  )
  return wrong.length > 0 ? { diagnostics: wrong } : { value: Object.freeze({ value, place }), diagnostics }
}

function faultsOf({ as, create, file, request, update }: Step): readonly Diagnostic[] {
  const done = [request, create, update].filter((one) => one !== undefined).length
  if (done !== 1) {
    const hint = 'write request: GET /…, or create: with the name of a resource, or update: with a resource and an id'
    const message = 'A step has one of "request", "create" and "update"'
    return [{ code: done === 0 ? 'missing_key' : 'wrong_value', message, hint }]
  }
  if (request !== undefined || (as ?? file) === undefined) return []
  const message = 'What the application does itself nobody asks for, and it has no file'
  return [{ code: 'wrong_value', message, hint: 'leave out "as" and "file", or write a "request"' }]
}

/** The scenarios of a file, or what is wrong with it. */
export function readScenarioFile(source: Source): Collected<Document<ScenarioFile>> {
  const parsed = parseDocument(source)
  if (parsed.value === undefined || parsed.diagnostics.length > 0) return { diagnostics: parsed.diagnostics }
  return checkScenarios(parsed.value)
}
