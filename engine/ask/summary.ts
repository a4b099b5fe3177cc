/** The query of a summary → what to group by and which figures to give; refuses what is unknown or not for the caller. */
import type { Actor } from '../actor.ts'
import { zoneNamed } from '../calendar/zone.ts'
import type { Field, Resource } from '../catalog/catalog.ts'
import { LIST_PARAMETERS } from '../catalog/list-parameter.ts'
import { invalid } from '../error.ts'
import { type FieldError, type FieldErrorCode, fieldError } from '../field-error.ts'
import { LIMITS } from '../limits.ts'
import { identityOf } from '../plan/plan.ts'
import {
  FIGURES,
  type FigureTerm,
  type GroupTerm,
  planSummary,
  STEPS,
  type SummaryPlan,
  type SummaryTerms,
} from '../plan/read-plan.ts'
import { nearest } from '../text/nearest.ts'
import { type ListAsker, type ListQuery, readListQuery } from './list.ts'
import { readable, requireClause } from './policy.ts'

/** What a summary's request asks for: its plan, and the values with which its statement runs. */
export interface SummaryQuery {
  readonly plan: SummaryPlan
  readonly slots: Readonly<Record<string, unknown>>
}

type Refuse = (parameter: string, code: FieldErrorCode, sentence: string) => void

interface Reading {
  readonly summary: NonNullable<Resource['summary']>
  readonly actor: Actor
  readonly refuse: Refuse
}

const OWN = ['by', 'of', 'sort', 'zone', 'limit']
const KEPT = ['search', 'where']

/** Reads the query string of a summary; throws ApiError validation_failed keyed by parameter. */
export function readSummaryQuery(
  asker: ListAsker,
  resource: Resource,
  query: Iterable<readonly [string, string]>,
): SummaryQuery {
  const { actor, plans } = asker
  requireClause(resource.policies.view, actor)
  const errors: Record<string, FieldError[]> = Object.create(null)
  const refuse: Refuse = (parameter, code, sentence) => {
    errors[parameter] = [...(errors[parameter] ?? []), fieldError(code, sentence)]
  }
  const given = [...query]
  const words = (name: string): readonly string[] =>
    given
      .filter(([key]) => key === name)
      .flatMap(([, value]) => value.split(','))
      .flatMap((word) => (word.trim() === '' ? [] : [word.trim()]))
  const reading: Reading = { summary: resource.summary ?? { by: new Map(), of: new Map() }, actor, refuse }
  const by = bounded(words('by'), 'by', LIMITS.summaryTerms, refuse).flatMap((word) => groupOf(reading, word))
  const of = figures(reading, bounded(words('of'), 'of', LIMITS.summaryFigures, refuse))
  const sort = words('sort').flatMap((word) => orderOf(word, [...by, ...of], refuse))
  const zone = zoneOf(words('zone'), refuse)
  const limit = limitOf(words('limit'), refuse)
  const chosen = given.filter(([name]) => !OWN.includes(name))
  for (const [name] of chosen)
    if (LIST_PARAMETERS.includes(name) && !KEPT.includes(name))
      refuse(name, 'unknown_parameter', `Unknown parameter "${name}": a summary has no records and no pages`)
  const list = readChosen(asker, resource, chosen, errors)
  const order = sort.map(({ descending, term }) => `${descending ? '-' : ''}${term}`)
  const named = [by, of].map((some) => some.map(({ term }) => term))
  const terms: SummaryTerms = { planId: identityOf([...named, order]), madeUp: true, by, of, sort }
  const plan = plans.get(planSummary, { list: list.plan, terms, limit })
  return { plan, slots: { ...list.slots, zone } }
}

/** What the list would show; its complaints are told with those of the summary. */
function readChosen(
  asker: ListAsker,
  resource: Resource,
  chosen: readonly (readonly [string, string])[],
  errors: Record<string, FieldError[]>,
): ListQuery {
  const own = Object.keys(errors)
  const asked = chosen.filter(([name]) => !own.includes(name))
  try {
    const list = readListQuery(asker, resource, asked)
    if (own.length === 0) return list
  } catch (error) {
    const { params } = error as { params?: { errors?: Record<string, FieldError[]> } }
    if (params?.errors === undefined) throw error
    throw invalid({ ...params.errors, ...errors })
  }
  throw invalid(errors)
}

function bounded(words: readonly string[], name: string, most: number, refuse: Refuse): readonly string[] {
  if (words.length > most) refuse(name, 'too_many', `The ${name} parameter takes at most ${most} values`)
  if (new Set(words).size < words.length) refuse(name, 'repeated', `The ${name} parameter must not repeat another item`)
  return words.slice(0, most)
}

function groupOf({ actor, refuse, summary }: Reading, word: string): readonly GroupTerm[] {
  const [name = '', step, ...more] = word.split(':')
  const field = summary.by.get(name)
  if (field === undefined || !readable(field, actor)) {
    const known = namesOf(summary.by, actor)
    refuse('by', 'invalid', unknown('Cannot group by', name, known))
    return []
  }
  const isTime = field.type.wire === 'date' || field.type.wire === 'timestamp'
  if (!isTime) {
    if (step === undefined) return [{ term: word, field, step: undefined }]
    refuse('by', 'invalid', `"${name}" has no steps: write "${name}"`)
    return []
  }
  const steps = STEPS.filter((one) => one !== 'hour' || field.type.wire === 'timestamp')
  const found = steps.find((one) => one === (step ?? 'day'))
  if (found === undefined || more.length > 0) {
    refuse('by', 'not_allowed', `"${quote(word)}" must be one of ${steps.map((one) => `${name}:${one}`).join(', ')}`)
    return []
  }
  return [{ term: word, field, step: found }]
}

/** What a caller may name, each once: a field that had another name is there under both. */
function namesOf(fields: ReadonlyMap<string, Field>, actor: Actor): readonly string[] {
  return [...new Set([...fields.values()].filter((one) => readable(one, actor)).map((one) => one.name))]
}

function figures(reading: Reading, words: readonly string[]): readonly FigureTerm[] {
  if (words.length === 0) return [{ term: 'count', kind: 'count' }]
  return words.flatMap((word) => figureOf(reading, word))
}

function figureOf(reading: Reading, word: string): readonly FigureTerm[] {
  const { actor, refuse, summary } = reading
  if (word === 'count') return [{ term: word, kind: 'count' }]
  const at = word.indexOf(':')
  const kind = FIGURES.find((one) => one === word.slice(0, at))
  if (kind === undefined) {
    refuse('of', 'invalid', unknown('There is no figure', word, ['count', ...FIGURES.map((one) => `${one}:…`)]))
    return []
  }
  const known = kind === 'distinct' ? new Map([...summary.by, ...summary.of]) : summary.of
  const [from = '', to] = word.slice(at + 1).split('..')
  const fieldOf = (name: string): Field | undefined => {
    const field = known.get(name)
    if (field !== undefined && readable(field, actor)) return field
    refuse('of', 'invalid', unknown(`There is no ${kind} of`, name, namesOf(known, actor)))
    return undefined
  }
  const field = fieldOf(from)
  const until = to === undefined ? undefined : fieldOf(to)
  if (field === undefined || (to !== undefined && until === undefined)) return []
  const isTime = (one: Field): boolean => one.type.wire === 'date' || one.type.wire === 'timestamp'
  if (until === undefined && isTime(field) && ['sum', 'avg', 'median'].includes(kind)) {
    refuse('of', 'out_of_range', `"${quote(word)}" must be between two moments: ${kind}:${field.name}..<another>`)
    return []
  }
  if (until !== undefined && (!isTime(field) || !isTime(until) || kind === 'distinct')) {
    refuse('of', 'out_of_range', `"${quote(word)}" must be between two moments, with sum, avg, median, min or max`)
    return []
  }
  return [{ term: word, kind, field, until }]
}

function orderOf(
  word: string,
  terms: readonly { readonly term: string }[],
  refuse: Refuse,
): readonly { readonly term: string; readonly descending: boolean }[] {
  const descending = word.startsWith('-')
  const term = word.replace(/^[-+]/, '')
  if (terms.some((one) => one.term === term)) return [{ term, descending }]
  const known = terms.map((one) => one.term)
  refuse('sort', 'unknown_sort', `${unknown('Cannot sort by', term, known)}; allowed: ${known.join(', ')}`)
  return []
}

function zoneOf([word = 'UTC', ...more]: readonly string[], refuse: Refuse): string {
  const zone = more.length === 0 ? zoneNamed(word) : undefined
  if (zone === undefined)
    refuse('zone', 'wrong_format', 'The zone parameter must be a time zone, such as Europe/Berlin')
  return zone ?? 'UTC'
}

function limitOf([word = String(LIMITS.summaryGroups), ...more]: readonly string[], refuse: Refuse): number {
  const limit = /^\d{1,4}$/.test(word) && more.length === 0 ? Number(word) : 0
  if (limit < 1 || limit > LIMITS.summaryGroups)
    refuse('limit', 'out_of_range', `The limit parameter must be between 1 and ${LIMITS.summaryGroups}`)
  return limit
}

function unknown(start: string, name: string, known: readonly string[]): string {
  const meant = nearest(name.slice(0, LIMITS.unknownKeyLength), known)
  return `${start} "${quote(name)}"${meant === undefined ? `; known: ${known.join(', ')}` : `; did you mean "${meant}"?`}`
}

function quote(word: string): string {
  return word.slice(0, LIMITS.unknownKeyLength)
}
