/** The files of an application for changes of their text ⇄: changed in memory, checked, then written. */
import { posix } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Boot, catalogFrom } from '../../boot/boot.ts'
import { nameOf } from '../../boot/extend-resource.ts'
import { withEntry, withItem, without } from '../../definition/edit.ts'
import { parseDocument } from '../../definition/parse.ts'
import type { Sources } from '../../definition/read.ts'
import { APP_KEYS, RESOURCE_KEYS } from '../../definition/schema.ts'
import { flow } from '../../definition/sentence.ts'
import { isObject, type Json, type JsonObject } from '../../json.ts'
import { memo } from '../../memo.ts'
import { restoreFiles, writeFiles } from '../../proposal/write-files.ts'
import type { Collected } from '../../text/diagnostic.ts'
import type { Source } from '../../text/source.ts'

/** The reason for adding nothing, as a sentence for people. */
export class Refused extends Error {}

/** A changed file; without `before` it is new. */
export interface ChangedFile {
  readonly file: string
  readonly before: string | undefined
  readonly after: string
}

/** A changed file as it is by now; the same object each time, because what is made of a source is remembered by it. */
const sourceOf = memo(({ file, after }: ChangedFile): Source => ({ file, text: after }))

const RESOURCE_ORDER = Object.keys(RESOURCE_KEYS)
const APP_ORDER = Object.keys(APP_KEYS)

/** The files of an application during an addition, in memory. */
export class Files {
  readonly #sources: Sources
  readonly #changed = new Map<string, ChangedFile>()

  constructor(sources: Sources) {
    this.#sources = sources
  }

  get app(): string {
    return this.#sources.app.file
  }

  /** The application's own YAML as it is by now. */
  get present(): { readonly app: Source; readonly resources: readonly Source[] } {
    const now = (source: Source): Source => this.#source(source.file) ?? source
    return { app: now(this.#sources.app), resources: this.#sources.resources.map(now) }
  }

  get changed(): readonly ChangedFile[] {
    return [...this.#changed.values()]
  }

  /**
   * The application's own file of a resource. For a plugin's resource it is the file that extends it, made if need be.
   */
  fileOf(resource: string, plugin: string | undefined): string {
    const all = [...this.#sources.resources, ...this.changed.map(sourceOf)]
    const own = all.find((source) => nameOfText(source) === resource)
    if (own !== undefined) return own.file
    const from =
      plugin === undefined ? '' : `# It comes with the plugin ${plugin}; this is what the application adds to it.\n`
    return this.begin(`${resource}.yaml`, `${from}resource: ${resource}\n`)
  }

  /** Begins a resource file next to app.yaml; returns its path. */
  begin(name: string, text: string): string {
    const file = posix.join(posix.dirname(this.app), name)
    if (this.#source(file) !== undefined) throw new Refused(`${file} is there already; nothing is written over.`)
    this.make(file, `# yaml-language-server: $schema=../.plinth/resource.schema.json\n${text}`)
    return file
  }

  /** A new file of any kind. */
  make(file: string, text: string): void {
    this.#changed.set(file, { file, before: undefined, after: text })
  }

  /** Another text of a file of code. */
  rewrite(file: string, before: string, after: string): void {
    this.#changed.set(file, { file, before, after })
  }

  /** The value at a path of keys in a file. */
  valueAt(file: string, path: readonly string[]): Json | undefined {
    let value = parsed(this.#source(file) ?? { file, text: '' })
    for (const key of path) value = isObject(value) ? value[key] : undefined
    return value
  }

  addEntry(file: string, path: readonly string[], name: string, value: Json): void {
    const cure = `added to. Write it yourself: ${path.join('.')}: { ${flow(name)}: ${flow(value)} }`
    this.#change(
      file,
      cure,
      (text) => withEntry(text, path, name, value, this.#order(file)),
      (whole) => within(whole, path, (map) => ({ ...(isObject(map) ? map : {}), [name]: value })),
    )
  }

  addItem(file: string, path: readonly string[], item: Json): void {
    this.#change(
      file,
      `added to. Write it yourself: ${path.join('.')}: ${flow([item])}`,
      (text) => withItem(text, path, item, this.#order(file)),
      (whole) => within(whole, path, (list) => [...(Array.isArray(list) ? list : []), item]),
    )
  }

  /** Takes out the entry or the item at a path, and what is empty by that. */
  remove(file: string, path: readonly (string | number)[]): void {
    this.#change(
      file,
      `taken out. Take it out yourself: ${path.join('.')}`,
      (text) => without(text, path),
      (whole) => withoutValue(whole, path) ?? {},
    )
  }

  /**
   * Writes every changed file if `isWanted` accepts the application as it would be, and none otherwise; on a failure
   * all are as they were. Code is imported from the disk, so it is written before it is judged; nothing names it yet.
   */
  async write(pluginsDir: string, isWanted: (checked: Collected<Boot>) => Promise<boolean>): Promise<boolean> {
    const code = this.changed.filter(({ file }) => !file.endsWith('.yaml'))
    await writeFiles(code)
    try {
      const isWritten = await isWanted(await this.checked(pluginsDir))
      if (isWritten) await writeFiles(this.changed.filter((one) => !code.includes(one)))
      else await restoreFiles(code)
      return isWritten
    } catch (error) {
      await restoreFiles(code)
      throw error
    }
  }

  /** The application with the changes. */
  checked(pluginsDir: string): Promise<Collected<Boot>> {
    const { app: _, resources: __, ...others } = this.#sources
    const { app, resources } = this.present
    const known = new Set(resources.map(({ file }) => file))
    const more = this.changed.filter(({ file }) => file.endsWith('.yaml') && file !== app.file && !known.has(file))
    const own = [...resources, ...more.map(sourceOf)]
    return catalogFrom({ value: { app, resources: own, ...others }, diagnostics: [] }, pluginsDir)
  }

  #order(file: string): readonly string[] {
    return file === this.app ? APP_ORDER : RESOURCE_ORDER
  }

  #source(file: string): Source | undefined {
    const { app, resources } = this.#sources
    const changed = this.#changed.get(file)
    return changed === undefined ? [app, ...resources].find((source) => source.file === file) : sourceOf(changed)
  }

  #change(
    file: string,
    cure: string,
    edit: (text: string) => string | undefined,
    expected: (whole: Json) => Json,
  ): void {
    const source = this.#source(file) ?? { file, text: '' }
    const after = edit(source.text)
    const before = this.#changed.has(file) ? this.#changed.get(file)?.before : source.text
    const changed = { file, before, after: after ?? '' }
    const isRight = after !== undefined && isDeepStrictEqual(parsed(sourceOf(changed)), expected(parsed(source) ?? {}))
    if (!isRight) throw new Refused(`${file} is written in a way that this cannot be ${cure}`)
    this.#changed.set(file, changed)
  }
}

function parsed(source: Source): Json | undefined {
  return parseDocument(source).value?.value as Json | undefined
}

function nameOfText(source: Source): string | undefined {
  const document = parseDocument(source).value
  return document && nameOf(document)
}

function within(whole: Json, [key, ...rest]: readonly string[], change: (value: Json | undefined) => Json): Json {
  const map: JsonObject = isObject(whole) ? whole : {}
  if (key === undefined) return change(whole)
  return { ...map, [key]: rest.length === 0 ? change(map[key]) : within(map[key] ?? {}, rest, change) }
}

/** undefined: nothing is left. */
function withoutValue(whole: Json, [key, ...rest]: readonly (string | number)[]): Json | undefined {
  if (Array.isArray(whole)) {
    const kept = whole.flatMap((one, at) => {
      const left = at !== key ? one : rest.length > 0 ? withoutValue(one, rest) : undefined
      return left === undefined ? [] : [left]
    })
    return kept.length === 0 ? undefined : kept
  }
  if (!isObject(whole) || typeof key !== 'string') return whole
  const { [key]: found, ...others } = whole
  const left = rest.length === 0 ? undefined : withoutValue(found ?? null, rest)
  const kept =
    left === undefined
      ? others
      : Object.fromEntries(Object.entries(whole).map(([name, one]) => [name, name === key ? left : one]))
  return Object.keys(kept).length === 0 ? undefined : kept
}
