/**
 * Plugins as the system, outside requests and jobs ⇄: their start functions, their commands, and the identification of
 * accounts.
 */

import { SYSTEM } from '../actor.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { pluginContext } from '../context/plugin-context.ts'
import type { Database } from '../database/database.ts'
import type { JsonObject } from '../json.ts'
import { exclusively } from '../migration/exclusive.ts'
import { executionOf, type Foundation, inTransaction, runLeft, type Work } from '../run/execution.ts'
import type { Composition } from './compose.ts'
import type { StartLine, SystemContext } from './plugin.ts'

/** The part of an application in which plugins run. */
export interface PluginHost {
  readonly foundation: Foundation
  readonly composition: Pick<Composition, 'start'>
}

/** Runs the start functions of plugins, one instance at a time. */
export async function startPlugins(app: PluginHost): Promise<readonly StartLine[]> {
  const lines: StartLine[] = []
  await exclusively(app.foundation.database, async () => {
    for (const { plugin, value } of app.composition.start) {
      lines.push(...(await asSystem(app, plugin, value)))
    }
  })
  return lines
}

/** Runs work of a plugin as the system, and then the work that it left for after the commit. */
export async function asSystem<T>(
  { foundation }: PluginHost,
  plugin: string,
  work: (context: SystemContext) => Promise<T>,
): Promise<T> {
  const left: Work[] = []
  const requestId = `plugin:${plugin}`
  const call = executionOf(foundation, { actor: SYSTEM, requestId, afterCommit: (later) => void left.push(later) })
  const options: JsonObject = foundation.catalog.pluginOptions.get(plugin) ?? {}
  const transaction: SystemContext['transaction'] = (inside) =>
    inTransaction(call, (inner) =>
      inside({ ...pluginContext(inner, options), ...(inner.transaction && { transaction: inner.transaction }) }),
    )
  const result = await work({ ...pluginContext(call, options), transaction })
  await runLeft(call, left)
  return result
}

/** The lines that are printed only once. */
export function saidOnce(said: readonly StartLine[]): readonly string[] {
  return said.flatMap((line) => (typeof line === 'string' ? [] : [line.once]))
}

const PORT_ZERO = /\bhttps?:\/\/[^\s/]+:0(?=\/|\s|$)/g

/** The lines for the person who starts the application: its address, its database, and those of plugins. */
export function startLines(
  database: Database,
  { name, version, prefix }: Catalog,
  url: string,
  said: readonly StartLine[],
): readonly string[] {
  const durability =
    'an acknowledged write survives a crash of the process, not a loss of power: use PostgreSQL for that'
  return [
    `${name} ${version} at ${url}${prefix}`,
    `Database: ${database.description}${database.kind === 'embedded' ? ` (${durability})` : ''}`,
    // With port 0 the system chooses the port, after plugins have made their lines.
    ...said.map((line) => (typeof line === 'string' ? line : line.once).replace(PORT_ZERO, url)),
  ]
}

/** Finds accounts by the plugin that knows them, within the transaction of the caller. */
export function accountFinder(
  { identify }: Pick<Composition, 'identify'>,
  foundation: () => Foundation,
): Foundation['actorOf'] {
  return async (account, runner) => {
    if (identify === undefined) return null
    const call = executionOf(foundation(), { actor: SYSTEM, requestId: 'account', afterCommit: () => undefined })
    const context = pluginContext(call, identify.options)
    // An open transaction answers everything: it may hold the only connection, and the data that is judged.
    const database = Object.create(context.database, { adhoc: { value: runner } })
    return identify.value({ ...context, database }, String(account))
  }
}
