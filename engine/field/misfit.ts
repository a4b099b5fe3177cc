/** ajv's errors about a value in our sentences, one for each place. */
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { ErrorObject } from './ajv.ts'
import { characters } from './characters.ts'
import type { Refusal } from './field-type.ts'

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

interface Params {
  readonly type: string | readonly string[]
  readonly limit: number
  readonly index: number
  readonly allowedValues: readonly Json[]
  readonly allowedValue: Json
  readonly missingProperty: string
  readonly additionalProperty: string
}

/** Keyword → what completes the sentence "The <field> field …", and its code. */
const REFUSALS: Readonly<Record<string, (params: Params) => Refusal>> = {
  type: ({ type }) => ({
    code: 'wrong_type',
    error: `must be ${[type]
      .flat()
      .map((one) => KINDS[one] ?? one)
      .join(' or ')}`,
  }),
  enum: ({ allowedValues: values }) =>
    values.length === 1
      ? fixed(values[0]!)
      : { code: 'not_allowed', error: `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}` },
  const: ({ allowedValue }) => fixed(allowedValue),
  required: () => ({ code: 'required', error: 'is required' }),
  additionalProperties: () => ({ code: 'unknown_field', error: 'is not a known field' }),
  minProperties: ({ limit }) => ({ code: 'too_few', error: `must have at least ${limit} entries` }),
  maxProperties: ({ limit }) => ({ code: 'too_many', error: `must have at most ${limit} entries` }),
  minItems: ({ limit }) => ({ code: 'too_few', error: `must have at least ${limit} items` }),
  maxItems: ({ limit }) => ({ code: 'too_many', error: `must have at most ${limit} items` }),
  uniqueItems: () => ({ code: 'repeated', error: 'must not repeat another item' }),
  minLength: ({ limit }) => ({ code: 'too_short', error: `must be at least ${characters(limit)}` }),
  maxLength: ({ limit }) => ({ code: 'too_long', error: `must be at most ${characters(limit)}` }),
  minimum: ({ limit }) => ({ code: 'too_small', error: `must be at least ${limit}` }),
  maximum: ({ limit }) => ({ code: 'too_large', error: `must be at most ${limit}` }),
  oneOf: () => ({ code: 'invalid', error: 'must fit only one of the forms that are known' }),
}

function fixed(value: Json): Refusal {
  const code = typeof value === 'string' ? 'not_allowed' : value === null ? 'wrong_type' : 'invalid'
  return { code, error: `must be ${JSON.stringify(value)}` }
}

/** One refusal for each place that is wrong. */
export function misfitsOf(errors: readonly ErrorObject[]): readonly Refusal[] {
  const found = new Map<string, Refusal>()
  for (const error of withoutOtherForms(errors)) {
    const at = placeOf(error)
    const refusal = REFUSALS[error.keyword]?.(error.params as Params)
    if (!found.has(at)) found.set(at, refusal ?? { code: 'wrong_format', error: 'has an invalid format' })
  }
  return [...found].map(([at, refusal]) => (at === '' ? refusal : { ...refusal, at }))
}

function placeOf({ keyword, instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty, index }: Partial<Params> = params
  const steps = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'))
  const own = keyword === 'uniqueItems' ? String(index) : (missingProperty ?? additionalProperty)
  return [...steps, ...(own === undefined ? [] : [own])].map((step) => step.slice(0, LIMITS.unknownKeyLength)).join('.')
}

/**
 * The errors without those about forms (`anyOf`, `oneOf`) that the value is probably not meant to have. ajv lists the
 * errors of every form, directly before the error which says that none fits.
 */
function withoutOtherForms(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const kept: ErrorObject[] = []
  for (const error of errors) {
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      kept.push(error)
      continue
    }
    let start = kept.length
    while (start > 0 && isBelow(kept[start - 1]!, error)) start -= 1
    const ofForms = kept.splice(start)
    const several = Array.isArray(error.params.passingSchemas)
    kept.push(...(several || ofForms.length === 0 ? [error] : likelyForm(ofForms, error)))
  }
  return kept
}

function isBelow(error: ErrorObject, union: ErrorObject): boolean {
  return (
    error.schemaPath.startsWith(`${union.schemaPath}/`) &&
    (error.instancePath === union.instancePath || error.instancePath.startsWith(`${union.instancePath}/`))
  )
}

/** The errors of the form that needs the fewest changes, among those of the value's own kind if there is one. */
function likelyForm(errors: readonly ErrorObject[], union: ErrorObject): readonly ErrorObject[] {
  const forms = new Map<string, ErrorObject[]>()
  for (const error of errors) {
    const [form = ''] = error.schemaPath.slice(union.schemaPath.length + 1).split('/')
    forms.set(form, [...(forms.get(form) ?? []), error])
  }
  const isOfKind = (form: readonly ErrorObject[]) =>
    form.every((error) => error.instancePath !== union.instancePath || !/^(type|enum|const)$/.test(error.keyword))
  const all = [...forms.values()]
  const ofKind = all.filter(isOfKind)
  const [likely = []] = (ofKind.length === 0 ? all : ofKind).sort((a, b) => a.length - b.length)
  return likely
}
