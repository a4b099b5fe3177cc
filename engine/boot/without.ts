/** The key `without` of app.yaml: parts of the application below that this one does not have. */
import type { Document } from '../definition/definition.ts'
import { type DocumentNode, entriesOf, itemsOf, listOf, mapOf, within } from '../definition/document-node.ts'
import { flow } from '../definition/sentence.ts'
import { isObject, type Json } from '../json.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import type { Span } from '../text/source.ts'
import { nameOf, type Replaced } from './extend-resource.ts'

/** One entry: the words of its path, an item of the list there if one is described, and its place. */
export interface LeftOut {
  readonly path: readonly string[]
  readonly item?: Json
  readonly span: Span
  readonly node: DocumentNode
}

/** The entries of `without`; what is written in another form is left to the schema. */
export function leftOut(app: Document<unknown>): readonly LeftOut[] {
  return itemsOf(within(app, 'without')).flatMap((node): readonly LeftOut[] => {
    const span = node.place([])
    if (typeof node.value === 'string') return [{ path: node.value.split('.'), span, node }]
    return Object.entries(isObject(node.value) ? node.value : {}).map(([path, item]) => ({
      path: path.split('.'),
      item,
      span,
      node,
    }))
  })
}

/** What is heard of the entries: mistakes, and the parts that are left out with their values below. */
interface Hearing {
  readonly diagnostics: Diagnostic[]
  readonly replaced: Replaced[]
}

/** Parts of app.yaml that an entry can name; the other first words are resources. */
const OF_APP = ['plugins', 'calendars', 'limits', 'console']

/** app.yaml without the parts of it that are left out; one that is not there is a complaint. */
export function appWithout(app: Document<unknown>, entries: readonly LeftOut[], hearing: Hearing): Document<unknown> {
  let left = app
  for (const entry of entries) if (isOfApp(entry)) left = taken(left, entry, entry.path, hearing)
  return consoleWithout(left, entries.filter((entry) => !isOfApp(entry) && entry.item === undefined).flatMap(screensOf))
}

/** The screens that a left out resource or view has, as the console of app.yaml names them; `posts` means its views too. */
function screensOf({ path: [resource = '', part, ...view] }: LeftOut): readonly string[] {
  if (part === undefined) return [resource]
  return part === 'views' && view.length > 0 ? [`${resource}/${view.join('.')}`] : []
}

/** The console of the application below names no screen that is left out: its first screens and its menu go on without. */
function consoleWithout(app: Document<unknown>, screens: readonly string[]): Document<unknown> {
  const isGone = ({ value }: DocumentNode): boolean =>
    typeof value === 'string' && screens.some((screen) => value === screen || value.startsWith(`${screen}/`))
  const kept = (map: DocumentNode, one: (node: DocumentNode) => readonly DocumentNode[]): DocumentNode =>
    isObject(map.value as Json)
      ? mapOf(new Map([...entriesOf(map)].flatMap(([key, node]) => one(node).map((left) => [key, left]))), map)
      : map
  const section = (list: DocumentNode): readonly DocumentNode[] => {
    const left = itemsOf(list).filter((item) => !isGone(item))
    return left.length === itemsOf(list).length ? [list] : left.length === 0 ? [] : [listOf(left, list)]
  }
  const parts: Readonly<Record<string, (node: DocumentNode) => readonly DocumentNode[]>> = {
    home: (node) => (isGone(node) ? [] : [node]),
    menu: section,
  }
  const whole = within(app, 'console')
  if (screens.length === 0 || !isObject(whole.value as Json)) return app
  const left = new Map(
    [...entriesOf(whole)].map(([key, node]) => [key, parts[key] === undefined ? node : kept(node, parts[key])]),
  )
  for (const [key, node] of left) if (key in parts && entriesOf(node).size === 0) left.delete(key)
  const others = [...entriesOf(app)].filter(([key]) => key !== 'console' || left.size > 0)
  return mapOf(new Map(others.map(([key, node]) => [key, key === 'console' ? mapOf(left, whole) : node])), app)
}

function isOfApp({ path: [first = ''] }: LeftOut): boolean {
  return OF_APP.includes(first)
}

/** The resources without what is left out; a part that is not there, or that a plugin relies on, is a complaint. */
export function resourcesWithout(
  resources: readonly Document<unknown>[],
  entries: readonly LeftOut[],
  brought: readonly Document<unknown>[],
  hearing: Hearing,
): readonly Document<unknown>[] {
  const { diagnostics } = hearing
  let left = resources
  for (const entry of entries) {
    const [first = '', ...rest] = entry.path
    if (isOfApp(entry) || first === 'scenarios') continue
    const found = left.find((one) => nameOf(one) === first)
    const plugins = brought.find((one) => nameOf(one) === first)
    if (found === undefined)
      diagnostics.push(unknown(entry, first, [...left.flatMap((one) => nameOf(one) ?? []), ...OF_APP]))
    else if (plugins !== undefined && isPlugins(plugins, entry, rest)) diagnostics.push(ofPlugin(entry))
    else {
      const part = rest.length === 0 ? gone(found, entry, hearing) : taken(found, entry, rest, hearing)
      left = left.flatMap((one) => (one !== found ? [one] : part === undefined ? [] : [part]))
    }
  }
  return left
}

/** Whether the file of a plugin has the part. */
function isPlugins(document: Document<unknown>, { item }: LeftOut, rest: readonly string[]): boolean {
  return rest.length === 0 || typeof removed(document, rest, item) !== 'string'
}

function taken(whole: Document<unknown>, entry: LeftOut, path: readonly string[], hearing: Hearing): Document<unknown> {
  const left = removed(whole, path, entry.item)
  if (typeof left !== 'string') {
    const part = nodeAt(whole, path)
    if (part !== undefined) gone(entry.item === undefined ? part : likeIn(part, entry.item), entry, hearing)
    return left
  }
  const { diagnostics } = hearing
  const near = nearest(path.at(-1) ?? '', namesAt(whole, path))
  diagnostics.push(unknown(entry, entry.path.join('.'), near === undefined ? [] : [near]))
  return whole
}

/** Hears of a part that an entry leaves out. */
function gone(was: DocumentNode, { path, item, node }: LeftOut, { replaced }: Hearing): undefined {
  const name = [path.join('.'), ...(item === undefined ? [] : [flow(item)])].join(' ')
  replaced.push({ path: name, was, now: node, isLeftOut: true })
  return undefined
}

/** The items of a list that an example describes. */
function likeIn(list: DocumentNode, item: Json): DocumentNode {
  return listOf(
    itemsOf(list).filter(({ value }) => fits(value as Json, item)),
    list,
  )
}

function unknown({ span }: LeftOut, name: string, known: readonly string[]): Diagnostic {
  const near = nearest(name, known) ?? (known.length === 1 ? known[0] : undefined)
  return {
    code: 'unknown_part',
    message: `The application below has no "${name}" that could be left out`,
    span,
    hint: near === undefined ? 'take the line away' : `did you mean "${near}"?`,
  }
}

function ofPlugin({ path, span }: LeftOut): Diagnostic {
  const message = `"${path.join('.')}" comes with a plugin, which relies on it`
  return { code: 'wrong_extension', message, span, hint: 'leave out the plugin itself: plugins.<name>' }
}

/** Names that a path could have had at the place where it ends. */
function namesAt(whole: DocumentNode, path: readonly string[]): readonly string[] {
  const above = path.slice(0, -1).reduce<DocumentNode>((node, key) => within(node, key), whole)
  const inside =
    path.length === 1 ? ['fields', 'relations'].flatMap((key) => [...entriesOf(within(whole, key)).keys()]) : []
  const listed = itemsOf(above).flatMap(({ value }) => (typeof value === 'string' ? [value] : []))
  return [...inside, ...entriesOf(above).keys(), ...listed]
}

/** The node at a path in the words of `without`, with the keys that lead to it; undefined where nothing is there. */
export function nodeAt(node: DocumentNode, path: readonly string[]): DocumentNode | undefined {
  if (path.length === 0) return node
  if (Array.isArray(node.value)) {
    for (let end = path.length; end > 0; end -= 1) {
      const name = path.slice(0, end).join('.')
      const [found, second] = itemsOf(node).filter(({ value }) => isCalled(value as Json, name))
      if (found !== undefined && second === undefined) return nodeAt(found, path.slice(end))
    }
    return undefined
  }
  const children = entriesOf(node)
  for (let end = path.length; end > 0; end -= 1) {
    const child = children.get(path.slice(0, end).join('.'))
    const found = child && nodeAt(child, path.slice(end))
    if (found !== undefined) return found
  }
  for (const key of impliedIn(node.at?.length ?? 0)) {
    const child = children.get(key)
    const found = child && nodeAt(child, path)
    if (found !== undefined) return found
  }
  return undefined
}

/** Keys that a path may leave out: `tickets.due_date`, `tickets.search.subject`, `tickets.sort.subject`, `statuses.seeds.open`. */
function impliedIn(depth: number): readonly string[] {
  return depth === 0 ? ['fields', 'relations'] : depth === 1 ? ['fields', 'keys', 'rows'] : []
}

const NOT_THERE = 'not there'

/**
 * The node without the part at a path. Names may have dots, so the longest name that fits is taken first; a name that is
 * no key of a resource is a field or relation, one of a list is an item, and a map in a list is known by whom it is for.
 */
function removed(
  node: DocumentNode,
  path: readonly string[],
  item: Json | undefined,
  depth = 0,
): DocumentNode | typeof NOT_THERE {
  if (Array.isArray(node.value)) return withoutItem(node, path, item)
  const children = new Map(entriesOf(node))
  for (let end = path.length; end > 0; end -= 1) {
    const key = path.slice(0, end).join('.')
    const child = children.get(key)
    if (child === undefined) continue
    const rest = path.slice(end)
    if (rest.length === 0 && item === undefined) {
      if (key === 'resource' && depth === 0) return NOT_THERE
      children.delete(key)
      return mapOf(children, node)
    }
    const left = removed(child, rest, item, depth + 1)
    if (left === NOT_THERE) continue
    return mapOf(new Map([...children].map(([name, one]) => [name, name === key ? left : one])), node)
  }
  for (const key of impliedIn(depth)) {
    const child = children.get(key)
    const left = child === undefined ? NOT_THERE : removed(child, path, item, depth + 1)
    if (left !== NOT_THERE) return mapOf(new Map([...children, [key, left]]), node)
  }
  return NOT_THERE
}

/** The list without the items that a path or an example describes. */
function withoutItem(
  list: DocumentNode,
  path: readonly string[],
  item: Json | undefined,
): DocumentNode | typeof NOT_THERE {
  const name = path.join('.')
  const isMeant = ({ value }: DocumentNode): boolean =>
    item === undefined ? isCalled(value as Json, name) : path.length === 0 && fits(value as Json, item)
  const items = itemsOf(list)
  const left = items.filter((one) => !isMeant(one))
  return left.length === items.length ? NOT_THERE : listOf(left, list)
}

/** A clause is known by its permission, role or `who`, a seeded row by any of its texts. */
function isCalled(value: Json, name: string): boolean {
  if (!isObject(value)) return value === name
  const { permission, role, who } = value
  return (
    [permission, role, who].includes(name) ||
    ((permission ?? role ?? who) === undefined && Object.values(value).includes(name))
  )
}

/** Whether a value has everything that an example has. */
function fits(value: Json, example: Json): boolean {
  if (!isObject(value) || !isObject(example)) return JSON.stringify(value) === JSON.stringify(example)
  return Object.entries(example).every(([key, one]) => value[key] !== undefined && fits(value[key], one))
}
