/** Patterns from YAML, run by an engine whose time grows with the text's length and never faster. */

import { createRequire } from 'node:module'
import { sentenceOf } from '../error.ts'
import { LIMITS } from '../limits.ts'

/** Memory for what the engine remembers of a pattern: more makes texts that defeat remembering slower. */
const MEMORY = 262_144

/** The least of re2js that is used here. */
interface Linear {
  readonly RE2JS: {
    compile(pattern: string): { programSize(): number }
    translateRegExp(pattern: string): string
  }
  readonly RE2Set: new (
    anchor: number,
    flags: number,
    memory: number,
  ) => { add(pattern: string): number; compile(): void; match(text: string): readonly number[] }
}

interface Compiled {
  /** Steps for one character at worst. */
  readonly steps: number
  test(text: string): boolean
}

const compiled = new Map<string, Compiled>()

function compile(pattern: string): Compiled {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  // Loading re2js takes 30 ms that an application without patterns need not spend.
  const { RE2JS, RE2Set }: Linear = createRequire(import.meta.url)('re2js')
  const translated = RE2JS.translateRegExp(pattern)
  const steps = RE2JS.compile(translated).programSize()
  // A set of one: only sets take a bound on memory.
  const set = new RE2Set(0, 0, MEMORY)
  set.add(translated)
  set.compile()
  const made: Compiled = { steps, test: (text) => set.match(text).length > 0 }
  compiled.set(pattern, made)
  return made
}

/** Whether a text matches; patterns are those of definitions, so the map stays small. */
export function matches(pattern: string, text: string): boolean {
  return compile(pattern).test(text)
}

/** How many characters a pattern may be run on, in one text or in all texts of one value. */
export function longestFor(pattern: string): number {
  return Math.floor(LIMITS.patternSteps / compile(pattern).steps)
}

/** What ajv asks for in the place of RegExp; throws for a pattern that cannot be run. */
export const linearRegExp = Object.assign(
  (pattern: string) => {
    const unusable = unusablePattern(pattern)
    if (unusable !== undefined) throw new Error(unusable)
    // ajv distinguishes patterns by their text.
    return { test: (text: string) => matches(pattern, text), toString: () => pattern }
  },
  { code: 'linearRegExp' },
)

/** Why a pattern cannot be used, as a sentence, or undefined when it can; `longest` is that of the texts it is for. */
export function unusablePattern(pattern: string, longest?: number): string | undefined {
  if (pattern.length > LIMITS.patternLength) return `The pattern must have at most ${LIMITS.patternLength} characters`
  try {
    // What is published must be a pattern for clients too.
    new RegExp(pattern, 'u')
  } catch (error) {
    return `The pattern is not a regular expression: ${decapitalized(reasonOf(error).replace(/^.*\/u?: /, ''))}`
  }
  // re2js takes \k for the letter.
  const back = pattern.match(/\\./gsu)?.find((pair) => /[1-9k]/.test(pair))
  try {
    if (back !== undefined) throw new Error('a reference')
    compile(pattern)
  } catch (error) {
    const looks = back ?? /\(\?<?[=!]/.exec(pattern)?.[0]
    const why =
      looks === undefined
        ? reasonOf(error).replace(/^error parsing regexp: /, '')
        : `"${looks}" looks ahead, looks behind or refers back to a group, which can take for ever on some texts`
    return `The pattern cannot be run: ${why}`
  }
  const { steps } = compile(pattern)
  if (steps > LIMITS.patternSize)
    return `The pattern is too large: written out it has ${steps} steps, at most ${LIMITS.patternSize} are allowed; repeat less, and limit lengths by "max"`
  if (longest === undefined || longest <= longestFor(pattern)) return undefined
  return `The pattern is too large for texts of ${longest} characters: lower "max" to ${longestFor(pattern)}, or repeat less`
}

function reasonOf(error: unknown): string {
  return sentenceOf(error)
}

function decapitalized(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}
