/** The field types `string`, one line of text of a known length, and `text`, long text of several lines. */
import { LIMITS } from '../limits.ts'
import {
  boundsMistakes,
  brokenLine,
  brokenLines,
  decodeText,
  numberOption,
  parseText,
  TEXT_OPERATORS,
  textOption,
} from './characters.ts'
import type { FieldOptions, FieldType } from './field-type.ts'
import { matches, unusablePattern } from './pattern.ts'

export const MIN = { type: 'integer', minimum: 0, description: 'The fewest characters.', examples: [3] }

/** The option `max` of a type that keeps at most `most` characters. */
export function maxOption(most: number, fallback: number): Record<string, unknown> {
  const description = `The most characters; ${fallback} if absent.`
  return { type: 'integer', minimum: 1, maximum: most, description, examples: [Math.min(100, fallback)] }
}

/** PostgreSQL's own bound for an indexed text lies near here. */
const LONGEST = 2_000

export const PATTERN = {
  type: 'string',
  maxLength: LIMITS.patternLength,
  description: 'A regular expression that the value must match; it may match anywhere, so write ^…$ for all of it.',
  examples: ['^[A-Z]{2}-[0-9]{4}$'],
}

export const string: FieldType = {
  name: 'string',
  description: 'One line of text.',
  options: {
    min: MIN,
    max: { ...maxOption(LONGEST, LIMITS.stringLength), 'x-advice': 'type: text holds longer ones' },
    pattern: PATTERN,
  },
  column: (options) => `character varying(${most(options)})`,
  longest: most,
  schema: (options) => ({
    type: 'string',
    maxLength: most(options),
    ...(options.own.min === undefined ? {} : { minLength: options.own.min }),
    ...(options.own.pattern === undefined ? {} : { pattern: options.own.pattern }),
  }),
  wire: 'string',
  operators: TEXT_OPERATORS,
  sortable: true,
  decode: (value, options) => {
    const decoded = decodeText(value, numberOption(options, 'min', 0), most(options))
    const broken = 'error' in decoded ? undefined : brokenLine(String(decoded.value))
    if (broken !== undefined) return { code: 'invalid', error: broken }
    const pattern = textOption(options, 'pattern')
    // The length comes first, so that a pattern never meets a text longer than the YAML allows.
    if ('error' in decoded || pattern === undefined || matches(pattern, String(decoded.value))) return decoded
    return { code: 'wrong_format', error: 'has an invalid format' }
  },
  parse: parseText,
  mistakes: (options) => {
    const pattern = textOption(options, 'pattern')
    const unusable = pattern === undefined ? undefined : unusablePattern(pattern, most(options))
    return {
      ...boundsMistakes(options, 'min', 'max', LIMITS.stringLength),
      ...(unusable === undefined ? {} : { pattern: unusable }),
    }
  },
}

function most(options: FieldOptions): number {
  return numberOption(options, 'max', LIMITS.stringLength)
}

/** A body holds a megabyte, and a character up to four bytes. */
const LONGEST_TEXT = 250_000

export const text: FieldType = {
  name: 'text',
  description: 'Long text of several lines.',
  options: { min: MIN, max: maxOption(LONGEST_TEXT, LIMITS.textLength) },
  column: () => 'text',
  schema: (options) => ({
    type: 'string',
    maxLength: mostOfText(options),
    ...(options.own.min === undefined ? {} : { minLength: options.own.min }),
  }),
  wire: 'string',
  operators: TEXT_OPERATORS,
  sortable: false,
  decode: (value, options) => {
    const decoded = decodeText(value, numberOption(options, 'min', 0), mostOfText(options))
    const broken = 'error' in decoded ? undefined : brokenLines(String(decoded.value))
    return broken === undefined ? decoded : { code: 'invalid', error: broken }
  },
  parse: parseText,
  mistakes: (options) => boundsMistakes(options, 'min', 'max', LIMITS.textLength),
}

function mostOfText(options: FieldOptions): number {
  return numberOption(options, 'max', LIMITS.textLength)
}
