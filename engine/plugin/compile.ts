/** Compiles a plugin's TypeScript to JavaScript for every supported Node, and keeps the result. ⇄ */

import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { sentenceOf } from '../error.ts'

/** The number of compiled files that are kept; when there are more, all are compiled again. */
const KEPT = 1_000
/** The compiler is a process of its own; it ends after this time without work. */
const LINGER_MS = 1_000

const PACKAGE = createRequire(import.meta.url).resolve('esbuild/package.json')
/** Next to the compiler, where packages keep such files; never next to the sources. */
const CACHE = resolve(dirname(PACKAGE), '..', '.cache', 'plinth')
/** The version of the compiler. */
export const COMPILER = (createRequire(import.meta.url)(PACKAGE) as { readonly version: string }).version

let working = 0

/** Does work with the compiler, which ends a while after the last of it. */
export async function compiling<T>(work: (compiler: typeof import('esbuild')) => Promise<T>): Promise<T> {
  const compiler = await import('esbuild')
  working += 1
  try {
    return await work(compiler)
  } finally {
    working -= 1
    setTimeout(() => working === 0 && compiler.stop(), LINGER_MS).unref()
  }
}

/** Throws the mistake in the file, with its place. */
async function transformed(file: string, text: string): Promise<string> {
  try {
    const { code } = await compiling(({ transform }) =>
      transform(text, {
        loader: 'ts',
        format: 'esm',
        target: 'node20',
        sourcefile: file,
        sourcemap: 'inline',
        sourcesContent: false,
        logLevel: 'silent',
        // No tsconfig.json decides how a plugin runs.
        tsconfigRaw: {},
      }),
    )
    return code
  } catch (error) {
    throw new Error(sentences(file, error))
  }
}

interface Mistake {
  readonly text: string
  readonly location: { readonly line: number; readonly column: number } | null
}

function sentences(file: string, error: unknown): string {
  const mistakes = error instanceof Error ? (Reflect.get(error, 'errors') as readonly Mistake[] | undefined) : undefined
  if (mistakes === undefined) return sentenceOf(error)
  const shown = relative(process.cwd(), file)
  return mistakes
    .map(({ text, location }) => `${shown}:${location?.line ?? 1}:${(location?.column ?? 0) + 1}: ${text}`)
    .join('\n')
}

/** Keeps a file whole or not at all; if nothing can be written, the next process compiles it again. */
export async function keep(name: string, code: string): Promise<void> {
  try {
    await mkdir(CACHE, { recursive: true })
    if ((await readdir(CACHE)).length > KEPT) {
      await rm(CACHE, { recursive: true, force: true })
      await mkdir(CACHE, { recursive: true })
    }
    const half = join(CACHE, `${randomUUID()}.half`)
    await writeFile(half, code)
    await rename(half, join(CACHE, name))
  } catch {
    // An installation that can only be read.
  }
}

/** A file that was kept; undefined where there is none. */
export function kept(name: string): Promise<string | undefined> {
  return readFile(join(CACHE, name), 'utf8').catch(() => undefined)
}

/** The JavaScript of a TypeScript file; rejects with a sentence with the place of a mistake. */
export async function compiled(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  const hash = createHash('sha256').update(`${COMPILER}\0${file}\0${text}`).digest('hex')
  const name = `${hash}.js`
  const known = await kept(name)
  if (known !== undefined) return known
  const code = await transformed(file, text)
  await keep(name, code)
  return code
}
