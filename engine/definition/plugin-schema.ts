/** Judges values by plugins' schemas that use more of JSON Schema than the language itself does. */
import { sentenceOf } from '../error.ts'
import { type ErrorObject, newCompiler, type ValidateFunction } from '../field/ajv.ts'
import type { Json, JsonSchema } from '../json.ts'
import { memo } from '../memo.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Document, Path } from './definition.ts'
import { subject } from './sentence.ts'

/** What judge.ts reads itself, and annotations that judge nothing. */
const READ = new Set([
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'anyOf',
  'oneOf',
  '$ref',
  'definitions',
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'x-advice',
  'x-expects',
  'x-losses',
])

/** Whether a schema has a keyword that only ajv can judge. */
export function isForeign(schema: JsonSchema): boolean {
  return Object.keys(schema).some((keyword) => !READ.has(keyword))
}

/** ajv's complaints about a value, each at its own place. */
export function foreignComplaints(
  schema: JsonSchema,
  value: Json,
  path: Path,
  document: Document<unknown>,
): Diagnostic[] {
  let validate: ValidateFunction
  try {
    validate = compile(schema)
  } catch (error) {
    const reason = sentenceOf(error)
    const message = `${subject(path)} cannot be judged, because its schema cannot be used: ${reason}`
    return [{ code: 'wrong_value', message, span: document.place(path) }]
  }
  if (validate(value)) return []
  return (validate.errors ?? []).map((error) => complaint(error, path, document))
}

function complaint(error: ErrorObject, path: Path, document: Document<unknown>): Diagnostic {
  const steps = error.instancePath.split('/').slice(1)
  const place = [
    ...path,
    ...steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step.replace(/~1/g, '/').replace(/~0/g, '~'))),
  ]
  return {
    code: 'wrong_value',
    message: `${subject(place)} ${error.message ?? 'is wrong'}`,
    span: document.place(place),
  }
}

const compile = memo((schema: JsonSchema): ValidateFunction => newCompiler({ allErrors: true }).compile(schema))
