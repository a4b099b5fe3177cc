/** What a change that was given up says to people. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Runner } from '../database/database.ts'
import { failureCode } from '../database/failure.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import type { Span } from '../text/source.ts'
import { Amiss, type ApplyOptions, apply, StepFailed } from './apply.ts'
import { Locked } from './in-the-way.ts'
import type { MigrationPlan } from './plan.ts'
import type { Entry } from './standing.ts'
import type { Step } from './step.ts'

/** Where the YAML speaks of what a step changes: the field, else the resource; nowhere for what it no longer names. */
export function place(catalog: Catalog | undefined, { about }: Step): Span | undefined {
  const resources = [...(catalog?.resources.values() ?? [])]
  const resource = resources.find((one) => one.table === about?.table && one.owner === one.name)
  const field = [...(resource?.fields.values() ?? [])].find((one) => one.column === about?.column)
  return field?.span ?? resource?.span
}

/** SQLSTATEs of rows that a step cannot do with: a value, or a rule of the tables. */
const OF_ROWS = /^2[23]/

/** What a change that was given up says to people; nothing was altered. Other failures are thrown on. */
function givenUp(error: unknown, catalog: Catalog | undefined): readonly Diagnostic[] {
  if (error instanceof Amiss) return error.diagnostics
  if (error instanceof Locked)
    return [
      {
        code: 'tables_locked',
        message: error.message,
        hint: 'end that session, or wait until it has ended; then again',
      },
    ]
  if (error instanceof StepFailed && OF_ROWS.test(failureCode(error) ?? '')) {
    const span = place(catalog, error.step)
    const hint = 'nothing was changed: `plinth plan` names the rows'
    return [{ code: 'unsafe_migration', message: error.message, ...(span ? { span } : {}), hint }]
  }
  throw error
}

/** Takes the steps; gives what stands in the way, with everything as it was. */
export async function taken(
  made: MigrationPlan,
  entry: Entry,
  runner: Runner,
  catalog: Catalog | undefined,
  options: ApplyOptions,
): Promise<readonly Diagnostic[]> {
  try {
    await apply(made, entry, runner, options)
    return []
  } catch (error) {
    return givenUp(error, catalog)
  }
}
