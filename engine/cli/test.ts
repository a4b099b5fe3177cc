/** ⇄ `plinth test`: runs the tests of the application by Node's own runner, with TypeScript and `'plinth'` as plugins have them. */
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { LIMITS } from '../limits.ts'
import type { ExitCode, Invocation } from './command.ts'

const TEST = /\.test\.m?[jt]s$/
/** Folders of packages, of what was made, and of editors. */
const LEFT_OUT = /^(?:node_modules|dist|data|coverage|\..*)$/

/** Every test file below a folder, sorted, by paths relative to it. */
async function testFiles(root: string, folder = root): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const found = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return LEFT_OUT.test(entry.name) ? [] : testFiles(root, path)
    return TEST.test(entry.name) ? [relative(root, path).split(sep).join('/')] : []
  })
  return (await Promise.all(found)).flat().sort()
}

/** Node's arguments before the files: those of this process too, which may be what lets it run TypeScript. */
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

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { complain, positionals, settings, stopped } = invocation
  const root = dirname(resolve(settings.resourcesDir))
  const all = await testFiles(root)
  const chosen = all.filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
  if (chosen.length === 0) {
    const none =
      all.length === 0 ? 'There is no *.test.ts here' : `No test file has ${positionals.join(' or ')} in its path`
    complain(`${none}. See "Tests" in plugins/README.md of Plinth.`)
    return 1
  }
  const child = spawn(process.execPath, [...runner(), ...chosen], {
    cwd: root,
    // Within a run of Node's own tests it would report to that run, and say nothing.
    env: { ...settings.env, NODE_TEST_CONTEXT: undefined, ...(invocation.color && { FORCE_COLOR: '1' }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  void stopped.then(() => child.kill())
  const show = (say: (text: string) => void) => (part: Buffer) => say(String(part).replace(/\n$/, ''))
  child.stdout.on('data', show(invocation.say))
  child.stderr.on('data', show(complain))
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', (code) => done(code === 0 ? 0 : 1))
  })
}
