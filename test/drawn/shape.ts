/** Applications that are drawn: a few resources with relations of all kinds, and what a member may see of them. */
import fc from 'fast-check'
import type { Json, JsonObject } from '../../engine/json.ts'

export interface DrawnOne {
  readonly name: string
  /** The place of the resource that it leads to. */
  readonly target: number
  readonly hidden: boolean
}

export interface DrawnResource {
  readonly name: string
  readonly soft: boolean
  readonly ones: readonly DrawnOne[]
  /** Lists of records that name this one: the place of their resource, and the name of their relation. */
  readonly lists: readonly {
    readonly name: string
    readonly from: number
    readonly by: string
    readonly order: number
  }[]
  /** Lists of records that name one which names this one: the place of their resource, that of the one between, and both relations. */
  readonly far: readonly {
    readonly name: string
    readonly from: number
    readonly through: string
    readonly between: number
    readonly by: string
  }[]
  /** Links to records of another resource, kept in a table of their own. */
  readonly links: readonly { readonly name: string; readonly target: number }[]
  readonly hiddenFields: ReadonlySet<FieldName>
  readonly count: Json
  /** Which records a member sees; undefined: none. */
  readonly seen: JsonObject | undefined
}

export type Shape = readonly DrawnResource[]

/** The fields that every resource has. */
export const FIELDS = {
  word: { type: 'enum', values: ['a', 'b', 'c'] },
  number: { type: 'integer' },
  text: { type: 'string' },
  day: { type: 'date' },
  flag: { type: 'boolean' },
  price: { type: 'decimal' },
  moment: { type: 'timestamp' },
} as const
export type FieldName = keyof typeof FIELDS

export const NAMES = Object.keys(FIELDS) as FieldName[]

/** Who may read everything, and who reads what policies and `read` leave. */
export const STAFF = '1:staff:records.all'
export const MEMBER = '2:member:'

const ALL = { permission: 'records.all' }

const drawn = fc.record({
  soft: fc.boolean(),
  ones: fc.array(fc.record({ target: fc.nat(3), hidden: fc.nat(4).map((n) => n === 0) }), { maxLength: 2 }),
  links: fc.array(fc.nat(3), { maxLength: 1 }),
  hiddenFields: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 }),
  order: fc.nat(30),
  count: fc.constantFrom<Json>('exact', 'estimated', { capped: 2 }),
  seen: fc.nat(6),
  at: fc.nat(5),
})
type Drawn = typeof drawn extends fc.Arbitrary<infer D> ? D : never

/** Draws two to four resources. */
export const shapes: fc.Arbitrary<Shape> = fc
  .array(drawn, { minLength: 2, maxLength: 4 })
  .map((all) => all.map((one, at) => withSight(resourceOf(all, one, at), one)))

function resourceOf(all: readonly Drawn[], one: Drawn, at: number): Omit<DrawnResource, 'seen'> {
  const onesOf = ({ ones }: Drawn): DrawnOne[] =>
    ones.map(({ hidden, target }, i) => ({ name: `one${i}`, target: target % all.length, hidden }))
  const lists = all.flatMap((other, from) =>
    onesOf(other)
      .filter(({ target }) => target === at)
      .map(({ name }) => ({ name: `r${from}_by_${name}`, from, by: name, order: other.order })),
  )
  return {
    ...{ name: `r${at}`, soft: one.soft, ones: onesOf(one), lists, count: one.count },
    far: all.flatMap((_, from) => farFrom(all.map(onesOf), at, from)),
    links: one.links.map((target, i) => ({ name: `link${i}`, target: target % all.length })),
    hiddenFields: new Set(one.hiddenFields),
  }
}

/** Over a third resource that names this one once, from a resource that does not name this one itself. */
function farFrom(ones: readonly (readonly DrawnOne[])[], at: number, from: number): DrawnResource['far'] {
  if (from === at || ones[from]!.some(({ target }) => target === at)) return []
  const through = ones[from]!.filter((one, i, all) => all.findIndex(({ target }) => target === one.target) === i)
  return through.flatMap(({ name, target }) => {
    const back = ones[target]!.filter((one) => one.target === at)
    if (target === at || target === from || back.length !== 1) return []
    return [{ name: `far_r${from}_${name}`, from, through: name, between: target, by: back[0]!.name }]
  })
}

function withSight(resource: Omit<DrawnResource, 'seen'>, { at, seen }: Drawn): DrawnResource {
  const many = [...resource.lists, ...resource.links].map(({ name }) => name)
  const some = many[at % Math.max(many.length, 1)]
  const one = resource.ones[at % Math.max(resource.ones.length, 1)]?.name
  const sights: readonly (JsonObject | undefined)[] = [
    {},
    undefined,
    { flag: true },
    { not: { word: 'a' } },
    one === undefined ? { flag: true } : { [`${one}.flag`]: true },
    some === undefined ? { word: ['a', 'b'] } : { [some]: { some: { flag: true } } },
    some === undefined ? { number: { gte: 2 } } : { [some]: { count: { gte: 1 }, where: { word: 'a' } } },
  ]
  return { ...resource, seen: sights[seen] }
}

/** The files of an application; `more` says what else a resource has. */
export function filesOf(
  shape: Shape,
  more: (resource: DrawnResource) => JsonObject = () => ({}),
): Readonly<Record<string, string>> {
  const resources = shape.map((resource): readonly [string, string] => [
    `${resource.name}.yaml`,
    JSON.stringify({ ...yamlOf(shape, resource), ...more(resource) }),
  ])
  const plugins = { soft_delete: {}, who: {}, csv: {}, jobs: {} }
  const limits = { listenerPollMs: 100, streamPauseMs: 5, estimatedCounted: 100, streamHeartbeatMs: 200 }
  return { 'app.yaml': JSON.stringify({ name: 'Drawn', plugins, limits }), ...Object.fromEntries(resources) }
}

function yamlOf(shape: Shape, resource: DrawnResource): JsonObject {
  const { count, far, hiddenFields, links, lists, name, ones, seen, soft } = resource
  const kept = { read: ALL }
  const fields = NAMES.map((field) => [field, { ...FIELDS[field], ...(hiddenFields.has(field) ? kept : {}) }])
  const toOne = ones.map((one) => [
    one.name,
    { belongs_to: shape[one.target]!.name, embed: ['id'], ...(one.hidden ? kept : {}) },
  ])
  const toLists = lists.map(({ by, from, name: list, order }) => [
    list,
    {
      ...{ has_many: shape[from]!.name, by, embed: ['id'], order: `${order % 2 === 0 ? '' : '-'}${NAMES[order % 7]}` },
      ...(order % 3 === 0 ? { first: true } : {}),
    },
  ])
  const isHidden = (at: number, relation: string): boolean =>
    shape[at]!.ones.some((one) => one.name === relation && one.hidden)
  const isHiddenTwice = ({ between, by, from, through }: (typeof far)[number]): boolean =>
    isHidden(from, through) && isHidden(between, by)
  const toFar = far.map((one) => [
    one.name,
    { has_many: shape[one.from]!.name, through: one.through, embed: ['id'], ...(isHiddenTwice(one) ? kept : {}) },
  ])
  const toLinks = links.map(({ name: link, target }) => [
    link,
    { many_to_many: shape[target]!.name, through: `${name}_${link}`, embed: ['id'] },
  ])
  const paths = ones.flatMap((one) => NAMES.map((field) => `${one.name}.${field}`))
  const among = [...lists, ...links].map((many) => `${many.name}.text`)
  const view = seen === undefined ? [] : [{ role: 'member', ...(Object.keys(seen).length > 0 ? { where: seen } : {}) }]
  // Members change what they see of the records that they see.
  const open = [
    ...NAMES.filter((field) => !hiddenFields.has(field)),
    ...ones.flatMap((one) => (one.hidden ? [] : one.name)),
  ]
  const update = view.map((clause) => ({ ...clause, fields: open }))
  return {
    ...{ resource: name, label: name.toUpperCase(), soft_delete: soft, stream: true, count },
    ...(soft ? { restore: true } : {}),
    fields: Object.fromEntries(fields) as JsonObject,
    relations: Object.fromEntries([...toOne, ...toLists, ...toFar, ...toLinks]) as JsonObject,
    filters: [...NAMES, ...paths, ...among],
    sort: { keys: ['id', ...NAMES, ...ones.flatMap((one) => [`${one.name}.text`, `${one.name}.number`])] },
    ...{ search: ['text', ...ones.map((one) => `${one.name}.text`), ...among], summary: true },
    csv: { export: [{ who: 'signed_in' }], columns: Object.fromEntries([...NAMES, ...paths].map((p) => [p, p])) },
    policies: Object.fromEntries(
      ['view', 'create', 'update', 'delete', ...(soft ? ['restore'] : [])].map((policy) => [
        policy,
        [ALL, ...(policy === 'view' ? view : policy === 'update' ? update : [])],
      ]),
    ),
  }
}
