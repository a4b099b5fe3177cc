/** Whether a JSON Schema gives its keywords what they take, so that ajv surely takes it and need not be asked. */
import { isObject, type Json } from '../json.ts'

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
export const KEYWORDS: Readonly<Record<string, Takes>> = {
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
export const ANNOTATIONS: Readonly<Record<string, Takes>> = {
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
export function isSound(schema: Json): boolean {
  return (
    isObject(schema) &&
    Object.entries(schema).every(([keyword, value]) => {
      if (Object.hasOwn(KEYWORDS, keyword)) return KEYWORDS[keyword]!(value)
      return Object.hasOwn(ANNOTATIONS, keyword) && ANNOTATIONS[keyword]!(value)
    })
  )
}
