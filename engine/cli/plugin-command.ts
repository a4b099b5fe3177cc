/** Commands that plugins contribute: found by their word, run as the system on a started engine. */

import { readCatalog } from '../boot/boot.ts'
import { createEngine, type Engine } from '../engine.ts'
import type { Settings } from '../settings.ts'
import { sentenceOf, showDiagnostics } from './application.ts'
import type { ExitCode, Invocation } from './command.ts'

/** The commands of the application's plugins; none while its YAML has mistakes. */
export async function pluginCommands(
  settings: Settings,
): Promise<ReadonlyMap<string, { readonly description: string }>> {
  const { value } = await readCatalog(settings)
  return new Map([...(value?.composition.commands ?? [])].map(([name, command]) => [name, command.value]))
}

/** Runs a plugin's command on an engine of its own; gives the known words when there is no such command. */
export async function runPluginCommand(
  word: string,
  args: readonly string[],
  invocation: Pick<Invocation, 'settings' | 'log' | 'complain' | 'color'>,
): Promise<ExitCode | { readonly known: readonly string[] }> {
  const { settings, log, complain } = invocation
  const known = await pluginCommands(settings)
  if (!known.has(word)) return { known: [...known.keys()] }
  let engine: Engine | undefined
  try {
    const created = await createEngine({ settings, log })
    showDiagnostics(created, invocation)
    engine = created.value
    return engine === undefined ? 1 : await engine.command(word, args)
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  } finally {
    await engine?.close()
  }
}
