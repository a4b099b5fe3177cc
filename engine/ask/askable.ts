/** The paths about which a caller may ask, by the read policies of all records on the way, so that no answer differs by what it may not see. */
import type { Actor } from '../actor.ts'
import type {
  BelongsTo,
  Catalog,
  EmbedEntry,
  Field,
  FieldPath,
  Filter,
  FilterPath,
  ManyPath,
  Resource,
} from '../catalog/catalog.ts'
import { endOf, targetOf } from '../catalog/stored.ts'
import { allowsOne, filterable, reach, readable } from './policy.ts'

/** Who asks, and of what application. */
export interface Asker {
  readonly catalog: Catalog
  readonly actor: Actor
}

/**
 * Whether the caller may compare the value of a path that begins at a record of `from`: it may read the fields on the way,
 * and some of the records.
 */
export function isAskable(asker: Asker, from: Resource, path: FilterPath): boolean {
  const { through } = path
  if (through === undefined) return filterable(path, asker.actor) && isWay(asker, from, path)
  const at = endOf(asker.catalog, from, through.relations)
  return (
    isWay(asker, from, { relations: through.relations }) &&
    through.relations.every(({ field }) => readable(field, asker.actor)) &&
    isManyAskable(asker, at, through.many) &&
    isAskable(asker, targetOf(asker.catalog, through.many), { relations: path.relations, field: path.field })
  )
}

/** Whether answers show every value of the path, or all of its records are within the caller's sight: then it may order a list or be searched. */
export function isOpen(asker: Asker, from: Resource, path: FieldPath): boolean {
  if (!filterable(path, asker.actor)) return false
  return path.relations.every((relation) => isWhole(asker, relation)) || isShownBeside(asker, from, path)
}

/** The title of a record as the caller may read it. */
export function titleFor(asker: Asker, resource: Resource): readonly FieldPath[] {
  return resource.title.filter((path) =>
    path.relations.length === 0 ? filterable(path, asker.actor) : isOpen(asker, resource, path),
  )
}

/**
 * Whether the caller may search the texts at the end of a path. Those of to-one relations are open to it; of records that
 * a relation leads to many of, the search finds what the caller sees.
 */
export function isSearchable(asker: Asker, from: Resource, path: FilterPath): boolean {
  const { through, ...rest } = path
  if (through === undefined)
    return rest.relations.length === 0 ? filterable(rest, asker.actor) : isOpen(asker, from, rest)
  const isWay = isAskable(asker, from, path) && through.relations.every((relation) => isWhole(asker, relation))
  return isWay && isSearchable(asker, targetOf(asker.catalog, through.many), rest)
}

/** Whether the caller may ask for the records that a relation leads to many of. */
export function isManyAskable(asker: Asker, from: Resource, many: ManyPath['many']): boolean {
  const { actor, catalog } = asker
  if (!allowsOne(many.read, actor) || reach(targetOf(asker.catalog, many).policies.view, actor).kind === 'none')
    return false
  const isTold = many.embed !== undefined && isShown(from, many.show)
  if (many.kind === 'has_many') {
    const between = many.by.slice(0, -1)
    return (
      many.by.every(({ field }) => readable(field, actor)) &&
      (isTold || between.every((relation) => isWhole(asker, relation)))
    )
  }
  const joining = [...catalog.resources.values()].filter(({ table }) => table === many.through.table)
  return isTold || joining.every(({ policies }) => reach(policies.view, actor).kind === 'all')
}

/**
 * What a comparison at the end of a path means for the record where it begins, of a resource `from`. A record on the way
 * that the caller may not see is one that is not there. `absent` says that the comparison holds where there is nothing.
 */
export function overPath(
  asker: Asker,
  from: Resource,
  { through, relations, field }: FilterPath,
  absent: boolean,
  comparison: (path: FieldPath) => Filter | undefined,
): Filter | undefined {
  if (through !== undefined) {
    const of = overPath(asker, targetOf(asker.catalog, through.many), { relations, field }, absent, comparison)
    return of && amongMany(asker, through, of)
  }
  const path = { relations, field }
  const whole = relations.every((relation) => isWhole(asker, relation))
  if (whole || isShownBeside(asker, from, path)) return comparison(path)
  const there = comparison({ relations: [], field })
  if (there === undefined) return undefined
  return absent ? not(behind(asker, relations, not(there))) : behind(asker, relations, there)
}

/** What is asked of the records that a relation leads to, of those that the caller sees. */
export function amongMany(
  asker: Asker,
  { relations, many }: ManyPath,
  of: Filter,
  count?: Extract<Filter, { kind: 'related' }>['count'],
): Filter {
  const whole = relations.every((relation) => isWhole(asker, relation))
  const path = { relations: whole ? relations : [], many }
  const asked: Filter = { kind: 'related', path, of, count, ...seenOf(asker, targetOf(asker.catalog, many)) }
  return whole ? asked : behind(asker, relations, asked)
}

function not(of: Filter): Filter {
  return { kind: 'not', of }
}

/** What must hold of the record that relations lead to, if the caller sees it and those before it. */
function behind(asker: Asker, relations: readonly BelongsTo[], of: Filter): Filter {
  return relations.reduceRight<Filter>(
    (inner, many) => ({
      kind: 'related',
      path: { relations: [], many },
      of: inner,
      count: undefined,
      ...seenOf(asker, targetOf(asker.catalog, many)),
    }),
    of,
  )
}

/** Which records of a resource the caller sees, for a filter that asks for them; nothing where it sees all. */
export function seenOf({ actor }: Asker, resource: Resource): { readonly seen?: Filter } {
  const reached = reach(resource.policies.view, actor)
  if (reached.kind === 'all') return {}
  return { seen: reached.kind === 'none' ? { kind: 'or', of: [] } : reached.filter }
}

/** Whether the caller sees some records at each step, or answers show the value together with the record. */
function isWay(asker: Asker, from: Resource, { relations, field }: Partial<FieldPath>): boolean {
  if (relations === undefined || relations.length === 0) return true
  const some = relations.every((one) => reach(targetOf(asker.catalog, one).policies.view, asker.actor).kind !== 'none')
  return some || (field !== undefined && isShownBeside(asker, from, { relations, field }))
}

/** Whether the caller sees every record that a relation may lead to and that is not deleted. */
function isWhole(asker: Asker, relation: BelongsTo): boolean {
  const target = targetOf(asker.catalog, relation)
  return target.scope === undefined && reach(target.policies.view, asker.actor).kind === 'all'
}

/** Whether answers of a resource show the value together with each of its records. */
export function isShownBeside({ actor }: Asker, from: Resource, path: FieldPath): boolean {
  const [first] = path.relations
  return first !== undefined && allowsOne(first.read, actor) && isShown(from, first.show) && isEmbedded(path)
}

function isShown({ actions, nested }: Resource, show: BelongsTo['show']): boolean {
  const answered = actions.has('get') || actions.has('list') || nested.some((one) => one.actions.includes('list'))
  return answered && show !== 'never'
}

/** Whether answers show the value together with the record, to each caller who may see that. */
export function isEmbedded({ field, relations: [first, ...further] }: FieldPath): boolean {
  return first?.embed !== undefined && embeds(first.embed, further, field)
}

function embeds(entries: readonly EmbedEntry[], relations: readonly BelongsTo[], field: Field): boolean {
  return entries.some(({ value }) => {
    if (value.kind === 'embed')
      return value.relation === relations[0] && embeds(value.entries, relations.slice(1), field)
    const { path } = value
    return (
      path.field === field &&
      path.relations.length === relations.length &&
      path.relations.every((one, at) => one === relations[at])
    )
  })
}
