/** What an application holds, by the keys of resources and fields, and what a version makes of it. */
import type { Json } from '../../../engine/json.ts'
import { displacedLinks, firstLinks } from './links.ts'
import type { What } from './made.ts'
import { columnOf, type Field, type Relation, type Resource, tableOf, type Version } from './shape.ts'
import { isReversed, overlaps, sow } from './sowing.ts'
import { convert, isAllowed } from './values.ts'

/** Undefined: nobody knows the value yet, and the next answer tells it. */
export type Value = Json | undefined

export interface Held {
  readonly id: number
  deleted: boolean
  readonly values: Map<string, Value>
}

export interface Known {
  /** The key of the resource. */
  readonly owner: string
  readonly field?: Field
  /** The key of the resource to which a relation leads, and whether it leads to one record. */
  readonly target?: string
  readonly isOne?: boolean
}

export interface Model {
  readonly records: Map<string, Held[]>
  /** Each field and relation as the last version had it that knew it. */
  readonly known: Map<string, Known>
  readonly seeded: Set<string>
  /** The keys of relations that a person had set aside. */
  readonly aside: Set<string>
  /** The joining tables, with the key of the relation whose links they hold. */
  readonly joined: Map<string, string>
  /** The keys of resources whose deleted records are hidden. */
  readonly hiding: Set<string>
  made: readonly Made[]
}

/** Something that people made in the database over a field. */
export interface Made {
  readonly what: Exclude<What, 'nothing'>
  readonly name: string
  /** The keys of the resource and of the field. */
  readonly owner: string
  readonly field: string
}

/** Whether a version can be served at once, by a person's word, or not at all. */
export type Verdict = 'safe' | 'unsafe' | 'refused'

/** Rows of which the plan has to tell. */
export interface Concern {
  readonly verdict: Verdict
  /** `apples.f1`, as the plan names it. */
  readonly at: string
  /** Absent: no rows are concerned, and something else is. */
  readonly rows?: number
  readonly why: string
}

export interface Outlook {
  readonly verdict: Verdict
  readonly concerns: readonly Concern[]
  /** Why the seeds cannot be made, which no plan tells. */
  readonly unsown?: string | undefined
  /** What the application holds when the version is served. */
  readonly model: Model
}

export function emptyModel(): Model {
  const sets = { seeded: new Set<string>(), aside: new Set<string>(), hiding: new Set<string>() }
  return { records: new Map(), known: new Map(), ...sets, joined: new Map(), made: [] }
}

export function copied({ records, known, seeded, aside, hiding, joined, made }: Model): Model {
  const copies = [...records].map(([key, all]): [string, Held[]] => [
    key,
    all.map((one) => ({ ...one, values: new Map(one.values) })),
  ])
  const sets = { seeded: new Set(seeded), aside: new Set(aside), hiding: new Set(hiding) }
  return { records: new Map(copies), known: new Map(known), ...sets, joined: new Map(joined), made }
}

export function heldOf(model: Model, { key }: Resource): Held[] {
  const found = model.records.get(key) ?? []
  model.records.set(key, found)
  return found
}

/** The records that answers show. */
export function visible(model: Model, resource: Resource): readonly Held[] {
  return heldOf(model, resource).filter(({ deleted }) => !(resource.softDelete && deleted))
}

const worst = (concerns: readonly Concern[]): Verdict =>
  concerns.some(({ verdict }) => verdict === 'refused') ? 'refused' : concerns.length > 0 ? 'unsafe' : 'safe'

/** What serving a version will make of what is held. */
export function outlook(before: Model, version: Version): Outlook {
  const model = copied(before)
  const concerns = version.flatMap((resource) => [
    ...ordered(resource.fields).flatMap((field) => fieldConcerns(model, resource, field)),
    ...resource.relations.flatMap((relation) => relationConcerns(before, model, version, resource, relation)),
    ...equalConcerns(model, resource),
    ...apartConcerns(model, resource),
    ...shownConcerns(model, resource),
    ...totalConcerns(before, resource),
    ...madeConcerns(before, resource),
  ])
  const unsown = sow(model, version)
  return { verdict: worst(concerns), concerns, model, unsown }
}

/** Notes that a person had set aside what a version does not name. */
export function setAside({ known, aside }: Model, version: Version): void {
  const named = new Set(version.flatMap(({ relations }) => relations.map(({ key }) => key)))
  for (const [key, { target }] of known) if (target !== undefined && !named.has(key)) aside.add(key)
}

/** Deleted records that would be shown again. */
function shownConcerns(model: Model, resource: Resource): readonly Concern[] {
  const { key, softDelete } = resource
  const rows = heldOf(model, resource).filter(({ deleted }) => deleted).length
  const wasHiding = model.hiding.has(key)
  if (softDelete) model.hiding.add(key)
  else model.hiding.delete(key)
  if (softDelete || !wasHiding || rows === 0) return []
  return [{ verdict: 'unsafe', at: tableOf(resource), rows, why: 'were deleted and would be served' }]
}

/** Fields that are made of others behind those. */
function ordered(fields: readonly Field[]): readonly Field[] {
  const rank = ({ sum, backfill }: Field): number => (sum !== undefined ? 2 : backfill && 'of' in backfill ? 1 : 0)
  return [...fields].sort((one, other) => rank(one) - rank(other))
}

function filledWith({ backfill }: Field, { values }: Held): Value {
  if (backfill === undefined) return null
  return 'of' in backfill ? values.get(backfill.of) : backfill.value
}

/** The value of a record that holds none yet. */
function begun(field: Field, held: Held): Value {
  if (field.type === 'sequence') return undefined
  if (field.backfill !== undefined) return filledWith(field, held)
  return field.default ?? null
}

interface Tally {
  lost: number
  words: number
  missing: number
  odd: number
}

function carried(field: Field, was: Field, held: Held, tally: Tally): Value {
  const value = held.values.get(field.key)
  if (value === undefined) return undefined
  const found = convert(value, was.type, field.type)
  if (found === 'unknown') {
    // However it is written, it is no word.
    if (field.type === 'enum') tally.words += 1
    return undefined
  }
  if (found === 'lost') {
    tally.lost += 1
    return filledWith(field, held)
  }
  const word = found.value
  const isOther = was.type !== field.type || was.least !== field.least
  if (isOther && !isAllowed(word, field)) tally.odd += 1
  if (field.type === 'enum' && word !== null && field.values?.includes(String(word)) === false) {
    const next = field.becomes?.[String(word)]
    if (next === undefined) tally.words += 1
    return next ?? word
  }
  return word
}

function valueIn(field: Field, was: Field | undefined, held: Held, tally: Tally): Value {
  if (field.sum !== undefined) {
    const [one, other] = field.sum.map((key) => held.values.get(key))
    if (one === undefined || other === undefined) return undefined
    return one === null || other === null ? null : Number(one) + Number(other)
  }
  if (was === undefined) return begun(field, held)
  const value = carried(field, was, held, tally)
  // Every record gets a number.
  if (value === null && field.type === 'sequence') return undefined
  return value === null && field.required === true ? filledWith(field, held) : value
}

function fieldConcerns(model: Model, resource: Resource, field: Field): readonly Concern[] {
  const was = model.known.get(field.key)?.field
  const tally = { lost: 0, words: 0, missing: 0, odd: 0 }
  const all = heldOf(model, resource)
  const computedNow = field.sum !== undefined && was !== undefined && was.sum === undefined
  const aside = computedNow ? all.filter(({ values }) => (values.get(field.key) ?? null) !== null).length : 0
  for (const held of all) {
    const value = valueIn(field, was, held, tally)
    held.values.set(field.key, value)
    if (value === null && field.required === true) tally.missing += 1
  }
  model.known.set(field.key, { owner: resource.key, field })
  const at = `${tableOf(resource)}.${field.column ?? field.name}`
  const concern = (verdict: Verdict, rows: number, why: string): readonly Concern[] =>
    rows === 0 ? [] : [{ verdict, at, rows, why }]
  return [
    ...concern('unsafe', tally.lost, 'mean nothing as the new type'),
    ...concern('unsafe', tally.odd, 'have a value that the field no longer allows'),
    ...concern('unsafe', aside, 'are computed from now on'),
    ...concern('refused', tally.words, 'have a word that goes'),
    ...concern('refused', tally.missing, 'have no value in a required field'),
  ]
}

function relationConcerns(
  before: Model,
  model: Model,
  version: Version,
  resource: Resource,
  relation: Relation,
): readonly Concern[] {
  const targets = new Set(model.records.get(relation.target)?.map(({ id }) => id))
  const was = model.known.get(relation.key)?.target
  const all = heldOf(model, resource)
  const isOne = relation.kind === 'one'
  const links = isOne || model.known.has(relation.key) ? new Map() : firstLinks(model, version, resource, relation)
  for (const { id, values } of all)
    if (!values.has(relation.key)) values.set(relation.key, isOne ? null : links && (links.get(id) ?? []))
  model.known.set(relation.key, { owner: resource.key, target: relation.target, isOne })
  model.aside.delete(relation.key)
  if (relation.kind === 'many') {
    const { table, rows } = displacedLinks(before, model, version, resource, relation)
    return rows === 0 ? [] : [{ verdict: 'unsafe', at: table, rows, why: 'are kept but no longer served' }]
  }
  const at = `${tableOf(resource)}.${relation.column ?? `${relation.name}_id`}`
  const pointing = all.filter(({ values }) => (values.get(relation.key) ?? null) !== null)
  const empty = relation.required === true ? all.length - pointing.length : 0
  const moved = was === undefined || was === relation.target ? 0 : pointing.length
  const lost = pointing.filter(({ values }) => !targets.has(Number(values.get(relation.key)))).length
  const concern = (rows: number, why: string): readonly Concern[] =>
    rows === 0 ? [] : [{ verdict: 'refused', at, rows, why }]
  return [
    ...concern(empty, 'have no value in a required field'),
    ...concern(moved === 0 ? lost : moved, 'point at records of another resource'),
  ]
}

function equalConcerns(model: Model, resource: Resource): readonly Concern[] {
  const shared = (all: readonly Held[], key: string): readonly Concern[] => {
    const field = resource.fields.find((one) => one.key === key)
    const counts = new Map<Value, number>()
    for (const { values } of all) {
      const value = values.get(key)
      if (value !== null && value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    const rows = [...counts.values()].reduce((sum, count) => sum + (count > 1 ? count : 0), 0)
    const at = `${tableOf(resource)} (${field && columnOf(field)})`
    return rows === 0 ? [] : [{ verdict: 'refused', at, rows, why: 'share a value that must be unique' }]
  }
  const unique = resource.fields.filter((field) => field.unique === true || field.type === 'sequence')
  const { partial } = resource
  const among = heldOf(model, resource).filter(
    ({ values }) => partial && values.get(partial.where.field) === partial.where.value,
  )
  return [
    ...unique.flatMap(({ key }) => shared(visible(model, resource), key)),
    ...(partial === undefined ? [] : shared(among, partial.field)),
  ]
}

function apartConcerns(model: Model, resource: Resource): readonly Concern[] {
  const { apart, fields } = resource
  if (apart === undefined) return []
  const shown = visible(model, resource)
  const columns = apart.map((key) => fields.find((field) => field.key === key)).map((field) => field && columnOf(field))
  const at = `${tableOf(resource)} (${columns.join(', ')})`
  const rows = shown.filter((one) => shown.some((other) => other !== one && overlaps(one, other, apart))).length
  const reversed = shown.filter((one) => isReversed(one, apart)).length
  const concern = (count: number, why: string): readonly Concern[] =>
    count === 0 ? [] : [{ verdict: 'refused', at, rows: count, why }]
  return [...concern(rows, 'share a day that one alone may have'), ...concern(reversed, 'end before they begin')]
}

/** Records that a new number leaves out. */
function totalConcerns(before: Model, resource: Resource): readonly Concern[] {
  return resource.fields.flatMap((field): readonly Concern[] => {
    const { total } = field
    if (total === undefined || before.known.has(field.key) || field.required === true) return []
    const all = before.records.get(total.from) ?? []
    const rows = all.filter(({ values }) => (values.get(total.by) ?? null) !== null).length
    const at = `${tableOf(resource)}.${columnOf(field)}`
    return rows === 0 ? [] : [{ verdict: 'unsafe', at, rows, why: 'are not counted in it' }]
  })
}

/** What people made over columns that others take the place of. */
function madeConcerns(before: Model, resource: Resource): readonly Concern[] {
  const keys = before.made.filter(({ owner }) => owner === resource.key).map(({ field }) => field)
  return [...new Set(keys)].flatMap((key): readonly Concern[] => {
    const field = resource.fields.find((one) => one.key === key)
    const left = before.known.get(key)?.field
    const isGoing = field === undefined ? isUnderMoved(before, resource, left) : isReplaced(before, resource, field)
    if (!isGoing) return []
    const at = `${tableOf(resource)}.${columnOf(field ?? left ?? { key, name: key, type: 'string' })}`
    return [{ verdict: 'refused', at, why: 'have something that people made over them' }]
  })
}

/** Whether a computed column that was left behind is made of one that gets another type. */
function isUnderMoved(before: Model, { fields }: Resource, left: Field | undefined): boolean {
  return (
    left?.sum?.some((source) => {
      const [then, now] = [before.known.get(source)?.field, fields.find(({ key }) => key === source)]
      return then && now && (columnType(then) !== columnType(now) || (now.sum !== undefined && then.sum === undefined))
    }) === true
  )
}

const columnType = ({ type }: Field): string => (type === 'sequence' ? 'text' : type)

/** Whether another column takes the place of that of a field, or its values are computed again. */
function isReplaced(before: Model, resource: Resource, field: Field): boolean {
  const was = before.known.get(field.key)?.field
  if (was === undefined) return false
  if (columnType(was) !== columnType(field)) return true
  if (field.sum !== undefined && was.sum === undefined) return true
  if (field.sum !== undefined && was.sum !== undefined) {
    const moved = field.sum.some((key) => {
      const [then, now] = [before.known.get(key)?.field, resource.fields.find((one) => one.key === key)]
      return then !== undefined && now !== undefined && columnOf(then) !== columnOf(now)
    })
    return moved || field.sum.join() !== was.sum?.join() || columnOf(was) !== columnOf(field)
  }
  const gone = (value: Value) => field.becomes?.[String(value)] !== undefined && !field.values?.includes(String(value))
  return heldOf(before, resource).some(({ values }) => gone(values.get(field.key)))
}

/** A record that nobody knows but by some of its values. */
export function unknownHeld(id: number, known: Readonly<Record<string, Value>>): Held {
  return { id, deleted: false, values: new Map(Object.entries(known)) }
}

/** What a new record holds in fields that the served version does not know: nothing, where their column has no default. */
export function hiddenValues(model: Model, resource: Resource): Readonly<Record<string, Value>> {
  const served = new Set([...resource.fields, ...resource.relations].map(({ key }) => key))
  const hidden = [...model.known].filter(([key, { owner }]) => owner === resource.key && !served.has(key))
  return Object.fromEntries(
    hidden.map(([key, { field, target }]): [string, Value] => {
      const isGiven =
        field !== undefined && (field.default !== undefined || field.type === 'sequence' || field.sum !== undefined)
      return [key, isGiven ? undefined : target !== undefined ? undefined : null]
    }),
  )
}
