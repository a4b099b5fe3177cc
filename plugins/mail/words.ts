/** Texts of automations: the paths of a record that they name, and the values that one reader may see. */
import type { Template } from 'liquidjs'
import type { ActionMistake, ActionPlace, Catalog, Json, Resource, Settings } from '../../engine/index.ts'
import { ActionFailed, nearest, targetOf } from '../../engine/index.ts'
import { type Budget, OverBudget, templateBudget } from '../templates/budget.ts'
import {
  filledText,
  impossibleFilter,
  isLiquidError,
  parsedText,
  rangeMistake,
  wideRange,
} from '../templates/liquid.ts'
import { liquidEngines } from './rendering.ts'

/** Names for a template in addition to the record. */
const BESIDE: ReadonlySet<string> = new Set(['app', 'base_url', 'reply_to'])

/** Longer values are cut, so that people can still read the mail. */
const VALUE_LENGTH = 10_000

type Segment = string | number | Template | readonly Segment[]

interface Read {
  /** Paths of the record's values, `assignedTo.name`, each once. */
  readonly paths: readonly string[]
  readonly mistakes: readonly Omit<ActionMistake, 'at'>[]
}

/**
 * Reads a text: the names of records of a resource in it, and its mistakes. `beside` are additional names, perhaps with
 * a field; `states` are names in front of the record's own paths, `before.status.name`.
 */
export function readWords(
  { catalog, resource }: Pick<ActionPlace, 'catalog' | 'resource'>,
  text: string,
  beside: readonly string[] = [],
  states: readonly string[] = [],
): Read {
  const named = variablesIn(text)
  if (typeof named === 'string') return { paths: [], mistakes: [{ message: named }] }
  const paths = new Set<string>()
  const mistakes: Omit<ActionMistake, 'at'>[] = []
  for (const segments of named) {
    const first = String(segments[0])
    if (BESIDE.has(first) || beside.includes(first) || beside.includes(segments.join('.'))) continue
    const holder = beside.find((one) => one.startsWith(`${first}.`))
    if (holder !== undefined) {
      mistakes.push({ message: `A text knows nothing of "${segments.join('.')}"`, hint: `write ${holder}` })
      continue
    }
    const isState = states.includes(first) && segments.length > 1
    const found = pathIn(catalog, resource, isState ? segments.slice(1) : segments)
    if (typeof found === 'string') paths.add(isState ? `${first}.${found}` : found)
    else mistakes.push(found)
  }
  return { paths: [...paths], mistakes }
}

/** The names in a text, or the mistake in its form. */
export function variablesIn(text: string): readonly (readonly Segment[])[] | string {
  const { plain } = liquidEngines(false)
  try {
    const templates = plain.parse(text)
    const wide = wideRange(templates)
    if (wide !== undefined) return rangeMistake('The text', wide)
    const impossible = impossibleFilter(plain, templates)
    if (impossible !== undefined) return `The text can never be filled in: ${impossible}`
    return plain.globalVariableSegmentsSync(templates) as readonly (readonly Segment[])[]
  } catch (error) {
    const said = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
    return `The text cannot be read: ${said.replace(/, line:\d+, col:\d+$/, '')}`
  }
}

/** Follows to-one relations to a field; the template handles the rest of the path. */
function pathIn(
  catalog: Catalog,
  resource: Resource,
  segments: readonly Segment[],
): string | Omit<ActionMistake, 'at'> {
  const words: string[] = []
  let at = resource
  for (const [index, word] of segments.entries()) {
    const name = typeof word === 'string' ? word : ''
    words.push(name)
    const field = at.fields.get(name)
    if (field !== undefined) {
      const further = segments.slice(index + 1)
      const mistake = fieldMistake(field, words.join('.')) ?? furtherMistake(field, words.join('.'), further)
      return mistake === undefined ? words.join('.') : { message: mistake }
    }
    const relation = at.relations.get(name)
    if (relation === undefined) return unknown(at, name)
    const target = targetOf(catalog, relation)
    if (relation.kind !== 'belongs_to')
      return { message: `"${words.join('.')}" leads to several records, of which a text cannot speak` }
    if (index === segments.length - 1) {
      const hint = `name one of its fields, such as ${words.join('.')}.${target.fields.has('name') ? 'name' : 'id'}`
      return { message: `"${words.join('.')}" is a record, not a value`, hint }
    }
    at = target
  }
  return { message: 'A name means nothing here' }
}

function unknown({ fields, name: resource, relations }: Resource, name: string): Omit<ActionMistake, 'at'> {
  const near = nearest(name, [...fields.keys(), ...relations.keys()])
  const hint = near === undefined ? {} : { hint: `did you mean "${near}"?` }
  return { message: `"${resource}" has no field "${name}"`, ...hint }
}

function fieldMistake({ count, show, type }: Field, path: string): string | undefined {
  if (type.hidden === true) return `"${path}" is a secret`
  if (show === 'never') return `"${path}" is never shown`
  return count === undefined ? undefined : `"${path}" is counted for each reader, and a text cannot name it`
}

function furtherMistake({ type }: Field, path: string, further: readonly Segment[]): string | undefined {
  if (further.length === 0 || type.wire === 'json' || further[0] === 'size') return undefined
  return `"${path}" is a value and has no "${String(further[0])}"`
}

type Field = Resource['key']

/** The values of paths in the form for templates: `{ subject, assignedTo: { name } }`, and the application. */
export function wordsData(
  { catalog, settings }: { readonly catalog: Catalog; readonly settings: Pick<Settings, 'baseUrl'> },
  paths: readonly string[],
  values: readonly Json[],
  longest = VALUE_LENGTH,
): Record<string, unknown> {
  const data: Record<string, unknown> = { app: { name: catalog.name }, base_url: settings.baseUrl }
  for (const [at, path] of paths.entries()) {
    const words = path.split('.')
    const last = words.pop()!
    let holder = data
    for (const word of words) {
      holder[word] ??= {}
      holder = holder[word] as Record<string, unknown>
    }
    holder[last] = shortened(values[at] ?? null, longest)
  }
  return data
}

function shortened(value: Json, longest: number): Json {
  return typeof value === 'string' && value.length > longest ? `${value.slice(0, longest)}…` : value
}

const MOST_PARSED = 1_000
const parsed = new Map<string, Template[]>()

/** Texts are in files, so there are few; those of changed files are dropped with all others. */
function templateOf(text: string, budget: Budget): Template[] {
  const found = parsed.get(text) ?? parsedText(liquidEngines(false).plain, text, budget)
  if (parsed.size >= MOST_PARSED) parsed.clear()
  parsed.set(text, found)
  return found
}

/** The budget for one reader, whose values may be long: `texts` of the texts name the values. */
export function wordsBudget(limits: Readonly<Record<string, number>>, values: readonly Json[], texts = 1): Budget {
  const given = values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 0),
    0,
  )
  return templateBudget(limits, given * texts)
}

/** A text with its values, in one or several lines; throws ActionFailed where that is impossible, or above the budget. */
export function fillWords(
  text: string,
  data: Readonly<Record<string, unknown>>,
  budget: Budget = templateBudget(),
): string {
  try {
    return filledText(liquidEngines(false).plain, templateOf(text, budget), data, budget).trim()
  } catch (error) {
    if (error instanceof OverBudget) throw new ActionFailed(`A text of the automation ${error.message}`)
    if (!isLiquidError(error)) throw error
    throw new ActionFailed(`A text of the automation cannot be filled in: ${error.message}`)
  }
}
