/**
 * Bundles the page of the console into a folder: scripts and style named by their content, the icon, and page.json, which
 * says what the HTML loads. Nothing that it needs is in a production install.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { brotliCompressSync } from 'node:zlib'

const here = dirname(fileURLToPath(import.meta.url))
/** The most bytes that a browser loads before the first list, and altogether, compressed by brotli. */
const MOST = { first: 200_000, all: 400_000, css: 25_000 }
/** The languages whose sentences of React Aria are kept: those of the page's own words. */
const LANGUAGES = ['en-US', 'de-DE']

/** The sentences of the other languages become empty: React Aria falls back to English. */
const fewLanguages = {
  name: 'few-languages',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:react-aria|react-stately|react-aria-components)[\\/].*[\\/]intl[\\/].*\.m?js$/ }, ({ path }) => {
      const [, language] = /([a-z]{2}-[A-Z]{2})\.m?js$/.exec(path) ?? []
      if (language === undefined || LANGUAGES.includes(language)) return undefined
      return { contents: 'export default {}', loader: 'js' }
    })
  },
}

/** The modules that the pages of plugins share with this one, each with what it is made of. */
const SHARED = { react: 'react', 'jsx-runtime': 'react/jsx-runtime', kit: './kit/kit.ts' }

/** React is written for another kind of modules, in which names are values: they are written out. */
const namedExports = {
  name: 'named-exports',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^shared:/ }, ({ path }) => ({ path: path.slice('shared:'.length), namespace: 'shared' }))
    onLoad({ filter: /.*/, namespace: 'shared' }, async ({ path }) => {
      if (path.startsWith('.')) return { contents: `export * from ${JSON.stringify(path)}`, resolveDir: here }
      const names = Object.keys(await import(path)).filter((name) => /^[A-Za-z]\w*$/.test(name) && name !== 'default')
      const contents = `import all from ${JSON.stringify(path)}\nexport default all\nexport const { ${names.join(', ')} } = all\n`
      return { contents, resolveDir: here }
    })
  },
}

function sizeOf(files) {
  return files.reduce((sum, { contents }) => sum + brotliCompressSync(contents).length, 0)
}

/** The names of the scripts that a browser loads at once: those that the first one imports, and what these import. */
function firstScripts({ outputs }) {
  const first = Object.keys(outputs).find((name) => outputs[name].entryPoint === 'main.tsx')
  const found = new Set([first])
  for (const name of found)
    for (const { kind, path } of outputs[name].imports) if (kind === 'import-statement') found.add(path)
  return new Set([...found].map((name) => name.split('/').at(-1)))
}

function refuseLarge(files, metafile) {
  const first = firstScripts(metafile)
  const isScript = ({ path }) => path.endsWith('.js')
  const sizes = {
    first: sizeOf(files.filter((file) => isScript(file) && first.has(file.path.split(sep).at(-1)))),
    all: sizeOf(files.filter(isScript)),
    css: sizeOf(files.filter(({ path }) => path.endsWith('.css'))),
  }
  const shown = (size) => `${(size / 1000).toFixed(1)} kB`
  process.stdout.write(
    `The page of the console has ${shown(sizes.first)} of scripts at first, ${shown(sizes.all)} in all, and ${shown(sizes.css)} of style, compressed.\n`,
  )
  const large = Object.keys(MOST).find((kind) => sizes[kind] > MOST[kind])
  if (large !== undefined) throw new Error(`The page of the console has more than ${MOST[large]} bytes (${large}).`)
}

/** Writes the page into `folder`, in place of what was there; throws when it is too large. Gives the names of its files. */
export async function buildPage(folder) {
  const { build } = await import('esbuild')
  const { metafile, outputFiles } = await build({
    metafile: true,
    absWorkingDir: here,
    entryPoints: {
      main: 'main.tsx',
      style: 'style.css',
      ...Object.fromEntries(Object.entries(SHARED).map(([name, path]) => [name, `shared:${path}`])),
    },
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    plugins: [fewLanguages, namedExports],
    write: false,
  })
  refuseLarge(outputFiles, metafile)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const { contents, path } of outputFiles) writeFileSync(path, contents)
  copyFileSync(join(here, 'icon.svg'), join(folder, 'icon.svg'))
  const names = outputFiles.map(({ path }) => relative(folder, path).split(sep).join('/'))
  const entry = (start, kind) => names.find((name) => name.startsWith(`${start}-`) && name.endsWith(kind))
  const hash = createHash('sha256')
  for (const name of [...names].sort()) hash.update(name)
  hash.update(readFileSync(join(here, 'icon.svg')))
  const page = {
    version: hash.digest('hex').slice(0, 12),
    script: entry('main', '.js'),
    style: entry('style', '.css'),
    shared: Object.fromEntries(Object.keys(SHARED).map((name) => [name, entry(name, '.js')])),
    files: [...names, 'icon.svg'],
  }
  writeFileSync(join(folder, 'page.json'), `${JSON.stringify(page, null, 2)}\n`)
  return [...page.files, 'page.json']
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildPage(join(here, '..', '..', '..', 'dist', 'plugins', 'console', 'page'))
}
