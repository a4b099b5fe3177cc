/** Gives a value of a YAML file another one, and leaves everything else as it is written. Pure. */
import { isAlias, isCollection, isMap, isScalar, isSeq, type Pair, parseDocument as parseYaml } from 'yaml'
import { isObject, type Json, type JsonObject } from '../json.ts'
import {
  columnOf,
  contentEnd,
  contentOf,
  type EditPath,
  endOf,
  fitted,
  isPair,
  itemAt,
  laidOut,
  lineStart,
  type Order,
  type Range,
  rangeOf,
  startOf,
  withEntry,
  withItem,
  without,
} from './edit.ts'
import { flow } from './sentence.ts'

/** The nodes on the way to a path: the collection that holds its last key, and the entry or item there. */
export interface Place {
  readonly parent: unknown
  readonly item: unknown
  /** Whether a collection on the way is written on one line, so that all below it is too. */
  readonly isInFlow: boolean
}

/** Finds a path in a text; undefined where the text cannot be read or an alias is on the way. */
export function placeIn(text: string, path: EditPath): Place | undefined {
  const { contents, errors } = parseYaml(text, { version: '1.2', uniqueKeys: false, logLevel: 'silent' })
  if (errors.length > 0) return undefined
  let parent: unknown = contents
  let isInFlow = false
  for (const key of path.slice(0, -1)) {
    isInFlow ||= isCollection(parent) && parent.flow === true
    parent = contentOf(itemAt(parent, key))
  }
  if (!isCollection(parent) || isAlias(parent)) return undefined
  isInFlow ||= parent.flow === true
  return { parent, item: itemAt(parent, path.at(-1) ?? ''), isInFlow }
}

/**
 * The text with a value at a path of keys and places: what differs is written, key by key, so that comments inside of maps
 * and lists stay. undefined: the place is written in a way that it cannot be changed.
 */
export function withValue(text: string, path: EditPath, value: Json, order: Order): string | undefined {
  const place = placeIn(text, path)
  const name = path.at(-1)
  if (place?.item === undefined)
    return typeof name === 'string' ? withEntry(text, path.slice(0, -1), name, value, order) : undefined
  const node = contentOf(place.item)
  if (isMap(node) && isObject(value) && node.items.length > 0 && Object.keys(value).length > 0)
    return withMap(text, path, node.toJSON() as JsonObject, value)
  if (isSeq(node) && Array.isArray(value) && node.items.length > 0 && value.length > 0)
    return withList(text, path, node.toJSON() as readonly Json[], value)
  return replaced(text, place, value)
}

/** Entries that differ are written and added, then those that are gone are taken out. */
function withMap(text: string, path: EditPath, before: JsonObject, after: JsonObject): string | undefined {
  const differing = Object.entries(after).filter(
    ([key, value]) => !Object.hasOwn(before, key) || JSON.stringify(before[key]) !== JSON.stringify(value),
  )
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  const order = Object.keys(after)
  const written = differing.reduce<string | undefined>(
    (known, [key, value]) => known && withValue(known, [...path, key], value as Json, order),
    text,
  )
  return gone.reduce<string | undefined>((known, key) => known && without(known, [...path, key]), written)
}

function withList(text: string, path: EditPath, before: readonly Json[], after: readonly Json[]): string | undefined {
  let known: string | undefined = text
  for (const [at, value] of after.entries()) {
    if (known === undefined || JSON.stringify(before[at]) === JSON.stringify(value)) continue
    known = at < before.length ? withValue(known, [...path, at], value, []) : withItem(known, path, value, [])
  }
  for (let at = before.length - 1; at >= after.length && known !== undefined; at -= 1)
    known = without(known, [...path, at])
  return known
}

/** The text with another value in the place of a node; undefined where a comment would be lost, or others refer to it. */
function replaced(text: string, { isInFlow, item }: Place, value: Json): string | undefined {
  const node = contentOf(item)
  if (isAlias(node) || (node as { anchor?: string } | null)?.anchor !== undefined) return undefined
  if ((node as { tag?: string } | null)?.tag?.startsWith('!') === true) return undefined
  if (isPair(item) && isEmpty(item)) return inserted(text, item, value, isInFlow)
  const isBlock = isCollection(node) && node.flow !== true
  const start = isPair(item) && isBlock ? behindColon(text, item) : startOf(node)
  const end = contentEnd(text, endOf(node))
  const old = text.slice(start, end)
  if (isBlock) return inPlaceOfBlock(text, { start, end }, item, value)
  if (isCollection(node) && /(?:^|[\s,{[])#/.test(old)) return undefined
  return fitted(text, { start, end }, writtenAs(text, value, { item, isInFlow, old }))
}

function isEmpty({ value }: Pair): boolean {
  return value === null || (isScalar(value) && value.value === null && (value.source ?? '') === '')
}

/** Behind the colon of a key. */
function behindColon(text: string, { key }: Pair): number {
  return text.indexOf(':', rangeOf(key)[1]) + 1
}

function inserted(text: string, item: Pair, value: Json, isInFlow: boolean): string | undefined {
  const colon = text.slice(rangeOf(item.key)[1]).search(/\S/) + rangeOf(item.key)[1]
  if (text.charAt(colon) !== ':') return undefined
  const at = colon + 1
  return fitted(text, { start: at, end: at }, ` ${writtenAs(text, value, { item, isInFlow, old: '' })}`)
}

/** A block below its key is written behind the key; what is said there about the key stays. */
function inPlaceOfBlock(text: string, { start, end }: Range, item: unknown, value: Json): string | undefined {
  const rest = isPair(item) ? /^[ \t]*(?:#[^\n]*?)?\r?\n/.exec(text.slice(start, end))?.[0] : undefined
  if (isPair(item) && rest === undefined) return undefined
  const below = text.slice(start + (rest?.length ?? 0), end)
  if (/(?:^|\s)#/.test(below)) return undefined
  const said = (rest ?? '').trim()
  const written = writtenAs(text, value, { item, isInFlow: said !== '', old: '' })
  return `${text.slice(0, start)}${isPair(item) ? ' ' : ''}${written}${said === '' ? '' : ` ${said}`}${text.slice(end)}`
}

interface Around {
  readonly item: unknown
  readonly isInFlow: boolean
  /** What is there now. */
  readonly old: string
}

/** A value as it is written behind its key or dash: texts of several lines as a block where they are one already. */
function writtenAs(text: string, value: Json, { isInFlow, item, old }: Around): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  if (isInFlow) return flow(value)
  const indent = ' '.repeat(columnOf(text, lineStart(text, startOf(item)) + leadOf(text, item)))
  if (typeof value === 'string' && /^[|>]/.test(old) && isPlainBlock(value)) {
    const lines = value.replace(/\n$/, '').split('\n')
    const body = lines.map((line) => (line === '' ? '' : `${indent}  ${line}`)).join(eol)
    return `${value.endsWith('\n') ? '|' : '|-'}${eol}${body}`
  }
  if (typeof value !== 'object' || !isPair(item)) return flow(value)
  const laid = laidOut(value, indent)
  return laid.startsWith(' ') ? laid.slice(1) : flow(value)
}

/** The blanks before an item on its line. */
function leadOf(text: string, item: unknown): number {
  const from = lineStart(text, startOf(item))
  return /^ */.exec(text.slice(from))?.[0].length ?? 0
}

/** Whether a text is the same when it is read from a block: no line begins with a blank, and it ends in one break at most. */
function isPlainBlock(value: string): boolean {
  return value.includes('\n') && !/\n\n$|^[ \t\n]|\n[ \t]|\r/.test(value)
}
