/** Which columns of its own table an answer reads in other rows than the record's own, or in that row by another way. */

import type {
  BelongsTo,
  Catalog,
  EmbedEntry,
  Field,
  FieldPath,
  Filter,
  HasMany,
  ManyToMany,
  Resource,
} from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import { comparedPaths, leaves } from '../filter/walk.ts'
import { memo } from '../memo.ts'

/** Columns by name; `all` where SQL of an author names the table, because the engine does not know what it reads. */
export type OwnReads = ReadonlySet<string> | 'all'

/**
 * The columns of the record's own table that the answer to a single record reads by other ways than the record itself:
 * over relations that lead back to it, in policies of embedded and counted records, in SQL of an author. The same for
 * every caller.
 */
const readsOfAnswer = memo(
  (catalog: Catalog, resource: Resource): OwnReads => new Reads(catalog, resource.table).ofAnswer(resource),
)

/**
 * Whether the answer to an update reads one of the written columns in its table, where it is as it was before: a
 * statement that writes sees its own table without what it writes.
 */
export function showsElsewhere(catalog: Catalog, resource: Resource, columns: ReadonlySet<string>): boolean {
  const reads = readsOfAnswer(catalog, resource)
  return reads === 'all' || [...columns].some((column) => reads.has(column))
}

/**
 * Whether the answer to a creation finds the new row in its table. Nothing refers to it before it is there, so its lists
 * and counts are empty; it is found by SQL of an author, or counted where a record that it refers to is embedded.
 */
export const findsNew = memo(({ fields, relations, table }: Resource): boolean => {
  const finds = (entries: readonly EmbedEntry[]): boolean =>
    entries.some(({ value }) => {
      if (value.kind === 'embed') return finds(value.entries)
      const { field } = value.path
      return field.count !== undefined || speaksOf(field, table)
    })
  const referred = [...relations.values()].filter(({ kind }) => kind === 'belongs_to')
  return [...fields.values()].some((field) => speaksOf(field, table)) || referred.some(({ embed = [] }) => finds(embed))
})

/** Whether SQL of an author names a table. */
export function speaksOf({ computed }: Pick<Field, 'computed'>, table: string): boolean {
  return computed?.split(/\W+/).includes(table) === true
}

/** Follows an answer through the catalog, and notes what it meets of one table. */
class Reads {
  readonly #catalog: Catalog
  readonly #table: string
  readonly #columns = new Set<string>()
  readonly #followed = new Set<HasMany | ManyToMany>()
  #all = false

  constructor(catalog: Catalog, table: string) {
    this.#catalog = catalog
    this.#table = table
  }

  /** The record's own row is the one that was just written, so its columns are none of these. */
  ofAnswer(resource: Resource): OwnReads {
    const { fields, relations } = resource
    for (const field of fields.values()) {
      if (speaksOf(field, this.#table)) this.#all = true
      this.#count(resource, field)
    }
    for (const relation of relations.values()) {
      if (relation.embed === undefined) continue
      if (relation.kind === 'belongs_to') this.#entries(targetOf(this.#catalog, relation), relation.embed)
      else this.#many(relation)
    }
    return this.#all ? 'all' : this.#columns
  }

  #column({ table }: Resource, column: string): void {
    if (table === this.#table) this.#columns.add(column)
  }

  #field(at: Resource, field: Field): void {
    if (field.computed !== undefined) {
      // SQL of an author reads its own row under an alias, and other tables by their names.
      if (at.table === this.#table || speaksOf(field, this.#table)) this.#all = true
    } else if (field.count !== undefined) this.#count(at, field)
    else this.#column(at, field.column)
  }

  /** A number of related records, or what a field of theirs comes to. */
  #count({ relations }: Resource, { count, total }: Field): void {
    const relation = count === undefined ? undefined : relations.get(count)
    if (relation === undefined || relation.kind === 'belongs_to') return
    this.#many(relation)
    const target = targetOf(this.#catalog, relation)
    if (total !== undefined) this.#field(target, target.fields.get(total.of)!)
  }

  /** The columns on the way of a path, and the resource where the way ends. */
  #way(at: Resource, relations: readonly BelongsTo[]): Resource {
    let here = at
    for (const relation of relations) {
      this.#column(here, relation.field.column)
      here = targetOf(this.#catalog, relation)
      this.#column(here, here.key.column)
      this.#filter(here, here.live)
    }
    return here
  }

  #path(at: Resource, { relations, field }: FieldPath): void {
    this.#field(this.#way(at, relations), field)
  }

  #filter(at: Resource, filter: Filter | undefined): void {
    if (filter === undefined) return
    for (const leaf of leaves(filter)) {
      if (leaf.kind === 'compare') for (const path of comparedPaths(leaf)) this.#path(at, path)
      else {
        const { many, relations } = leaf.path
        this.#way(at, relations)
        if (many.kind === 'belongs_to') this.#way(this.#way(at, relations), [many])
        else this.#linked(many)
        this.#filter(targetOf(this.#catalog, many), leaf.of)
      }
    }
  }

  /** What decides which records a relation leads to, for every caller. */
  #linked(relation: HasMany | ManyToMany): void {
    const target = targetOf(this.#catalog, relation)
    let here = target
    // The keys on the way from the other record to this one.
    for (const step of relation.kind === 'has_many' ? relation.by : []) {
      this.#column(here, step.field.column)
      this.#filter(here, here.live)
      here = targetOf(this.#catalog, step)
    }
    for (const filter of [target.scope, target.live, relation.where]) this.#filter(target, filter)
  }

  /** What an answer shows of the records that a relation leads to, and what decides who may see them. */
  #many(relation: HasMany | ManyToMany): void {
    if (this.#followed.has(relation)) return
    this.#followed.add(relation)
    const target = targetOf(this.#catalog, relation)
    this.#linked(relation)
    for (const { where } of target.policies.view) this.#filter(target, where)
    for (const { path } of relation.order) this.#path(target, path)
    this.#entries(target, relation.embed ?? [])
  }

  #entries(at: Resource, entries: readonly EmbedEntry[]): void {
    for (const { value } of entries) {
      if (value.kind === 'field') this.#path(at, value.path)
      else {
        this.#column(at, value.relation.field.column)
        this.#entries(targetOf(this.#catalog, value.relation), value.entries)
      }
    }
  }
}
