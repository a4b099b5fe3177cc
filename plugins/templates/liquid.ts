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

/** The budget as the cause of Liquid's failure, or a text beyond any length. */
function overBudgetIn(error: unknown): OverBudget | undefined {
  if (error instanceof OverBudget) return error
  if (error instanceof RangeError) return new OverBudget('makes too much on the way to be filled in')
  const cause: unknown = error instanceof Error ? Reflect.get(error, 'originalError') : undefined
  return cause === undefined ? undefined : overBudgetIn(cause)
}

/** Whether an error is Liquid's: the text is no template, or cannot be filled in. */
export function isLiquidError(error: unknown): error is Error {
  const { LiquidError }: typeof import('liquidjs') = load('liquidjs')
  return LiquidError.is(error)
}

/** The first range of a template without a bound, or with a high one, as written; undefined without one. */
export function wideRange(templates: readonly Template[]): string | undefined {
  const { TokenKind }: typeof import('liquidjs') = load('liquidjs')
  const seen = new Set<unknown>()
  const search = (part: unknown): string | undefined => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return undefined
    seen.add(part)
    if (isRange(part, TokenKind.Range) && !isNarrow(part)) return part.input.slice(part.begin, part.end)
    for (const [name, inner] of Object.entries(part)) {
      const found = name === 'liquid' ? undefined : search(inner)
      if (found !== undefined) return found
    }
    return undefined
  }
  return search(templates)
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
