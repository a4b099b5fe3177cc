/** ⇄ Tells every instance which tables changed, so that what is kept of them is read again. */
import type { Catalog } from '../catalog/catalog.ts'
import type { Logger } from '../observe.ts'
import type { Store } from '../store/store.ts'
import type { CachedTables } from './cached-tables.ts'

/** The channel on which instances tell each other. */
const CHANGES = 'changes'

type Process = { readonly store: Store; readonly log: Logger }

/**
 * Has kept records of a changed table read again here, and tells the others. Never rejects: the change is committed, and
 * what could not be read is read with the next request.
 */
export function changeTeller({ store, log }: Process, catalog: Catalog, cachedTables: CachedTables) {
  const kept = new Set([...catalog.resources.values()].filter((one) => one.cached).map((one) => one.table))
  return async (table: string): Promise<void> => {
    // Another instance may keep what nobody has asked this one for yet.
    if (!kept.has(table)) return
    await cachedTables.changed(table).catch((error: unknown) => told(log, error, table))
    await store.publish(CHANGES, `${cachedTables.id} ${table}`)
  }
}

/** Reads again what others tell of; `current` is the app that serves now. */
export function hearChanges(
  { store, log }: Process,
  current: () => { readonly catalog: Catalog; readonly cachedTables: CachedTables },
): void {
  const reread = (table: string): void => {
    current()
      .cachedTables.changed(table)
      .catch((error: unknown) => told(log, error, table))
  }
  store.subscribe(
    CHANGES,
    (message) => {
      const [teller, table = ''] = message.split(' ')
      // The teller has read it before it told.
      if (teller !== current().cachedTables.id) reread(table)
    },
    () => {
      for (const table of new Set([...current().catalog.resources.values()].map((one) => one.table))) reread(table)
    },
  )
}

function told(log: Logger, error: unknown, table: string): void {
  log.warn({ err: error, table }, 'kept records could not be read again')
}
