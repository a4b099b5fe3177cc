/** Scenarios in YAML: requests of roles with the expected answers; their types, and the schema from which editors complete them. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { SPAN_PATTERN } from '../text/duration.ts'
import type { Source } from '../text/source.ts'
import type { Document } from './definition.ts'
import { judge } from './judge.ts'
import { parseDocument } from './parse.ts'
import { key, map, named, TEXT } from './word-schema.ts'

/** A request or another act, and what must come of it. */
export interface Step {
  /** A role, or a role and a name: `member`, `member Ann`; absent: a caller without a token. */
  readonly as?: string
  /** `POST /bookings`, below the prefix of the application. */
  readonly request?: string
  /** Instead of a request: the resource of a record that the application makes itself. */
  readonly create?: string
  /** Instead of a request: resource and id of a record that the application changes itself. */
  readonly update?: string
  /** Instead of a request: how far the clock moves, or to which moment. */
  readonly wait?: string
  /** Instead of a request: the address, or the role and perhaps the name of a person, whose mails are read. */
  readonly mails?: string
  readonly body?: Json
  /** A file that is sent as the part `file` of a form, together with the values of `body`. */
  readonly file?: { readonly name: string; readonly text: string }
  /** Of a request, or a write of the application. */
  readonly status?: number
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
  wait: key(
    'Instead of `request`: the clock moves on by a length of time, or to a moment, and all that follows is done before the next step.',
    '3 days',
    {
      type: 'string',
      pattern: `${SPAN_PATTERN}|^2\\d{3}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2})$`,
      'x-expects': 'a length of time such as 3 days, or a moment such as 2099-01-05T09:00Z',
    },
  ),
  mails: key(
    'Instead of `request`: the mails that somebody got since the scenario began, in their order, as `data` of the answer. It is a role, a role and a name, or an address. Each has `to`, `subject` and `text`; of a text, `answer` names a part.',
    'member Ann',
    TEXT,
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

const STEP = map(STEP_KEYS)

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

/** What a step does, one thing each, and the keys that go with it. */
const ACTS: Readonly<Record<string, readonly string[]>> = {
  request: ['as', 'file', 'body', 'status', 'answer', 'keep'],
  create: ['body', 'status', 'answer', 'keep'],
  update: ['body', 'status', 'answer', 'keep'],
  wait: [],
  mails: ['answer', 'keep'],
}

function faultsOf(step: Step): readonly Diagnostic[] {
  const written = Object.keys(step)
  const [act, ...more] = written.filter((name) => Object.hasOwn(ACTS, name))
  if (act === undefined || more.length > 0) {
    const hint =
      'write request: GET /…; or create: with the name of a resource, update: with a resource and an id, wait: with a length of time, mails: with a role'
    const message = `A step has one of "${Object.keys(ACTS).join('", "')}"`
    return [{ code: act === undefined ? 'missing_key' : 'wrong_value', message, hint }]
  }
  const allowed = ACTS[act]!
  const strange = written.filter((name) => name !== act && !allowed.includes(name))
  if (strange.length > 0) {
    const hint = allowed.length === 0 ? `leave it out` : `a step with "${act}" may have "${allowed.join('", "')}"`
    return [{ code: 'wrong_value', message: `A step with "${act}" has no "${strange.join('", "')}"`, hint }]
  }
  if (!allowed.includes('status') || step.status !== undefined) return []
  return [{ code: 'missing_key', message: `A step with "${act}" needs "status"`, hint: 'write status: 200' }]
}

/** The scenarios of a file, or what is wrong with it. */
export function readScenarioFile(source: Source): Collected<Document<ScenarioFile>> {
  const parsed = parseDocument(source)
  const failed = parsed.diagnostics.some(({ severity }) => severity !== 'warning')
  if (parsed.value === undefined || failed) return { diagnostics: parsed.diagnostics }
  return checkScenarios(parsed.value)
}
