/** Words of earlier versions ⇄: what the YAML said before, and what takes its place; from the entries of the changelog. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDocument } from '../../definition/parse.ts'
import { isObject, type JsonObject } from '../../json.ts'
import type { Span } from '../../text/source.ts'
import { ownPackage } from '../init/own-package.ts'

/** One way to say the same today. */
export interface Instead {
  /** What is added to the file, by the keys of a resource; `{word}` is the word that it replaces. */
  readonly add?: JsonObject
  /** The resource whose file it is added to, where that is another one. */
  readonly to?: string
}

/** A way that a person may choose. */
export interface Choice extends Instead {
  readonly says: string
  /** The value of the option that means this, which then nobody has to choose. */
  readonly if?: unknown
  /** The word stays where it is. */
  readonly keeps?: true
}

/** A word that the language or a plugin no longer has, or that needs another one with it now. */
export interface EarlierWord extends Instead {
  /** The version that no longer has it. */
  readonly version: string
  /** A name in `hooks` of a resource. */
  readonly hook?: string
  /** A name that plugins import from `plinth` or `plinth/test`. */
  readonly import?: string
  /** A key of `definePlugin` or a member of a context, `plugin.middleware` or `context.records`. */
  readonly member?: string
  /** What took the place of an imported name or a member. */
  readonly is?: string
  /** The version in which the name goes; until then it works, and is warned of. */
  readonly goes?: string
  /** `<plugin>.<key>` in app.yaml. */
  readonly option?: string
  /** The code of a diagnostic in the file of a resource, at an item of its list `in` if there is one. */
  readonly mistake?: string
  readonly in?: string
  /** The resource whose file it is about, where others have another replacement. */
  readonly of?: string
  /** What took its place, for people. */
  readonly says: string
  readonly choose?: readonly Choice[]
}

/** A name at its place in the code of a plugin. */
export interface EarlierName {
  readonly word: EarlierWord
  readonly span: Span
  /** What is written there instead; undefined where nothing took its place. */
  readonly becomes: string | undefined
}

/** All of them, the earliest version first. */
export async function earlierWords(): Promise<readonly EarlierWord[]> {
  const folder = join((await ownPackage()).folder, 'engine', 'changes')
  const versions = (await readdir(folder)).sort()
  const found = await Promise.all(
    versions.map(async (version) => {
      const names = (await readdir(join(folder, version))).filter((name) => name.endsWith('.yaml')).sort()
      const words = await Promise.all(names.map((name) => wordsOf(join(folder, version, name))))
      return words.flat().map((word): EarlierWord => ({ ...word, version }))
    }),
  )
  return found.flat()
}

async function wordsOf(file: string): Promise<readonly Omit<EarlierWord, 'version'>[]> {
  const text = await readFile(file, 'utf8')
  // Most entries have none, and are not worth parsing.
  if (!/^words:/m.test(text)) return []
  const value = parseDocument({ file, text }).value?.value
  return isObject(value) && Array.isArray(value.words) ? (value.words as readonly Omit<EarlierWord, 'version'>[]) : []
}
