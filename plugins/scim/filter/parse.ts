/** Filters and paths of SCIM as values (RFC 7644, sections 3.4.2.2 and 3.5.2). */
import { refused } from '../error.ts'

export type Value = string | number | boolean | null

export const COMPARISONS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
export type Comparison = (typeof COMPARISONS)[number]

/** A filter; the names of attributes are in lower case, without the address of their schema. */
export type Filter =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Filter[] }
  | { readonly kind: 'no'; readonly part: Filter }
  | { readonly kind: 'compare'; readonly name: string; readonly by: Comparison; readonly value: Value }
  | { readonly kind: 'present'; readonly name: string }
  /** Some value of an attribute with several values fulfils a filter. */
  | { readonly kind: 'some'; readonly name: string; readonly where: Filter }

/** What an operation of a PATCH is about: `emails[type eq "work"].value`. */
export interface Target {
  readonly name: string
  readonly where: Filter | undefined
  readonly sub: string | undefined
}

/** The longest filter, and how deep its parentheses and how many its comparisons may be. */
const LONGEST = 4_000
const DEEPEST = 20
const MOST = 100

const TOKEN =
  /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.:$-]))|(\.?[A-Za-z$][\w.:$-]*))/y

interface Reading {
  readonly tokens: readonly string[]
  readonly wrong: (sentence: string) => Error
  at: number
  depth: number
  count: number
}

function read(text: string, wrong: (sentence: string) => Error): Reading {
  if (text.length > LONGEST) throw wrong(`it is longer than ${LONGEST} characters`)
  const tokens: string[] = []
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex
    const found = TOKEN.exec(text)
    if (found === null) throw wrong(`it cannot be read from "${text.slice(from, from + 20).trim()}" on`)
    tokens.push(found[1] ?? found[2] ?? found[3] ?? found[4] ?? '')
  }
  return { tokens, wrong, at: 0, depth: 0, count: 0 }
}

/** The filter of a text; throws a refusal of the type invalidFilter. */
export function parseFilter(text: string): Filter {
  const wrong = (sentence: string): Error => refused('invalidFilter', `The filter is wrong: ${sentence}`)
  const reading = read(text, wrong)
  const filter = either(reading)
  if (reading.at < reading.tokens.length) throw wrong(`nothing was expected at "${reading.tokens[reading.at]}"`)
  return filter
}

/** What a path of a PATCH names; throws a refusal of the type invalidPath. */
export function parsePath(text: string): Target {
  const wrong = (sentence: string): Error =>
    refused('invalidPath', `The path "${text.slice(0, 100)}" is wrong: ${sentence}`)
  const reading = read(text, wrong)
  const name = nameIn(reading)
  const where = reading.tokens[reading.at] === '[' ? within(reading) : undefined
  const rest = reading.tokens[reading.at] ?? ''
  if (reading.at + (rest === '' ? 0 : 1) < reading.tokens.length) throw wrong('it goes on after its end')
  if (where !== undefined) {
    if (rest !== '' && !rest.startsWith('.')) throw wrong('a sub-attribute begins with a dot')
    return { name, where, sub: rest === '' ? undefined : rest.slice(1).toLowerCase() }
  }
  if (rest !== '') throw wrong(`nothing was expected at "${rest}"`)
  const dot = name.indexOf('.')
  return dot === -1 ? { name, where, sub: undefined } : { name: name.slice(0, dot), where, sub: name.slice(dot + 1) }
}

function either(reading: Reading): Filter {
  return joined(reading, 'or', () => joined(reading, 'and', () => term(reading)))
}

function joined(reading: Reading, word: 'and' | 'or', next: () => Filter): Filter {
  const parts = [next()]
  while (reading.tokens[reading.at]?.toLowerCase() === word) {
    reading.at += 1
    parts.push(next())
  }
  return parts.length === 1 ? parts[0]! : { kind: word === 'and' ? 'all' : 'any', parts }
}

function term(reading: Reading): Filter {
  const { tokens, wrong } = reading
  reading.depth += 1
  reading.count += 1
  if (reading.depth > DEEPEST) throw wrong(`its parentheses are more than ${DEEPEST} deep`)
  if (reading.count > MOST) throw wrong(`it has more than ${MOST} parts`)
  const isNot = tokens[reading.at]?.toLowerCase() === 'not' && tokens[reading.at + 1] === '('
  if (isNot) reading.at += 1
  const part = tokens[reading.at] === '(' ? grouped(reading) : comparison(reading)
  reading.depth -= 1
  return isNot ? { kind: 'no', part } : part
}

function grouped(reading: Reading): Filter {
  reading.at += 1
  const part = either(reading)
  if (reading.tokens[reading.at] !== ')') throw reading.wrong('a ")" is missing')
  reading.at += 1
  return part
}

function within(reading: Reading): Filter {
  reading.at += 1
  const part = either(reading)
  if (reading.tokens[reading.at] !== ']') throw reading.wrong('a "]" is missing')
  reading.at += 1
  return part
}

function comparison(reading: Reading): Filter {
  const { tokens, wrong } = reading
  const name = nameIn(reading)
  if (tokens[reading.at] === '[') return { kind: 'some', name, where: within(reading) }
  const word = (tokens[reading.at] ?? '').toLowerCase()
  reading.at += 1
  if (word === 'pr') return { kind: 'present', name }
  const by = COMPARISONS.find((one) => one === word)
  if (by === undefined) throw wrong(`"${word}" is none of ${COMPARISONS.join(', ')}, pr`)
  return { kind: 'compare', name, by, value: valueIn(reading) }
}

const SCHEMA = /^urn:ietf:params:scim:schemas:(?:core|extension:(enterprise)):2\.0:(?:user|group):?/

function nameIn(reading: Reading): string {
  const token = reading.tokens[reading.at] ?? ''
  if (!/^[A-Za-z$]/.test(token)) throw reading.wrong(token === '' ? 'it ends too early' : `"${token}" is no attribute`)
  reading.at += 1
  return plainName(token)
}

/** The name of an attribute in lower case, without the address of its schema; those of the extension begin with `enterprise`. */
export function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(SCHEMA, (_, extension: string | undefined) => (extension === undefined ? '' : 'enterprise.'))
}

function valueIn(reading: Reading): Value {
  const token = reading.tokens[reading.at] ?? ''
  reading.at += 1
  const word = token.toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  if (word === 'null') return null
  if (/^["\d-]/.test(token))
    try {
      return JSON.parse(token) as Value
    } catch {
      // Said below.
    }
  throw reading.wrong(token === '' ? 'a value is missing at its end' : `${token} is no value: write a text in quotes`)
}
