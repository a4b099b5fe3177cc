/** What commands work on: the application of the YAML, and its database, opened for one piece of work. */

import { type Boot, readCatalog } from '../boot/boot.ts'
import { thisProgram } from '../program.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { connect, isMade } from '../database/connect.ts'
import type { Database } from '../database/database.ts'
import { sentenceOf } from '../error.ts'
import { refuseOlderProgram } from '../migration/own/facts.ts'
import type { Collected } from '../text/diagnostic.ts'
import { type RenderOptions, renderDiagnostics } from '../text/render.ts'
import type { ExitCode, Invocation } from './command.ts'

/** Shows the collected diagnostics, if any. */
export function showDiagnostics(
  { diagnostics }: Collected<unknown>,
  { complain, color }: Pick<Invocation, 'complain' | 'color'>,
  which: Pick<RenderOptions, 'all' | 'allBy'> = {},
): void {
  if (diagnostics.length > 0) complain(renderDiagnostics(diagnostics, { color, ...which }).trimEnd())
}

/** The application; undefined on mistakes in its YAML, which are shown. Warnings are shown and stop nothing. */
export async function readApplication(
  invocation: Pick<Invocation, 'settings' | 'complain' | 'color'>,
): Promise<Boot | undefined> {
  const read = await readCatalog(invocation.settings)
  showDiagnostics(read, invocation)
  return read.value
}

/** The instances that serve the files as they are now, one line each. */
export function shownInstances(names: readonly string[]): string {
  return names.map((name) => `${name} serves the files as they are now.`).join('\n')
}

/** Whether a database exists; says so where there is none yet. */
export function isBegun({ settings, complain }: Pick<Invocation, 'settings' | 'complain'>): boolean {
  const made = isMade(settings)
  if (!made) complain(`There is no database in ${settings.dataDir} yet: \`plinth start\` makes it.`)
  return made
}

/** Opens the database for `work` on the application; a failure with a sentence for people is shown as that sentence. */
export async function withDatabase(
  invocation: Invocation,
  work: (database: Database, application: Boot) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { settings, log, complain } = invocation
  const application = await readApplication(invocation)
  if (application === undefined) return 1
  let database: Database | undefined
  try {
    database = await connect(settings, { log, joins: true })
    await refuseOlderProgram(database.adhoc, await thisProgram())
    return await work(database, application)
  } catch (error) {
    complain(sentenceOf(error))
    return 1
  } finally {
    await database?.close()
  }
}

/** `tickets.subject` as a table and a column: the resource's own table, where the YAML still has the resource. */
export function tableAndColumn(name: string, catalog: Catalog): readonly [table: string, column?: string] {
  const [resource = '', field] = name.split('.')
  const known = catalog.resources.get(resource)
  const table = known?.table ?? resource
  return field === undefined ? [table] : [table, known?.fields.get(field)?.column ?? field]
}
