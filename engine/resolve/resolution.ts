/** What the passes share while a catalog is being made: the written resources, the drafts, and the complaints. */

import type { Calendar } from '../calendar/working-time.ts'
import type { BelongsTo, Field, HasMany, ManyToMany, Resource } from '../catalog/catalog.ts'
import type {
  Definition,
  Document,
  FieldDefinition,
  Path,
  RelationDefinition,
  ResourceDefinition,
} from '../definition/definition.ts'
import type { FieldErrorCode } from '../field-error.ts'
import type { Diagnostic, DiagnosticCode } from '../text/diagnostic.ts'
import { hintOf } from '../text/nearest.ts'
import type { Span } from '../text/source.ts'
import { renameOf } from './document-part.ts'
import type { Extensions } from './extensions.ts'

/** One resource as written, after transforms and inheritance. */
export interface Written {
  readonly name: string
  readonly document: Document<ResourceDefinition>
  /** In the order of answers. */
  readonly fields: ReadonlyMap<string, Document<FieldDefinition>>
  readonly relations: ReadonlyMap<string, Document<RelationDefinition>>
  /** Names of fields that a plugin's transform added. */
  readonly added: ReadonlySet<string>
  /** The resource whose table it uses, by `of`. */
  readonly base: string | undefined
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export type DraftField = Mutable<Field>
export type DraftBelongsTo = Mutable<BelongsTo>
export type DraftHasMany = Mutable<HasMany>
export type DraftManyToMany = Mutable<ManyToMany>
export type DraftRelation = DraftBelongsTo | DraftHasMany | DraftManyToMany

/** A resource that passes still fill in: valid as a Resource at every moment, complete after the last pass. */
export type Draft = Omit<Mutable<Resource>, 'fields' | 'relations'> & {
  readonly fields: Map<string, DraftField>
  readonly relations: Map<string, DraftRelation>
}

/** The parts of a complaint besides its message and its place. */
export interface Details {
  readonly expected?: readonly string[]
  readonly hint?: string
  /** What it means to programs, where a request brings what is wrong. */
  readonly fault?: FieldErrorCode
  readonly severity?: 'warning'
}

export interface Resolution {
  readonly definition: Definition
  readonly extensions: Extensions
  /** Resources (`tickets`) and their fields and relations (`tickets.status`) that are written but cannot be used; what names them is no further mistake. */
  readonly unusable: Set<string>
  readonly written: Map<string, Written>
  readonly drafts: Map<string, Draft>
  readonly calendars: Map<string, Calendar>
  readonly permissions: Map<string, string>
  /** The attributes of actors that rules name. */
  readonly attributes: Set<string>
  /** `<plugin>.<name>` of every listener that hears of something → resource and action in one text. */
  readonly heard: Map<string, readonly string[]>
  /** The same in one text with the listener before it → where a resource file says so. */
  readonly heardAt: Map<string, Span>
  readonly diagnostics: Diagnostic[]
  report(code: DiagnosticCode, message: string, span: Span, details?: Details): void
}

/** The state with which the passes over one definition begin. */
export function beginResolution(
  definition: Definition,
  extensions: Extensions,
  unusable: ReadonlySet<string>,
): Resolution {
  const diagnostics: Diagnostic[] = []
  return {
    definition,
    extensions,
    unusable: new Set(unusable),
    written: new Map(),
    drafts: new Map(),
    calendars: new Map(),
    permissions: new Map(extensions.permissions),
    attributes: new Set(),
    heard: new Map(),
    heardAt: new Map(),
    diagnostics,
    report: (code, message, span, details = {}) => void diagnostics.push({ code, message, span, ...details }),
  }
}

/** The known words, and the nearest of them as a hint, for a word that is unknown. */
export function suggest(word: string, candidates: Iterable<string>): Details {
  const expected = [...candidates]
  return {
    ...(expected.length === 0 ? {} : { expected }),
    ...hintOf(word, expected),
  }
}

/** The same for a resource, which may be called otherwise than before. */
export function suggestResource({ written }: Pick<Resolution, 'written'>, name: string): Details {
  const renamed = [...written.values()].find(({ document }) => renameOf(document.value.renamed_from)?.name === name)
  return {
    ...suggest(name, [...written.keys()].sort()),
    ...(renamed === undefined ? {} : { hint: `it is called "${renamed.name}" now` }),
  }
}

/** Of what plugins give: the same with a word about their names where no known one is near. */
export function named(details: Details): Details {
  return { hint: 'it is named plugin.name; the plugin is listed under "plugins" in app.yaml', ...details }
}

/** Whether a key is written, although its value may be missing here: one that cannot be used is left out, and reported already. */
export function isWritten({ place }: Pick<Document<unknown>, 'place'>, path: readonly [...Path, string]): boolean {
  const [own, around] = [place(path, 'key'), place(path.slice(0, -1), 'key')]
  return own.start !== around.start || own.end !== around.end || own.source !== around.source
}

/** Whether the file of a plugin says something of the resource: its code may rely on what the application's file does not. */
export function isBrought({ extensions: { brought } }: Pick<Resolution, 'extensions'>, { document }: Written): boolean {
  return Object.keys(document.value).some((key) => brought?.has(document.place([key]).source) === true)
}

/** Every draft with the resource file it is made from, in order of names. */
export function eachDraft(resolution: Resolution): readonly { readonly written: Written; readonly draft: Draft }[] {
  return [...resolution.drafts.values()].flatMap((draft) => {
    const written = resolution.written.get(draft.name)
    return written === undefined ? [] : [{ written, draft }]
  })
}

/** The names of the fields of a resource that fulfil a condition. */
export function fieldNames({ fields }: Pick<Draft, 'fields'>, fits: (field: Field) => boolean): readonly string[] {
  return [...fields.values()].flatMap((field) => (fits(field) ? [field.name] : []))
}

/** The fields and relations of a resource that are written but cannot be used. */
export function brokenNames(resolution: Pick<Resolution, 'unusable'>, resource: string): readonly string[] {
  return [...resolution.unusable].flatMap((name) =>
    name.startsWith(`${resource}.`) ? [name.slice(resource.length + 1)] : [],
  )
}

/** The name of app.yaml among what could not be read whole. */
export const APP = 'app.yaml'

/** Whether the files of a resource, or app.yaml, could not be read whole; without a name, whether any could not. */
export function isUnread({ definition: { unread } }: Pick<Resolution, 'definition'>, name?: string): boolean {
  return unread !== undefined && (name === undefined ? unread.size > 0 : unread.has(name))
}

/** Whether a new record gets a value of the field that nobody sends: a default, or one that the database gives. */
export function isFilledByItself({ relations, table }: Draft, field: Field): boolean {
  const { default: value, defaultMoment, filledBy, options, type } = field
  const relation = relations.get(field.relation ?? '')
  const standsIn = relation?.kind === 'belongs_to' && relation.default !== undefined
  return (
    standsIn ||
    filledBy !== undefined ||
    value !== undefined ||
    defaultMoment !== undefined ||
    type.generated?.(options, table) !== undefined
  )
}
