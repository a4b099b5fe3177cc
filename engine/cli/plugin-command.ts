/** Commands of plugins: found by their word, run as the system on an engine that has started. */

import { type Boot, readCatalog } from '../boot/boot.ts'
import { createEngine, type Engine } from '../engine.ts'
import { sentenceOf } from '../error.ts'
import type { CommandContribution } from '../plugin/plugin.ts'
import type { Settings } from '../settings.ts'
import type { Collected } from '../text/diagnostic.ts'
import { isBegun, showDiagnostics } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

/** The commands of the application's plugins; none on mistakes in its YAML. */
export async function pluginCommands(settings: Settings): Promise<ReadonlyMap<string, CommandContribution>> {
  return commandsOf(await readCatalog(settings))
}

function commandsOf({ value }: Collected<Boot>): ReadonlyMap<string, CommandContribution> {
  return new Map([...(value?.composition.commands ?? [])].map(([name, command]) => [name, command.value]))
}

/** Runs a plugin's command on an engine of its own; returns the known words where no plugin has the command. */
export async function runPluginCommand(
  word: string,
  args: readonly string[],
  invocation: Pick<Invocation, 'settings' | 'log' | 'say' | 'complain' | 'color'>,
): Promise<ExitCode | { readonly known: readonly string[] }> {
  const { settings, log, say, complain } = invocation
  const read = await readCatalog(settings)
  const known = commandsOf(read)
  const command = known.get(word)
  if (command === undefined) return { known: [...known.keys()] }
  const { begins = true } = command
  const begin = typeof begins === 'boolean' ? begins : begins(args)
  if (!begin && !isBegun(invocation)) return 1
  let engine: Engine | undefined
  try {
    const created = await createEngine({ settings, log, read, begin, joins: true })
    showDiagnostics(created, invocation)
    engine = created.value
    if (engine === undefined) return 1
    if (engine.said.length > 0) say(engine.said.join('\n'))
    return await engine.command(word, args)
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  } finally {
    await engine?.close()
  }
}
