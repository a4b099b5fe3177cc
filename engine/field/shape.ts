/** The shape that a json field's values must fit: JSON Schema judged by ajv, with our sentences for its errors. */
import { sentenceOf } from '../error.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import { type ErrorObject, newCompiler, type SchemaValidateFunction, type ValidateFunction } from './ajv.ts'
import { characters } from './characters.ts'
import type { Refusal } from './field-type.ts'
import { longestFor, matches, unusablePattern } from './pattern.ts'

interface Shape {
  /** The mistakes of a value, or its first one. */
  check(value: Json, every: boolean): readonly ErrorObject[]
  /** What the patterns may still take of the value that is judged, as a share of 1. */
  allowance: number
}

/** What is in use still by the text of its schema: the catalog that comes next has most schemas of the present one. */
const byText = new Map<string, WeakRef<Shape>>()

/** What is wrong with a value; of one with very many parts only the first mistake, because each costs memory. */
export function misfits(schema: JsonObject, value: Json): readonly Refusal[] {
  if (isEmptyOfType(schema, value)) return []
  const shape = shapeOf(schema)
  shape.allowance = 1
  const first = shape.check(value, false)
  if (shape.allowance < 0) return [{ code: 'too_long', error: 'holds more text than its patterns can check' }]
  if (first.length === 0) return []
  const all = partsOf(value) > LIMITS.jsonReportedParts ? first : shape.check(value, true)
  return misfitsOf(shape.allowance < 0 ? first : all).slice(0, LIMITS.bodyErrors)
}

/** What can refuse an empty list or map that is of the right type. */
const ASKS_MORE = ['enum', 'const', 'required', 'minProperties', 'minItems', 'anyOf', 'oneOf']

/** Whether a value is an empty list or map that fits, as most defaults are: a start need not load ajv for them. */
function isEmptyOfType(schema: JsonObject, value: Json): boolean {
  if (typeof value !== 'object' || value === null || Object.keys(value).length > 0) return false
  return schema.type === (Array.isArray(value) ? 'array' : 'object') && !ASKS_MORE.some((keyword) => keyword in schema)
}

const shapeOf = memo((schema: JsonObject): Shape => {
  const text = JSON.stringify(schema)
  const shape = byText.get(text)?.deref() ?? newShape(schema)
  for (const [other, kept] of byText) if (kept.deref() === undefined) byText.delete(other)
  byText.set(text, new WeakRef(shape))
  return shape
})

/** What ajv compiled comes with the first value that it judges: loading it takes a start 50 ms, and as much to compile. */
function newShape({ $schema: _dialect, ...schema }: JsonObject): Shape {
  const validators: { first?: ValidateFunction; all?: ValidateFunction } = {}
  const shape: Shape = {
    allowance: 1,
    check: (value, every) => {
      const kind = every ? 'all' : 'first'
      validators[kind] ??= compiled(schema, shape, every)
      const validate = validators[kind]
      return validate(value) ? [] : (validate.errors ?? [])
    },
  }
  return shape
}

function compiled(schema: JsonObject, shape: Shape, allErrors: boolean): ValidateFunction {
  const test = (pattern: string) => (text: string) => {
    shape.allowance -= text.length / longestFor(pattern)
    return shape.allowance >= 0 && matches(pattern, text)
  }
  const regExp = Object.assign((pattern: string) => ({ test: test(pattern), toString: () => pattern }), {
    code: 'allowedRegExp',
  })
  // A key that every JavaScript object inherits, such as "constructor", is only there when the value has it itself.
  const options = { allErrors, ownProperties: true, validateFormats: false, code: { regExp } }
  // The schema of schemas takes longer to compile than they do.
  const compiler = newCompiler(isSound(schema) ? { ...options, meta: false, validateSchema: false } : options)
  // ajv compares each item with each other, which takes seconds for a long list.
  compiler.removeKeyword('uniqueItems')
  compiler.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: true,
    validate: distinct,
  })
  return compiler.compile(schema)
}

/** Judges `uniqueItems`, with an error for each repeated item. */
const distinct: SchemaValidateFunction = (wanted: boolean, items: readonly Json[]) => {
  const seen = new Set<string>()
  distinct.errors = items.flatMap((item, index) => {
    const text = canonical(item)
    if (seen.has(text)) return [{ keyword: 'uniqueItems', params: { index } }]
    seen.add(text)
    return []
  })
  return !wanted || distinct.errors.length === 0
}

/** JSON with sorted keys: equal values, equal texts. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`
}

function partsOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, part) => sum + partsOf(part as Json), 1)
}

/** Why a schema cannot be used, as a sentence; undefined when it can. */
export function unusableShape(schema: Json): string | undefined {
  const sentence = unusablePart(schema)
  if (sentence !== undefined || !isObject(schema)) return sentence
  const { $schema: _dialect, ...rest } = schema
  if (isSound(rest)) return undefined
  try {
    shapeOf(schema).check(null, false)
    return undefined
  } catch (error) {
    const reason = sentenceOf(error)
    return `The schema cannot be used: ${reason.replace(/^schema is invalid: data/, '').replaceAll('/', '.')}`
  }
}

const BOUNDS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const

function unusablePart(schema: Json): string | undefined {
  if (!isObject(schema)) return 'The schema must be a map'
  const unknown = Object.keys(schema).find(
    (keyword) => !(Object.hasOwn(KEYWORDS, keyword) || Object.hasOwn(ANNOTATIONS, keyword)),
  )
  if (unknown !== undefined) return `The schema uses "${unknown}"; it may use ${Object.keys(KEYWORDS).join(', ')}`
  const unusable = typeof schema.pattern === 'string' ? unusablePattern(schema.pattern) : undefined
  if (unusable !== undefined) return unusable
  const turned = BOUNDS.find(([least, most]) => Number(schema[least]) > Number(schema[most]))
  if (turned !== undefined) return `The schema fits no value: its "${turned[0]}" is above its "${turned[1]}"`
  const { properties, required } = schema
  const closed = schema.additionalProperties === false && Array.isArray(required)
  const missing = closed
    ? required.find((name) => !Object.hasOwn(isObject(properties ?? null) ? (properties as object) : {}, String(name)))
    : undefined
  if (missing !== undefined)
    return `The schema fits no object: it requires "${String(missing)}", which is none of its properties`
  const inner = [
    ...(isObject(schema.properties) ? Object.values(schema.properties) : []),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(isObject(schema.additionalProperties) ? [schema.additionalProperties] : []),
    ...([schema.anyOf ?? [], schema.oneOf ?? []].flat() as readonly Json[]),
  ]
  return inner.map(unusablePart).find((sentence) => sentence !== undefined)
}

type Takes = (value: Json) => boolean

const isText: Takes = (value) => typeof value === 'string'
const isNumber: Takes = (value) => Number.isFinite(value)
const isCount: Takes = (value) => Number.isInteger(value) && Number(value) >= 0
const isYesOrNo: Takes = (value) => typeof value === 'boolean'
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
const isSchemas: Takes = (value) => isList(value) && value.length > 0 && value.every(isSound)

const TYPES: readonly Json[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

function areDistinct(values: readonly Json[]): boolean {
  return new Set(values).size === values.length
}

function areTypes(value: Json): boolean {
  const types = isList(value) ? value : [value]
  return types.length > 0 && areDistinct(types) && types.every((type) => TYPES.includes(type))
}

/** Keyword that judges → what it takes. */
const KEYWORDS: Readonly<Record<string, Takes>> = {
  type: areTypes,
  // Whether two lists or maps are equal is ajv's to say.
  enum: (value) => isList(value) && value.length > 0 && value.every((one) => Object(one) !== one) && areDistinct(value),
  const: () => true,
  properties: (value) => isObject(value) && Object.values(value).every(isSound),
  required: (value) => isList(value) && value.every(isText) && areDistinct(value),
  additionalProperties: (value) => isYesOrNo(value) || isSound(value),
  minProperties: isCount,
  maxProperties: isCount,
  items: isSound,
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: isYesOrNo,
  minLength: isCount,
  maxLength: isCount,
  pattern: isText,
  minimum: isNumber,
  maximum: isNumber,
  anyOf: isSchemas,
  oneOf: isSchemas,
}

/** Keyword that judges nothing → what it takes. */
const ANNOTATIONS: Readonly<Record<string, Takes>> = {
  // Only the outermost is left out before ajv reads it.
  $schema: () => false,
  $comment: isText,
  title: isText,
  description: isText,
  default: () => true,
  examples: isList,
  format: isText,
  deprecated: isYesOrNo,
}

/** Whether ajv surely takes a schema of these keywords; it may take another one too. */
function isSound(schema: Json): boolean {
  return (
    isObject(schema) &&
    Object.entries(schema).every(([keyword, value]) => {
      if (Object.hasOwn(KEYWORDS, keyword)) return KEYWORDS[keyword]!(value)
      return Object.hasOwn(ANNOTATIONS, keyword) && ANNOTATIONS[keyword]!(value)
    })
  )
}

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
function misfitsOf(errors: readonly ErrorObject[]): readonly Refusal[] {
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
