/** `plinth start`: the application is served until the process is asked to stop, then what is in flight is finished. */
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { Engine } from '../engine.ts'
import { sentenceOf } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Settings } from '../settings.ts'
import { inTurns } from '../turns.ts'
import { showDiagnostics, shownInstances } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import type { Watching } from './watch.ts'

async function fillWithExamples(engine: Engine): Promise<void> {
  if (!engine.app.composition.commands.has('demo')) {
    throw new Error('No plugin of this application has example data: none gives the command demo.')
  }
  if ((await engine.command('demo', [])) !== 0) throw new Error('The example data could not be made.')
}

async function listen(engine: Engine, port: number): Promise<readonly string[]> {
  try {
    return (await engine.listen()).lines
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    throw taken ? new Error(`Port ${port} is taken by another process; set PORT to a free one.`) : error
  }
}

/**
 * Nearly all that a start makes is kept, and V8 answers that by more room for what is new: 32 MB, which it never gives
 * back. So the room stays as it is while `work` runs; requests, whose objects soon go, may have more afterwards. Of what
 * they leave behind V8 would collect nothing until the heap is several times of what it holds.
 */
async function inLittleRoom<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--semi-space-growth-factor=1')
  try {
    return await work()
  } finally {
    // V8's own factor.
    setFlagsFromString('--semi-space-growth-factor=2')
    setFlagsFromString('--heap-growing-percent=100')
  }
}

/** An engine that listens, and what people should read of it. */
interface Begun {
  readonly engine: Engine
  readonly lines: readonly string[]
}

/** Makes the application and has it listen; undefined where its YAML has mistakes, which have been shown. */
async function begin(invocation: Invocation, stop: AbortSignal): Promise<Begun | undefined> {
  const { settings, options, log } = invocation
  const { createEngine } = await import('../engine.ts')
  const { answerWhileStarting } = await import('../http/starting.ts')
  const starting = answerWhileStarting(settings, () => new Date())
  const created = await createEngine({ settings, log, stop }).finally(starting.end)
  showDiagnostics(created, invocation)
  const engine = created.value
  if (engine === undefined) return undefined
  try {
    if (options.demo === true) await fillWithExamples(engine)
    stop.throwIfAborted()
    return { engine, lines: await listen(engine, settings.port) }
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Has every running instance serve the files as they are now, and says what came of it. */
async function rollOutFiles(engine: Engine, invocation: Invocation): Promise<void> {
  const { say, complain } = invocation
  try {
    const rolledOut = await engine.rollOut()
    showDiagnostics(rolledOut, invocation)
    say(rolledOut.value === undefined ? 'What was served is served on.' : shownInstances(rolledOut.value))
  } catch (error) {
    complain(sentenceOf(error))
  }
}

/** What editors work from can wait for requests, and no request for it. */
async function writeBeside(engine: Engine, settings: Settings): Promise<void> {
  if (settings.production) return
  const { writeForEditors } = await import('./for-editors.ts')
  await writeForEditors(engine.app, settings, inTurns)
}

/** The files are watched from before they are read, so that what is saved during the start is served too. */
async function watched(invocation: Invocation): Promise<Watching | undefined> {
  if (invocation.options.watch !== true) return undefined
  const { watchSources } = await import('./watch.ts')
  return watchSources(invocation)
}

/** Serves until the process is told to stop, then lets what is under way finish. */
async function serve({ engine, lines }: Begun, invocation: Invocation, watching?: Watching): Promise<void> {
  const { say, settings, stopped } = invocation
  const written = writeBeside(engine, settings)
  try {
    watching?.follow(engine, written)
    say(lines.join('\n'))
    let rollout: Promise<void> = Promise.resolve()
    invocation.onHangup(() => {
      rollout = rollout.then(() => rollOutFiles(engine, invocation))
    })
    const lost = await Promise.race([stopped, engine.lost])
    await watching?.end()
    await rollout
    if (lost instanceof Error) throw lost
    await Promise.all([engine.close(settings.shutdownDelay), written])
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** What a start that was told to stop came to: it has LIMITS.startEndMs to end what it does in the database. */
async function ended(beginning: Promise<Begun | undefined>): Promise<void> {
  const late = sleep(LIMITS.startEndMs, undefined, { ref: false })
  const begun = await Promise.race([beginning.catch(() => undefined), late])
  await begun?.engine.close()
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { complain, options, stopped } = invocation
  // Before a plugin is imported: whoever edits it wants the lines of its own TypeScript in the stack of an error.
  if (options.watch === true) process.setSourceMapsEnabled(true)
  const stop = new AbortController()
  void stopped.then(() => stop.abort(new Error('the process is told to stop')))
  const watching = await watched(invocation)
  const beginning = inLittleRoom(() => begin(invocation, stop.signal))
  try {
    const begun = await Promise.race([beginning, stopped])
    if (stop.signal.aborted) {
      await ended(beginning)
      return 0
    }
    if (begun === undefined) return 1
    await serve(begun, invocation, watching)
    return 0
  } catch (error) {
    if (stop.signal.aborted) return 0
    complain(sentenceOf(error))
    return 1
  } finally {
    await watching?.end()
  }
}
