/** ⇄ Tells every instance which tables changed, so that each reads again the records that it keeps of them. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Logger } from '../observe.ts'
import type { Store } from '../store/store.ts'
import type { CachedTables } from './cached-tables.ts'

/** The channel on which instances tell each other. */
const CHANGES = 'changes'

type Process = { readonly store: Store; readonly log: Logger }

/**
 * After a change of a table: this instance reads the kept records again and tells the others. Never rejects, because
 * the change is committed: records that could not be read again are read by the next request.
 */
export function changeTeller({ store, log }: Process, cachedTables: CachedTables) {
  return async (table: string): Promise<void> => {
    // The others are told even when nothing is kept here: another instance may have been asked for these records.
    await cachedTables.changed(table).catch((error: unknown) => logFailure(log, error, table))
    await store.publish(CHANGES, `${cachedTables.id} ${table}`)
  }
}

/** Reads kept records again when another instance says that their table changed; `current` is the app that serves now. */
export function hearChanges(
  { store, log }: Process,
  current: () => { readonly catalog: Catalog; readonly cachedTables: CachedTables },
): void {
  const reread = (table: string): void => {
    current()
      .cachedTables.changed(table)
      .catch((error: unknown) => logFailure(log, error, table))
  }
  store.subscribe(
    CHANGES,
    (message) => {
      const [sender, table = ''] = message.split(' ')
      // The instance that sent the message has read the table already.
      if (sender !== current().cachedTables.id) reread(table)
    },
    () => {
      for (const table of new Set([...current().catalog.resources.values()].map((one) => one.table))) reread(table)
    },
  )
}

function logFailure(log: Logger, error: unknown, table: string): void {
  log.warn({ err: error, table }, 'kept records could not be read again')
}
