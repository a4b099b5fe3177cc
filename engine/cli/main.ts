#!/usr/bin/env node
/** ⇄ The process: its arguments, streams and signals go in, its exit code comes out, and it ends here alone. */
import { readEnvironment } from './environment.ts'
import { runCommandLine } from './run.ts'

/** A drained server ends by itself; this is for what does not let go. */
const STOP_MS = 10_000

const stopped = new Promise<void>((stop) => {
  let asked = false
  const onSignal = (): void => {
    if (asked) process.exit(1)
    asked = true
    stop()
    setTimeout(() => process.exit(1), STOP_MS).unref()
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
})

const code = await runCommandLine(process.argv.slice(2), {
  env: readEnvironment(process.env, process.cwd()),
  say: (text) => void process.stdout.write(`${text}\n`),
  complain: (text) => void process.stderr.write(`${text}\n`),
  color: process.stderr.isTTY && process.env.NO_COLOR === undefined,
  stopped,
})
process.exit(code)
