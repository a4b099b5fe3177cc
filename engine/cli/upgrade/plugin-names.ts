/** Names of the interface of plugins that are gone or will go ⇄, in the code of plugins: imports, and members. */
import { readFile } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { filesBelow } from '../../disk/below.ts'
import type { Diagnostic } from '../../text/diagnostic.ts'
import type { Source } from '../../text/source.ts'
import { membersIn } from './members.ts'
import { type EarlierName, type EarlierWord, earlierWords } from './words.ts'

const CODE = /(?<!\.d)\.[mc]?[jt]sx?$/
const CLAUSE = /^[ \t]*(?:import|export)\b[^'"{;]*\{([^}]*)\}\s*from\s*(['"])plinth(?:\/test)?\2/gm
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g
const NAME = /(?:\btype\s+)?([\w$]+)(\s+as\s+[\w$]+)?\s*(?:,|$)/g

/** The code of the plugins in a folder, by the path from where the person works. */
export async function pluginCode(folder: string): Promise<readonly Source[]> {
  const isLeftOut = (name: string): boolean => name === 'node_modules'
  const paths = [...filesBelow(folder, { isLeftOut })].filter((path) => CODE.test(path)).sort()
  const shown = (path: string) => relative(process.cwd(), path).split(sep).join('/')
  return Promise.all(paths.map(async (path) => ({ file: shown(path), text: await readFile(path, 'utf8') })))
}

/** The earlier names in code, in the order of their places. */
export function earlierNamesIn(words: readonly EarlierWord[], code: readonly Source[]): readonly EarlierName[] {
  return code.flatMap((source) =>
    [...importsIn(words, source), ...membersIn(words, source)].sort((a, b) => a.span.start - b.span.start),
  )
}

function importsIn(words: readonly EarlierWord[], source: Source): readonly EarlierName[] {
  const known = new Map(words.flatMap((word) => (word.import === undefined ? [] : [[word.import, word] as const])))
  return [...source.text.matchAll(CLAUSE)].flatMap((clause): readonly EarlierName[] => {
    const names = clause[1] ?? ''
    const begin = clause.index + clause[0].indexOf('{') + 1
    const bare = names.replace(COMMENT, (comment) => ' '.repeat(comment.length))
    return [...bare.matchAll(NAME)].flatMap(({ 0: all, 1: name = '', 2: own, index }): readonly EarlierName[] => {
      const word = known.get(name)
      if (word === undefined) return []
      const start = begin + index + all.indexOf(name, all.startsWith('type ') ? 5 : 0)
      // The code goes on with the name that it knows.
      const becomes = word.is && (own === undefined ? `${word.is} as ${name}` : word.is)
      return [{ word, span: { source, start, end: start + name.length }, becomes }]
    })
  })
}

/** A warning for each earlier name. */
export function nameWarnings(found: readonly EarlierName[]): readonly Diagnostic[] {
  return found.map(({ word, span }): Diagnostic => {
    const { goes, is, says, version } = word
    const when = goes === undefined ? `went with version ${version}` : `goes with version ${goes}`
    const message = `"${word.import ?? word.member}" ${when} from the interface of plugins: ${says}`
    const does = word.import === undefined ? 'writes' : 'imports'
    const hint = is === undefined ? 'change the code' : `\`plinth upgrade\` ${does} "${is}" instead`
    return { code: 'earlier_name', severity: 'warning', message, span, hint }
  })
}

/** The same for all code of the plugins in a folder. */
export async function warningsOfCode(folder: string): Promise<readonly Diagnostic[]> {
  const code = await pluginCode(folder)
  return code.length === 0 ? [] : nameWarnings(earlierNamesIn(await earlierWords(), code))
}

/** The files with the present names. */
export function withPresentNames(found: readonly EarlierName[]): ReadonlyMap<Source, string> {
  const texts = new Map<Source, string>()
  // From the end, so that the places before stay.
  for (const { span, becomes } of [...found].reverse()) {
    if (becomes === undefined) continue
    const { source, start, end } = span
    const text = texts.get(source) ?? source.text
    texts.set(source, `${text.slice(0, start)}${becomes}${text.slice(end)}`)
  }
  return texts
}
