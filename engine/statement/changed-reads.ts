/** What a write reads from records that it changes itself, and the locks under which it reads that. */
import type {
  BelongsTo,
  Catalog,
  Field,
  FieldPath,
  Filter,
  RelatedFollow,
  Resource,
  Value,
} from '../catalog/catalog.ts'
import { concernsUpdate, endOf, idSql, idsType, idType, targetOf, withFollowing } from '../catalog/stored.ts'
import { join, quoted, type Sql, slot, sql } from '../filter/sql.ts'
import { comparedPaths, leaves } from '../filter/walk.ts'
import { memo } from '../memo.ts'
import type { WriteShape } from '../plan/write-shape.ts'
import { type Compiled, compiled, type SelectScope } from './compiled.ts'
import { pathValueSql } from './condition.ts'
import type { RowLock } from './stored-record.ts'
import { draftRow } from './write.ts'

/** A write from which something follows in other records. */
export type ChangingWrite = 'create' | 'import' | 'update' | 'restore'

/** A record that a write changes: the foreign key that names it, and whose record it is. */
export interface ChangedRecord {
  readonly of: FieldPath
  readonly target: Resource
}

interface Change extends ChangedRecord {
  readonly columns: ReadonlySet<string>
}

/** A column of another record, and the relations that lead there, where they are known; undefined: nobody knows which column. */
interface Read {
  readonly relations: readonly BelongsTo[]
  readonly table: string
  readonly column: string | undefined
}

/** The records from which a write reads what it, or what follows from it, changes in them. */
export function changedReads(catalog: Catalog, resource: Resource, by: ChangingWrite): readonly ChangedRecord[] {
  return resource.relatedFollows.length === 0 ? [] : readsIn(catalog)(resource, by)
}

const readsIn = memo((catalog: Catalog) =>
  memo((resource: Resource, by: ChangingWrite) => findReads(catalog, resource, by)),
)

function findReads(catalog: Catalog, resource: Resource, by: ChangingWrite): readonly ChangedRecord[] {
  const reads = readsOf(catalog, resource, by)
  const found = new Map<string, ChangedRecord>()
  for (const change of changesOf(catalog, resource, by, undefined, []))
    if (reads.some((read) => isChanged(read, change))) found.set(wayOf(change.of), change)
  return [...found.values()]
}

/** The records from which values of a record `from` are read that a write of the resource `to` changes in them. */
export function changedUnder(
  catalog: Catalog,
  from: Resource,
  set: readonly { readonly value: Value }[],
  to: Resource,
  by: ChangingWrite,
): readonly ChangedRecord[] {
  const changes = changesOf(catalog, to, by, undefined, [])
  const found = new Map<string, ChangedRecord>()
  for (const read of new Look(catalog, from.table).values(set)) {
    const last = read.relations.at(-1)
    if (last === undefined || !changes.some((change) => isChanged(read, change))) continue
    const of: FieldPath = { relations: read.relations.slice(0, -1), field: last.field }
    found.set(wayOf(of), { of, target: targetOf(catalog, last) })
  }
  return [...found.values()]
}

function isChanged({ column, table }: Read, { columns, target }: Change): boolean {
  return table === target.table && (column === undefined || columns.has(column))
}

/** A way by the columns of its keys. */
function wayOf({ field, relations }: FieldPath): string {
  return [...relations.map((one) => one.field.column), field.column].join('.')
}

/** What a write changes in other records, and what follows from that in further ones; `columns` are those that an update writes. */
function changesOf(
  catalog: Catalog,
  resource: Resource,
  by: ChangingWrite,
  columns: ReadonlySet<string> | undefined,
  before: readonly RelatedFollow[],
): readonly Change[] {
  const follows = resource.relatedFollows.filter(
    (follow) =>
      !before.includes(follow) && (columns === undefined ? isSetOff(follow, by) : concernsUpdate(follow, columns)),
  )
  return follows.flatMap((follow) => {
    const { of } = follow
    const target = targetOf(catalog, follow)
    const set = [...follow.set, ...target.updateSets].map(({ field }) => field.column)
    const changed = withFollowing(catalog, target, 'update', set)
    const holder = endOf(catalog, resource, of.relations)
    const led = [...holder.relations.values()].find(
      (one): one is BelongsTo => one.kind === 'belongs_to' && one.field.column === of.field.column,
    )
    const further = led === undefined ? [] : changesOf(catalog, target, 'update', changed, [...before, follow])
    return [
      { of, target, columns: changed },
      ...further.map((one) => ({
        ...one,
        of: { relations: [...of.relations, led!, ...one.of.relations], field: one.of.field },
      })),
    ]
  })
}

/** An update may bring the record to another one, or take it away. */
function isSetOff({ on }: RelatedFollow, by: ChangingWrite): boolean {
  return on.has(by) || (by === 'update' && (on.has('create') || on.has('delete')))
}

/** All that a write reads from other records while it is judged. */
function readsOf(catalog: Catalog, resource: Resource, by: ChangingWrite): readonly Read[] {
  const { follows, moves, policies, relations, relatedFollows, rules, scope } = resource
  const action = by === 'import' ? 'create' : by
  const look = new Look(catalog, resource.table)
  const own = by === 'restore' ? [] : follows.filter(({ on }) => on.has(by))
  const judged = rules.filter(({ on }) => on.has(action)).flatMap(({ must, when }) => [must, when])
  const filters = [scope, ...policies[action].map(({ where }) => where), ...judged, ...own.map(({ when }) => when)]
  const chosen = [...relations.values()].flatMap((one) =>
    one.kind === 'belongs_to' && one.where !== undefined ? look.filter(one.where, [one]) : [],
  )
  const related = relatedFollows
    .filter((follow) => isSetOff(follow, by))
    .flatMap((follow) => {
      // What an entry reads from the very record that it changes, it reads under the lock of that one.
      const key = wayOf(follow.of)
      return [...(follow.when === undefined ? [] : look.filter(follow.when)), ...look.values(follow.set)].filter(
        ({ relations: way }) => way.map((one) => one.field.column).join('.') !== key,
      )
    })
  return [
    ...filters.flatMap((filter) => (filter === undefined ? [] : look.filter(filter))),
    ...own.flatMap(({ set }) => look.values(set)),
    ...moves.flatMap(({ path }) => look.path(path)),
    ...chosen,
    ...related,
  ]
}

/** Notes what is read from others than the record itself. `at` are the relations to the record that is spoken of. */
class Look {
  readonly #catalog: Catalog
  readonly #table: string

  constructor(catalog: Catalog, table: string) {
    this.#catalog = catalog
    this.#table = table
  }

  path({ field, relations }: FieldPath, at: readonly BelongsTo[] = []): readonly Read[] {
    const way = [...at, ...relations]
    const keys = way.slice(1).map((relation, i) => this.#read(way.slice(0, i + 1), relation.field))
    return way.length === 0 ? [] : [...keys, this.#read(way, field)]
  }

  filter(filter: Filter, at: readonly BelongsTo[] = []): readonly Read[] {
    return leaves(filter).flatMap((leaf) => {
      if (leaf.kind === 'related') {
        const { many, relations } = leaf.path
        if (many.kind === 'belongs_to') return this.filter(leaf.of, [...at, ...relations, many])
        return this.#anywhere(many.target)
      }
      const [own, ...others] = comparedPaths(leaf)
      return [...this.path(own!, at), ...others.flatMap((other) => this.path(other))]
    })
  }

  values(set: readonly { readonly value: Value }[]): readonly Read[] {
    return set.flatMap(({ value }) => this.#value(value))
  }

  #value(value: Value): readonly Read[] {
    switch (value.kind) {
      case 'record':
      case 'before':
        return this.path(value.path)
      case 'selection':
        return [...this.#anywhere(value.selection.resource), ...this.filter(value.selection.where)]
      case 'operand':
      case 'working':
        return []
      case 'later':
      case 'earlier':
        return [value.than, ...(typeof value.by === 'string' ? [] : value.by.map(({ of }) => of))].flatMap((one) =>
          this.#value(one),
        )
      case 'between':
        return [value.from, value.to].flatMap((one) => this.#value(one))
      default:
        return value.of.flatMap((one) => (typeof one === 'string' ? [] : this.#value(one)))
    }
  }

  #read(way: readonly BelongsTo[], field: Field): Read {
    const { table } = targetOf(this.#catalog, way.at(-1)!)
    const isColumn = field.computed === undefined && field.count === undefined
    return { relations: way, table, column: isColumn ? field.column : undefined }
  }

  #anywhere(resource: string): readonly Read[] {
    const { table } = this.#catalog.resources.get(resource)!
    return table === this.#table ? [] : [{ relations: [], table, column: undefined }]
  }
}

/**
 * Compiles locking the records of one table that a write changes: those that the row which it would make names, and those
 * that the stored one does. Others may still refer to them. Slots: `f_<field>`, and `id` where the record exists.
 */
export function compileLockRead(
  scope: SelectScope,
  plan: WriteShape,
  by: ChangingWrite,
  changed: readonly [ChangedRecord, ...ChangedRecord[]],
): Compiled {
  const [{ target }] = changed
  const { catalog } = scope
  const { resource } = plan
  const stored = sql`from ${quoted(resource.table)} b where ${idSql(resource, 'b')} = ${slot('id')}::${idType(resource)}`
  const ids = changed.flatMap(({ of }): readonly Sql[] => [
    sql`select ${pathValueSql(catalog, of, 'v')} from plinth_v v`,
    ...(by === 'update' ? [sql`select ${pathValueSql(catalog, of, 'b')} ${stored}`] : []),
  ])
  return compiled(sql`with ${draftRow(scope, plan)} ${lockSql(target, join(ids, ' union all '))}`)
}

/** Compiles locking the records of one table that ways lead to from records that are there. Slot: `ids`. */
export function compileLockUnder(
  { catalog }: Pick<SelectScope, 'catalog'>,
  resource: Resource,
  changed: readonly [ChangedRecord, ...ChangedRecord[]],
): Compiled {
  const from = sql`from ${quoted(resource.table)} t where ${idSql(resource, 't')} = any(${slot('ids')}::${idsType(resource)})`
  const ids = changed.map(({ of }) => sql`select ${pathValueSql(catalog, of, 't')} ${from}`)
  return compiled(lockSql(changed[0].target, join(ids, ' union all ')))
}

/** Compiles locking records, lowest id first. Slot: `ids`. */
export function compileLockEach(_scope: Pick<SelectScope, 'catalog'>, resource: Resource, lock: RowLock): Compiled {
  const id = idSql(resource, 'o')
  return compiled(
    sql`select 1 from ${quoted(resource.table)} o where ${id} = any(${slot('ids')}::${idsType(resource)}) order by ${id} for ${lock} of o`,
  )
}

function lockSql(target: Resource, ids: Sql): Sql {
  const id = idSql(target, 'o')
  return sql`select 1 from ${quoted(target.table)} o where ${id} in (${ids}) order by ${id} for no key update of o`
}
