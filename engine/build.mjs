/**
 * Makes dist/ from the TypeScript of engine/ and plugins/ when it is out of date; with `--run …`, then runs that command
 * line. The compiler checks it all and writes the types. The code becomes few files, because Node spends a quarter of a
 * start on finding and reading eight hundred.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const stamp = join(dist, '.built')
const program = join(dist, 'engine', 'cli', 'main.js')
const folders = ['engine', 'plugins']
/** Code that several entry points share, below dist/. */
const parts = join('engine', 'parts')
/** What browsers load: it is bundled by a build of its own, and never run by Node. */
const page = join('plugins', 'console', 'page')

/** The files below a folder of the project, relative to the project; none when there is no such folder. */
function filesUnder(base, folder) {
  if (!existsSync(join(base, folder))) return []
  return readdirSync(join(base, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(base, join(entry.parentPath ?? entry.path, entry.name)))
}

/** The compiler's entry file, or undefined in an installation without development dependencies. */
function findCompiler() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  } catch {
    return undefined
  }
}

function isUpToDate(sources) {
  if (!existsSync(stamp)) return false
  const built = statSync(stamp).mtimeMs
  const watched = [...sources, '.tsconfig.build.json', 'tsconfig.json', 'package-lock.json']
  return watched.every((file) => !existsSync(join(root, file)) || statSync(join(root, file)).mtimeMs <= built)
}

function isAsset(file) {
  return !/\.(tsx?|md)$/.test(file) && file !== join('engine', 'build.mjs') && !file.startsWith(page + sep)
}

function copyAssets(sources) {
  for (const file of sources.filter(isAsset)) {
    mkdirSync(dirname(join(dist, file)), { recursive: true })
    cpSync(join(root, file), join(dist, file))
  }
}

/** Files that are started, or imported by their place: all others become parts of these. */
function entryPoints(sources) {
  const own = ['cli/main', 'index', 'testing/index', 'plugin/module-hooks', 'plugin/register', 'plugin/bundle']
  const plugins = sources.filter((file) => /^plugins[\\/](?:[^\\/]+[\\/]){1,2}index\.ts$/.test(file))
  return [...own.map((name) => join('engine', `${name}.ts`)), ...plugins]
}

/** `import.meta.url` means where a file of its own would lie, whichever file its code is written into. */
const keepPlaces = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const place = relative(root, path).replace(/ts$/, 'js').split(sep).join('/')
      const contents = readFileSync(path, 'utf8').replaceAll('import.meta.url', `PLACE_OF("${place}")`)
      return { contents, loader: 'ts' }
    })
  },
}

function withPlaces(path, text) {
  return text.replace(/PLACE_OF\("([^"]+)"\)/g, (_, place) => {
    const from = relative(dirname(path), join(dist, place)).split(sep).join('/')
    return `new URL(${JSON.stringify(from)}, import.meta.url).href`
  })
}

/** Writes the code of all files into few ones; gives their names in dist/. */
async function bundle(sources) {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: entryPoints(sources),
    outdir: dist,
    outbase: root,
    chunkNames: `${parts.split(sep).join('/')}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [keepPlaces],
    write: false,
  })
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, path.endsWith('.js') ? withPlaces(path, text) : text)
  }
  return outputFiles.map(({ path }) => relative(dist, path))
}

/** Writes the page of the console with the types of what plugins import from it; gives the names of its files in dist/. */
async function bundlePage(compiler) {
  const builder = join(root, page, 'build.mjs')
  if (!existsSync(builder)) return []
  const { buildPage } = await import(pathToFileURL(builder).href)
  const names = await buildPage(join(dist, page))
  const { status } = spawnSync(process.execPath, [compiler, '-p', join(page, 'kit')], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('The types of the page of the console cannot be written.')
  return names.map((name) => join(page, name))
}

/** Writes what plugins add to the console as starts read it; gives the names of the files in dist/. */
async function bundleAdditions(sources) {
  const files = sources.filter((file) => /^plugins[\\/](?:[^\\/]+[\\/]){1,2}console\.tsx$/.test(file))
  if (files.length === 0) return []
  const { bundled } = await import(pathToFileURL(join(dist, 'engine', 'plugin', 'bundle.js')).href)
  return Promise.all(
    files.map(async (file) => {
      const { diagnostics, value } = await bundled(join(root, file))
      if (value === undefined) throw new Error(`${file}: ${diagnostics.map(({ message }) => message).join('; ')}`)
      const name = file.replace(/tsx$/, 'json')
      writeFileSync(join(dist, name), JSON.stringify({ ...value, inputs: {} }))
      return name
    }),
  )
}

/**
 * What was made from a source that has gone would still be found and run. Parts of the build before stay until the next
 * one: a process that began with them may not have loaded all of them yet.
 */
function removeOrphans(made, builtBefore) {
  const known = new Set(made)
  for (const file of folders.flatMap((folder) => filesUnder(dist, folder))) {
    const isType = file.endsWith('.d.ts') && ['.ts', '.tsx'].some((end) => existsSync(join(root, file.replace(/\.d\.ts$/, end))))
    // Another build at the same time removes the same files.
    const { mtimeMs = 0 } = statSync(join(dist, file), { throwIfNoEntry: false }) ?? {}
    const isInUse = file.startsWith(parts) && mtimeMs >= builtBefore
    if (!known.has(file) && !isType && !isInUse && !existsSync(join(root, file))) rmSync(join(dist, file), { force: true })
  }
}

async function buildAll(compiler, sources) {
  // Incremental information about output that is not there any more would leave it unmade.
  if (!existsSync(join(dist, 'engine'))) rmSync(join(dist, '.build.tsbuildinfo'), { force: true })
  const startedAt = new Date()
  const builtBefore = existsSync(stamp) ? statSync(stamp).mtimeMs : Number.POSITIVE_INFINITY
  const { status } = spawnSync(process.execPath, [compiler, '-p', '.tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) return status ?? 1
  copyAssets(sources)
  const code = await bundle(sources)
  const pages = await bundlePage(compiler)
  // Last: the program, which makes them, stops the compiler's process a while later, and with it any other work of that process.
  const additions = await bundleAdditions(sources)
  removeOrphans([...code, ...pages, ...additions], builtBefore)
  writeFileSync(stamp, '')
  // Dated to the start: what was saved while the compiler ran is newer than what it made.
  utimesSync(stamp, startedAt, startedAt)
  return 0
}

/** Brings dist/ up to date; gives the exit code. What cannot be compiled here but was compiled elsewhere is good enough to run. */
async function bringUpToDate(mayStay) {
  const compiler = findCompiler()
  const sources = folders.flatMap((folder) => filesUnder(root, folder))
  const hasSources = sources.some((file) => file.endsWith('.ts'))
  if (hasSources && isUpToDate(sources)) return 0
  if (hasSources && compiler !== undefined) return buildAll(compiler, sources)
  if (mayStay && existsSync(program)) return 0
  process.stderr.write('There is nothing to run in dist/ and no compiler to make it: run `npm ci && npm run build`.\n')
  return 1
}

// A package holds one build.
if (process.env.npm_lifecycle_event === 'prepack') rmSync(dist, { recursive: true, force: true })
const run = process.argv.indexOf('--run')
const code = await bringUpToDate(run !== -1)
if (run === -1 || code !== 0) {
  process.exitCode = code
} else {
  // A signal to `npm start` ends npm's shell and reaches nobody else: a process that is left without it stops as if it had.
  const parent = process.ppid
  if (process.env.npm_lifecycle_event !== undefined) {
    setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGTERM'), 250).unref()
  }
  process.argv.splice(1, run, program)
  await import(pathToFileURL(program).href)
}
