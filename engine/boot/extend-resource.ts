/**
 * Merges the file of an application into the file of a plugin for the same resource: one document, in which each node
 * keeps its place.
 */
import type { Document, Path } from '../definition/definition.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'

/**
 * The documents of plugins, each merged with the application's file for the same resource, and then the other files of
 * the application. A contradiction of the plugin is a complaint, and the plugin's value stays.
 */
export function extendResources(
  brought: readonly Document<unknown>[],
  own: readonly Document<unknown>[],
): Required<Collected<readonly Document<unknown>[]>> {
  const diagnostics: Diagnostic[] = []
  const used = new Set<Document<unknown>>()
  const byName = new Map<string | undefined, Document<unknown>>()
  for (const document of own) if (!byName.has(nameOf(document))) byName.set(nameOf(document), document)
  const extended = brought.map((base): Document<unknown> => {
    const over = nameOf(base) === undefined ? undefined : byName.get(nameOf(base))
    // Of two plugins that bring the same resource the second is a duplicate, and so is a second file of the application.
    if (over === undefined || used.has(over)) return base
    used.add(over)
    return merged(base, over, diagnostics)
  })
  return { value: [...extended, ...own.filter((document) => !used.has(document))], diagnostics }
}

/** The resource that a document declares. */
export function nameOf({ value }: Document<unknown>): string | undefined {
  return isObject(value) && typeof value.resource === 'string' ? value.resource : undefined
}

/** Merges the values of a key that both documents have. */
type Rule = (base: DocumentNode, over: DocumentNode, complain: Complain) => DocumentNode

interface Complain {
  /** The application's value contradicts the plugin's. */
  (base: DocumentNode, over: DocumentNode, what: string): void
  /** A list or map was expected. */
  readonly form: (over: DocumentNode, expected: 'map' | 'list') => void
}

/** Lays `over` over `base`; complaints are added to `diagnostics`. */
export function merged(base: Document<unknown>, over: Document<unknown>, diagnostics: Diagnostic[]): Document<unknown> {
  const contradicts = (there: DocumentNode, here: DocumentNode, what: string): void => {
    const { file } = there.place([]).source
    diagnostics.push({
      code: 'wrong_extension',
      message: `${what} in ${file}, and its plugin relies on that`,
      span: here.place([]),
      hint: 'leave the key out, or write it as the plugin does',
    })
  }
  const form = (here: DocumentNode, expected: 'map' | 'list'): void => {
    const message = `Here stands a ${expected} in the file of the plugin that this one extends`
    diagnostics.push({ code: 'wrong_type', message, span: here.place([]), hint: `write a ${expected}` })
  }
  const complain = Object.assign(contradicts, { form })
  return each(ruleOfKey, ['id', 'of', 'where'])(withUsualLookup(base), over, complain)
}

/** The same with the lookup that a file without one has, so that another one is added to it. */
function withUsualLookup(base: DocumentNode): DocumentNode {
  return isMapNode(base) && base.value.lookup === undefined
    ? { ...base, value: { ...base.value, lookup: ['id'] } }
    : base
}

const replace: Rule = (_base, over) => over

/**
 * The entries of both maps: common keys by their own rules, and no new keys among `settled`. A value of another form is
 * a complaint.
 */
function each(ruleOf: (key: string) => Rule, settled: readonly string[] = [], owner = ''): Rule {
  return (base, over, complain) => {
    if (!isMapNode(base)) return over
    if (!isMapNode(over)) {
      complain.form(over, 'map')
      return base
    }
    const children = new Map(Object.keys(base.value).map((key) => [key, within(base, key)]))
    for (const key of Object.keys(over.value)) {
      const [there, here] = [children.get(key), within(over, key)]
      if (there !== undefined) children.set(key, ruleOf(key)(there, here, complain))
      else if (settled.includes(key)) complain(base, here, `"${key}"${owner} is not set`)
      else children.set(key, here)
    }
    return mapOf(children, over)
  }
}

function lists(
  merge: (base: readonly DocumentNode[], over: readonly DocumentNode[], complain: Complain) => readonly DocumentNode[],
): Rule {
  return (base, over, complain) => {
    if (!Array.isArray(base.value)) return over
    if (Array.isArray(over.value)) return listOf(merge(itemsOf(base), itemsOf(over), complain), over)
    complain.form(over, 'list')
    return base
  }
}

/** Both lists' items, the base's first, each once. */
const add = lists((base, over) => {
  const known = new Set(base.map(({ value }) => JSON.stringify(value)))
  return [...base, ...over.filter(({ value }) => !known.has(JSON.stringify(value)))]
})

/** `filters` may be a list or a map; one of each becomes a map. */
const addFilters: Rule = (base, over, complain) => {
  if (Array.isArray(base.value) && Array.isArray(over.value)) return add(base, over, complain)
  return each(() => replace)(named(base), named(over), complain)
}

/** `search` may be a list of fields, or a map with them. */
const addSearch: Rule = (base, over, complain) => {
  if (Array.isArray(base.value) && !isMapNode(over)) return add(base, over, complain)
  const options = each((key) => (key === 'fields' ? addSearched : replace))
  return options(withFields(base), withFields(over), complain)
}

/**
 * Fields may be a list or a map of weights; a list and a map become a map, with weight 1 for the fields of the list.
 */
const addSearched: Rule = (base, over, complain) => {
  if (Array.isArray(base.value) && !isMapNode(over)) return add(base, over, complain)
  return each(() => replace)(weighted(base), weighted(over), complain)
}

function withFields(list: DocumentNode): DocumentNode {
  return Array.isArray(list.value) ? mapOf(new Map([['fields', list]]), list) : list
}

function weighted(list: DocumentNode): DocumentNode {
  if (!Array.isArray(list.value)) return list
  return mapOf(
    new Map(itemsOf(list).map((item): [string, DocumentNode] => [String(item.value), { ...item, value: 1 }])),
    list,
  )
}

function named(list: DocumentNode): DocumentNode {
  if (!Array.isArray(list.value)) return list
  return mapOf(new Map(itemsOf(list).map((item) => [String(item.value), item])), list)
}

/**
 * The application's functions run around the plugin's, in its own order; a function that both name has the place of the
 * application's.
 */
const around = lists((base, over) => {
  const written = new Set(over.map(({ value }) => value))
  return [...over, ...base.filter(({ value }) => !written.has(value))]
})

const stays =
  (what: string): Rule =>
  (base, over, complain) => {
    if (same(base.value, over.value)) return over
    complain(base, over, `${what} is ${JSON.stringify(base.value)}`)
    return base
  }

/** Keys that define what a field or relation is: only the plugin's file may set them. */
const NATURE = ['type', 'column', 'computed', 'stored', 'of', 'belongs_to', 'has_many', 'many_to_many', 'by', 'through']

/** Promises of a field or relation that its plugin relies on: given once, they are not taken back. */
const PROMISES: JsonObject = {
  required: true,
  nullable: false,
  unique: true,
  read_only: true,
  immutable: true,
  show: 'never',
}

/** A field or relation in both files: the application's keys win, except those that the plugin relies on. */
const member =
  (kind: string) =>
  (name: string): Rule => {
    const owner = ` of the ${kind} "${name}"`
    const ruleOf = (key: string): Rule => {
      if (NATURE.includes(key)) return stays(`"${key}"${owner}`)
      if (key === 'values') return allOf(`"${key}"${owner}`)
      return Object.hasOwn(PROMISES, key) ? promised(`"${key}"${owner}`, PROMISES[key]!) : replace
    }
    return each(ruleOf, NATURE, owner)
  }

const promised =
  (what: string, promise: Json): Rule =>
  (base, over, complain) =>
    base.value === promise ? stays(what)(base, over, complain) : over

/** Words of an enum: the application's list holds the plugin's, in its own order. */
const allOf =
  (what: string): Rule =>
  (base, over, complain) => {
    if (!Array.isArray(base.value) || !Array.isArray(over.value)) return over
    const written = over.value
    const missing = base.value.filter((word) => !written.includes(word))
    if (missing.length === 0) return over
    complain(base, over, `${what} has ${missing.map((word) => JSON.stringify(word)).join(', ')}`)
    return base
  }

/** Rows with a key of the plugin are merged, and the application's values win; other rows are added. */
const addRows: Rule = (base, over, complain) => {
  const kept = each((key) => (key === 'key' ? stays('"key" of the seeds') : mergeRows(base.value)))
  return kept(base, over, complain)
}

function mergeRows(seeds: unknown): Rule {
  const key = (isObject(seeds) ? [seeds.key].flat() : []).map(String)
  const keyOf = ({ value }: DocumentNode): string =>
    JSON.stringify(key.map((name) => (isObject(value) ? value[name] : null)))
  return lists((base, over, complain) => {
    const rows = new Map(base.map((row) => [keyOf(row), row]))
    const fresh = over.filter((row) => {
      const there = rows.get(keyOf(row))
      if (there !== undefined) rows.set(keyOf(row), each(() => replace)(there, row, complain))
      return there === undefined
    })
    return [...rows.values(), ...fresh]
  })
}

const RULES: Readonly<Record<string, Rule>> = {
  id: stays('"id"'),
  of: stays('"of"'),
  where: stays('"where"'),
  fields: each(member('field')),
  relations: each(member('relation')),
  filters: addFilters,
  search: addSearch,
  lookup: add,
  indexes: add,
  follows: add,
  sort: each((key) => (key === 'keys' ? add : replace)),
  hooks: each(() => around),
  listeners: each(() => add),
  seeds: addRows,
  ...Object.fromEntries(
    [
      'ranges',
      'special',
      'nested',
      'status_codes',
      'delete_sets',
      'restore_sets',
      'update_sets',
      'policies',
      'rules',
      'automations',
      'moves',
    ].map((key) => [key, each(() => replace)]),
  ),
}

function ruleOfKey(key: string): Rule {
  return Object.hasOwn(RULES, key) ? RULES[key]! : replace
}

function itemsOf(list: DocumentNode): readonly DocumentNode[] {
  return Array.isArray(list.value) ? list.value.map((_item, index) => within(list, index)) : []
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function isMapNode(one: DocumentNode): one is DocumentNode & { readonly value: JsonObject } {
  return isObject(one.value)
}

/** A document, or a node of one. */
type DocumentNode = Document<unknown>

/** The node below a key or index. */
function within(whole: DocumentNode, key: string | number): DocumentNode {
  const { value } = whole
  const below = Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined
  return { value: below, place: (path, side) => whole.place([key, ...path], side) }
}

/** A map of nodes; a path that leads nowhere has the place of `own`. */
function mapOf(children: ReadonlyMap<string, DocumentNode>, own: DocumentNode): DocumentNode {
  const value = Object.fromEntries([...children].map(([key, child]) => [key, child.value]))
  return { value, place: placeIn((key) => children.get(String(key)), own) }
}

/** A list of nodes; a path that leads nowhere has the place of `own`. */
function listOf(items: readonly DocumentNode[], own: DocumentNode): DocumentNode {
  return { value: items.map((item) => item.value), place: placeIn((key) => items[Number(key)], own) }
}

function placeIn(child: (key: string | number) => DocumentNode | undefined, own: DocumentNode): DocumentNode['place'] {
  return (path: Path, side) => {
    const [first, ...rest] = path
    const found = first === undefined ? undefined : child(first)
    return found === undefined ? own.place(path, side) : found.place(rest, side)
  }
}
