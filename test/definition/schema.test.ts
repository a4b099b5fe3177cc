/** The schema that editors complete from is the one that judges: ajv agrees with it, and every key explains itself. */
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { judge } from '../../engine/definition/judge.ts'
import { parseDocument } from '../../engine/definition/parse.ts'
import { readSources } from '../../engine/definition/read.ts'
import { appSchema, resourceSchema } from '../../engine/definition/schema.ts'
import type { Json, JsonObject, JsonSchema } from '../../engine/json.ts'
import { VOCABULARY } from './checks.ts'

const test = suite('resourceSchema')

const RESOURCE = resourceSchema(VOCABULARY)
const APP = appSchema(VOCABULARY)
const ajv = new Ajv({ strict: false, validateFormats: false })

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every key of every map in a schema, with the way to it. */
function* keysOf(schema: unknown, way: string): Generator<readonly [way: string, schema: JsonSchema]> {
  if (Array.isArray(schema)) for (const [index, branch] of schema.entries()) yield* keysOf(branch, `${way}[${index}]`)
  if (!isMap(schema)) return
  for (const [key, child] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
    yield [`${way}.${key}`, child]
    yield* keysOf(child, `${way}.${key}`)
  }
  for (const inside of ['items', 'anyOf', 'oneOf', 'additionalProperties'] as const) yield* keysOf(schema[inside], way)
  for (const [name, definition] of Object.entries((schema.definitions ?? {}) as JsonObject))
    yield* keysOf(definition, name)
}

const CORE = { fieldTypes: VOCABULARY.fieldTypes, keys: new Map(), actions: new Map(), plugins: new Map() }
const KEYS = [...keysOf(resourceSchema(CORE), 'resource'), ...keysOf(appSchema(CORE), 'app')]

test('every key has a sentence that describes it', () => {
  const silent = KEYS.filter(([, schema]) => typeof schema.description !== 'string').map(([way]) => way)
  assert.equal(silent, [])
})

test('every key has an example, and the example is right', () => {
  for (const [way, schema] of KEYS) {
    if ('const' in schema || way.startsWith('operators.')) continue
    const examples = schema.examples
    assert.ok(Array.isArray(examples) && examples.length > 0, `${way} has no example`)
    const validate = ajv.compile({ ...schema, definitions: RESOURCE.definitions })
    assert.ok(validate(examples[0]), `the example of ${way} is wrong: ${ajv.errorsText(validate.errors)}`)
  }
})

/** One random change somewhere in a value: a key or item removed, renamed, or given another value. */
function mutate(value: Json, dice: readonly number[], step = 0): Json {
  const roll = dice[step % dice.length] ?? 0
  const others: readonly Json[] = ['text', 7, -1, true, null, [], {}, ['a', 'a'], { a: 1 }, 'a b', '$actor']
  if (!isMap(value) && !Array.isArray(value)) return others[roll % others.length] ?? null
  const entries: [string, Json][] = Object.entries(value)
  const index = roll % Math.max(1, entries.length)
  const changed = entries.flatMap(([key, child], at): [string, Json][] => {
    if (at !== index) return [[key, child]]
    const way = (dice[(step + 1) % dice.length] ?? 0) % 6
    if (way === 0) return []
    if (way === 1) return [[`${key}x`, child]]
    if (way === 2) return [[key, others[roll % others.length] ?? null]]
    return [[key, mutate(child, dice, step + 2)]]
  })
  if (Array.isArray(value)) return changed.map(([, child]) => child)
  return Object.fromEntries(changed)
}

test('ajv and the judge agree on the desk and on random changes of it', async () => {
  const { value: sources } = await readSources('resources')
  assert.ok(sources !== undefined && sources.resources.length > 10)
  const place = () => ({ source: { file: '', text: '' }, start: 0, end: 0 })
  const validators = [ajv.compile(RESOURCE), ajv.compile(APP)] as const
  const documents: (readonly [Json, 0 | 1])[] = [...sources.resources, sources.app].map((source) => [
    parseDocument(source).value?.value as Json,
    source === sources.app ? 1 : 0,
  ])
  const agree = (value: Json, kind: 0 | 1) => {
    const judged = judge(kind === 0 ? RESOURCE : APP, { value, place }).diagnostics
    const valid = validators[kind](value)
    const difference = `${JSON.stringify(value)}\najv: ${ajv.errorsText(validators[kind].errors)}\n${JSON.stringify(judged)}`
    assert.is(judged.length === 0, valid, difference)
  }
  for (const [value, kind] of documents) agree(value, kind)
  fc.assert(
    fc.property(
      fc.constantFrom(...documents),
      fc.array(fc.nat(1000), { minLength: 6, maxLength: 14 }),
      ([value, kind], dice) => agree(mutate(value, dice), kind),
    ),
    { numRuns: 1500 },
  )
})

test.run()
