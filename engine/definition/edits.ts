/** One change of the text of a YAML file as data: made by the places of nodes, and refused where more than it asks for would change. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { Lexer } from 'yaml'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { type EditPath, type Order, withEntry, withItem, without } from './edit.ts'
import { moved, renamed } from './edit-order.ts'
import { withValue } from './edit-value.ts'
import { parseDocument } from './parse.ts'

export const EDIT_KINDS = ['set', 'add', 'remove', 'rename', 'move'] as const

/**
 * A change at a path of keys and places. `set` gives a value, of a key that may be new; `add` gives a key that is new, or one
 * more item where the path leads to a list; `rename` gives the key at the path another name; `move` gives an entry or an
 * item another place among its neighbours, counted from 0.
 */
export interface Edit {
  readonly op: (typeof EDIT_KINDS)[number]
  readonly path: EditPath
  readonly value?: Json
}

/** The text with the change, or the sentence that says why it cannot be made. */
export function edited(
  text: string,
  edit: Edit,
  order: Order,
): { readonly text: string } | { readonly refused: string } {
  const before = parsed(text)
  if (before === undefined) return { refused: 'the file cannot be read as YAML: mend it first' }
  const wanted = applied(before, edit)
  if (typeof wanted === 'string') return { refused: wanted }
  const after = made(text, edit, before, order)
  const place = edit.path.join('.')
  if (after === undefined || !isSame(parsed(after), wanted.value, edit))
    return { refused: `"${place}" is written in a way that only its text can be changed` }
  if (edit.op !== 'remove' && !areKept(commentsIn(text), commentsIn(after)))
    return { refused: `"${place}" has comments inside that would be lost: change its text` }
  return { text: after }
}

function parsed(text: string): Json | undefined {
  return parseDocument({ file: '', text }).value?.value as Json | undefined
}

function isSame(found: Json | undefined, wanted: Json, { op }: Edit): boolean {
  if (op === 'rename' || op === 'move') return JSON.stringify(found) === JSON.stringify(wanted)
  return isDeepStrictEqual(found, wanted)
}

function made(text: string, { op, path, value = null }: Edit, before: Json, order: Order): string | undefined {
  const name = path.at(-1)
  switch (op) {
    case 'set':
      return withValue(text, path, value, order)
    case 'add':
      if (Array.isArray(valueAt(before, path))) return withItem(text, path, value, order)
      return typeof name === 'string' ? withEntry(text, path.slice(0, -1), name, value, order) : undefined
    case 'remove':
      return without(text, path)
    case 'rename':
      return renamed(text, path, String(value))
    case 'move':
      return moved(text, path, Number(value))
  }
}

/** The value at a path; undefined where it leads nowhere. */
export function valueAt(whole: Json, path: EditPath): Json | undefined {
  let value: Json | undefined = whole
  for (const key of path)
    value = Array.isArray(value)
      ? value[Number(key)]
      : isObject(value) && Object.hasOwn(value, key)
        ? value[key]
        : undefined
  return value
}

/** What the file says with the change; a sentence where the change makes no sense. */
function applied(whole: Json, { op, path, value = null }: Edit): { readonly value: Json } | string {
  const [last, above] = [path.at(-1), path.slice(0, -1)]
  if (last === undefined) return 'the path is empty: name a key of the file'
  const [parent, present, place] = [valueAt(whole, above), valueAt(whole, path), path.join('.')]
  const gives = (change: (value: Json | undefined) => Json | undefined) => ({
    value: within(whole, path, change) ?? {},
  })
  if (op === 'set')
    return typeof last === 'number' && present === undefined ? `there is no "${place}"` : gives(() => value)
  if (op === 'add') {
    if (Array.isArray(present)) return gives(() => [...present, value])
    if (present !== undefined || typeof last === 'number') return `"${place}" is there already`
    return gives(() => value)
  }
  if (present === undefined || parent === undefined) return `there is no "${place}"`
  if (op === 'remove') return gives(() => undefined)
  if (op === 'rename') {
    if (typeof value !== 'string' || value === '' || !isObject(parent)) return 'a new name is a text, of a key'
    if (Object.hasOwn(parent, value)) return `"${value}" is there already`
    const entries = Object.entries(parent).map(([key, one]): [string, Json] => [
      key === last ? value : key,
      one as Json,
    ])
    return placedAt(whole, above, Object.fromEntries(entries))
  }
  const keys = Array.isArray(parent) ? parent : Object.entries(parent as JsonObject)
  if (!Number.isInteger(value) || Number(value) < 0 || Number(value) >= keys.length)
    return `"${place}" has the places 0 to ${keys.length - 1}`
  const from = Array.isArray(parent) ? Number(last) : Object.keys(parent as JsonObject).indexOf(String(last))
  const left = [...keys.slice(0, from), ...keys.slice(from + 1)]
  const all = [...left.slice(0, Number(value)), keys[from]!, ...left.slice(Number(value))]
  return placedAt(whole, above, Array.isArray(parent) ? (all as Json[]) : Object.fromEntries(all as [string, Json][]))
}

function placedAt(whole: Json, path: EditPath, value: Json): { readonly value: Json } {
  return { value: within(whole, path, () => value) ?? {} }
}

/** A value with another one at a path; what is left empty by a removal is gone too. */
function within(
  whole: Json | undefined,
  [key, ...rest]: EditPath,
  change: (value: Json | undefined) => Json | undefined,
): Json | undefined {
  if (key === undefined) return change(whole)
  if (Array.isArray(whole)) {
    const kept = whole.flatMap((one, at) => {
      const left = at === key ? within(one, rest, change) : one
      return left === undefined ? [] : [left]
    })
    return kept.length === 0 && whole.length > 0 ? undefined : kept
  }
  const map: JsonObject = isObject(whole) ? whole : {}
  const left = within(map[key] as Json | undefined, rest, change)
  const entries = Object.entries(map).flatMap(([name, one]): [string, Json][] => {
    if (name !== key) return [[name, one as Json]]
    return left === undefined ? [] : [[name, left]]
  })
  if (!Object.hasOwn(map, key) && left !== undefined) entries.push([String(key), left])
  return entries.length === 0 && left === undefined ? undefined : Object.fromEntries(entries)
}

/** The comments of a text, in their order. */
export function commentsIn(text: string): readonly string[] {
  const found: string[] = []
  let before = ''
  for (const lexeme of new Lexer().lex(text)) {
    // A scalar comes behind this mark, and may begin as a comment does.
    if (lexeme.startsWith('#') && before !== '\u001f') found.push(lexeme.trimEnd())
    before = lexeme
  }
  return found
}

/** Whether each comment is there still, as often as before. */
function areKept(before: readonly string[], after: readonly string[]): boolean {
  const left = [...after]
  return before.every((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  })
}
