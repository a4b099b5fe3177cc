/** The project's own files as the conventions see them: what they import, how long they and their functions are. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

export interface SourceFile {
  /** Relative to the project, with forward slashes. */
  readonly path: string
  readonly text: string
  /** The text without comments and without what stands in plain strings. */
  readonly code: string
  readonly imports: readonly string[]
  /** Those of `imports` that bring more than types. */
  readonly valueImports: readonly string[]
}

export interface Comment {
  readonly path: string
  /** The line that it starts on. */
  readonly line: number
  /** Its words on one line, without names of the code in backticks. */
  readonly words: string
}

export interface FunctionLength {
  readonly path: string
  readonly line: number
  readonly name: string
  readonly lines: number
}

/** A block at the start of a line, or the rest of a line; others are in texts of the code. */
const COMMENT = /(?<=^[ \t]*)\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*(?:\n[ \t]*\/\/.*)*/gm
const STATIC_IMPORT = /^(?:import|export)\b[^'"]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'/gm
const TYPE_IMPORT = /^(?:import|export) type\b[^'"]*?\bfrom\s+'[^']+'/gm
const DYNAMIC_IMPORT = /\bimport\(\s*'([^']+)'/g
const OPENS =
  /^(\s*)(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\s*\*?\s*(\w*)|const\s+(\w+)\b.*=>\s*\{$|(?:async\s+)?(?!if|for|while|switch|catch|return|else)(\w+)\(.*\{$)/

/** The entry files of the plugins that come with Plinth. */
export function pluginEntries(): readonly string[] {
  return projectFiles().filter((path) => /^plugins\/(\w+\/){1,2}index\.ts$/.test(path))
}

/** Every file of the project that is kept or about to be, sorted. */
export function projectFiles(): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  return listed
    .split('\n')
    .filter((path) => path !== '' && existsSync(path))
    .sort()
}

/** The TypeScript among `files` below one of `folders`, read. */
export function readSources(files: readonly string[], folders: readonly string[]): readonly SourceFile[] {
  return files
    .filter((path) => /\.tsx?$/.test(path) && folders.some((folder) => path.startsWith(`${folder}/`)))
    .map((path) => {
      const text = readFileSync(path, 'utf8')
      return {
        path,
        text,
        code: stripped(text),
        imports: importsIn(text),
        valueImports: importsIn(text.replace(TYPE_IMPORT, '')),
      }
    })
}

function importsIn(text: string): readonly string[] {
  const found = [...text.matchAll(STATIC_IMPORT), ...text.matchAll(DYNAMIC_IMPORT)]
  return found.map((match) => match[1] ?? match[2] ?? '')
}

function stripped(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '')
    .replace(/'(?:[^'\\\n]|\\.)*'/g, "''")
}

/** The comments of a formatted file; line comments under each other are one. */
export function comments({ path, text }: SourceFile): readonly Comment[] {
  return [...text.matchAll(COMMENT)].map(({ 0: comment, index }) => ({
    path,
    line: text.slice(0, index).split('\n').length,
    words: comment
      .replace(/^[ \t]*(?:\/\*+|\*+\/?|\/\/)|\*\/$/gm, '')
      .replace(/`[^`]*`/g, '``')
      .replace(/\s+/g, ' ')
      .trim(),
  }))
}

/** Where a relative import leads, relative to the project; undefined for a package. */
export function importedPath(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(from), specifier)) : undefined
}

/** The package of a bare specifier: `@scope/name/sub` gives `@scope/name`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** The length of every function of a formatted file: from its first line to the brace under it. */
export function functionLengths(file: SourceFile): readonly FunctionLength[] {
  const lines = file.text.split('\n')
  return lines.flatMap((line, index) => {
    const match = OPENS.exec(line)
    if (match === null) return []
    const end = lines.findIndex(
      (later, at) => at > index && new RegExp(`^${match[1]}\\}(?:, \\[[^\\]]*\\]\\))?[,;)]*$`).test(later),
    )
    if (end === -1) return []
    const name = match[2] || match[3] || match[4] || 'function'
    return [{ path: file.path, line: index + 1, name, lines: end - index + 1 }]
  })
}

/** The circles of a graph of imports, each as the files that reach each other, in the order of the alphabet. */
export function circles(targets: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const reached = new Map([...targets.keys()].map((file) => [file, reachedFrom(file, targets)]))
  const found = new Set<string>()
  for (const [file, others] of reached) {
    if (!others.has(file)) continue
    const circle = [...others].filter((other) => reached.get(other)?.has(file))
    found.add(circle.sort().join(' ⇄ '))
  }
  return [...found].sort()
}

/** The files that a file imports, and those that they import, and so on; itself only where it is in a circle. */
function reachedFrom(file: string, targets: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = [...(targets.get(file) ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue
    reached.add(next)
    waiting.push(...(targets.get(next) ?? []))
  }
  return reached
}
