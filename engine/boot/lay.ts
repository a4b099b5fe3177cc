/** Laying one resource document over another: for each key whether it adds, replaces, or must stay as it is. */
import type { Document, Path } from '../definition/definition.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'

/** What becomes of a key that both documents say. */
type Rule = (base: Part, over: Part, complain: Complain) => Part

interface Complain {
  /** What the plugin's file says, against which the application's cannot stand. */
  (base: Part, over: Part, what: string): void
  /** A list or map that is written as something else. */
  readonly form: (over: Part, expected: 'map' | 'list') => void
}

/** Lays `over` over `base`; complaints are added to `diagnostics`. */
export function lay(base: Document<unknown>, over: Document<unknown>, diagnostics: Diagnostic[]): Document<unknown> {
  const contradicts = (there: Part, here: Part, what: string): void => {
    const { file } = there.place([]).source
    diagnostics.push({
      code: 'wrong_extension',
      message: `${what} in ${file}, and its plugin relies on that`,
      span: here.place([]),
      hint: 'leave the key out, or write it as the plugin does',
    })
  }
  const form = (here: Part, expected: 'map' | 'list'): void => {
    const message = `Here stands a ${expected} in the file of the plugin that this one extends`
    diagnostics.push({ code: 'wrong_type', message, span: here.place([]), hint: `write a ${expected}` })
  }
  const complain = Object.assign(contradicts, { form })
  return each(ruleOfKey, ['id', 'of', 'where'])(base, over, complain)
}

const replace: Rule = (_base, over) => over

/**
 * Both maps' entries; those of both by a rule of their own, and none of the keys in `settled` beside the base's.
 * Anything but a map is told by the check of its form.
 */
function each(ruleOf: (key: string) => Rule, settled: readonly string[] = [], owner = ''): Rule {
  return (base, over, complain) => {
    if (!isMapPart(base)) return over
    if (!isMapPart(over)) {
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

function lists(merge: (base: readonly Part[], over: readonly Part[], complain: Complain) => readonly Part[]): Rule {
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
  if (Array.isArray(base.value) && !isMapPart(over)) return add(base, over, complain)
  const options = each((key) => (key === 'fields' ? addSearched : replace))
  return options(withFields(base), withFields(over), complain)
}

/** Fields may be a list or a map of weights; one of each becomes a map, in which what has no weight counts once. */
const addSearched: Rule = (base, over, complain) => {
  if (Array.isArray(base.value) && !isMapPart(over)) return add(base, over, complain)
  return each(() => replace)(weighted(base), weighted(over), complain)
}

function withFields(list: Part): Part {
  return Array.isArray(list.value) ? mapOf(new Map([['fields', list]]), list) : list
}

function weighted(list: Part): Part {
  if (!Array.isArray(list.value)) return list
  return mapOf(new Map(itemsOf(list).map((item): [string, Part] => [String(item.value), { ...item, value: 1 }])), list)
}

function named(list: Part): Part {
  if (!Array.isArray(list.value)) return list
  return mapOf(new Map(itemsOf(list).map((item) => [String(item.value), item])), list)
}

/** The application's functions stand around the plugin's, in the order it gives; one that it names again stands there. */
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

/** Keys that say what a field or relation is: they are the plugin's, also where it leaves them out. */
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

/** A field or relation of both: the application's keys win, but it stays what the plugin made it. */
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

/** Rows with the plugin's key are the plugin's, with the application's values over its own; all others are added. */
const addRows: Rule = (base, over, complain) => {
  const kept = each((key) => (key === 'key' ? stays('"key" of the seeds') : mergeRows(base.value)))
  return kept(base, over, complain)
}

function mergeRows(seeds: unknown): Rule {
  const key = (isObject(seeds) ? [seeds.key].flat() : []).map(String)
  const keyOf = ({ value }: Part): string => JSON.stringify(key.map((name) => (isObject(value) ? value[name] : null)))
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

function itemsOf(list: Part): readonly Part[] {
  return Array.isArray(list.value) ? list.value.map((_item, index) => within(list, index)) : []
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function isMapPart(one: Part): one is Part & { readonly value: JsonObject } {
  return isObject(one.value)
}

/** A document, or a node of one. */
type Part = Document<unknown>

/** The node below a key or index. */
function within(whole: Part, key: string | number): Part {
  const { value } = whole
  const below = Array.isArray(value) ? value[Number(key)] : isObject(value) ? value[key] : undefined
  return { value: below, place: (path, side) => whole.place([key, ...path], side) }
}

/** A map of nodes; what stands nowhere in it is shown at `own`. */
function mapOf(children: ReadonlyMap<string, Part>, own: Part): Part {
  const value = Object.fromEntries([...children].map(([key, child]) => [key, child.value]))
  return { value, place: placeIn((key) => children.get(String(key)), own) }
}

/** A list of nodes; what stands nowhere in it is shown at `own`. */
function listOf(items: readonly Part[], own: Part): Part {
  return { value: items.map((item) => item.value), place: placeIn((key) => items[Number(key)], own) }
}

function placeIn(child: (key: string | number) => Part | undefined, own: Part): Part['place'] {
  return (path: Path, side) => {
    const [first, ...rest] = path
    const found = first === undefined ? undefined : child(first)
    return found === undefined ? own.place(path, side) : found.place(rest, side)
  }
}
