/** Parses the text of one YAML file into a value with the place of every key and value. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Pair,
  parseDocument as parseYaml,
  type Scalar,
  Schema,
  type YAMLError,
  type YAMLMap,
  type Document as YamlDocument,
} from 'yaml'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { isExact } from '../json-number.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import type { Collected, Diagnostic, DiagnosticCode } from '../text/diagnostic.ts'
import type { Source, Span } from '../text/source.ts'
import type { Document, Path } from './definition.ts'

/**
 * Reads one source, once. A value is returned even with complaints where the rest can still be judged (a key written
 * twice); after a syntax error there is none. Never throws for what the text holds.
 */
export const parseDocument = memo((source: Source): Collected<Document<unknown>> => {
  if (Buffer.byteLength(source.text) > LIMITS.sourceBytes) {
    const message = `The file is larger than ${LIMITS.sourceBytes} bytes`
    const hint = 'split it into several resource files'
    return { diagnostics: [{ code: 'source_too_large', message, span: { source, start: 0, end: 0 }, hint }] }
  }
  const document = readYaml(source)
  if ('code' in document) return { diagnostics: [document] }
  // One wrong indentation causes many errors; only the first one helps.
  const broken = document.errors.find((error) => error.code !== 'DUPLICATE_KEY')
  if (broken !== undefined) return { diagnostics: [syntaxError(source, broken)] }
  const diagnostics: Diagnostic[] = []
  const node = readNode(document.contents, source, diagnostics)
  if (node === undefined) return { diagnostics }
  return { value: Object.freeze({ value: node.value, place: placer(source, node) }), diagnostics }
})

/** What plain values mean, by YAML 1.2: made once, because making it for each file takes longer than a small file. */
const MEANINGS = new Schema({ schema: 'core', resolveKnownTags: true })

function readYaml(source: Source): YamlDocument.Parsed | Diagnostic {
  try {
    // Repeated keys are found while reading, where both places are known.
    return parseYaml(source.text, {
      prettyErrors: false,
      uniqueKeys: false,
      intAsBigInt: true,
      logLevel: 'error',
      version: '1.2',
      // A file may ask for another version by a directive.
      ...(/^%/m.test(source.text) ? {} : { schema: MEANINGS }),
    })
  } catch (error) {
    // The composer is recursive: thousands of open brackets exhaust its stack.
    if (!(error instanceof RangeError)) throw error
    const hint = `write at most ${LIMITS.sourceDepth} levels`
    return { code: 'too_complex', message: 'The file is nested too deeply', span: { source, start: 0, end: 1 }, hint }
  }
}

const HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_INDENT: 'keys of one map start in the same column',
  MULTIPLE_DOCS: 'one file holds one document; remove the "---"',
  MISSING_CHAR: 'a bracket, brace or quote is not closed, or a ":" or "," is missing',
  BLOCK_AS_IMPLICIT_KEY: 'put the value in quotes if it contains ": "',
  MULTILINE_IMPLICIT_KEY: 'write ":" behind it, or put all of it into one line',
  UNEXPECTED_TOKEN: 'put the value in quotes if it starts with a special character',
}

/** What the parser says in words of its grammar. */
const MESSAGES: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'This line has a second ": "',
  MULTILINE_IMPLICIT_KEY: 'A ":" is missing behind this key',
  MULTIPLE_DOCS: 'A second document begins here',
  BAD_INDENT: 'This line begins in another column than the keys next to it',
}

function syntaxError(source: Source, error: YAMLError): Diagnostic {
  const [start, end] = error.pos
  const other = openQuotation(source, start) ?? hiddenSign(source, error)
  if (other !== undefined) return other
  const [, closing] = /end with a ([\]}])$/.exec(error.message) ?? []
  const hint = closing === undefined ? HINTS[error.code] : HINTS.MISSING_CHAR
  return {
    code: 'yaml_syntax',
    message:
      closing === undefined ? (MESSAGES[error.code] ?? error.message) : `A "${closing}" is missing in front of this`,
    span: { source, start, end: Math.max(end, start + 1) },
    ...(hint === undefined ? {} : { hint }),
  }
}

/** Signs of the lexer that are not in the text. */
const MARKS: ReadonlySet<string> = new Set(['\x02', '\x18', '\x1f'])
/** A line in the middle of a quotation that looks as if it were none. */
const OWN_LINE = /\n *(?:- |#|[\w.-]+:(?:\s|$))/

/** The range of the last token in front of a place that is meant. */
function lastToken(
  { text }: Source,
  before: number,
  isMeant: (token: string, at: number) => boolean,
): Range | undefined {
  let at = 0
  let found: Range | undefined
  for (const token of new Lexer().lex(text)) {
    if (at > before) break
    if (MARKS.has(token)) continue
    if (isMeant(token, at)) found = [at, at + token.length]
    at += token.length
  }
  return found
}

/**
 * The quotation that swallows the lines below it, in front of a place at which the text makes no sense: its end is missing,
 * and the parser finds that at the next quotation, or at the end of the file.
 */
function openQuotation(source: Source, before: number): Diagnostic | undefined {
  const found = lastToken(source, before, (token) => /^["']/.test(token) && OWN_LINE.test(token))
  // A quotation of several lines that ends as it should is not followed by more in its last line.
  if (found === undefined || source.text.slice(found[1], before).includes('\n')) return undefined
  const [start] = found
  const [line] = source.text.slice(start).split('\n', 1)
  const span = { source, start, end: start + (line ?? '').trimEnd().length }
  return {
    code: 'yaml_syntax',
    message: 'The quotation that begins here is not closed in this line',
    span,
    hint: `close it by ${source.text[start]}, and write ${source.text[start] === '"' ? '\\"' : "''"} for one that is part of the text`,
  }
}

/** A comment that hides the sign which is missing: it begins in the middle of a text. */
function hiddenSign(source: Source, { message, pos: [before] }: YAMLError): Diagnostic | undefined {
  const [, closing] = /end with a ([\]}])$/.exec(message) ?? []
  if (closing === undefined) return undefined
  const found = lastToken(source, before, (token, at) => {
    return token.startsWith('#') && token.includes(closing) && /\S[^\n]*$/.test(source.text.slice(0, at))
  })
  if (found === undefined) return undefined
  const span = { source, start: found[0], end: found[1] }
  const hint = 'put the text in quotes if the sign belongs to it'
  return { code: 'yaml_syntax', message: `A comment begins here, and hides the "${closing}" in it`, span, hint }
}

/** Numbers of a node in a list of places: its text, that of its key (-1 without one), and the number of the node behind it. */
const NUMBERS = 5

/**
 * The places of a document as one list of numbers, a node before its children: a process keeps the documents of all its
 * files, and a tree of objects would take several times the memory of what it is about.
 */
function marksOf(root: PlacedNode): Int32Array {
  const marks: number[] = []
  const add = ({ children, key, range, value }: PlacedNode): void => {
    const at = marks.push(...range, ...(key ?? [-1, -1]), 0)
    // Numbers among the keys of an object come first.
    const names = isObject(value) ? Object.keys(value) : (children?.keys() ?? [])
    for (const name of names) add(children!.get(name)!)
    marks[at - 1] = marks.length / NUMBERS
  }
  add(root)
  return Int32Array.from(marks)
}

function placer(source: Source, root: PlacedNode): Document<unknown>['place'] {
  const { value: whole } = root
  const marks = marksOf(root)
  return (path: Path, part = 'value'): Span => {
    let value: Json | undefined = whole
    let node = 0
    for (const step of path) {
      const place = placeAmong(value, step)
      if (place === -1) break
      node += 1
      for (let before = 0; before < place; before += 1) node = marks[node * NUMBERS + NUMBERS - 1]!
      value = (value as JsonObject)[step]
    }
    const [start = 0, end = 0, keyStart = -1, keyEnd = -1] = marks.subarray(node * NUMBERS)
    return part === 'key' && keyStart !== -1 ? { source, start: keyStart, end: keyEnd } : { source, start, end }
  }
}

/** How many children of a value come before one; -1 where it has no such child. */
function placeAmong(value: Json | undefined, step: string | number): number {
  if (Array.isArray(value)) return typeof step === 'number' && step in value ? step : -1
  return isObject(value) && typeof step === 'string' ? Object.keys(value).indexOf(step) : -1
}

type Range = readonly [start: number, end: number]

/** One value with its place; `children` are found by key or index. */
interface PlacedNode {
  readonly value: Json
  readonly range: Range
  readonly key: Range | undefined
  readonly children: ReadonlyMap<string | number, PlacedNode> | undefined
}

interface ReadState {
  readonly source: Source
  readonly diagnostics: Diagnostic[]
  readonly anchors: Map<string, unknown>
  readonly open: Set<unknown>
  count: number
  /** A tag asks for something that a file cannot mean, so nothing more can be said of its values. */
  tagged: boolean
}

/** The tree below one YAML node, or undefined when following it would never end or grow too large. */
function readNode(contents: unknown, source: Source, diagnostics: Diagnostic[]): PlacedNode | undefined {
  const state: ReadState = { source, diagnostics, anchors: new Map(), open: new Set(), count: 0, tagged: false }
  const root = read(contents, state, undefined, 0)
  return state.tagged ? undefined : root
}

function read(node: unknown, state: ReadState, key: Range | undefined, depth: number): PlacedNode | undefined {
  const range = rangeOf(node, key, state)
  state.count += 1
  if (state.count > LIMITS.sourceNodes || depth > LIMITS.sourceDepth) {
    // Reported once, because every further node would repeat it.
    if (!state.diagnostics.some((known) => known.code === 'too_complex'))
      complain(state, 'too_complex', 'This makes the file too large or too deep', range, 'write it without aliases')
    return undefined
  }
  if (isAlias(node)) return readAlias(node.source, state, key, range, depth)
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return { value: null, range, key, children: undefined }
  if (node.anchor !== undefined) state.anchors.set(node.anchor, node)
  if (node.tag !== undefined && !/^tag:yaml\.org,2002:(str|map|seq|int|float|bool|null)$/.test(node.tag)) {
    state.tagged = true
    const tag = node.tag.replace('tag:yaml.org,2002:', '!!')
    complain(state, 'yaml_syntax', `The tag "${tag}" means nothing here`, range, 'write a plain value')
    return { value: null, range, key, children: undefined }
  }
  if (isScalar(node)) return { value: scalar(node, state, range, key), range, key, children: undefined }
  state.open.add(node)
  const children = isMap(node) ? readMap(node, state, depth) : readList(node.items, state, depth)
  state.open.delete(node)
  if (children === undefined) return undefined
  return { value: Object.freeze(isMap(node) ? mapOf(children) : listOf(children)), range, key, children }
}

function mapOf(children: ReadonlyMap<string | number, PlacedNode>): JsonObject {
  const value: Record<string, Json> = {}
  // `__proto__` is no child: readMap refuses it.
  for (const [name, child] of children) value[name] = child.value
  return value
}

function listOf(children: ReadonlyMap<string | number, PlacedNode>): Json[] {
  return Array.from(children.values(), (child) => child.value)
}

function readAlias(
  name: string,
  state: ReadState,
  key: Range | undefined,
  range: Range,
  depth: number,
): PlacedNode | undefined {
  const target = state.anchors.get(name)
  if (target === undefined || state.open.has(target)) {
    const message =
      target === undefined ? `The alias "*${name}" names nothing above` : `The alias "*${name}" contains itself`
    complain(state, target === undefined ? 'yaml_syntax' : 'too_complex', message, range, 'write the value out')
    return undefined
  }
  const node = read(target, state, key, depth + 1)
  // Complaints about an aliased value point to where it is used; its own text is judged at its own place.
  return node === undefined ? undefined : { ...node, range, children: node.children }
}

function readMap(map: YAMLMap, state: ReadState, depth: number): Map<string | number, PlacedNode> | undefined {
  const children = new Map<string | number, PlacedNode>()
  for (const pair of map.items) {
    const name = keyOf(pair, state)
    if (name === undefined) continue
    const key = rangeOf(pair.key, undefined, state)
    const child = read(pair.value, state, key, depth + 1)
    if (child === undefined) return undefined
    if (children.has(name)) {
      complain(state, 'duplicate_key', `The key "${name}" is here a second time`, key, 'keep one of the two')
    } else if (name === '__proto__') {
      complain(state, 'reserved_key', 'The key "__proto__" cannot be used', key, 'choose another name')
    } else children.set(name, child)
  }
  return children
}

function readList(
  items: readonly unknown[],
  state: ReadState,
  depth: number,
): Map<string | number, PlacedNode> | undefined {
  const children = new Map<string | number, PlacedNode>()
  for (const [index, item] of items.entries()) {
    const child = read(item, state, undefined, depth + 1)
    if (child === undefined) return undefined
    children.set(index, child)
  }
  return children
}

function keyOf(pair: Pair, state: ReadState): string | undefined {
  const { key } = pair
  // `null:` and `1:` are keys as they are written, not as YAML would read them as values.
  if (isScalar(key)) return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
  complain(state, 'yaml_syntax', 'A key must be a plain word', rangeOf(key, undefined, state), 'put it in quotes')
  return undefined
}

/** Keys with sentences and names for people, in which a number sign belongs to the words. */
const WORDED = new Set(['says', 'label', 'description', 'text', 'title', 'subject', 'message', 'name'])

/** Warns of a text that is not what its author sees: cut at a number sign, or with quotes that YAML does not know. */
function warnOfSlips({ comment, type }: Scalar, value: string, state: ReadState, range: Range, key?: Range): void {
  if (type !== 'PLAIN') return
  const warn = (message: string, hint: string): void => {
    const span = { source: state.source, start: range[0], end: range[1] }
    state.diagnostics.push({ code: 'wrong_value', message, span, hint, severity: 'warning' })
  }
  const word = key === undefined ? '' : state.source.text.slice(...key)
  const [first = ''] = (comment ?? '').split('\n')
  // A comment is written with a blank after its sign.
  if (/^\d/.test(first) || (WORDED.has(word) && /^\p{L}/u.test(first)))
    warn(`The text ends in front of "#${first}", which is a comment`, `put it in quotes: "${value} #${first}"`)
  if (/^[“”„‟‘’‚].*[“”‘’]$/su.test(value))
    warn(
      `The quotes ${value[0]} and ${value.at(-1)} are part of the text`,
      `write straight ones: "${value.slice(1, -1)}"`,
    )
}

function scalar(node: Scalar, state: ReadState, range: Range, key?: Range): Json {
  const { value } = node
  if (typeof value === 'string') warnOfSlips(node, value, state, range, key)
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  const text = node.source ?? String(value)
  const hint = `put it in quotes if it is meant as text: "${text}"`
  const number = Number(value)
  if (/^[-+]?0\d/.test(text)) {
    complain(state, 'ambiguous_number', `The number ${text} would be read as ${number}`, range, hint)
  } else if (/^[-+]?\.(inf|nan)$/i.test(text)) {
    const advice = 'write a number with digits, or leave the key out where there is no limit'
    complain(state, 'ambiguous_number', `${text} is no number that can be kept`, range, advice)
  } else if (!Number.isFinite(number) || (typeof value === 'bigint' ? !Number.isSafeInteger(number) : !isExact(text))) {
    const advice = `write fewer digits, or ${hint}`
    complain(state, 'ambiguous_number', `The number ${text} cannot be kept exactly`, range, advice)
  }
  return number
}

/** An empty value has no text of its own, so its key gives its place. */
function rangeOf(node: unknown, key: Range | undefined, state: ReadState): Range {
  const range = isAlias(node) || isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined
  if (range !== undefined && range !== null && range[1] > range[0])
    return trimmed(state.source.text, range[0], range[1])
  return key ?? [range?.[0] ?? 0, range?.[1] ?? 0]
}

/** The range of a block runs to the next node; this one ends with its last visible character. */
function trimmed(text: string, start: number, end: number): Range {
  let last = end
  while (last > start + 1 && /\s/.test(text[last - 1] ?? '')) last -= 1
  return [start, last]
}

function complain(state: ReadState, code: DiagnosticCode, message: string, range: Range, hint: string): void {
  state.diagnostics.push({ code, message, span: { source: state.source, start: range[0], end: range[1] }, hint })
}
