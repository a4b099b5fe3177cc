#!/usr/bin/env node
/**
 * The program ⇄: gives a command line the arguments, streams and signals of the process, and ends the process with its
 * code.
 */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { setFlagsFromString } from 'node:v8'

/** The environment with the variables of a `.env` file in `folder`; those that are set already win. */
function readEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Readonly<Record<string, string | undefined>> {
  let text: string
  try {
    text = readFileSync(`${folder}/.env`, 'utf8')
  } catch {
    return env
  }
  return { ...parseEnv(text), ...env }
}

/** Commands that open the embedded database and soon end. */
const BRIEF: ReadonlySet<string | undefined> = new Set(['add', 'doctor', 'explain', 'history', 'plan', 'test'])

// The database is WebAssembly, which V8 compiles once more where it runs often: half the processor time of such a command
// went there, and only longer work wins it back.
if (BRIEF.has(process.argv[2])) setFlagsFromString('--liftoff-only')

/** A server that has finished its requests ends by itself; after this time the process ends anyway. */
const STOP_MS = 10_000

/** How long requests are served before that, in milliseconds; known once the environment is read. */
let delayMs = 0

/** The action for a SIGHUP; without one it ends the process like SIGTERM. */
let hungUp: (() => void) | undefined

// Before anything else is loaded: without a listener, a signal ends the process as a failure.
const stopped = new Promise<void>((stop) => {
  let asked = false
  const end: (sentence: string) => never = (sentence) => {
    process.stderr.write(`${sentence}\n`)
    process.exit(1)
  }
  const onSignal = (signal: string): void => {
    if (asked) end(`Ended by a second ${signal}; requests under way were cut off.`)
    asked = true
    const seconds = (STOP_MS + delayMs) / 1_000
    process.stderr.write(`Stopping on ${signal}: requests under way have ${seconds} s to finish.\n`)
    stop()
    setTimeout(() => end('Ended: not everything was finished in time.'), STOP_MS + delayMs).unref()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('SIGHUP', (signal) => (hungUp === undefined ? onSignal(signal) : hungUp()))
})

// Before the packages are loaded, which would end an older Node with their own words.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Plinth needs Node 20.19 or later, and this is Node ${process.versions.node}.\n`)
  process.exit(1)
}

const { runCommandLine } = await import('./run.ts')
const { readSettings } = await import('../settings.ts')

const env = readEnvironment(process.env, process.cwd())
delayMs = readSettings(env).value?.shutdownDelay ?? 0
const code = await runCommandLine(process.argv.slice(2), {
  env,
  say: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  color: process.stderr.isTTY && process.env.NO_COLOR === undefined,
  stopped,
  onHangup(act) {
    // A terminal that closes sends SIGHUP too, and means that the program should end.
    if (!process.stdin.isTTY && !process.stdout.isTTY) hungUp = act
  },
})
// The end of the process would cut off what a pipe has not taken yet; a reader that left takes nothing more.
const written = [process.stdout, process.stderr].map(
  (stream) => new Promise<void>((resolve) => stream.on('error', () => resolve()).write('', () => resolve())),
)
await Promise.all(written)
process.exit(code)
