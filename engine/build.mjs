/** Makes dist/ from the TypeScript of engine/ and plugins/ when it is out of date; with `--run …`, then runs that command line. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const stamp = join(dist, '.built')
const program = join(dist, 'engine', 'cli', 'main.js')
const folders = ['engine', 'plugins']

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
  return !/\.(ts|md)$/.test(file) && file !== join('engine', 'build.mjs')
}

function copyAssets(sources) {
  for (const file of sources.filter(isAsset)) {
    mkdirSync(dirname(join(dist, file)), { recursive: true })
    cpSync(join(root, file), join(dist, file))
  }
}

/** What was compiled from a source that has gone would still be found and run. */
function removeOrphans() {
  for (const file of folders.flatMap((folder) => filesUnder(dist, folder))) {
    const source = file.replace(/(\.d\.ts|\.js\.map|\.js)$/, '.ts')
    if (!existsSync(join(root, source)) && !existsSync(join(root, file))) rmSync(join(dist, file))
  }
}

function build(compiler, sources) {
  // Incremental information about output that is not there any more would leave it unmade.
  if (!existsSync(join(dist, 'engine'))) rmSync(join(dist, '.build.tsbuildinfo'), { force: true })
  const startedAt = new Date()
  const { status } = spawnSync(process.execPath, [compiler, '-p', '.tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) return status ?? 1
  copyAssets(sources)
  removeOrphans()
  writeFileSync(stamp, '')
  // Dated to the start: what was saved while the compiler ran is newer than what it made.
  utimesSync(stamp, startedAt, startedAt)
  return 0
}

/** Brings dist/ up to date; gives the exit code. What cannot be compiled here but was compiled elsewhere is good enough to run. */
function bringUpToDate(mayStay) {
  const compiler = findCompiler()
  const sources = folders.flatMap((folder) => filesUnder(root, folder))
  const hasSources = sources.some((file) => file.endsWith('.ts'))
  if (hasSources && isUpToDate(sources)) return 0
  if (hasSources && compiler !== undefined) return build(compiler, sources)
  if (mayStay && existsSync(program)) return 0
  process.stderr.write('There is nothing to run in dist/ and no compiler to make it: run `npm ci && npm run build`.\n')
  return 1
}

const run = process.argv.indexOf('--run')
const code = bringUpToDate(run !== -1)
if (run === -1 || code !== 0) {
  process.exitCode = code
} else {
  // A signal to `npm start` ends npm's shell and reaches nobody else: whoever is left without it stops as if it had.
  const parent = process.ppid
  if (process.env.npm_lifecycle_event !== undefined) {
    setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGTERM'), 250).unref()
  }
  process.argv.splice(1, run, program)
  await import(pathToFileURL(program).href)
}
