/**
 * Lays the file of an application over the file of a plugin, or of an application that it extends, for the same resource:
 * one document, in which each node keeps its place.
 */
import type { Document, Path } from '../definition/definition.ts'
import { type DocumentNode, entriesOf, isMapNode, itemsOf, listOf, mapOf } from '../definition/document-node.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Source } from '../text/source.ts'
import { changedPolicy } from './policy-words.ts'

/** A part that a higher application writes, with what is there below. */
export interface Replaced {
  /** `tickets.policies.update`. */
  readonly path: string
  /** undefined: nothing is there below. */
  readonly was: DocumentNode | undefined
  readonly now: DocumentNode
  /** Parts of both are merged; the parts inside are told by themselves. */
  readonly isMerged?: boolean
  /** `without` names the part. */
  readonly isLeftOut?: boolean
}

/** What is known while files are laid over others, and what is found. */
export interface Laying {
  /** The files of plugins. */
  readonly brought: ReadonlySet<Source>
  readonly diagnostics: Diagnostic[]
  readonly replaced: Replaced[]
}

/**
 * The documents that are there, each with the document of the same resource laid over it, and then the others. A
 * contradiction of what is there is a complaint, and the value that is there stays.
 */
export function extendResources(
  there: readonly Document<unknown>[],
  over: readonly Document<unknown>[],
  laying: Laying,
): readonly Document<unknown>[] {
  const used = new Set<Document<unknown>>()
  const byName = new Map<string | undefined, Document<unknown>>()
  for (const document of over) if (!byName.has(nameOf(document))) byName.set(nameOf(document), document)
  const extended = there.map((base): Document<unknown> => {
    const own = nameOf(base) === undefined ? undefined : byName.get(nameOf(base))
    // Of two plugins that bring the same resource the second is a duplicate, and so is a second file of one application.
    if (own === undefined || used.has(own)) return base
    used.add(own)
    return merged(base, own, laying)
  })
  return [...extended, ...over.filter((document) => !used.has(document))]
}

/** The resource that a document declares. */
export function nameOf({ value }: Document<unknown>): string | undefined {
  return isObject(value) && typeof value.resource === 'string' ? value.resource : undefined
}

/** Merges the values of a key that both documents have. */
type Rule = (base: DocumentNode, over: DocumentNode, complain: Complain) => DocumentNode

interface Complain {
  /** The value contradicts the one that is there. */
  (base: DocumentNode, over: DocumentNode, what: string): void
  /** A list or map was expected. */
  readonly form: (base: DocumentNode, over: DocumentNode, expected: 'map' | 'list') => void
  /** The value takes the place of the one that is there. */
  readonly replaced: (base: DocumentNode | undefined, over: DocumentNode, path?: Path) => void
  /** The value is laid over the one that is there, key by key. */
  readonly merged: (base: DocumentNode, over: DocumentNode) => void
  readonly diagnostics: Diagnostic[]
  /** Whether a plugin wrote the value that is there. */
  readonly ofPlugin: (base: DocumentNode) => boolean
}

/** Lays `over` over `base`; what is found is added to `laying`. */
function merged(base: Document<unknown>, over: Document<unknown>, laying: Laying): Document<unknown> {
  return each(ruleOfKey, ['id', 'of', 'where'])(withUsualLookup(base), over, complaining(laying, `${nameOf(over)}`))
}

/** Lays the app.yaml of an application over that of the application below. */
export function extendApp(base: Document<unknown>, over: Document<unknown>, laying: Laying): Document<unknown> {
  return each((key) => APP_RULES[key] ?? replace)(base, over, complaining(laying))
}

/** `owner` is the first part of the paths of what is replaced. */
function complaining({ brought, diagnostics, replaced }: Laying, owner?: string): Complain {
  const fileOf = (node: DocumentNode): Source => node.place([]).source
  const pathOf = (at: Path): string => [...(owner === undefined ? [] : [owner]), ...at].join('.')
  const ofPlugin = (node: DocumentNode): boolean => brought.has(fileOf(node))
  const contradicts = (there: DocumentNode, here: DocumentNode, what: string): void => {
    const { file } = fileOf(there)
    const told = ofPlugin(there)
      ? [`${what} in ${file}, and its plugin relies on that`, 'leave the key out, or write it as the plugin does']
      : [`${what} in ${file}, which this file extends`, 'leave the key out, or write it as that file does']
    diagnostics.push({ code: 'wrong_extension', message: told[0]!, span: here.place([]), hint: told[1]! })
  }
  const form = (there: DocumentNode, here: DocumentNode, expected: 'map' | 'list'): void => {
    const whose = ofPlugin(there) ? 'the file of the plugin' : `the file ${fileOf(there).file}`
    const message = `This must be a ${expected}, as it is in ${whose} that this one extends`
    diagnostics.push({ code: 'wrong_type', message, span: here.place([]), hint: `write a ${expected}` })
  }
  return Object.assign(contradicts, {
    form,
    ofPlugin,
    diagnostics,
    merged(was: DocumentNode, now: DocumentNode) {
      replaced.push({ path: pathOf(now.at ?? []), was, now, isMerged: true })
    },
    replaced(was: DocumentNode | undefined, now: DocumentNode, at: Path = now.at ?? []) {
      if (was === undefined || !ofPlugin(was)) replaced.push({ path: pathOf(at), was, now })
    },
  })
}

/** The same with the lookup that a file without one has, so that another one is added to it. */
function withUsualLookup(base: DocumentNode): DocumentNode {
  return isMapNode(base) && base.value.lookup === undefined
    ? { ...base, value: { ...base.value, lookup: ['id'] } }
    : base
}

const replace: Rule = (base, over, complain) => {
  complain.replaced(base, over)
  return over
}

const over: Rule = (_base, own) => own

/**
 * The entries of both maps: common keys by their own rules, and no new keys among `settled`. A value of another form is
 * a complaint.
 */
function each(ruleOf: (key: string) => Rule, settled: readonly string[] = [], owner = ''): Rule {
  return (base, over, complain) => {
    if (!isMapNode(base)) return over
    if (!isMapNode(over)) {
      complain.form(base, over, 'map')
      return base
    }
    complain.merged(base, over)
    const children = new Map(entriesOf(base))
    for (const [key, here] of entriesOf(over)) {
      const there = children.get(key)
      if (there !== undefined) children.set(key, ruleOf(key)(there, here, complain))
      else if (settled.includes(key)) complain(base, here, `"${key}"${owner} is not set`)
      else {
        complain.replaced(undefined, here)
        children.set(key, here)
      }
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
    complain.form(base, over, 'list')
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

/** A policy replaces the one that is there, or changes it by words. */
const policy: Rule = (base, own, complain) =>
  changedPolicy(base, own, {
    diagnostics: complain.diagnostics,
    replaced: (was, now, name) => complain.replaced(was, now, [...(own.at ?? []), name]),
  }) ?? replace(base, own, complain)

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
    base.value === promise && complain.ofPlugin(base)
      ? stays(what)(base, over, complain)
      : replace(base, over, complain)

/** Words of an enum: the application's list holds the plugin's, in its own order. */
const allOf =
  (what: string): Rule =>
  (base, over, complain) => {
    if (!Array.isArray(base.value) || !Array.isArray(over.value)) return over
    const written = over.value
    const missing = base.value.filter((word) => !written.includes(word))
    if (missing.length === 0) return replace(base, over, complain)
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
  return lists((base, own, complain) => {
    const rows = new Map(base.map((row) => [keyOf(row), row]))
    // A row is known by its key, wherever it is in the list.
    const known = own.map((row) => ({ ...row, at: [...(row.at ?? []).slice(0, -1), JSON.parse(keyOf(row)).join(' ')] }))
    const fresh = known.filter((row) => {
      const there = rows.get(keyOf(row))
      if (there === undefined) complain.replaced(undefined, row)
      else rows.set(keyOf(row), each((name) => (key.includes(name) ? over : replace))(there, row, complain))
      return there === undefined
    })
    return [...rows.values(), ...fresh]
  })
}

const RULES: Readonly<Record<string, Rule>> = {
  resource: over,
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
  policies: each(() => policy),
  seeds: addRows,
  layout: each((key) => (key === 'record' ? each(() => replace) : replace)),
  ...Object.fromEntries(
    [
      'ranges',
      'special',
      'nested',
      'status_codes',
      'delete_sets',
      'restore_sets',
      'update_sets',
      'rules',
      'automations',
      'moves',
      'views',
      'buttons',
    ].map((key) => [key, each(() => replace)]),
  ),
}

/** A plugin without options has those of the application below. */
const options: Rule = (base, own, complain) =>
  own.value === null || base.value === null
    ? own.value === null
      ? base
      : own
    : each(() => replace)(base, own, complain)

/** What an application is called is its own. */
const APP_RULES: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(['name', 'version', 'description', 'extends'].map((key) => [key, over])),
  without: add,
  plugins: each(() => options),
  ...Object.fromEntries(['calendars', 'limits', 'strictness'].map((key) => [key, each(() => replace)])),
  console: each((key) => (key === 'accent' ? replace : each(() => replace))),
}

function ruleOfKey(key: string): Rule {
  return Object.hasOwn(RULES, key) ? RULES[key]! : replace
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
