/** Changes the text of a YAML file and leaves everything else of it as it is written: comments, order, alignment. Pure. */
import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument as parseYaml,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Json } from '../json.ts'
import { flow, flowKey } from './sentence.ts'

/** Where a key belongs that is not there yet: behind the last of those that come before it. */
export type Order = readonly string[]

/** Keys of maps and places in lists, from the top of a file. */
export type EditPath = readonly (string | number)[]

export type Collection = YAMLMap | YAMLSeq
type Found =
  | { readonly node: Collection }
  | { readonly emptyAfter: number; readonly indent: string }
  /** How many keys of the path are there. */
  | { readonly depth: number }

/** The text with one more entry in the map at a path of keys; undefined where it is written in a way that cannot be added to. */
export function withEntry(text: string, path: EditPath, name: string, value: Json, order: Order): string | undefined {
  return added(text, path, order, {
    block: (pad) => `${flowKey(name)}:${laidOut(value, '').replace(/^ /, pad)}`,
    flow: `${flowKey(name)}: ${flow(value)}`,
    whole: { [name]: value },
    name: flowKey(name),
    fits: isMap,
  })
}

/** The text with one more item in the list at a path of keys; undefined where it is written in a way that cannot be added to. */
export function withItem(text: string, path: EditPath, item: Json, order: Order): string | undefined {
  const written = flow(item)
  return added(text, path, order, {
    block: () => `-${laidOut(item, '').replace(/^\n\s+/, ' ')}`,
    flow: written,
    whole: [item],
    name: undefined,
    fits: isSeq,
  })
}

/**
 * The text without the entry or the item at a path of keys and places; what is empty by that goes too. undefined: it is
 * not there, is all that the text says, or is written in a way that it cannot be taken out of.
 */
export function without(text: string, path: EditPath): string | undefined {
  const { contents, errors } = parseYaml(text, { version: '1.2', uniqueKeys: false, logLevel: 'silent' })
  if (errors.length > 0) return undefined
  let parent: unknown = contents
  for (const key of path.slice(0, -1)) parent = contentOf(itemAt(parent, key))
  const item = itemAt(parent, path.at(-1) ?? '')
  if (item === undefined || !isCollection(parent)) return undefined
  const at = (parent.items as unknown[]).indexOf(item)
  const [before, after] = [parent.items[at - 1], parent.items[at + 1]]
  if (before === undefined && after === undefined) return path.length > 1 ? without(text, path.slice(0, -1)) : undefined
  if (parent.flow === true) {
    const [from, to] = after !== undefined ? [startOf(item), startOf(after)] : [endOf(before), endOf(item)]
    return fitted(text, { start: from, end: to }, '')
  }
  const from = lineStart(text, startOf(item))
  const lead = text.slice(from, startOf(item))
  if (isMap(parent) && /^ *(?:- +)+$/.test(lead) && after !== undefined) {
    const gone = text.slice(startOf(item), startOf(after))
    return /\n *#/.test(gone) ? undefined : text.slice(0, startOf(item)) + text.slice(startOf(after))
  }
  if (!(isSeq(parent) ? /^ *- +$/ : /^ *$/).test(lead)) return undefined
  const to = lineEnd(text, contentEnd(text, endOf(item)))
  return text.slice(0, from) + text.slice(to).replace(/^\r?\n/, '')
}

export function itemAt(node: unknown, key: string | number): unknown {
  if (isSeq(node)) return typeof key === 'number' ? node.items[key] : undefined
  return isMap(node) ? node.items.find((one) => isScalar(one.key) && String(one.key.value) === key) : undefined
}

export function contentOf(item: unknown): unknown {
  return isPair(item) ? item.value : item
}

/** A longer value has a line for each of its entries. */
const LONGEST_LINE = 120

/** A value as it is written behind its key, or behind the dash of a list: on one line if it fits. */
export function laidOut(value: Json, indent: string): string {
  const line = flow(value)
  if (line.length <= LONGEST_LINE || value === null || typeof value !== 'object') return ` ${line}`
  const below = `${indent}  `
  if (Array.isArray(value))
    return value.map((one) => `\n${below}-${laidOut(one, below).replace(/^\n\s+/, ' ')}`).join('')
  return Object.entries(value)
    .map(([key, one]) => `\n${below}${flowKey(key)}:${laidOut(one ?? null, below)}`)
    .join('')
}

interface Addition {
  readonly block: (pad: string) => string
  readonly flow: string
  /** The value of the last key of the path where that key does not exist yet. */
  readonly whole: Json
  readonly name: string | undefined
  readonly fits: (node: unknown) => boolean
}

function added(text: string, path: EditPath, order: Order, addition: Addition): string | undefined {
  const { contents, errors } = parseYaml(text, { version: '1.2', uniqueKeys: false, logLevel: 'silent' })
  if (errors.length > 0 || !isMap(contents) || contents.flow === true) return undefined
  const found = find(text, contents, path)
  if (found === undefined) return undefined
  if ('depth' in found) {
    const [key, ...below] = path.slice(found.depth).filter((one) => typeof one === 'string')
    if (key === undefined || below.length < path.length - found.depth - 1) return undefined
    const whole = below.reduceRight<Json>((value, one) => ({ [one]: value }), addition.whole)
    if (found.depth > 0) return withEntry(text, path.slice(0, found.depth), key, whole, order)
    const entry = below.length === 0 && addition.name !== undefined ? addition.block(' ') : undefined
    return withSection(text, contents, { key, whole, entry }, order)
  }
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  if ('emptyAfter' in found) {
    const at = lineEnd(text, found.emptyAfter)
    return `${text.slice(0, at)}${eol}${indented(`${found.indent}  `, addition.block(' '), eol)}${text.slice(at)}`
  }
  const { node } = found
  if (!addition.fits(node)) return undefined
  return node.flow === true ? inFlow(text, node, addition) : inBlock(text, node, addition, eol)
}

/** The collection at a path; undefined: it is written by an alias, or is no collection. */
function find(text: string, root: YAMLMap, path: EditPath): Found | undefined {
  let node: Collection = root
  for (const [depth, key] of path.entries()) {
    const item = itemAt(node, key)
    if (item === undefined) return isMap(node) && typeof key === 'string' ? { depth } : undefined
    const value = contentOf(item)
    if (
      isPair(item) &&
      isScalar(value) &&
      value.value === null &&
      (value.source ?? '') === '' &&
      depth === path.length - 1
    ) {
      const [start, end] = rangeOf(item.key)
      return { emptyAfter: end, indent: ' '.repeat(columnOf(text, start)) }
    }
    if (!isCollection(value) || isAlias(value)) return undefined
    node = value as Collection
  }
  return { node }
}

/** Behind the last item; an empty pair of brackets is filled. */
function inFlow(text: string, node: Collection, { flow: written }: Addition): string {
  const last = node.items.at(-1)
  const [start, end] = rangeOf(node)
  if (last !== undefined) {
    const at = endOf(last)
    return fitted(text, { start: at, end: at }, `, ${written}`)
  }
  const open = text.charAt(start)
  return fitted(text, { start, end }, open === '{' ? `{ ${written} }` : `[${written}]`)
}

/** A line of its own behind the last entry, with the value in the column of its neighbours. */
function inBlock(text: string, node: Collection, { block, name }: Addition, eol: string): string | undefined {
  const [first, last] = [node.items[0], node.items.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const indent = text.slice(lineStart(text, startOf(first)), startOf(first)).replace(/[^\t ].*$/, '')
  const at = lineEnd(text, contentEnd(text, endOf(last)))
  const lines = block(name === undefined ? ' ' : padFor(text, node, name))
  return `${text.slice(0, at)}${eol}${indented(indent, lines, eol)}${text.slice(at)}`
}

export interface Range {
  readonly start: number
  readonly end: number
}

/** The text with `written` in a range; a comment at the end of the line keeps its column where it can. */
export function fitted(text: string, { start, end }: Range, written: string): string {
  const whole = `${text.slice(0, start)}${written}${text.slice(end)}`
  if (written.includes('\n') || text.slice(start, end).includes('\n')) return whole
  const rest = text.slice(end, lineEnd(text, end))
  const [, before, blanks] = /^([^#\n"']*?)( {2,})#/.exec(rest) ?? []
  if (before === undefined || blanks === undefined) return whole
  const kept = Math.max(1, blanks.length - (written.length - (end - start)))
  const at = start + written.length + before.length
  return `${whole.slice(0, at)}${' '.repeat(kept)}${whole.slice(at + blanks.length)}`
}

function indented(indent: string, lines: string, eol: string): string {
  return `${indent}${lines.replaceAll('\n', `${eol}${indent}`)}`
}

/** The blanks between a new key and its value: those that bring it into the column of the group above it. */
function padFor(text: string, node: Collection, name: string): string {
  const columns: number[] = []
  let below: number | undefined
  for (const pair of [...(node.items as Pair[])].reverse()) {
    const [start, keyEnd] = rangeOf(pair.key)
    if (below !== undefined && /\n[ \t]*\r?\n/.test(text.slice(endOf(pair), below))) break
    below = start
    const blanks = /^:( +)[^\s#]/.exec(text.slice(keyEnd))?.[1]
    if (blanks !== undefined) columns.push(keyEnd + 1 + blanks.length - start)
  }
  const [column = 0] = columns
  // A single neighbour is aligned with nothing.
  const isAligned = columns.length > 1 && columns.every((one) => one === column)
  return ' '.repeat(isAligned ? Math.max(1, column - name.length - 1) : 1)
}

interface Section {
  readonly key: string
  readonly whole: Json
  /** The line of its first entry, where each entry has a line of its own. */
  readonly entry: string | undefined
}

/** A key of the file that is not there yet, with what is its first. */
function withSection(text: string, root: YAMLMap, { key, whole, entry }: Section, order: Order): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const place = order.indexOf(key)
  const before = new Set(order.slice(0, Math.max(0, place)))
  // A key of a plugin has no place among the others.
  const named = root.items.filter(({ key: one }) => place === -1 || (isScalar(one) && before.has(String(one.value))))
  const behind = named.at(-1) ?? root.items[0]
  const lines =
    entry === undefined
      ? `${key}:${laidOut(whole, '').replaceAll('\n', eol)}`
      : `${key}:${eol}${indented('  ', entry, eol)}`
  if (behind === undefined) return `${text}${lines}${eol}`
  const at = lineEnd(text, contentEnd(text, endOf(behind)))
  const isShort = !text.slice(startOf(behind), at).includes('\n')
  // Entries of one line follow each other; those of several lines have an empty line around them.
  const gap = entry !== undefined || !isShort ? eol : ''
  const below = gap !== '' && /^\r?\n[^\s#]/.test(text.slice(at)) ? eol : ''
  return `${text.slice(0, at)}${eol}${gap}${lines}${below}${text.slice(at)}`
}

export function rangeOf(node: unknown): readonly [start: number, end: number] {
  const range = (node as { range?: readonly number[] | null } | null)?.range
  return [range?.[0] ?? 0, range?.[1] ?? 0]
}

export function isPair(item: unknown): item is Pair {
  return typeof item === 'object' && item !== null && 'key' in item
}

export function startOf(item: unknown): number {
  return rangeOf(isPair(item) ? item.key : item)[0]
}

/** Where the text of an item ends. */
export function endOf(item: unknown): number {
  if (isPair(item))
    return item.value === null ? rangeOf(item.key)[1] : Math.max(rangeOf(item.key)[1], endOf(item.value))
  if (isCollection(item) && item.flow !== true && item.items.length > 0) return endOf(item.items.at(-1))
  return rangeOf(item)[1]
}

/** A block of text ends behind its last line; what counts is the end of what is written there. */
export function contentEnd(text: string, end: number): number {
  return text.slice(0, end).trimEnd().length
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1
}

/** The end of the line, without its break. */
export function lineEnd(text: string, at: number): number {
  const next = text.indexOf('\n', at)
  if (next === -1) return text.length
  return text.charAt(next - 1) === '\r' ? next - 1 : next
}

export function columnOf(text: string, at: number): number {
  return at - lineStart(text, at)
}
