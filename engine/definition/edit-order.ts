/** Renames a key of a YAML file, or gives an entry another place among its neighbours; the rest stays as it is written. Pure. */
import { isCollection, isMap, isScalar, isSeq, type Pair } from 'yaml'
import {
  type Collection,
  contentEnd,
  type EditPath,
  endOf,
  isPair,
  lineEnd,
  lineStart,
  rangeOf,
  startOf,
} from './edit.ts'
import { placeIn } from './edit-value.ts'
import { flowKey } from './sentence.ts'

/** The text with another name for the key at a path; undefined where it is no key, or the name is taken. */
export function renamed(text: string, path: EditPath, name: string): string | undefined {
  const { item, parent } = placeIn(text, path) ?? {}
  if (!isPair(item) || !isMap(parent)) return undefined
  if (parent.items.some(({ key }) => isScalar(key) && String(key.value) === name)) return undefined
  const [start, end] = rangeOf(item.key)
  const written = flowKey(name)
  const blanks = /^:( +)[^\s#]/.exec(text.slice(end))?.[1]
  const renaming = `${text.slice(0, start)}${written}:`
  if (blanks === undefined) return `${renaming}${text.slice(end + 1)}`
  const column = end + 1 + blanks.length - start
  const isKept = parent.flow !== true && isAligned(text, parent, item, column)
  const pad = isKept ? Math.max(1, column - written.length - 1) : blanks.length
  return `${renaming}${' '.repeat(pad)}${text.slice(end + 1 + blanks.length)}`
}

/** Whether a neighbour has its value in the same column. */
function isAligned(text: string, parent: Collection, item: Pair, column: number): boolean {
  const at = (parent.items as unknown[]).indexOf(item)
  return [parent.items[at - 1], parent.items[at + 1]].some((one) => {
    if (!isPair(one)) return false
    const [start, end] = rangeOf(one.key)
    const blanks = /^:( +)[^\s#]/.exec(text.slice(end))?.[1]
    return blanks !== undefined && end + 1 + blanks.length - start === column
  })
}

/** The text with the entry or item at a path in another place among its neighbours, counted from 0. */
export function moved(text: string, path: EditPath, to: number): string | undefined {
  const { item, parent } = placeIn(text, path) ?? {}
  if (item === undefined || !isCollection(parent)) return undefined
  const items = parent.items as readonly unknown[]
  const from = items.indexOf(item)
  if (to < 0 || to >= items.length || !Number.isInteger(to)) return undefined
  if (from === to) return text
  return parent.flow === true ? inFlow(text, items, from, to) : inBlock(text, parent, from, to)
}

/** The texts change their places; what is between them stays. */
function inFlow(text: string, items: readonly unknown[], from: number, to: number): string {
  const texts = items.map((one) => text.slice(startOf(one), endOf(one)))
  const [own] = texts.splice(from, 1)
  texts.splice(to, 0, own!)
  const parts = items.map((one, at) => text.slice(at === 0 ? 0 : endOf(items[at - 1]), startOf(one)) + texts[at])
  return parts.join('') + text.slice(endOf(items.at(-1)))
}

interface Lines {
  readonly start: number
  readonly end: number
}

/** The lines of an entry, with the comments right above it; undefined where it begins on the line of something else. */
function linesOf(text: string, parent: Collection, at: number): Lines | undefined {
  const item = parent.items[at]
  const from = lineStart(text, startOf(item))
  const lead = text.slice(from, startOf(item))
  if (!(isSeq(parent) ? /^ *- +$/ : /^ *$/).test(lead)) return undefined
  const end = lineEnd(text, contentEnd(text, endOf(item)))
  // What is above the first entry may be about all of them.
  if (at === 0) return { start: from, end }
  const indent = /^ */.exec(lead)?.[0] ?? ''
  let start = from
  while (start > 0) {
    const above = lineStart(text, start - 1)
    if (!text.slice(above, start).startsWith(`${indent}#`)) break
    start = above
  }
  return { start, end }
}

function inBlock(text: string, parent: Collection, from: number, to: number): string | undefined {
  const [own, target] = [linesOf(text, parent, from), linesOf(text, parent, to)]
  if (own === undefined || target === undefined) return undefined
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.slice(own.start, own.end)
  const taken = (): string => {
    const rest = text.slice(own.end)
    if (/^\r?\n/.test(rest)) return text.slice(0, own.start) + rest.replace(/^\r?\n/, '')
    return text.slice(0, own.start).replace(/\r?\n$/, '') + rest
  }
  const shift = text.length - taken().length
  if (to > from) {
    const at = target.end - shift
    return `${taken().slice(0, at)}${eol}${lines}${taken().slice(at)}`
  }
  return `${taken().slice(0, target.start)}${lines}${eol}${taken().slice(target.start)}`
}
