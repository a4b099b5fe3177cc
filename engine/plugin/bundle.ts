/** Bundles the page of a plugin for browsers, with what it adds to the console; the result is kept as long as its files are the same. ⇄ */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { BuildFailure, BuildResult, Plugin as Step } from 'esbuild'
import { sentenceOf } from '../error.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import type { Span } from '../text/source.ts'
import { COMPILER, compiling, keep, kept } from './compile.ts'

export interface Bundle {
  /** A module, whose imports of shared modules begin with `plinth-shared:`. */
  readonly script: string
  readonly style: string
  /** The same as CommonJS, so that its exports can be read here. */
  readonly readable: string
  /** The files that it was made of, each with its hash. */
  readonly inputs: Readonly<Record<string, string>>
}

/** What a plugin imports, and the module of the console that it gets. */
const SHARED: Readonly<Record<string, string>> = {
  react: 'react',
  'react/jsx-runtime': 'jsx-runtime',
  'plinth/console': 'kit',
}
const TARGET = ['chrome111', 'firefox115', 'safari16.4']

/** One React and one kit for all: no plugin brings its own. */
const shareModules: Step = {
  name: 'share-modules',
  setup({ onResolve }) {
    onResolve({ filter: /^(react|react\/.*|react-dom|react-dom\/.*|plinth\/.*|plinth)$/ }, ({ path }) => {
      const name = SHARED[path]
      if (name !== undefined) return { path: `plinth-shared:${name}`, external: true }
      const known = Object.keys(SHARED).join(', ')
      return { errors: [{ text: `The page of a plugin cannot import "${path}"; the console shares ${known}` }] }
    })
  },
}

/**
 * The page of a plugin as one script and one style. Where the file is not there, what the build made of it is taken: the
 * same name with the ending .json. The diagnostics are the compiler's, with their places.
 */
export async function bundled(file: string): Promise<Collected<Bundle>> {
  const built = file.replace(/\.tsx?$/, '.json')
  if (!existsSync(file) && existsSync(built))
    return { value: JSON.parse(readFileSync(built, 'utf8')) as Bundle, diagnostics: [] }
  const name = `page-${createHash('sha256').update(`${COMPILER}\0${file}`).digest('hex')}.json`
  const before = await kept(name)
  const known = before === undefined ? undefined : (JSON.parse(before) as Bundle)
  if (known !== undefined && Object.entries(known.inputs).every(([path, hash]) => hashOf(path) === hash))
    return { value: known, diagnostics: [] }
  try {
    const value = await compiling(({ build, transform }) => made(file, { build, transform }))
    await keep(name, JSON.stringify(value))
    return { value, diagnostics: [] }
  } catch (error) {
    return { diagnostics: mistakesIn(error, dirname(file)) }
  }
}

async function made(file: string, { build, transform }: Pick<typeof import('esbuild'), 'build' | 'transform'>) {
  const folder = dirname(file)
  const result = await build({
    absWorkingDir: folder,
    entryPoints: { page: file },
    outdir: folder,
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: TARGET,
    jsx: 'automatic',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
    // No tsconfig.json decides how a plugin runs.
    tsconfigRaw: {},
    plugins: [shareModules],
  })
  const textOf = (end: string) => result.outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ''
  const script = textOf('.js')
  const { code } = await transform(script, { format: 'cjs', logLevel: 'silent' })
  return { script, style: textOf('.css'), readable: code, inputs: inputsOf(result, folder) }
}

function inputsOf({ metafile }: BuildResult<{ metafile: true }>, folder: string): Bundle['inputs'] {
  const paths = Object.keys(metafile.inputs).map((path) => resolve(folder, path))
  return Object.fromEntries(paths.map((path) => [path, hashOf(path)]))
}

function hashOf(path: string): string {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return ''
  }
}

/** The mistakes that the compiler found, each at its place in the text. */
function mistakesIn(error: unknown, folder: string): readonly Diagnostic[] {
  const { errors } = error as Partial<BuildFailure>
  if (!Array.isArray(errors)) return [{ code: 'plugin_failed', message: sentenceOf(error) }]
  return (errors as BuildFailure['errors']).map(({ location, text }) => {
    const span = location === null ? undefined : spanOf(location, folder)
    return { code: 'plugin_failed', message: text, ...(span === undefined ? {} : { span }) }
  })
}

/** The compiler counts lines from 1, and bytes within them from 0. */
function spanOf(
  location: { readonly file: string; readonly line: number; readonly column: number; readonly length: number },
  folder: string,
): Span | undefined {
  const path = resolve(folder, location.file)
  try {
    const text = readFileSync(path, 'utf8')
    const lines = text.split('\n')
    const begin = lines.slice(0, location.line - 1).reduce((sum, line) => sum + line.length + 1, 0)
    const bytes = Buffer.from(lines[location.line - 1] ?? '')
    const lengthOf = (count: number) => bytes.subarray(0, count).toString().length
    const [start, end] = [lengthOf(location.column), lengthOf(location.column + location.length)]
    const source = { file: relative(process.cwd(), path), text }
    return { source, start: begin + start, end: begin + Math.max(end, start + 1) }
  } catch {
    return undefined
  }
}
