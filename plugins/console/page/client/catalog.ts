/** The application as /catalog.json says it, and what screens read from it. */
import type { ButtonPart, Condition, ConsolePart, Json, Layout, View } from './said.ts'

export type { Json } from './said.ts'
export type RecordData = { readonly [key: string]: Json }

/** The part of JSON Schema that fields use. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly Json[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly items?: Schema
}

/** What people read, by the word of an enum. */
export type Values = Readonly<Record<string, string>>

/** What screens ask besides of a field or relation. */
interface AskedPart {
  readonly help?: string
  /** It is there only where the record is so. */
  readonly when?: Condition
  readonly widget?: string
}

export interface Field extends AskedPart {
  readonly label: string
  readonly description?: string
  readonly type: string
  readonly schema: Schema
  readonly nullable: boolean
  /** What people read in place of the words of an enum, in their language. */
  readonly values?: Values
  /** The relation whose key it is. */
  readonly relation?: string
  readonly show?: 'always' | 'single' | 'asked'
  readonly create?: 'required' | 'optional'
  readonly update?: true
  readonly default?: Json
  /** The values that a list of permissions may have. */
  readonly words?: readonly string[]
  /** Of a key that is no field: whether a body needs it. */
  readonly required?: boolean
}

export interface Embedded {
  readonly name: string
  readonly label: string
  readonly type?: string
  readonly values?: Values
  readonly embed?: readonly Embedded[]
}

export interface Relation extends AskedPart {
  readonly kind: 'belongs_to' | 'has_many' | 'many_to_many'
  readonly label: string
  readonly description?: string
  readonly to?: string
  /** The path that lists what the relation may be set to. */
  readonly choices?: string
  readonly field?: string
  readonly writes?: string
  readonly create?: 'required' | 'optional'
  readonly update?: true
  readonly embed?: readonly Embedded[]
  readonly first?: true
  readonly show: string
}

export interface Filter {
  readonly path: string
  readonly label: string
  readonly type: string
  readonly operators: readonly string[]
  readonly several: boolean
  readonly words?: readonly Json[]
  readonly values?: Values
}

export interface ListPart {
  readonly filters: Readonly<Record<string, Filter>>
  readonly sort: { readonly keys: readonly string[]; readonly default: readonly string[] }
  readonly search?: { readonly in: readonly string[] }
  readonly summary?: { readonly by: readonly string[] }
  readonly own: boolean
}

export interface Moves {
  /** The field of the other record that has the word. */
  readonly by?: string
  readonly words?: readonly string[]
  readonly allow: readonly { readonly from: readonly string[] | null; readonly to: readonly string[] | null }[]
}

export interface Resource {
  readonly label: { readonly one: string; readonly many: string }
  readonly description?: string
  readonly path: string
  readonly title: readonly string[]
  readonly id: string
  readonly actions: readonly string[]
  readonly hides?: true
  /** The paths of these routes, where the resource has them. */
  readonly batch?: string
  readonly stream?: string
  readonly figures?: string
  readonly icon?: string
  readonly views?: Readonly<Record<string, View>>
  readonly layout?: Layout
  readonly buttons?: Readonly<Record<string, ButtonPart>>
  /** The routes of plugins for this resource. */
  readonly routes?: readonly OfferedRoute[]
  readonly fields: Readonly<Record<string, Field>>
  readonly relations: Readonly<Record<string, Relation>>
  readonly extra?: {
    readonly create: Readonly<Record<string, Field>>
    readonly update: Readonly<Record<string, Field>>
  }
  readonly list?: ListPart
  readonly moves: Readonly<Record<string, Moves>>
  readonly below: Readonly<
    Record<string, { readonly to: string; readonly relation: string; readonly actions: readonly string[] }>
  >
}

/** What the caller may do to a record, as `Prefer: can` tells it. */
export interface Can {
  /** The keys of a body that may be sent. */
  readonly update: readonly string[]
  readonly delete: boolean
  /** By field, the words that may follow. */
  readonly moves?: Readonly<Record<string, readonly string[]>>
  /** By the end of a path below the record, the keys of a body. */
  readonly create?: Readonly<Record<string, readonly string[]>>
}

export interface OfferedRoute {
  readonly name: string
  readonly summary: string
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly input?: { readonly properties?: Readonly<Record<string, Schema>>; readonly required?: readonly string[] }
  readonly query?: { readonly properties?: Readonly<Record<string, Schema>> }
  readonly produces?: readonly string[]
  /** The resource whose record it answers. */
  readonly answers?: string
}

/** A screen that a plugin adds, at /console/<path>. */
export interface AddedPage {
  readonly path: string
  readonly label: string
  readonly icon?: string
}

/** What a plugin adds to the screens of the reader. */
export interface Addition {
  readonly plugin: string
  readonly version: string
  /** Whether it has a style sheet. */
  readonly styled?: true
  readonly pages?: readonly AddedPage[]
  readonly editors?: readonly string[]
  /** Those of its editors that draw values too. */
  readonly cells?: readonly string[]
  readonly blocks?: readonly string[]
  readonly views?: readonly string[]
}

export interface Catalog {
  readonly name: string
  readonly description?: string
  readonly prefix: string
  /** The path of the stream of several lists. */
  readonly stream?: string
  readonly limits: Readonly<Record<string, number | null>>
  readonly console?: ConsolePart
  readonly additions?: readonly Addition[]
  readonly resources: Readonly<Record<string, Resource>>
  readonly routes: readonly OfferedRoute[]
}

/** A resource with its name. */
export interface Named {
  readonly name: string
  readonly resource: Resource
}

/** The pages that plugins add for the reader. */
export function addedPages({ additions = [] }: Pick<Catalog, 'additions'>): readonly AddedPage[] {
  return additions.flatMap(({ pages = [] }) => pages)
}

/** The route of a plugin by `plugin.route`: one that reads, or one that does something. */
export function routeNamed({ resources, routes }: Catalog, name: string, reads = true): OfferedRoute | undefined {
  const all = [...routes, ...Object.values(resources).flatMap((resource) => resource.routes ?? [])]
  return all.find((route) => route.name === name && (route.method === 'GET') === reads)
}

/** The resources with a list of their own, in the order of the alphabet. */
export function menuOf({ resources }: Catalog): readonly Named[] {
  return Object.entries(resources)
    .filter(([, { actions, list }]) => list?.own === true && actions.includes('list'))
    .map(([name, resource]) => ({ name, resource }))
    .sort((a, b) => a.resource.label.many.localeCompare(b.resource.label.many))
}

/** The value at a path such as `status.name`; null where nothing is. */
export function valueAt(record: Json | undefined, path: string): Json {
  let value: Json = record ?? null
  for (const key of path.split('.')) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
    value = (value as RecordData)[key] ?? null
  }
  return value
}

/** The id of a record as text. */
export function idOf(record: RecordData): string {
  return String(record.id ?? '')
}

/** What people call a record: the fields of its title, or its id. */
export function titleOf(resource: Resource, record: RecordData): string {
  const parts = resource.title
    .map((path) => {
      const value = valueAt(record, path)
      return resource.fields[path]?.values?.[String(value)] ?? value
    })
    .filter((part) => part !== null && part !== '')
  if (parts.length > 0) return parts.map(String).join(' · ')
  return `${resource.label.one} ${idOf(record)}`
}

/** What people call a record inside another one, where only its embedded part is known. */
export function nameOf(catalog: Catalog, relation: Relation, part: RecordData): string {
  const target = relation.to === undefined ? undefined : catalog.resources[relation.to]
  const paths = target?.title ?? []
  const named = paths.map((path) => valueAt(part, path)).filter((value) => value !== null && value !== '')
  if (named.length > 0) return named.map(String).join(' · ')
  const text = (relation.embed ?? []).find(
    ({ name, type }) => name !== 'id' && type !== undefined && part[name] !== null,
  )
  return String((text === undefined ? undefined : part[text.name]) ?? part.id ?? '')
}

/** Whether the value is a record or a list of them. */
export function isRecord(value: Json | undefined): value is RecordData {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a schema takes a value of the JSON type. */
export function takes({ type }: Schema, name: string): boolean {
  return Array.isArray(type) ? type.includes(name) : type === name
}
