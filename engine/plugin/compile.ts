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
const { version } = createRequire(import.meta.url)(PACKAGE) as { readonly version: string }

let working = 0

/** Throws the mistake in the file, with its place. */
async function transformed(file: string, text: string): Promise<string> {
  const { stop, transform } = await import('esbuild')
  working += 1
  try {
    const { code } = await transform(text, {
      loader: 'ts',
      format: 'esm',
      target: 'node20',
      sourcefile: file,
      sourcemap: 'inline',
      sourcesContent: false,
      logLevel: 'silent',
      // No tsconfig.json decides how a plugin runs.
      tsconfigRaw: {},
    })
    return code
  } catch (error) {
    throw new Error(sentences(file, error))
  } finally {
    working -= 1
    setTimeout(() => working === 0 && stop(), LINGER_MS).unref()
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
async function keep(name: string, code: string): Promise<void> {
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

/** The JavaScript of a TypeScript file; rejects with a sentence with the place of a mistake. */
export async function compiled(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  const hash = createHash('sha256').update(`${version}\0${file}\0${text}`).digest('hex')
  const name = `${hash}.js`
  const known = await readFile(join(CACHE, name), 'utf8').catch(() => undefined)
  if (known !== undefined) return known
  const code = await transformed(file, text)
  await keep(name, code)
  return code
}
