#!/usr/bin/env node
/** ⇄ The program: gives a command line the process's arguments, streams and signals, and ends the process with its code. */
import { readEnvironment } from './environment.ts'
import { runCommandLine } from './run.ts'

/** A server that has finished its requests ends by itself; after this time the process ends with some unfinished. */
const STOP_MS = 10_000

const stopped = new Promise<void>((stop) => {
  let asked = false
  const end: (sentence: string) => never = (sentence) => {
    process.stderr.write(`${sentence}\n`)
    process.exit(1)
  }
  const onSignal = (signal: string): void => {
    if (asked) end(`Ended by a second ${signal}; requests under way were cut off.`)
    asked = true
    process.stderr.write(`Stopping on ${signal}: requests under way have ${STOP_MS / 1_000} s to finish.\n`)
    stop()
    setTimeout(() => end('Ended: not everything was finished in time.'), STOP_MS).unref()
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
