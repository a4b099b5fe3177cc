/** Tables of mistakes: each row is a mistake that things of one kind can have, with where and how it is reported. */
import type { Clause, Field } from '../../catalog/catalog.ts'
import type {
  ClauseDefinition,
  FieldDefinition,
  Path,
  PolicyName,
  ResourceDefinition,
} from '../../definition/definition.ts'
import type { DiagnosticCode } from '../../text/diagnostic.ts'
import type { Span } from '../../text/source.ts'
import { accessOf } from '../access.ts'
import { type Place, under } from '../document-part.ts'
import { type Details, type Draft, eachDraft, type Resolution, type Written } from '../resolution.ts'

/** A word of a file with its path below a thing. */
export type Word = readonly [path: Path, word: string]

/** One mistake that a thing of the kind `T` can have, or each of some words below it. */
export interface Mistake<T> {
  readonly code: DiagnosticCode
  readonly words?: (one: T) => readonly Word[]
  /** The place: the value at a path below the thing or the word, or what a function says. */
  readonly at?: Path | ((one: T, word: string) => Span)
  /** The place: the key at such a path. */
  readonly key?: Path
  /** Whether it is a mistake; absent where `says` decides. */
  readonly when?: (one: T, word: string) => boolean
  /** The message; false or undefined where it is none. */
  readonly says: string | ((one: T, word: string) => string | false | undefined)
  /** What to do about it. */
  readonly hint?: string | ((one: T, word: string) => string)
  /** Known words, a hint that comes with them, a severity. */
  readonly details?: (one: T, word: string) => Details
}

/** A row of a table, which has a code for those that name none. */
export type Row<T> = Omit<Mistake<T>, 'code'> & Partial<Pick<Mistake<T>, 'code'>>

/** The mistakes of one kind of things; most have one code. */
export function table<T>(code: DiagnosticCode, rows: readonly Row<T>[]): readonly Mistake<T>[] {
  return rows.map((row) => ({ code, ...row }))
}

/** Reports the mistakes that a thing has, in the order of the table. */
export function judge<T extends Placed>({ report }: Reporter, mistakes: readonly Mistake<T>[], one: T): void {
  for (const { at = HERE, code, details, hint, key, says, when, words } of mistakes)
    for (const [path, word] of words?.(one) ?? THING) {
      if (when?.(one, word) === false) continue
      const message = typeof says === 'string' ? says : says(one, word)
      if (message === undefined || message === false) continue
      const span = typeof at === 'function' ? at(one, word) : one.place([...path, ...(key ?? at)], key && 'key')
      const advice = typeof hint === 'function' ? hint(one, word) : hint
      report(code, message, span, { ...(advice === undefined ? {} : { hint: advice }), ...details?.(one, word) })
    }
}

type Reporter = Pick<Resolution, 'report'>

/** The place of the thing itself, and the thing without a word: made once, because most mistakes ask for them of everything. */
const HERE: Path = []
const THING: readonly Word[] = [[HERE, '']]

/** The words of a list, with their places. */
export function listed(path: Path, words: readonly string[]): readonly Word[] {
  return words.map((word, index) => [[...path, index], word])
}

/** The words that an earlier one repeats. */
export function repeated(words: readonly Word[]): readonly Word[] {
  return words.filter(([, word], index) => words.findIndex(([, other]) => other === word) < index)
}

/** The keys of a map, with the places of their values. */
export function keysOf(path: Path, map: object | undefined): readonly Word[] {
  return Object.keys(map ?? {}).map((key) => [[...path, key], key])
}

/** Something that is written in a file. */
export interface Placed {
  readonly place: Place
}

/** A resource as written, and what was made of it. */
export interface JudgedResource extends Placed {
  readonly resolution: Resolution
  readonly written: Written
  readonly draft: Draft
  readonly value: ResourceDefinition
}

export function judgedResources(resolution: Resolution): readonly JudgedResource[] {
  return eachDraft(resolution).map(({ written, draft }) => ({ resolution, written, draft, ...written.document }))
}

/** A clause of a policy, as written and as it was made. */
export interface JudgedClause extends JudgedResource {
  readonly policy: PolicyName
  readonly clause: Clause
  readonly definition: ClauseDefinition
}

/** The clauses of some policies at their places; one about nobody is reported already, and there is none of it. */
export function judgedClauses(resource: JudgedResource, policies: readonly PolicyName[]): readonly JudgedClause[] {
  const { draft, place, value } = resource
  return policies.flatMap((policy) => {
    const written = (value.policies?.[policy] ?? []).map((definition, index) => ({ definition, index }))
    const made = written.filter(({ definition }) => accessOf(definition).length > 0)
    return made.map(({ definition, index }, at) => {
      const clause = draft.policies[policy][at]!
      return { ...resource, place: under(place, 'policies', policy, index), policy, clause, definition }
    })
  })
}

/** Whether a resource has a table of its own, and does not use that of another one. */
export function hasOwnTable({ draft }: Pick<JudgedResource, 'draft'>): boolean {
  return draft.owner === draft.name
}

/** Whether requests create records of the resource. */
export function isCreatable({ actions, nested }: Draft): boolean {
  return actions.has('create') || nested.some((route) => route.actions.includes('create'))
}

/** Whether a body that creates another record may bring records of the resource along. */
export function comesWithParent({ drafts }: Resolution, { name }: Draft, by?: string): boolean {
  const parents = by === undefined ? [...drafts.values()] : [drafts.get(by)]
  return parents.some((parent) =>
    [...(parent?.relations.values() ?? [])].some(
      (one) => one.kind === 'has_many' && one.withParent && one.target === name,
    ),
  )
}

/** A field with the resource that has it. */
export interface JudgedField extends Pick<JudgedResource, 'resolution' | 'written' | 'draft' | 'place'> {
  readonly field: Field
  /** As written; empty for an id and for the foreign key that a relation brings. */
  readonly value: Partial<FieldDefinition>
}

export function judgedFields({ resolution, written, draft }: JudgedResource): readonly JudgedField[] {
  return [...draft.fields.values()].map((field) => {
    const relation = written.relations.get(field.relation ?? '')
    const { value = {}, place = relation?.place ?? (() => field.span) } = written.fields.get(field.name) ?? {}
    return { resolution, written, draft, field, value, place }
  })
}

/** Whether a slug is made of another field where nobody sends one. */
export function isMadeSlug({ options, type }: Pick<Field, 'options' | 'type'>): boolean {
  return type.name === 'slug' && typeof options.own.from === 'string'
}
