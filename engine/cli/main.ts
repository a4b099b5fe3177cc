#!/usr/bin/env node
/** ⇄ The program: gives a command line the process's arguments, streams and signals, and ends the process with its code. */

/** A server that has finished its requests ends by itself; after this time the process ends with some unfinished. */
const STOP_MS = 10_000

/** How long requests are served on before that, in milliseconds; known once the environment is read. */
let delayMs = 0

/** What a SIGHUP asks for; without it, it ends the process as SIGTERM does. */
let hungUp: (() => void) | undefined

// Before anything else is loaded: until a signal is listened to, it ends the process as a failure.
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

// Before the packages are loaded, which end an older Node with words of their own.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Plinth needs Node 20.19 or later, and this is Node ${process.versions.node}.\n`)
  process.exit(1)
}

const { readEnvironment } = await import('./environment.ts')
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
    // A terminal that is closed sends one too, and means that the program should end.
    if (!process.stdin.isTTY && !process.stdout.isTTY) hungUp = act
  },
})
// The end of the process would cut off what a pipe has not taken yet; a reader that left takes nothing more.
const written = [process.stdout, process.stderr].map(
  (stream) => new Promise<void>((resolve) => stream.on('error', () => resolve()).write('', () => resolve())),
)
await Promise.all(written)
process.exit(code)
