/** A read as a value: which records, in which order, how many of them, and what is answered of each. Values are no part of it. */
import type {
  BelongsTo,
  Catalog,
  EmbedEntry,
  Field,
  FieldPath,
  Filter,
  ManyToMany,
  Relation,
  Resource,
  SortTerm,
  WayPath,
} from '../catalog/catalog.ts'
import { type Leaf, leaves } from '../filter/walk.ts'
import type { Plan } from './plan.ts'

/** Which records a policy leaves to a class of callers: every one, none, or those that match. */
export type Reach =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | { readonly kind: 'matching'; readonly filter: Filter }

/** A record in a list, or on its own. */
export type Mode = 'list' | 'single'

/** A relation in an answer: what of the other records, and how many of them where that is bounded. */
export interface ShownRelation {
  readonly relation: Relation
  readonly entries: readonly EmbedEntry[]
  readonly most?: number
  /** The caller chose these of the entries that the YAML declares. */
  readonly chosen?: true
}

/** One part of an answer. */
export type Part = Field | ShownRelation

/** The parts of each record that are answered. Equal answers of one resource, class of callers and mode have the same name. */
export interface Answer extends Plan {
  readonly parts: readonly Part[]
}

/** The name of the answer to callers who ask for no parts; no part has this name. */
export const USUAL = '*'

/** A part as its caller writes it: `status{id,name}`. */
export function partName(part: Part): string {
  if ('column' in part) return part.name
  return `${part.relation.name}${part.most === undefined ? '' : `(${part.most})`}{${part.entries.map(entryName).join()}}`
}

function entryName({ name, value }: EmbedEntry): string {
  return value.kind === 'embed' ? `${name}{${value.entries.map(entryName).join()}}` : name
}

/** The conditions of a query, with slots in place of their values. A record must meet all of them. */
export interface Conditions extends Plan {
  readonly filters: readonly Filter[]
}

/** A search without its words, which are values: how many there are, and how each is sought. */
export interface SearchShape extends Plan {
  readonly wanted: number
  readonly unwanted: number
  /** Which of the wanted words may be misspelt ones of others: a word of letters that is not quoted. */
  readonly spelt: readonly number[]
  /** Whether the statement corrects these words first. */
  readonly corrected: boolean
  /** Whether pieces of the texts are asked for. */
  readonly snippets: boolean
  /** Which of its words are sought by their stems too: those of letters that are not quoted. */
  readonly stems: Stems | undefined
  /** Fields in which the whole text may be the value that names a record. */
  readonly identifiers: readonly Field[]
}

interface Stems {
  readonly language: string
  readonly wanted: readonly number[]
  readonly unwanted: readonly number[]
}

/** The slots of the words of a search, each before the place of its word; a wanted word has three, an unwanted one two. */
export const WORD_SLOTS = {
  pattern: 'word',
  exact: 'exact',
  beginning: 'beginning',
  unwanted: 'unwanted',
  exactlyUnwanted: 'unwantedExact',
} as const

/** The slot of the whole text as the value of a field; an index knows a text as it is written, so there are several writings. */
export function identifierSlot({ name }: Field, writing: '' | 'Within' | 'Small' | 'Large' = ''): string {
  return `identifier${writing} ${name}`
}

/** The order of a list. */
export interface Order extends Plan {
  /** Ends with the id, so that pages never repeat or skip a record. */
  readonly sort: readonly SortTerm[]
  /** The order of its pages where how well a record answers the search comes first. */
  readonly ranked: readonly SortTerm[] | undefined
  /** Whether the page goes on after the records that the search names, in the list's own order. */
  readonly pastNamed: boolean
}

/** The record above a nested list, by one of its lookup fields. */
export interface ParentShape extends Plan {
  readonly relation: BelongsTo
  readonly resource: Resource
  readonly lookup: Field
}

/** What is asked of each record of an answer: whether conditions hold for it, and which words it has. */
export interface CanShape extends Plan {
  readonly conditions: readonly Filter[]
  readonly words: readonly FieldPath[]
}

/** The record for which records are chosen: those that a relation of it may be set to. */
export interface ChoiceShape extends Plan {
  readonly resource: Resource
  readonly relation: BelongsTo | ManyToMany
  /** Whether it is stored already; the slot `chooser` is then its id. */
  readonly stored: boolean
  /** Its fields that have another value than what is stored, each in the slot of a value. */
  readonly given: readonly Field[]
}

/** How the total of a list is found: not at all, by the page's own statement, or by one of its own up to `cap`. */
export type Total =
  | { readonly by: 'nothing' | 'page' | 'estimate' }
  | { readonly by: 'count'; readonly cap: number | undefined }

/** How a list is read in pages. */
interface Paging {
  readonly perPage: number
  /** Whether its pages have numbers; without them a cursor says where one begins. */
  readonly numbered: boolean
  /** So far into the list that ids are fetched before rows. */
  readonly deep: boolean
  /** Which values of the cursor are absent, a letter for each; undefined on a first page and on numbered ones. */
  readonly after: string | undefined
}

/** What the plan of a list is made of. `reader` is the class of its callers, which decides what their filters mean. */
export interface ListParts extends Paging {
  readonly resource: Resource
  readonly reader: object
  readonly within: Reach
  readonly below: ParentShape | undefined
  /** Only what may be chosen; undefined: all records of the list. */
  readonly choices?: ChoiceShape | undefined
  readonly can?: CanShape | undefined
  readonly conditions: Conditions
  readonly search: SearchShape | undefined
  readonly order: Order
  readonly answer: Answer
}

/** Everything about a list that is decided before it is read. */
interface ListShape extends Omit<ListParts, 'reader' | 'conditions' | 'order'>, Omit<Order, keyof Plan> {
  readonly action: 'list'
  readonly filters: readonly Filter[]
  readonly total: Total
}

export interface ListPlan extends ListShape, Plan {}

/** The plan of a list. */
export function planList({ limits }: Catalog, parts: ListParts): ListShape {
  const { reader: _, conditions, order, ...rest } = parts
  const { ranked, pastNamed, sort } = order
  const total = totalOf(parts, limits.estimatedCounted)
  return { action: 'list', ...rest, filters: conditions.filters, sort, ranked, pastNamed, total }
}

/** The plan of the same list with the words of its search corrected. */
export function planCorrected(
  _: Catalog,
  { plan, search }: { readonly plan: ListPlan; readonly search: SearchShape },
): ListShape {
  return { ...plan, search }
}

function totalOf(
  { below, choices, conditions, numbered, resource, search, within }: ListParts,
  counted?: number,
): Total {
  const { count } = resource
  if (!numbered) return { by: 'nothing' }
  if (search !== undefined) return { by: 'page' }
  if (count.kind === 'capped') return { by: 'count', cap: count.at }
  if (count.kind !== 'estimated' || below !== undefined || choices !== undefined) return { by: 'count', cap: undefined }
  return isEstimable(resource, within, conditions.filters) ? { by: 'estimate' } : { by: 'count', cap: counted }
}

/**
 * Whether all rows that PostgreSQL knows when it plans the list are within the caller's reach: its statistics are those of
 * whole tables, so they count deleted records, those of other kinds, and those to which a filter leads.
 */
function isEstimable({ live, scope }: Resource, within: Reach, filters: readonly Filter[]): boolean {
  if (scope !== undefined || within.kind !== 'all') return false
  return live === undefined ? filters.flatMap(leaves).every(isOfRecord) : filters.length === 0
}

/** Whether a part of a filter asks for a value of the record itself. */
function isOfRecord({ kind, path }: Leaf<FieldPath, WayPath>): boolean {
  return kind === 'compare' && path.relations.length === 0
}

/** What the plan of a single record is made of. */
export interface RecordParts {
  readonly resource: Resource
  readonly within: Reach
  /** The field whose value names the record. */
  readonly finds: Field
  /** Whether its statement reads any number of ids, so that requests may share it. */
  readonly gathered: boolean
  /** Whether a deleted record is read too. */
  readonly dead: boolean
  readonly can?: CanShape | undefined
  readonly answer: Answer
}

/** Everything about a single record that is decided before it is read. */
export interface RecordShape extends RecordParts {
  readonly action: 'get'
}

export interface RecordPlan extends RecordShape, Plan {}

/** The plan of a single record. */
export function planRecord(_: Catalog, parts: RecordParts): RecordShape {
  return { action: 'get', ...parts }
}

export const STEPS = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const

export type Step = (typeof STEPS)[number]

/** What records are grouped by; `term` is how the caller writes it. */
export interface GroupTerm {
  readonly term: string
  readonly field: Field
  /** Only of dates and timestamps. */
  readonly step: Step | undefined
}

export const FIGURES = ['sum', 'avg', 'median', 'min', 'max', 'distinct'] as const

/** A figure of each group; `until` makes it one of the seconds between two moments. */
export type FigureTerm =
  | { readonly term: string; readonly kind: 'count' }
  | {
      readonly term: string
      readonly kind: (typeof FIGURES)[number]
      readonly field: Field
      readonly until: Field | undefined
    }

/** The groups of a summary and the figures of each. */
export interface SummaryTerms extends Plan {
  readonly by: readonly GroupTerm[]
  readonly of: readonly FigureTerm[]
  /** Terms of the two; empty: in the order of the groups. */
  readonly sort: readonly { readonly term: string; readonly descending: boolean }[]
}

/** What the plan of a summary is made of: `list` has the records that it sums up. */
export interface SummaryParts {
  readonly list: ListPlan
  readonly terms: SummaryTerms
  readonly limit: number
}

/** Everything about a summary that is decided before it is read. */
interface SummaryShape extends SummaryParts {
  readonly action: 'summary'
  readonly resource: Resource
}

export interface SummaryPlan extends SummaryShape, Plan {}

/** The plan of a summary. */
export function planSummary(_: Catalog, parts: SummaryParts): SummaryShape {
  return { action: 'summary', resource: parts.list.resource, ...parts }
}

/** A read of records: a list, one of them, or figures of them. */
export type ReadPlan = ListPlan | RecordPlan | SummaryPlan
