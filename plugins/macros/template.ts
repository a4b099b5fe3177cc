/**
 * Texts of macros: Liquid over the record as its reader sees it, within one budget for a request, and checked before
 * they are stored.
 */
import type { Liquid } from 'liquidjs'
import { ApiError, invalid, type Json, type Resource } from '../../engine/index.ts'
import { type Budget, OverBudget, withinBudget } from '../templates/budget.ts'
import { createLiquid, filledText, isLiquidError, parsedText, rangeMistake, wideRange } from '../templates/liquid.ts'

let made: Liquid | undefined

function engine(): Liquid {
  made ??= createLiquid()
  return made
}

/** The texts in a value with their places, `comments.comment`. */
export function* textsIn(value: Json, place = ''): Generator<readonly [place: string, text: string]> {
  if (typeof value === 'string') yield [place, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, child] of Object.entries(value))
    yield* textsIn(child ?? null, place === '' ? key : `${place}.${key}`)
}

/** The mistake in a template over records of the resource, as a sentence; undefined without one. */
export function templateFault(text: string, resource: Resource, budget: Budget): string | undefined {
  const liquid = engine()
  try {
    const templates = parsedText(liquid, text, budget)
    const wide = wideRange(templates)
    if (wide !== undefined) return rangeMistake('The text', wide)
    const unknown = withinBudget(budget, () => liquid.globalVariableSegmentsSync(templates)).find(
      ([root, next]) => !isKnown(resource, String(root), next === undefined ? undefined : String(next)),
    )
    return unknown === undefined ? undefined : `The text names "${unknown.join('.')}", which records do not have`
  } catch (error) {
    if (error instanceof OverBudget) return `The text ${error.message}`
    if (error instanceof RangeError) return 'The text is nested too deeply'
    if (isLiquidError(error)) return `The text is no template: ${error.message}`
    throw error
  }
}

/** The values of the person who applies the macro. */
export const ACTOR = ['id', 'name', 'first_name', 'last_name', 'email'] as const

function isKnown({ fields, relations }: Resource, root: string, next: string | undefined): boolean {
  if (root === 'actor') return next === undefined || ACTOR.some((name) => name === next)
  const field = fields.get(root)
  if (field !== undefined) return field.type.hidden !== true && field.show !== 'never'
  const relation = relations.get(root)
  if (relation?.embed === undefined) return false
  return next === undefined || relation.kind !== 'belongs_to' || relation.embed.some(({ name }) => name === next)
}

/** Fills in the texts of a value; `place` is its place in the macro. */
export type Fill = (value: Json, place: string) => Json

/**
 * Fills in texts with `data` within one budget: 422 at its place for a text that exceeds it, 409 for one that cannot be
 * filled in.
 */
export function filler(data: object, budget: Budget): Fill {
  const fill: Fill = (value, place) => {
    if (typeof value === 'string') return /\{[{%]/.test(value) ? filled(value, data, budget, place) : value
    if (Array.isArray(value)) return value.map((one, at) => fill(one, `${place}.${at}`))
    if (typeof value !== 'object' || value === null) return value
    const parts = Object.entries(value).map(([key, child]) => [key, fill(child ?? null, `${place}.${key}`)] as const)
    return Object.fromEntries(parts)
  }
  return fill
}

/** Leaves texts as they are: whether a macro can be applied does not depend on its words, which were judged with it. */
export const unfilled: Fill = (value) => value

function filled(text: string, data: object, budget: Budget, place: string): string {
  const liquid = engine()
  try {
    return filledText(liquid, parsedText(liquid, text, budget), data, budget)
  } catch (error) {
    if (error instanceof OverBudget) throw invalid({ [place]: [`The text ${error.message}`] })
    if (!isLiquidError(error)) throw error
    throw new ApiError('conflict', { message: `A text of the macro cannot be filled in: ${error.message}` })
  }
}
