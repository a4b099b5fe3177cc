/** Requests that ask about hidden values in every way that a list can be asked, made from the catalog. */
import { isMap, parseDocument, type YAMLMap } from 'yaml'
import type { Actor } from '../../engine/actor.ts'
import { reach } from '../../engine/ask/policy.ts'
import type { Catalog, Field, Relation, Resource } from '../../engine/catalog/catalog.ts'
import { LIST_PARAMETERS } from '../../engine/catalog/list-parameter.ts'
import { isStored, targetOf } from '../../engine/catalog/stored.ts'
import type { Json } from '../../engine/json.ts'
import { type Random, seeded } from '../faults/generate.ts'

/** A column with values that its reader may not see. */
export interface Hidden {
  readonly field: Field
  /** Some of the values, before and after they were changed. */
  readonly values: readonly Json[]
}

/** What a request is sent with: `GET /books/1 can` asks what its caller may do, and `PATCH /books/1 {…}` has a body. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
}

/** The parts of a request. */
export function sentOf(request: string): SentRequest {
  const [, method = '', path = '', rest = ''] = /^(\S+) (\S+) ?(.*)$/.exec(request) ?? []
  const headers = rest === 'can' ? { prefer: 'can' } : {}
  return { method, path, headers, ...(rest.startsWith('{') ? { body: JSON.parse(rest) as object } : {}) }
}

/** Requests to every list that the reader has, that ask about hidden columns in every way that a list can be asked. */
export function requestsFor(
  catalog: Catalog,
  actor: Actor,
  hidden: ReadonlyMap<string, Hidden>,
  random: Random,
  each: number,
): readonly string[] {
  const requests = new Set<string>(['GET /catalog.json'])
  for (const resource of catalog.resources.values()) {
    if (!resource.actions.has('list') || reach(resource.policies.view, actor).kind === 'none') continue
    const base = `${catalog.prefix}/${resource.path}`
    const ways = waysFrom(catalog, resource, 2).filter(({ column }) => hidden.has(column))
    for (const way of sample(random, ways, each)) {
      const { field, values: known } = hidden.get(way.column)!
      const [value = 'q'] = sample(random, known, 1)
      const [compared = {}] = sample(random, comparisons(field, value), 1)
      const [where = {}] = sample(random, conditions(way.steps, field.name, compared), 1)
      requests.add(`GET ${base}?where=${encodeURIComponent(JSON.stringify(where))}&sort=id`)
      const path = [...way.steps.map(({ name }) => name), field.name].join('.')
      const [first] = way.steps
      const condition = `where=${encodeURIComponent(JSON.stringify(where))}`
      const search = typeof value === 'string' ? [`search=${encodeURIComponent(value.slice(0, 20))}`] : []
      const others = [
        `${path}=${encodeURIComponent(String(value))}&sort=id`,
        `${path}[null]=true&sort=id`,
        `sort=${random() < 1 / 2 ? '-' : ''}${path}`,
        `fields=id,${path}&sort=id`,
        ...(first === undefined ? [] : [`include=${first.name}&fields=id,${first.name}&sort=id`]),
        ...search.map((word) => `${word}&sort=id&snippets=true`),
      ]
      for (const other of sample(random, others, 3)) requests.add(`GET ${base}?${other}`)
      for (const request of sample(random, otherReads(resource, base, way, condition), 2)) requests.add(request)
      for (const request of sample(random, triesOf(resource, actor, base, way, condition, value), 3))
        requests.add(request)
      for (const word of sample(random, misspelt(value), 1))
        requests.add(`GET ${base}?search=${encodeURIComponent(word)}&sort=id&snippets=true`)
      if (resource.summary !== undefined)
        for (const asked of sample(random, [`of=min:${field.name}`, `by=${field.name}`, `of=count&${condition}`], 1))
          requests.add(`GET ${base}/summary?${asked}`)
      if (resource.batch && resource.actions.has('delete'))
        for (const choice of sample(random, [condition, ...search], 1))
          requests.add(`DELETE ${base}?max=1&dry_run=true&${choice}`)
    }
  }
  return [...requests]
}

/** Reads of other kinds than a page with its total. */
function otherReads({ actions, keys }: Resource, base: string, { steps }: Way, condition: string): readonly string[] {
  const [first] = steps
  const many = first === undefined || first.kind === 'belongs_to' ? [] : [first.name]
  return [
    `GET ${base}`,
    `GET ${base}?per_page=1&page=2&${condition}`,
    `GET ${base}?cursor=first&per_page=2&${condition}`,
    ...(actions.has('get') ? [`GET ${base}/1`, `GET ${base}/2`, `GET ${base}/3?omit=id`] : []),
    ...many.flatMap((name) => [`GET ${base}?include=${name}(1)`, `GET ${base}?fields=id,${name}`]),
    ...('csv' in keys ? [`GET ${base}/export`, `GET ${base}/export?${condition}`] : []),
  ]
}

/** What a program for people asks before anything is written: rights, choices, and what would come of a write. */
function triesOf(
  resource: Resource,
  actor: Actor,
  base: string,
  { steps: [first] }: Way,
  condition: string,
  value: Json,
): readonly string[] {
  const record = 1 + (JSON.stringify(value).length % 3)
  const given = first?.kind === 'belongs_to' ? { [first.field.name]: record } : {}
  const named = encodeURIComponent(JSON.stringify(given))
  const word = typeof value === 'string' ? [`search=${encodeURIComponent(value.slice(0, 20))}`] : []
  const choices = first === undefined ? [] : [`id=${record}`, `record=${named}`, ...word]
  const updates = reach(resource.policies.update, actor).kind !== 'none'
  return [
    `GET ${base}?sort=id can`,
    `GET ${base}?${condition} can`,
    ...(resource.actions.has('get') ? [`GET ${base}/${record} can`] : []),
    ...choices.map((query) => `GET ${base}/choices/${first!.name}?${query}`),
    ...(resource.actions.has('update') && updates
      ? [`PATCH ${base}/${record}?dry_run=true ${JSON.stringify(given)}`]
      : []),
  ]
}

/** Words of a text with a letter left out, so that a search takes them for others. */
function misspelt(value: Json): readonly string[] {
  if (typeof value !== 'string') return []
  const words = value.match(/\p{L}{5,}/gu) ?? []
  return words.slice(0, 2).map((word) => `${word.slice(0, 3)}${word.slice(4)}`)
}

interface Way {
  readonly steps: readonly Relation[]
  readonly column: string
}

/** Every way from a resource to a column, over so many relations. */
function waysFrom(catalog: Catalog, resource: Resource, further: number): readonly Way[] {
  const own = [...resource.fields.values()]
    .filter(isStored)
    .map((field): Way => ({ steps: [], column: `${resource.table}.${field.column}` }))
  if (further === 0) return own
  const beyond = [...resource.relations.values()].flatMap((relation) =>
    waysFrom(catalog, targetOf(catalog, relation), further - 1).map(({ column, steps }) => ({
      column,
      steps: [relation, ...steps],
    })),
  )
  return [...own, ...beyond]
}

function comparisons({ type }: Field, value: Json): readonly Json[] {
  const has = (word: string): boolean => (type.operators as readonly string[]).includes(word)
  return [
    ...(has('eq') ? [value, { ne: value }, [value], { not_in: [value] }] : []),
    ...(has('gt') ? [{ gte: value }, { lt: value }] : []),
    ...(has('starts_with') ? [{ starts_with: 'q' }, { contains: String(value).slice(0, 3) }] : []),
    { null: true },
    { null: false },
  ]
}

/** A comparison at the end of relations, as conditions on the record where they begin. */
function conditions(steps: readonly Relation[], name: string, compared: Json): readonly Json[] {
  const many = steps.findIndex(({ kind }) => kind !== 'belongs_to')
  const path = (until: number): string =>
    steps
      .slice(0, until)
      .map((step) => step.name)
      .join('.')
  if (many === -1) {
    const plain = { [[path(steps.length), name].filter((part) => part !== '').join('.')]: compared }
    return [plain, { not: plain }, { any: [plain, { id: 0 }] }]
  }
  const key = path(many + 1)
  const dotted = { [`${path(steps.length)}.${name}`]: compared }
  return conditions(steps.slice(many + 1), name, compared).flatMap((inner): Json[] => [
    { [key]: { some: inner } },
    { [key]: { none: inner } },
    { [key]: { every: inner } },
    { [key]: { count: { gte: 1 }, where: inner } },
    dotted,
    { not: dotted },
  ])
}

/** Up to so many of a list, drawn. */
export function sample<T>(random: Random, from: readonly T[], most: number): readonly T[] {
  const left = [...from]
  const taken: T[] = []
  while (taken.length < most && left.length > 0) taken.push(...left.splice(Math.floor(random() * left.length), 1))
  return taken
}

/** The YAML of an application with filters, sort keys and searches over all fields and many relations. */
export function widened(
  catalog: Catalog,
  files: Readonly<Record<string, string>>,
  seed: number,
): Readonly<Record<string, string>> {
  const random = seeded(seed)
  const out: Record<string, string> = { ...files }
  const fileOf = new Map(
    Object.entries(files).map(([file, text]) => [String(parseDocument(text).get('resource') ?? ''), file]),
  )
  for (const resource of catalog.resources.values()) {
    const file = fileOf.get(resource.name)
    const document = parseDocument(file === undefined ? `resource: ${resource.name}` : files[file]!)
    const given = document.toJS().filters
    const written = document.get('filters')
    const own = [...resource.fields.values()].filter(isComparable).map(({ name }) => name)
    const askable = [...resource.relations.values()].filter((one) => one.kind !== 'belongs_to' || isAskable(one.field))
    const beyond = askable.flatMap((relation) =>
      sample(random, [...targetOf(catalog, relation).fields.values()].filter(isComparable), 2).map(
        ({ name }) => `${relation.name}.${name}`,
      ),
    )
    const paths = [...own, ...beyond].filter((path) => !LIST_PARAMETERS.includes(path) && !resource.specials.has(path))
    // A condition that is written there stays the node that it is: null may be a key of it.
    const before = isMap(written) ? written.items : []
    const listed: readonly string[] = Array.isArray(given) ? given : []
    const named: YAMLMap = document.createNode(Object.fromEntries([...paths, ...listed].map((path) => [path, path])))
    for (const { key, value } of before) named.set(key, value)
    document.set('filters', named)
    const toOne = askable.filter(({ kind }) => kind === 'belongs_to')
    const orders = toOne.flatMap((relation) =>
      sample(random, [...targetOf(catalog, relation).fields.values()].filter(isOrdered), 1).map(
        ({ name }) => `${relation.name}.${name}`,
      ),
    )
    const sort = document.toJS().sort ?? {}
    document.set('sort', { ...sort, keys: [...new Set([...resource.sort.keys.keys(), ...orders])] })
    document.set('summary', true)
    const texts = askable.flatMap((relation) =>
      sample(random, [...targetOf(catalog, relation).fields.values()].filter(isText), 1).map(
        ({ name }) => `${relation.name}.${name}`,
      ),
    )
    const search: readonly string[] = document.toJS().search ?? []
    document.set('search', [...new Set([...search, ...texts])])
    out[file ?? `widened_${resource.name}.yaml`] = String(document)
  }
  return out
}

/** What no answer shows, nobody may ask. */
function isAskable({ searched, show }: Field): boolean {
  return show !== 'never' || searched === true
}

function isComparable(field: Field): boolean {
  const { count, type } = field
  return count === undefined && isAskable(field) && type.hidden !== true && type.operators.length > 1
}

function isOrdered(field: Field): boolean {
  return isComparable(field) && isStored(field) && field.type.sortable
}

function isText(field: Field): boolean {
  return isOrdered(field) && field.type.name === 'string'
}
