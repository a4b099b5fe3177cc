/** Runs test files in several processes, each of which takes the next file when it has finished one. */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FileOrder, FileResult } from './file.ts'

/** What stands before the result of a file in the output of a worker. */
export const RESULT = '\u001eresult '

/** The message after which a process ends. */
export const END = 'end'

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))

interface Worker {
  /** What the file printed, and its result; undefined when the process ended first. */
  run(order: FileOrder): Promise<readonly [printed: string, result: FileResult | undefined]>
  /** Lets the process end, and gives what it prints at its end. */
  end(): Promise<string>
  kill(): void
}

function begin(): Worker {
  const child: ChildProcess = fork(WORKER, [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let printed = ''
  let finished: (result: FileResult | undefined) => void = () => {}
  const ready = new Promise<void>((done) => {
    child.once('message', () => done())
    child.once('close', () => done())
  })
  let isOver = false
  const over = new Promise<void>((done) => {
    child.once('close', () => {
      isOver = true
      finished(undefined)
      done()
    })
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  let unread = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    unread += text
    const at = unread.indexOf(RESULT)
    const end = at < 0 ? -1 : unread.indexOf('\n', at)
    if (end < 0) return
    printed += unread.slice(0, at)
    const result = JSON.parse(unread.slice(at + RESULT.length, end)) as FileResult
    unread = unread.slice(end + 1)
    finished(result)
  })
  return {
    async run(order) {
      await ready
      const result = await new Promise<FileResult | undefined>((done) => {
        finished = done
        if (isOver) done(undefined)
        else child.send(order)
      })
      const all = result === undefined ? printed + unread : printed
      printed = ''
      return [all, result]
    },
    async end() {
      if (!isOver) child.send(END)
      await over
      return printed + unread
    },
    kill: () => child.kill('SIGKILL'),
  }
}

/**
 * Runs the files by so many processes; `told` is called for each as soon as it is finished, and ends the run with false.
 * Gives what the processes printed at their end.
 */
export async function runInWorkers(
  orders: readonly FileOrder[],
  count: number,
  told: (result: FileResult, printed: string) => boolean,
): Promise<string> {
  const waiting = [...orders]
  const work = async (): Promise<string> => {
    let worker: Worker | undefined
    for (let order = waiting.shift(); order !== undefined; order = waiting.shift()) {
      worker ??= begin()
      const started = performance.now()
      const [printed, result] = await worker.run(order)
      if (result === undefined || result.hangs) {
        worker.kill()
        worker = undefined
      }
      const { file } = order
      const ended = {
        file,
        passed: 0,
        failed: 1,
        skipped: 0,
        ms: performance.now() - started,
        cpuMs: 0,
        left: [],
        hangs: true,
      }
      const goesOn =
        result === undefined ? told(ended, `${printed}\n✘ ${file}\nits process ended\n`) : told(result, printed)
      if (!goesOn) waiting.length = 0
    }
    return worker?.end() ?? ''
  }
  return (await Promise.all(Array.from({ length: count }, work))).join('')
}
