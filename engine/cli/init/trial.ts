/** ⇄ Tries on a database what was made of it, before anything is written. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rehearse } from '../../action/rehearse.ts'
import { type Boot, readCatalog } from '../../boot/boot.ts'
import type { Database } from '../../database/database.ts'
import { failureCode } from '../../database/failure.ts'
import { tables } from '../../migration/catalog-tables.ts'
import { planFor } from '../../migration/migrate.ts'
import { reason } from '../../migration/plan-text.ts'
import { riskOf } from '../../migration/step.ts'
import { renderDiagnostics } from '../../text/render.ts'

const OWN_MISTAKE = 'What was made of the database cannot be served. That is a mistake of Plinth; nothing was written.'

/** Reads files below `resources/` as an application, in a folder that is gone afterwards. */
export async function bootOf(files: ReadonlyMap<string, string>): Promise<Boot> {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-init-'))
  const resourcesDir = join(folder, 'resources')
  try {
    for (const [name, text] of files) {
      const path = join(resourcesDir, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    }
    const { value, diagnostics } = await readCatalog({ resourcesDir, pluginsDir: join(folder, 'plugins') })
    if (value === undefined) throw new Error(`${OWN_MISTAKE}\n${renderDiagnostics(diagnostics).trimEnd()}`)
    return value
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The user of a connection may have no temporary tables, which the rehearsal needs. */
const NOT_ALLOWED = '42501'

/**
 * Plans the start of an application and has the database prepare its statements, which changes nothing; rejects with what
 * stands in the way. Gives the tables that the start would make beside those that are there, the engine's own left out.
 */
export async function tried({ catalog }: Boot, database: Database): Promise<readonly string[]> {
  const now = new Date()
  const planned = await planFor(catalog, database, now, (runner, fresh, whole) =>
    rehearse(catalog, runner, fresh, whole),
  ).catch((error: unknown) => {
    if (failureCode(error) !== NOT_ALLOWED) throw error
    return planFor(catalog, database, now)
  })
  const { steps } = planned.value
  const wrong = steps.filter((step) => riskOf(step) !== 'safe').map((step) => `  ${step.title}: ${reason(step)}`)
  const diagnostics = planned.diagnostics.length === 0 ? [] : [renderDiagnostics(planned.diagnostics).trimEnd()]
  if (wrong.length + diagnostics.length > 0) throw new Error([OWN_MISTAKE, ...wrong, ...diagnostics].join('\n'))
  return tables(catalog).flatMap(({ name, existing }) => (existing || name.startsWith('plinth_') ? [] : [name]))
}
