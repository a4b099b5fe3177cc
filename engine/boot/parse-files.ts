/** The stages parse and include of BOOT: the files of one application become documents, with the texts that they name. */
import { posix } from 'node:path'
import { outdentedApp } from '../definition/check.ts'
import type { Document, Path } from '../definition/definition.ts'
import { parseDocument } from '../definition/parse.ts'
import type { Sources } from '../definition/read.ts'
import { isObject, type Json } from '../json.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { nearest } from '../text/nearest.ts'
import type { Source } from '../text/source.ts'
import { each, type Pieces } from '../turns.ts'

/** The documents of one application. */
export interface ParsedFiles {
  /** undefined: app.yaml is no YAML. */
  readonly app: Document<unknown> | undefined
  readonly resources: readonly Document<unknown>[]
  /** The resources of files that cannot be read as YAML. */
  readonly broken: readonly string[]
  /** Complaints about app.yaml, and about the other files. */
  readonly ofApp: readonly Diagnostic[]
  readonly ofResources: readonly Diagnostic[]
}

/** Parses the files of one application. */
export function* parsedFiles({ app, resources, texts }: Omit<Sources, 'base'>): Pieces<ParsedFiles> {
  const first = parseDocument(app)
  const placed = first.value && outdentedApp(first.value)
  const parsed = yield* each(resources, parseDocument)
  const included = parsed.flatMap(({ value }) => (value === undefined ? [] : [withTexts(value, texts)]))
  return {
    app: placed?.value,
    resources: included.map(({ value }) => value),
    broken: resources.flatMap((source, index) => (parsed[index]!.value === undefined ? resourcesOf(source) : [])),
    ofApp: [...first.diagnostics, ...(placed?.diagnostics ?? [])],
    ofResources: [...parsed, ...included].flatMap(({ diagnostics }) => diagnostics),
  }
}

/** The resources that a file without readable YAML probably declares: by its line that says so, and by its name. */
export function resourcesOf({ file, text }: Source): readonly string[] {
  const [, written] = /^\uFEFF?[ \t]*["']?resource["']?[ \t]*:[ \t]*["']?(\w+)/m.exec(text) ?? []
  const named = file.replace(/^.*[\\/]/, '').replace(/\.yaml$/, '')
  return written === undefined ? [named] : [written, named]
}

/** The document with the texts in their places; a file that is not there is a complaint, and the map stays. */
function withTexts(document: Document<unknown>, texts: readonly Source[]): Required<Collected<Document<unknown>>> {
  const { value, place } = document
  const automations = isObject(value as Json) ? (value as { automations?: Json }).automations : undefined
  if (!isObject(automations)) return { value: document, diagnostics: [] }
  const diagnostics: Diagnostic[] = []
  const folder = posix.dirname(place([]).source.file)
  const filled = (node: Json, at: Path): Json => {
    if (Array.isArray(node)) return node.map((item, index) => filled(item, [...at, index]))
    if (!isObject(node)) return node
    const name = fileIn(node)
    if (name === undefined)
      return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, filled(item, [...at, key])]))
    const found = texts.find(({ file }) => file === posix.join(folder, name))
    if (found !== undefined) return found.text.replace(/^\uFEFF/, '').trimEnd()
    diagnostics.push({ ...missing(name, place([]).source.file, texts), span: place([...at, 'file']) })
    return node
  }
  const whole = filled(automations, ['automations'])
  return { value: { value: { ...(value as object), automations: whole }, place }, diagnostics }
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
