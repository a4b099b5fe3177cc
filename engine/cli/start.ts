/** `plinth start`: the application is served until the process is asked to stop, then what is in flight is finished. */
import { createEngine, type Engine } from '../engine.ts'
import { sentenceOf, showDiagnostics } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'
import { writeSchemas } from './schema.ts'
import { watchSources } from './watch.ts'

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

async function serve(engine: Engine, invocation: Invocation): Promise<void> {
  const { settings, options, say, stopped } = invocation
  // Editors complete from what is served; a folder that may not be written to is no reason not to serve.
  if (!settings.production) await writeSchemas(engine.app.composition.vocabulary, settings).catch(() => [])
  if (options.demo === true) await fillWithExamples(engine)
  const lines = await listen(engine, settings.port)
  const unwatch = options.watch === true ? await watchSources(engine, invocation) : undefined
  say(lines.join('\n'))
  await stopped
  await unwatch?.()
}

export async function run(invocation: Invocation): Promise<ExitCode> {
  const { settings, log, complain } = invocation
  let engine: Engine | undefined
  try {
    const created = await createEngine({ settings, log })
    showDiagnostics(created, invocation)
    engine = created.value
    if (engine === undefined) return 1
    await serve(engine, invocation)
    return 0
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  } finally {
    await engine?.close()
  }
}
