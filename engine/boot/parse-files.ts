/** The stages parse and include of BOOT: the files of one application become documents, with the texts that they name. */
import { posix } from 'node:path'
import { outdentedApp } from '../definition/check.ts'
import type { Document, Path } from '../definition/definition.ts'
import type { DocumentNode } from '../definition/document-node.ts'
import { parseDocument } from '../definition/parse.ts'
import type { Sources } from '../definition/read.ts'
import { isObject, type Json } from '../json.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import type { Source } from '../text/source.ts'
import { each, type Pieces } from '../turns.ts'
import type { Replaced } from './extend-resource.ts'

/** The documents of one application. */
export interface ParsedFiles {
  /** undefined: app.yaml is no YAML. */
  readonly app: Document<unknown> | undefined
  readonly resources: readonly Document<unknown>[]
  /** Files of words that can be read. */
  readonly words: readonly Document<unknown>[]
  /** The resources of files that cannot be read as YAML. */
  readonly broken: readonly string[]
  /** Complaints about app.yaml, and about the other files. */
  readonly ofApp: readonly Diagnostic[]
  readonly ofResources: readonly Diagnostic[]
  /** Texts of this application that one above it replaces. */
  readonly replaced: readonly Replaced[]
}

/**
 * Parses the files of one application. A text of an application above it, which has the same path below its app.yaml, takes
 * the place of its own; `above` has the lowest first.
 */
export function* parsedFiles(
  { app, resources, texts, words }: Omit<Sources, 'base'>,
  above: readonly Pick<Sources, 'app' | 'texts'>[] = [],
): Pieces<ParsedFiles> {
  const last = new Map([{ app, texts }, ...above].flatMap(textsByPath))
  const textOf = (text: Source): Source => last.get(pathFrom(app, text)) ?? text
  const first = parseDocument(app)
  const placed = first.value && outdentedApp(first.value)
  const parsed = yield* each(resources, parseDocument)
  const worded = yield* each(words, parseDocument)
  const included = parsed.flatMap(({ value }) => (value === undefined ? [] : [withTexts(value, texts, textOf)]))
  return {
    app: placed?.value,
    resources: included.map(({ value }) => value),
    words: worded.flatMap(({ value }) => value ?? []),
    broken: resources.flatMap((source, index) => (parsed[index]!.value === undefined ? resourcesOf(source) : [])),
    ofApp: [...first.diagnostics, ...(placed?.diagnostics ?? [])],
    ofResources: [...parsed, ...included, ...worded].flatMap(({ diagnostics }) => diagnostics),
    replaced: included.flatMap(({ used }) => used.flatMap((text) => replacedBy(text, textOf(text), app))),
  }
}

/** The texts of an application by their paths from the folder of app.yaml. */
function textsByPath({ app, texts }: Pick<Sources, 'app' | 'texts'>): readonly (readonly [string, Source])[] {
  return texts.map((text) => [pathFrom(app, text), text])
}

function pathFrom(app: Source, { file }: Source): string {
  return posix.relative(posix.dirname(app.file), file)
}

function replacedBy(was: Source, now: Source, app: Source): readonly Replaced[] {
  return was === now ? [] : [{ path: pathFrom(app, was), was: nodeOfText(was), now: nodeOfText(now) }]
}

function nodeOfText(source: Source): DocumentNode {
  return { value: source.text, place: () => ({ source, start: 0, end: 0 }), at: [] }
}

/** The resources that a file without readable YAML probably declares: by its line that says so, and by its name. */
export function resourcesOf({ file, text }: Source): readonly string[] {
  const [, written] = /^\uFEFF?[ \t]*["']?resource["']?[ \t]*:[ \t]*["']?(\w+)/m.exec(text) ?? []
  const named = file.replace(/^.*[\\/]/, '').replace(/\.yaml$/, '')
  return written === undefined ? [named] : [written, named]
}

/** A document with its texts, and the ones of its application that it names. */
interface WithTexts extends Required<Collected<Document<unknown>>> {
  readonly used: readonly Source[]
}

/**
 * The document with the texts in their places, each as `textOf` has it; a file that is not there is a complaint, and the
 * map stays.
 */
function withTexts(document: Document<unknown>, texts: readonly Source[], textOf: (text: Source) => Source): WithTexts {
  const { value, place } = document
  const automations = isObject(value as Json) ? (value as { automations?: Json }).automations : undefined
  if (!isObject(automations)) return { value: document, diagnostics: [], used: [] }
  const diagnostics: Diagnostic[] = []
  const used: { readonly at: Path; readonly text: Source }[] = []
  const folder = posix.dirname(place([]).source.file)
  const filled = (node: Json, at: Path): Json => {
    if (Array.isArray(node)) return node.map((item, index) => filled(item, [...at, index]))
    if (!isObject(node)) return node
    const name = fileIn(node)
    if (name === undefined)
      return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, filled(item, [...at, key])]))
    const found = texts.find(({ file }) => file === posix.join(folder, name))
    if (found !== undefined) {
      used.push({ at, text: found })
      return textOf(found)
        .text.replace(/^\uFEFF/, '')
        .trimEnd()
    }
    diagnostics.push({ ...missing(name, place([]).source.file, texts), span: place([...at, 'file']) })
    return node
  }
  const whole = filled(automations, ['automations'])
  // A mistake in a text of another application is told there.
  const others = used.filter(({ text }) => textOf(text) !== text)
  const placeWith: typeof place = (path, part) => {
    const other = others.find(({ at }) => at.every((key, index) => path[index] === key))
    return other === undefined ? place(path, part) : nodeOfText(textOf(other.text)).place([])
  }
  return {
    value: { value: { ...(value as object), automations: whole }, place: placeWith },
    diagnostics,
    used: used.map(({ text }) => text),
  }
}

/** The file that a map names. */
function fileIn(node: { readonly [key: string]: Json }): string | undefined {
  const { file, ...others } = node
  return typeof file === 'string' && Object.keys(others).length === 0 && file.endsWith('.liquid') ? file : undefined
}

function missing(name: string, beside: string, texts: readonly Source[]): Diagnostic {
  const folder = posix.dirname(beside)
  const known = texts.map(({ file }) => posix.relative(folder, file))
  const near = nearest(name, known)
  const hint = near === undefined ? `make ${posix.join(folder, name)}` : `did you mean "${near}"?`
  return { code: 'source_unreadable', message: `There is no file ${name} beside ${posix.basename(beside)}`, hint }
}
