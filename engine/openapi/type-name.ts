/** Names of types: `ticket_comments` → `TicketComment`, each name given once. */
import type { Catalog } from '../catalog/catalog.ts'
import { singular } from '../catalog/name.ts'

/** Names of the document's own schemas, which no resource gets. */
export const OWN_NAMES = [
  'NamedRecord',
  'NamedVersion',
  'Outcome',
  'RecordNames',
  'Refusal',
  'ErrorCode',
  'FieldErrors',
  'FieldErrorCodes',
  'RecordOutcomes',
  'Envelope',
  'ListEnvelope',
  'MessageEnvelope',
  'AnswerMeta',
  'ListAnswerMeta',
  'Pagination',
  'SearchTold',
] as const

/** Types of TypeScript and of the platform that made types and clients use. */
const GLOBALS =
  'Array AsyncGenerator AsyncIterable Blob Boolean Date Error Exclude Extract FormData Function Headers Map Number Object Omit Partial Pick Promise ReadableStream Readonly ReadonlyArray ReadonlyMap Record Request Required Response Set String Symbol URL URLSearchParams AbortSignal'.split(
    ' ',
  )

/** The names of one resource's types. */
export interface TypeNames {
  /** A single record. */
  readonly single: string
  /** A record of a list. */
  readonly list: string
  readonly create: string
  readonly update: string
  /** The operators of its list's filters. */
  readonly filters: string
  /** A record on its own in its envelope. */
  readonly answer: string
  /** The outcome of several of its records in a batch. */
  readonly outcomes: string
}

/** `ticket_comments`, `mark-read` or `subCategory` as one capitalized word. */
export function pascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/**
 * The names of all resources' types by the resource's name. The plural takes the place of a singular that is taken or
 * `reserved`.
 */
export function typeNames(
  { resources }: Pick<Catalog, 'resources'>,
  reserved: Iterable<string> = [],
): ReadonlyMap<string, TypeNames> {
  const taken = new Set<string>([...OWN_NAMES, ...GLOBALS, ...reserved])
  const free = (names: TypeNames): boolean => Object.values(names).every((name) => !taken.has(name))
  const given = new Map<string, TypeNames>()
  for (const name of resources.keys()) {
    const candidates = [pascal(singular(name)), pascal(name), `${pascal(name)}Record`, `Resource_${name}`]
    const names = candidates.map(namesOf).find(free) ?? namesOf(`Resource${given.size}`)
    for (const one of Object.values(names)) taken.add(one)
    given.set(name, names)
  }
  return given
}

function namesOf(base: string): TypeNames {
  return {
    single: base,
    list: `${base}ListItem`,
    create: `${base}Create`,
    update: `${base}Update`,
    filters: `${base}Filters`,
    answer: `${base}Answer`,
    outcomes: `${base}Outcomes`,
  }
}
