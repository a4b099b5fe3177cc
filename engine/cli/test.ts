/**
 * `plinth test` ⇄: runs the scenarios of the application, and its test files by Node's own runner, with TypeScript as
 * for plugins.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { applicationScenarios } from '../boot/scenario-files.ts'
import { filesBelow } from '../disk/below.ts'
import { sentenceOf } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Settings } from '../settings.ts'
import { showDiagnostics } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { ownPackage } from './init/own-package.ts'
import { testScenarios } from './test-scenarios.ts'

const TEST = /\.test\.m?[jt]s$/
/** Folders of packages, of build results, and of editors. */
const LEFT_OUT = /^(?:node_modules|dist|data|coverage|\..*)$/

/** Every test file below a folder, if it is there. */
function testsBelow(folder: string): readonly string[] {
  const unread = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'ENOENT') throw error
  }
  return [...filesBelow(folder, { isLeftOut: (name) => LEFT_OUT.test(name), unread })].filter((path) => TEST.test(path))
}

/**
 * The test files of the application, sorted, by paths relative to its folder: those of its plugins, of its YAML, and of
 * its folder `test`. Other folders may have runners of their own; the `test` of Plinth's own folder tests Plinth.
 */
async function testFiles(root: string, { pluginsDir, resourcesDir }: Settings): Promise<readonly string[]> {
  const own = (await ownPackage()).folder === root ? [] : [join(root, 'test')]
  const found = [resourcesDir, pluginsDir, ...own].flatMap((folder) => testsBelow(resolve(folder)))
  return [...new Set(found)].map((path) => relative(root, path).split(sep).join('/')).sort()
}

/** Node's arguments before the files, including those of this process, which may be what lets it run TypeScript. */
function runner(): readonly string[] {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const register = new URL(`../plugin/register.${extension}`, import.meta.url).href
  const atOnce = Math.min(availableParallelism(), LIMITS.testsAtOnce)
  return [
    ...process.execArgv,
    ...['--enable-source-maps', '--import', register],
    ...['--test', `--test-concurrency=${atOnce}`, '--test-reporter=spec', '--test-reporter-destination=stdout'],
  ]
}

/** Runs test files in processes of their own; returns whether all passed. */
function runFiles(invocation: Invocation, root: string, files: readonly string[]): Promise<boolean> {
  const { color, complain, say, settings, stopped } = invocation
  const child = spawn(process.execPath, [...runner(), ...files], {
    cwd: root,
    // Inside a run of Node's own tests it would report to that run, and print nothing.
    env: { ...settings.env, NODE_TEST_CONTEXT: undefined, ...(color && { FORCE_COLOR: '1' }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  void stopped.then(() => child.kill())
  const show = (to: (text: string) => void) => (part: Buffer) => to(String(part).replace(/\n$/, ''))
  child.stdout.on('data', show(say))
  child.stderr.on('data', show(complain))
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', (code) => done(code === 0))
  })
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { complain, options, positionals, settings } = invocation
  const mutate = options.mutate === true
  const root = dirname(resolve(settings.resourcesDir))
  const chosen = (path: string): boolean =>
    positionals.length === 0 || positionals.some((part) => path.split(sep).join('/').includes(part))
  try {
    const files = mutate ? [] : (await testFiles(root, settings)).filter(chosen)
    const scenarios = await applicationScenarios(settings.resourcesDir)
    showDiagnostics(scenarios, invocation)
    const sources = scenarios.value.filter(({ source }) => chosen(source.file))
    if (files.length + sources.length === 0) {
      const which = positionals.length === 0 ? '' : ` with ${positionals.join(' or ')} in its path`
      const kinds = mutate ? '*.test.yaml' : '*.test.ts and no *.test.yaml'
      complain(`There is no ${kinds}${which}. See plugins/guide/testing.md of Plinth.`)
      return 1
    }
    const right = sources.length === 0 || (await testScenarios(invocation, sources, mutate ? chosen : undefined))
    const passed = files.length === 0 || (await runFiles(invocation, root, files))
    return right && passed && scenarios.diagnostics.length === 0 ? 0 : 1
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  }
}
