/** ⇄ The files of the page as the build made them, and the HTML that loads them. */
import { readFileSync } from 'node:fs'
import type { Addition } from '../../engine/index.ts'
import { escaped } from '../pages/page.ts'

export interface PageFile {
  readonly type: string
  readonly body: Buffer
}

export interface BuiltPage {
  /** Changes with any file, so that browsers may keep their copies for good. */
  readonly version: string
  readonly script: string
  readonly style: string
  /** The modules that the pages of plugins import, by what follows `plinth-shared:`. */
  readonly shared: Readonly<Record<string, string>>
  readonly files: ReadonlyMap<string, PageFile>
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Where the page lies: next to the compiled plugin, or in dist/ for a plugin that runs from its source. */
const PLACES = [new URL('./page/', import.meta.url), new URL('../../dist/plugins/console/page/', import.meta.url)]

let built: BuiltPage | undefined

/** The page, read on first use; undefined as long as it is not built. */
export function builtPage(): BuiltPage | undefined {
  for (const place of PLACES) built ??= readPage(place)
  return built
}

/** The page in a folder; undefined where none was built. */
export function readPage(place: URL): BuiltPage | undefined {
  try {
    const page = JSON.parse(readFileSync(new URL('page.json', place), 'utf8')) as {
      readonly version: string
      readonly script: string
      readonly style: string
      readonly shared?: Readonly<Record<string, string>>
      readonly files: readonly string[]
    }
    const files = page.files.map((name): [string, PageFile] => {
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
      return [name, { type, body: readFileSync(new URL(name, place)) }]
    })
    return { ...page, shared: page.shared ?? {}, files: new Map(files) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A file of what a plugin adds: its script, which imports the modules of this page, or its style. */
export function addedFile({ plugin, script, style }: Addition, name: string, page: BuiltPage): PageFile | undefined {
  if (name === `${plugin}.css` && style !== undefined) return { type: TYPES.css!, body: Buffer.from(style) }
  if (name !== `${plugin}.js`) return undefined
  const linked = script.replace(/(["'])plinth-shared:([\w-]+)\1/g, (_, quote, shared) => {
    return `${quote}../${page.version}/${page.shared[shared] ?? shared}${quote}`
  })
  return { type: TYPES.js!, body: Buffer.from(linked) }
}

/** The HTML of every screen: `root` is the path of the application, `name` what people call it. */
export function htmlOf({ script, style, version }: BuiltPage, root: string, name: string, watched?: string): string {
  const at = (file: string): string => escaped(`${root}/console/${version}/${file}`)
  // React Aria adds a <style> of its own, which the policy forbids, unless an element has this id.
  return `<!doctype html>
<html lang="en" data-root="${escaped(root)}"${watched === undefined ? '' : ` data-watched="${watched}"`}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escaped(name)}</title>
<link rel="icon" href="${at('icon.svg')}"><link id="react-aria-pressable-style" rel="stylesheet" href="${at(style)}">
<script type="module" src="${at(script)}"></script></head><body>
<div id="page"></div><noscript><p>This page needs JavaScript.</p></noscript>
</body></html>
`
}

/** The HTML in a checkout without a build. */
export function unbuiltHtml(name: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(name)}</title></head><body>
<p>The console is not built yet: run <code>npm run build</code> and start again.</p>
</body></html>
`
}
