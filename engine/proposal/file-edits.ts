/** Changes of the files of an application as data: which files they make, as texts. Pure. */
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { Order } from '../definition/edit.ts'
import { type Edit, edited } from '../definition/edits.ts'
import type { Sources } from '../definition/read.ts'
import { APP_KEYS, RESOURCE_KEYS } from '../definition/schema.ts'
import { languageIn } from '../definition/words.ts'
import { WORDS_KEYS } from '../definition/words-schema.ts'
import type { Source } from '../text/source.ts'
import { type ChangedFile, FileChanged } from './write-files.ts'

/**
 * A change of one file. With an empty path it is about the whole file: `set` gives it a text, and `remove` takes it away.
 */
export interface FileEdit extends Edit {
  /** Its path, as diagnostics name it. */
  readonly file: string
  /** The hash of the text that the change was made for; null: there is no such file yet. */
  readonly hash: string | null
}

/** A change that cannot be made, by its place among the changes. */
export class EditRefused extends Error {
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** The hash of a text, by which a change says what it was made for. */
export function textHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** The files of the application itself, without those below it. */
export function ownFiles({ app, resources, texts, words }: Sources): readonly Source[] {
  return [app, ...resources, ...texts, ...words]
}

const NAME = /^(?:[A-Za-z0-9_][\w.-]*\/)*[A-Za-z0-9_][\w.-]*\.(?:yaml|liquid)$/

/** Whether a file may be made: next to app.yaml or below, and of a kind that is read. */
function isFree(file: string, sources: Sources): boolean {
  const folder = posix.dirname(sources.app.file)
  return file.startsWith(`${folder}/`) && NAME.test(file.slice(folder.length + 1)) && !/\.test\.ya?ml$/.test(file)
}

/**
 * The files that the changes make of the application's own, in the order in which they are first named. Throws EditRefused,
 * and FileChanged where a file is not the one that a change was made for.
 */
export function changedFiles(sources: Sources, edits: readonly FileEdit[]): readonly ChangedFile[] {
  const before = new Map(ownFiles(sources).map(({ file, text }) => [file, text]))
  const after = new Map<string, string | undefined>()
  for (const [at, edit] of edits.entries()) {
    const { file, hash } = edit
    const old = before.get(file)
    if (old === undefined && !isFree(file, sources))
      throw new EditRefused(at, `"${file}" is no file of this application, and none that it could have`)
    const found = old === undefined ? null : textHash(old)
    if (found !== hash) throw new FileChanged(`${file} was changed by somebody else meanwhile; nothing was written.`)
    after.set(file, textAfter(after.has(file) ? after.get(file) : old, edit, at, orderOf(sources, file)))
  }
  return [...after].map(([file, text]) => ({ file, before: before.get(file), after: text }))
}

function orderOf({ app }: Sources, file: string): Order {
  if (languageIn(file) !== undefined) return Object.keys(WORDS_KEYS)
  return Object.keys(file === app.file ? APP_KEYS : RESOURCE_KEYS)
}

function textAfter(text: string | undefined, edit: FileEdit, at: number, order: Order): string | undefined {
  const { file, op, path, value } = edit
  if (path.length === 0) {
    if (op === 'set' && typeof value === 'string') return value
    if (op === 'remove') return undefined
    throw new EditRefused(at, 'of a whole file there are two changes: "set" with its text, and "remove"')
  }
  if (text === undefined) throw new EditRefused(at, `${file} has no text yet: set that first`)
  const made = edited(text, edit, order)
  if ('refused' in made) throw new EditRefused(at, `${file}: ${made.refused}`)
  return made.text
}

/** The same application with other files of its own. */
export function withFiles(sources: Sources, changed: readonly ChangedFile[]): Sources {
  const byFile = new Map(changed.map((one) => [one.file, one]))
  const present = (all: readonly Source[]): readonly Source[] =>
    all.flatMap((source) => {
      const change = byFile.get(source.file)
      if (change === undefined) return [source]
      return change.after === undefined ? [] : [{ file: source.file, text: change.after }]
    })
  const fresh = changed.flatMap(({ after, before, file }) =>
    before === undefined && after !== undefined ? [{ file, text: after }] : [],
  )
  const isWords = ({ file }: Source): boolean => languageIn(file) !== undefined
  const isText = ({ file }: Source): boolean => file.endsWith('.liquid')
  const inOrder = (all: readonly Source[]) => [...all].sort((one, other) => (one.file < other.file ? -1 : 1))
  return {
    ...sources,
    app: present([sources.app])[0] ?? { file: sources.app.file, text: '' },
    resources: inOrder([...present(sources.resources), ...fresh.filter((one) => !isWords(one) && !isText(one))]),
    texts: inOrder([...present(sources.texts), ...fresh.filter(isText)]),
    words: inOrder([...present(sources.words), ...fresh.filter(isWords)]),
  }
}
