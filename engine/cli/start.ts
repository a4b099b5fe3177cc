/** `plinth start`: serves the application until the process is asked to stop, and then finishes the open requests. */
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { Engine } from '../engine.ts'
import { sentenceOf } from '../error.ts'
import { LIMITS } from '../limits.ts'
import type { Settings } from '../settings.ts'
import { inTurns } from '../turns.ts'
import { showDiagnostics, shownInstances } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { warningsOfCode } from './upgrade/plugin-names.ts'
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
 * Runs `work` without more room for new objects: V8 gives a start 32 MB, because nearly all that it makes is kept. Afterwards
 * requests may have the room, and garbage is collected before the heap is several times its content. Three starts of the
 * desk peaked at 155 to 166 MB with these flags, and at 168 to 186 MB without; what they held later was the same.
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

/** A listening engine, and the lines for the person who started it. */
interface Begun {
  readonly engine: Engine
  readonly lines: readonly string[]
}

/** Makes the application and lets it listen; undefined on mistakes in its YAML, which are shown. */
async function begin(invocation: Invocation, stop: AbortSignal): Promise<Begun | undefined> {
  const { options, log } = invocation
  const settings: Settings = { ...invocation.settings, ...(options.watch === true ? { watched: true } : {}) }
  const { createEngine } = await import('../engine.ts')
  const { answerWhileStarting } = await import('../http/starting.ts')
  const starting = answerWhileStarting(settings, () => new Date())
  const created = await createEngine({ settings, log, stop }).finally(starting.end)
  // A name that is gone may be why a plugin could not be imported.
  const earlier = await warningsOfCode(settings.pluginsDir)
  showDiagnostics({ diagnostics: [...created.diagnostics, ...earlier] }, invocation)
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

/** Makes every running instance serve the present files, and reports the outcome. */
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

/** The files for editors can wait for requests, and no request waits for them. */
async function writeBeside(engine: Engine, settings: Settings): Promise<void> {
  if (settings.production) return
  const { writeForEditors } = await import('./for-editors.ts')
  await writeForEditors(engine.app, settings, inTurns)
  const { keepLock } = await import('./accept.ts')
  await keepLock(engine.app, { settings })
}

/** Watches before reading, so that changes during the start are not missed. */
async function watched(invocation: Invocation): Promise<Watching | undefined> {
  if (invocation.options.watch !== true) return undefined
  const { watchSources } = await import('./watch.ts')
  return watchSources(invocation)
}

/** Serves until the process is told to stop, then lets open work finish. */
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

/** The end of a start that was told to stop: it has LIMITS.startEndMs to end its work in the database. */
async function ended(beginning: Promise<Begun | undefined>): Promise<void> {
  const late = sleep(LIMITS.startEndMs, undefined, { ref: false })
  const begun = await Promise.race([beginning.catch(() => undefined), late])
  await begun?.engine.close()
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { complain, options, stopped } = invocation
  // Before a plugin is imported: its author wants lines of TypeScript in the stack of an error.
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
