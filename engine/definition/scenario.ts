/** Scenarios in YAML: who asks what, and what must be answered; their form, and the schema that editors complete it from. */
import { isObject, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { Collected } from '../text/diagnostic.ts'
import type { Document } from './definition.ts'
import { judge } from './judge.ts'
import { key, map, named, PATH, TEXT } from './word-schema.ts'

/** One request and what must come back. */
export interface Step {
  /** A role, or a role and a name: `member`, `member Ann`; absent: nobody. */
  readonly as?: string
  /** `POST /bookings`, below the prefix of the application. */
  readonly request: string
  readonly body?: Json
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
    'Who asks: a role, or a role and a name, for another person of it; without it nobody who is signed in.',
    'member Ann',
    TEXT,
  ),
  request: key(
    'The method, and the path below the prefix; `{name}` stands for what a step before has kept.',
    'PATCH /bookings/{booking}',
    {
      type: 'string',
      pattern: '^(GET|POST|PUT|PATCH|DELETE) /\\S*$',
      'x-expects': 'a method and a path, such as POST /bookings',
    },
  ),
  body: key('What is sent, as JSON; a text `"{name}"` stands for what was kept.', { title: 'Planning' }, {}),
  status: key('The status that is answered.', 201, { type: 'integer', minimum: 100, maximum: 599 }),
  answer: key(
    'Parts of the answer: what stands here must be there, and lists must be as long.',
    { data: { title: 'Planning' } },
    { type: 'object' },
  ),
  keep: key(
    'Values of the answer for later steps, each under a name, by its path.',
    { booking: 'data.id' },
    named(PATH),
  ),
}

const STEP = map(STEP_KEYS, ['request', 'status'])

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
  return { value: Object.freeze({ value: usable as JsonObject & ScenarioFile, place }), diagnostics }
}
