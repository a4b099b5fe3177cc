/** Where a statement runs: in the open transaction where there is one, else on an ordinary connection. */
import type { Database, Runner } from '../../../engine/index.ts'

/** The embedded database has one connection: whoever asks beside an open transaction waits for itself. */
export function runnerOf(context: { readonly database: Database; readonly transaction?: unknown }): Runner {
  return isRunner(context.transaction) ? context.transaction : context.database.adhoc
}

function isRunner(value: unknown): value is Runner {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    'run' in value &&
    typeof value.run === 'function'
  )
}
