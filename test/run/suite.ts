/** uvu's suite with its silences made audible: hooks that throw, things thrown that are no errors, suites never run. */
import * as uvu from 'uvu'

type Handler<T> = (state: T) => unknown
type Suite<T> = ReturnType<typeof uvu.suite<T>>

/** What is known of the file that is running now; emptied by the runner before each file. */
export const watch = {
  /** The test or hook in progress. */
  running: '',
  /** Everything a test or hook threw. */
  thrown: [] as Error[],
  /** Suites that have tests and were not run. */
  idle: new Set<string>(),
  /** Suites that were narrowed with `only`. */
  narrowed: new Set<string>(),
}

/** Empties the watch for the next file. */
export function resetWatch(): void {
  watch.running = ''
  watch.thrown = []
  watch.idle.clear()
  watch.narrowed.clear()
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`not an Error was thrown: ${String(thrown)}`)
}

function watched<T>(where: string, handler: Handler<T>): (state: T) => Promise<void> {
  return async (state) => {
    watch.running = where
    try {
      await handler(state)
    } catch (thrown) {
      const error = asError(thrown)
      watch.thrown.push(error)
      throw error
    }
  }
}

/** As uvu's `suite`: a callable that takes tests, with hooks, and is started by `.run()`. */
export function suite<T = Record<string, unknown>>(name = '', state?: T): Suite<T> {
  const real = uvu.suite<T>(name, state as never)
  const inSuite = (title: string): string => (name === '' ? title : `${name}: ${title}`)
  const add = (to: (title: string, handler: (state: T) => Promise<void>) => void) => {
    return (title: string, handler: Handler<T>): void => {
      watch.idle.add(name)
      to(title, watched(inSuite(title), handler))
    }
  }
  const hook = (kind: string, to: (handler: (state: T) => Promise<void>) => void) => {
    return (handler: Handler<T>): void => to(watched(inSuite(`${kind} hook`), handler))
  }
  const only = add((title, handler) => real.only(title, handler))
  return Object.assign(
    add((title, handler) => real(title, handler)),
    {
      only(title: string, handler: Handler<T>): void {
        watch.narrowed.add(name)
        only(title, handler)
      },
      skip: real.skip,
      before: Object.assign(hook('before', real.before), { each: hook('before each', real.before.each) }),
      after: Object.assign(hook('after', real.after), { each: hook('after each', real.after.each) }),
      run(): void {
        watch.idle.delete(name)
        real.run()
      },
    },
  ) as Suite<T>
}

/** uvu's unnamed suite. */
export const test = suite()
