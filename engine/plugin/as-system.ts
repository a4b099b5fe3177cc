/** Runs what plugins do outside requests and jobs ⇄: their start functions and their commands, as the system. */
import { executionOf, type Foundation, inTransaction, runLeft, type Work } from '../action/execution.ts'
import { pluginContext } from '../action/plugin-context.ts'
import { SYSTEM } from '../actor.ts'
import type { JsonObject } from '../json.ts'
import { exclusively } from '../migration/exclusive.ts'
import type { Composition } from './compose.ts'
import type { StartLine } from './plugin.ts'

/** The part of an application that plugins run in. */
export interface PluginHost {
  readonly foundation: Foundation
  readonly composition: Pick<Composition, 'start'>
}

/** Runs the plugins' start functions, one instance at a time. */
export async function startPlugins(app: PluginHost): Promise<readonly StartLine[]> {
  const lines: StartLine[] = []
  await exclusively(app.foundation.database, async () => {
    for (const { plugin, value } of app.composition.start) {
      lines.push(...(await asSystem(app, plugin, value)))
    }
  })
  return lines
}

/** Runs a plugin's own work as the system, and then what that left for after the commit. */
export async function asSystem<T>(
  { foundation }: PluginHost,
  plugin: string,
  work: (context: ReturnType<typeof pluginContext>) => Promise<T>,
): Promise<T> {
  const left: Work[] = []
  const requestId = `plugin:${plugin}`
  const call = executionOf(foundation, { actor: SYSTEM, requestId, afterCommit: (later) => void left.push(later) })
  const options: JsonObject = foundation.catalog.pluginOptions.get(plugin) ?? {}
  const transaction = <R>(inside: (context: ReturnType<typeof pluginContext>) => Promise<R>): Promise<R> =>
    inTransaction(call, (inner) =>
      inside({ ...pluginContext(inner, options), ...(inner.transaction && { transaction: inner.transaction }) }),
    )
  const result = await work({ ...pluginContext(call, options), ...{ transaction } })
  await runLeft(call, left)
  return result
}
