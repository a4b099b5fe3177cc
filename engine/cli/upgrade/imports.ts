/** Names of the interface of plugins that are gone or will go ⇄: found in the code of plugins by their imports. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Diagnostic } from '../../text/diagnostic.ts'
import type { Source, Span } from '../../text/source.ts'
import { type EarlierWord, earlierWords } from './words.ts'

/** A name that is imported, at its place. */
interface EarlierImport {
  readonly word: EarlierWord
  readonly span: Span
  /** It has another name in its file already: `Old as Own`. */
  readonly isRenamed: boolean
}

const CODE = /(?<!\.d)\.[mc]?[jt]sx?$/
const CLAUSE = /^[ \t]*(?:import|export)\b[^'"{;]*\{([^}]*)\}\s*from\s*(['"])plinth(?:\/test)?\2/gm
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g
const NAME = /(?:\btype\s+)?([\w$]+)(\s+as\s+[\w$]+)?\s*(?:,|$)/g

/** The code of the plugins in a folder, by the path from where the person works. */
export async function pluginCode(folder: string): Promise<readonly Source[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries
    .filter((entry) => entry.isFile() && CODE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.split(sep).includes('node_modules'))
    .sort()
  const shown = (path: string) => relative(process.cwd(), path).split(sep).join('/')
  return Promise.all(paths.map(async (path) => ({ file: shown(path), text: await readFile(path, 'utf8') })))
}

/** The imports of earlier names in code. */
export function earlierImports(words: readonly EarlierWord[], code: readonly Source[]): readonly EarlierImport[] {
  const known = new Map(words.flatMap((word) => (word.import === undefined ? [] : [[word.import, word] as const])))
  return code.flatMap((source) => {
    const { text } = source
    return [...text.matchAll(CLAUSE)].flatMap((clause): readonly EarlierImport[] => {
      const names = clause[1] ?? ''
      const begin = clause.index + clause[0].indexOf('{') + 1
      const bare = names.replace(COMMENT, (comment) => ' '.repeat(comment.length))
      return [...bare.matchAll(NAME)].flatMap(({ 0: all, 1: name = '', 2: own, index }): readonly EarlierImport[] => {
        const word = known.get(name)
        const start = begin + index + all.indexOf(name, all.startsWith('type ') ? 5 : 0)
        const span = { source, start, end: start + name.length }
        return word === undefined ? [] : [{ word, span, isRenamed: own !== undefined }]
      })
    })
  })
}

/** A warning for each import of an earlier name. */
export function importWarnings(found: readonly EarlierImport[]): readonly Diagnostic[] {
  return found.map(({ word, span }): Diagnostic => {
    const { import: name, goes, says, version } = word
    const when = goes === undefined ? `went with version ${version}` : `goes with version ${goes}`
    const message = `"${name}" ${when} from the interface of plugins: ${says}`
    const hint = word.is === undefined ? 'change the code' : `\`plinth upgrade\` imports "${word.is}" instead`
    return { code: 'earlier_name', severity: 'warning', message, span, hint }
  })
}

/** The same for all code of the plugins in a folder. */
export async function warningsOfCode(folder: string): Promise<readonly Diagnostic[]> {
  const code = await pluginCode(folder)
  return code.length === 0 ? [] : importWarnings(earlierImports(await earlierWords(), code))
}

/** The files with the present name of each import; the code goes on with the name that it knows. */
export function withPresentImports(found: readonly EarlierImport[]): ReadonlyMap<Source, string> {
  const texts = new Map<Source, string>()
  // From the end, so that the places before stay.
  for (const { word, span, isRenamed } of [...found].reverse()) {
    if (word.is === undefined) continue
    const { source, start, end } = span
    const text = texts.get(source) ?? source.text
    const own = isRenamed ? '' : ` as ${word.import}`
    texts.set(source, `${text.slice(0, start)}${word.is}${own}${text.slice(end)}`)
  }
  return texts
}
