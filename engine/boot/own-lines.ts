/**
 * The line of an application's own that made a mistake in a file of an application below, or of a plugin: found by
 * leaving out its lines, half of them at a time.
 */
import type { Document, Path } from '../definition/definition.ts'
import { type DocumentNode, entriesOf, itemsOf, listOf, mapOf, within } from '../definition/document-node.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { placeOf, type Source } from '../text/source.ts'
import { nameOf } from './extend-resource.ts'
import type { ParsedFiles } from './parse-files.ts'

/** A part of a file that can be left out by itself. */
export interface OwnPart {
  readonly document: Document<unknown>
  readonly node: DocumentNode
  readonly isEntryOfWithout: boolean
}

/**
 * The complaints, each at the line of the highest application that made it. A mistake that the applications below have by
 * themselves stays where it is. `judge` says what is wrong with other layers.
 */
export async function atOwnLines(
  diagnostics: readonly Diagnostic[],
  layers: readonly ParsedFiles[],
  judge: (layers: readonly ParsedFiles[]) => Promise<readonly Diagnostic[]>,
): Promise<readonly Diagnostic[]> {
  const own = layers.at(-1)
  if (own === undefined) return diagnostics
  const sources = new Set([own.app, ...own.resources].flatMap((document) => document?.place([]).source ?? []))
  const isOwn = ({ span }: Diagnostic): boolean => span !== undefined && isAmong(span.source, sources)
  const elsewhere = diagnostics.filter((one) => !isOwn(one))
  // A file that cannot be read says nothing of what its lines made.
  if (elsewhere.length === 0 || own.app === undefined || own.broken.length > 0) return diagnostics
  const maker = makerIn(layers, judge)
  const whole = keysOf(diagnostics)
  const moved = new Map<Diagnostic, Diagnostic>()
  for (const one of elsewhere) {
    const key = keyOf(one)
    const part = await maker((found) => {
      if (keysOf(found).has(key)) return true
      // A mistake that the whole does not have may keep this one from being found.
      return found.some((other) => other.severity !== 'warning' && !whole.has(keyOf(other))) ? undefined : false
    })
    if (part !== undefined) moved.set(one, atPart(one, part))
  }
  return diagnostics.map((one) => moved.get(one) ?? one)
}

/**
 * Finds the own part that makes something so: it is not so with the parts before it, and it is with it. `tryOn` says what
 * becomes of an application with some of its own parts, undefined where that is no application, and `isSo` undefined where
 * that does not tell; undefined where it is so without any of them.
 */
export function makerIn<T>(
  layers: readonly ParsedFiles[],
  tryOn: (layers: readonly ParsedFiles[]) => Promise<T | undefined>,
): (isSo: (outcome: T) => boolean | undefined) => Promise<OwnPart | undefined> {
  const own = layers.at(-1)!
  const below = layers.slice(0, -1)
  const parts = partsOf(own, below)
  const tried = new Map<number, Promise<T | undefined>>()
  const outcome = (count: number): Promise<T | undefined> => {
    const known = tried.get(count) ?? tryOn([...below, withParts(own, parts.slice(0, count))])
    tried.set(count, known)
    return known
  }
  return async (isSo) => {
    const isSoWith = async (count: number): Promise<boolean | undefined> => {
      const found = await outcome(count)
      return found === undefined ? undefined : isSo(found)
    }
    if ((await isSoWith(0)) !== false) return undefined
    let [without, having] = [0, parts.length]
    while (having - without > 1) {
      // Some parts are nothing without a later one: then one more is tried.
      let middle = Math.floor((without + having) / 2)
      let found = await isSoWith(middle)
      while (found === undefined && middle + 1 < having) found = await isSoWith(++middle)
      if (found === undefined) having = Math.floor((without + having) / 2)
      else if (found) having = middle
      else without = middle
    }
    return parts[having - 1]
  }
}

function isAmong({ file }: Source, sources: ReadonlySet<Source>): boolean {
  return [...sources].some((one) => one.file === file)
}

function keyOf({ code, message, span }: Diagnostic): string {
  return JSON.stringify([code, message, span?.source.file, span?.start])
}

function keysOf(diagnostics: readonly Diagnostic[]): ReadonlySet<string> {
  return new Set(diagnostics.map(keyOf))
}

/** The complaint at the own part that made it. */
export function atPart(diagnostic: Diagnostic, { node, isEntryOfWithout }: OwnPart): Diagnostic {
  const { code, message, severity, span } = diagnostic
  const place = span === undefined ? '' : ` (${placeOf(span)})`
  return {
    code,
    message: `${isEntryOfWithout ? 'Without this' : 'With this'}: ${message}${place}`,
    span: node.place([], 'key'),
    hint: isEntryOfWithout
      ? 'leave out what needs it too, or take this line away'
      : 'change what needs it too, leave that out by "without", or take this away',
    ...(severity === undefined ? {} : { severity }),
  }
}

/** The parts of an application's own files: entries of `without` first, because the others build on what they leave. */
function partsOf(own: ParsedFiles, below: readonly ParsedFiles[]): readonly OwnPart[] {
  const known = new Set(below.flatMap(({ resources }) => resources.map(nameOf)))
  const part = (document: Document<unknown>, isEntryOfWithout = false) => {
    return (node: DocumentNode): OwnPart => ({ document, node, isEntryOfWithout })
  }
  const app = own.app!
  const without = itemsOf(within(app, 'without')).map(part(app, true))
  const options = partsIn(app, 3).filter(({ at = [] }) => !KEPT.includes(String(at[0])))
  const resources = own.resources.flatMap((document) =>
    known.has(nameOf(document)) ? partsIn(document, 3).map(part(document)) : [part(document)(document)],
  )
  return [...without, ...options.map(part(app)), ...resources]
}

/** Keys without which a file is nothing. */
const KEPT = ['without', 'extends', 'name', 'resource']

/** The nodes of a map that can be left out by themselves, so many levels down. */
function partsIn(map: DocumentNode, depth: number): readonly DocumentNode[] {
  return [...entriesOf(map)].flatMap(([key, node]) => {
    if (map.at === undefined && KEPT.includes(key)) return []
    const inside = depth > 1 ? partsIn(node, depth - 1) : []
    return inside.length > 0 ? inside : [node]
  })
}

/** The files of an application with only some of their parts. */
function withParts(own: ParsedFiles, parts: readonly OwnPart[]): ParsedFiles {
  const kept = new Map<Document<unknown>, Set<string>>()
  for (const { document, node } of parts) {
    const paths = kept.get(document) ?? new Set()
    kept.set(document, paths.add(JSON.stringify(node.at ?? [])))
  }
  const left = (document: Document<unknown>): Document<unknown> => {
    const paths = kept.get(document) ?? new Set<string>()
    return paths.has('[]') ? document : prunedTo(document, (at) => paths.has(JSON.stringify(at)))
  }
  return { ...own, app: own.app && left(own.app), resources: own.resources.filter((one) => kept.has(one)).map(left) }
}

/** The parts of a document that are kept, in the maps around them. */
function prunedTo(node: DocumentNode, keeps: (at: Path) => boolean): DocumentNode {
  const entries = [...entriesOf(node)].flatMap(([key, child]): [string, DocumentNode][] => {
    const { at = [] } = child
    if (keeps(at) || (at.length === 1 && KEPT.includes(key) && key !== 'without')) return [[key, child]]
    if (key === 'without' && at.length === 1)
      return [
        [
          key,
          listOf(
            itemsOf(child).filter((item) => keeps(item.at ?? [])),
            child,
          ),
        ],
      ]
    const left = prunedTo(child, keeps)
    return entriesOf(left).size === 0 ? [] : [[key, left]]
  })
  return mapOf(new Map(entries), node)
}
