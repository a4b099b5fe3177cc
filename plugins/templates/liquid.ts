/**
 * Liquid for people's texts: without files, without expressions that are evaluated, without endless ranges, and within
 * a budget.
 */
import { createRequire } from 'node:module'
import type { Emitter, FilterImplOptions, Liquid, Template } from 'liquidjs'
import { LIMITS } from '../../engine/index.ts'
import { type Budget, OverBudget, spendBytes, spendMemory, withinBudget } from './budget.ts'

const load = createRequire(import.meta.url)

/** Tags that read other templates, which do not exist here. */
const READING = ['include', 'render', 'layout', 'block'] as const
/** Filters that evaluate a text as an expression for each element of a list. */
const EVALUATING = /_exp$/

export interface LiquidWishes {
  /** Refuses names that its data lacks. */
  readonly strict?: boolean
  /** Changes each value before it is put out. */
  readonly written?: (value: unknown) => string
  readonly filters?: Readonly<Record<string, FilterImplOptions>>
}

/** An engine for templates; loads liquidjs on first use. */
export function createLiquid({ filters = {}, strict = false, written }: LiquidWishes = {}): Liquid {
  const { Liquid }: typeof import('liquidjs') = load('liquidjs')
  const liquid = new Liquid({
    strictFilters: true,
    strictVariables: strict,
    ownPropertyOnly: true,
    templates: {},
    parseLimit: LIMITS.templateLength,
    timezoneOffset: 0,
    ...(written && { outputEscape: written }),
  })
  for (const tag of READING) delete liquid.tags[tag]
  for (const name of Object.keys(liquid.filters)) if (EVALUATING.test(name)) delete liquid.filters[name]
  for (const [name, filter] of Object.entries(filters)) liquid.registerFilter(name, filter)
  boundParts(liquid)
  return liquid
}

/** Counts text that is caught in a variable: a text that holds itself twice doubles at each turn. */
function boundParts({ renderer }: Liquid): void {
  const render = renderer.renderTemplates.bind(renderer)
  renderer.renderTemplates = (templates, context, emitter) =>
    render(templates, context, emitter ?? emitterOf((text) => context.memoryLimit.use(text.length)))
}

function emitterOf(spend: (text: string) => void): Emitter {
  const emitter = {
    buffer: '',
    write(value: unknown) {
      const text = textOf(value)
      spend(text)
      emitter.buffer += text
    },
  }
  return emitter
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('')
  return value === null || value === undefined ? '' : String(value)
}

/** Parses a text as a template; throws OverBudget, or Liquid's error where it is none. */
export function parsedText(liquid: Liquid, text: string, budget: Budget): Template[] {
  return withinBudget(budget, () => liquid.parse(text))
}

/** Fills a template with `data`; throws OverBudget, or Liquid's error where that is impossible. */
export function filledText(
  liquid: Liquid,
  templates: Template[],
  data: object,
  budget: Budget,
  spend: (text: string) => void = (text) => spendBytes(budget, text),
): string {
  const { Context, toValueSync }: typeof import('liquidjs') = load('liquidjs')
  return withinBudget(budget, () => {
    const use = (count: number): void => spendMemory(budget, count)
    const counted = { use, check: use }
    const limits = { memoryLimit: counted, renderLimit: { use: () => undefined, check: () => undefined } }
    const context = new Context(data, liquid.options, { sync: true }, { ...limits, liquid } as never)
    try {
      return String(toValueSync(liquid.renderer.renderTemplates(templates, context, emitterOf(spend))))
    } catch (error) {
      throw overBudgetIn(error) ?? error
    }
  })
}

/** What JavaScript says of values that it cannot hold; other errors of range are about values that are wrong. */
const BEYOND = /call stack|length|count|maximum/i

/** The budget as the cause of Liquid's failure, or a text beyond any length. */
function overBudgetIn(error: unknown): OverBudget | undefined {
  if (error instanceof OverBudget) return error
  if (error instanceof RangeError && BEYOND.test(error.message))
    return new OverBudget('makes too much on the way to be filled in')
  const cause: unknown = error instanceof Error ? Reflect.get(error, 'originalError') : undefined
  return cause === undefined ? undefined : overBudgetIn(cause)
}

/** Whether an error is Liquid's: the text is no template, or cannot be filled in. */
export function isLiquidError(error: unknown): error is Error {
  const { LiquidError }: typeof import('liquidjs') = load('liquidjs')
  return LiquidError.is(error)
}

/** Values with which filters are tried. */
const SAMPLES: readonly unknown[] = ['2026-01-02T03:04:05.000000Z', 7, 'text', ['text']]

/**
 * Tries every filter of a template with the arguments that are written out, in every branch; gives Liquid's sentence about
 * the first that no value of a kind gets through because of them.
 */
export function impossibleFilter(liquid: Liquid, templates: readonly Template[]): string | undefined {
  const { Context, toValueSync }: typeof import('liquidjs') = load('liquidjs')
  const known: Record<string, unknown> = {}
  const context = new Context(known, liquid.options, { sync: true })
  const failing = (filter: Filter, args: Filter['args'], sample: unknown): string | undefined => {
    try {
      toValueSync(Object.assign(Object.create(filter), { args }).render(sample, context))
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  return search(templates, (part) => {
    if (isAssignment(part)) known[part.key] = writtenIn(part.value, known)
    if (!isFilter(part) || part.args.length === 0 || !part.args.every((arg) => isWritten(arg, known))) return undefined
    for (const sample of SAMPLES) {
      const said = failing(part, part.args, sample)
      if (said !== undefined && failing(part, [], sample) === undefined) return said
    }
    return undefined
  })
}

/** The first answer to a part of a template, in their order. */
function search(templates: readonly Template[], ask: (part: object) => string | undefined): string | undefined {
  const seen = new Set<unknown>()
  const look = (part: unknown): string | undefined => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return undefined
    seen.add(part)
    const answer = ask(part)
    if (answer !== undefined) return answer
    for (const [name, inner] of Object.entries(part)) {
      const found = name === 'liquid' ? undefined : look(inner)
      if (found !== undefined) return found
    }
    return undefined
  }
  return look(templates)
}

interface Assignment {
  readonly key: string
  readonly value: { readonly filters: readonly unknown[]; readonly initial: { readonly postfix?: readonly unknown[] } }
}

function isAssignment(part: object): part is Assignment {
  return 'key' in part && typeof part.key === 'string' && 'value' in part && isFiltered(part.value)
}

function isFiltered(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'filters' in part && 'initial' in part
}

/** The text that a variable gets; undefined where it is not written out. */
function writtenIn({ filters, initial }: Assignment['value'], known: Record<string, unknown>): unknown {
  const [token, ...more] = initial.postfix ?? []
  if (filters.length > 0 || more.length > 0 || token === undefined || !isWritten(token, known)) return undefined
  return Reflect.get(Object(token), 'content')
}

interface Filter {
  readonly name: string
  readonly args: readonly unknown[]
  render(value: unknown, context: unknown): Generator
}

function isFilter(part: object): part is Filter {
  return 'handler' in part && 'args' in part && Array.isArray(part.args)
}

/** Whether an argument is a literal, or a variable that was given one. */
function isWritten(arg: unknown, known: Record<string, unknown>): boolean {
  const { TokenKind }: typeof import('liquidjs') = load('liquidjs')
  const token: unknown = Array.isArray(arg) ? arg[1] : arg
  if (typeof token !== 'object' || token === null || !('kind' in token)) return false
  if (token.kind === TokenKind.PropertyAccess)
    return (
      known[
        String(Reflect.get(Object(token), 'input')).slice(
          Reflect.get(token, 'begin') as number,
          Reflect.get(token, 'end') as number,
        )
      ] !== undefined
    )
  return [TokenKind.Quoted, TokenKind.Number, TokenKind.Literal].some((kind) => kind === token.kind)
}

/** The first range of a template without a bound, or with a high one, as written; undefined without one. */
export function wideRange(templates: readonly Template[]): string | undefined {
  const { TokenKind }: typeof import('liquidjs') = load('liquidjs')
  return search(templates, (part) =>
    isRange(part, TokenKind.Range) && !isNarrow(part) ? part.input.slice(part.begin, part.end) : undefined,
  )
}

/** The message about `what`, which has a range of `wideRange`. */
export function rangeMistake(what: string, range: string): string {
  return `${what} counts from one value to another, ${range}: a range goes over numbers, ${LIMITS.templateRange} of them at most`
}

interface RangePart {
  readonly input: string
  readonly begin: number
  readonly end: number
  readonly lhs: { readonly content?: unknown }
  readonly rhs: { readonly content?: unknown }
}

function isRange(part: object, kind: number): part is RangePart {
  return 'kind' in part && part.kind === kind
}

function isNarrow({ lhs, rhs }: RangePart): boolean {
  const [from, to] = [lhs.content, rhs.content]
  return typeof from === 'number' && typeof to === 'number' && to - from < LIMITS.templateRange
}
