/** A real process of the compiled program, for tests of starting, stopping and packing. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

export interface Server {
  readonly url: string
  /** The lines said until the server listened. */
  readonly lines: readonly string[]
  readonly child: ChildProcess
  /** Everything said so far, on both streams. */
  output(): string
  /** Sends a signal; gives the exit code and how long the end took, in milliseconds. */
  stop(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly ms: number }>
}

/** Compiles what is out of date, as `npm start` does. */
export function build(): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['engine/build.mjs'], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the build failed\n${stdout}${stderr}`)
}

/** Node's arguments for the compiled program of this project. */
export const PROGRAM = resolve('dist/engine/cli/main.js')

/** An environment in which nothing of this machine decides what the program does. */
export function bare(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env
  return { PATH, HOME, TMPDIR, PORT: '0', ...env }
}

/** A test that fails before it stops its server leaves none behind. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
})

/** Starts a program and waits until it has said where it listens; rejects with its output when it ends instead. */
export function startServer(
  program: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
): Promise<Server> {
  const child = spawn(process.execPath, [program, 'start', ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let output = ''
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  return new Promise((done, fail) => {
    const hear = (part: Buffer): void => {
      output += String(part)
      const url = /https?:\/\/[\d.]+:\d+/.exec(output)?.[0]
      if (url === undefined || !output.endsWith('\n')) return
      done({
        url,
        lines: output.trimEnd().split('\n'),
        child,
        output: () => output,
        async stop(signal) {
          const started = performance.now()
          child.kill(signal)
          return { code: await ended, ms: performance.now() - started }
        },
      })
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    void ended.then((code) => fail(new Error(`the program ended with ${code} before it listened\n${output}`)))
  })
}
