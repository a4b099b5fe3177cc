/** ⇄ The files that the page loads: its own, and those of the reader, read from where it is installed. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { SCRIPT, STYLE } from './page.ts'

/** One file by the name that its content or its version gives it, so that browsers may keep it for good. */
export interface PageFile {
  readonly name: string
  readonly type: string
  read(): Promise<Buffer | string>
}

export interface PageFiles {
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
  readonly byName: ReadonlyMap<string, PageFile>
}

const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' } as const

function own(name: string, kind: keyof typeof TYPES, text: string): PageFile {
  const print = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { name: `${name}.${print}.${kind}`, type: TYPES[kind], read: async () => text }
}

function installed(folder: string, version: string, name: string, kind: keyof typeof TYPES): PageFile {
  return {
    name: `${name}.${version}.${kind}`,
    type: TYPES[kind],
    read: () => readFile(join(folder, `${name}.${kind}`)),
  }
}

let found: Promise<PageFiles> | undefined

/** The files of the page, found when the page is first asked for. Rejects when the reader is not installed. */
export function pageFiles(): Promise<PageFiles> {
  found ??= findFiles()
  return found
}

async function findFiles(): Promise<PageFiles> {
  const manifest = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json')
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string }
  const folder = dirname(manifest)
  const styles = [installed(folder, version, 'swagger-ui', 'css'), own('reference', 'css', STYLE)]
  const scripts = [installed(folder, version, 'swagger-ui-bundle', 'js'), own('reference', 'js', SCRIPT)]
  return {
    styles: styles.map((file) => file.name),
    scripts: scripts.map((file) => file.name),
    byName: new Map([...styles, ...scripts].map((file) => [file.name, file])),
  }
}
