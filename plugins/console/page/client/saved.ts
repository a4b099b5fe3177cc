/** Views that people saved: records of the resource of saved views, where the application has it. */
import { useEffect, useSyncExternalStore } from 'react'
import { ask, rowsIn } from './api.ts'
import { type Catalog, idOf, isRecord, type Named, type RecordData } from './catalog.ts'
import { newListeners } from './listeners.ts'
import { useSession } from './session.ts'

/** The resource of the plugin that keeps them. */
const RESOURCE = 'saved_views'
/** The most that a menu shows. */
const MOST = 100

interface State {
  readonly of: string
  readonly views: readonly RecordData[]
}

let state: State = { of: '', views: [] }
const listeners = newListeners()

/** The resource of saved views; undefined where the reader has none. */
export function savedResource({ resources }: Catalog): Named | undefined {
  const resource = Object.hasOwn(resources, RESOURCE) ? resources[RESOURCE] : undefined
  return resource?.actions.includes('list') === true ? { name: RESOURCE, resource } : undefined
}

/** Reads them again; those before stay until the next ones are there, or where nobody answers. */
export async function readSaved(catalog: Catalog, of = state.of): Promise<void> {
  const named = savedResource(catalog)
  if (named === undefined) return
  const answer = await ask(`${named.resource.path}?per_page=${MOST}`).catch(() => undefined)
  if (answer === undefined) return
  state = { of, views: rowsIn(answer) }
  listeners.tell()
}

/** The saved views that the reader has, by their names. */
export function useSaved(catalog: Catalog): readonly RecordData[] {
  const { ended, token, turn } = useSession()
  const now = useSyncExternalStore(listeners.add, () => state)
  const of = `${turn} ${token === undefined}`
  useEffect(() => {
    if (!ended && state.of !== of) {
      state = { of, views: [] }
      void readSaved(catalog, of)
    }
  }, [catalog, ended, of])
  return now.of === of ? now.views.filter(({ resource }) => Object.hasOwn(catalog.resources, String(resource))) : []
}

/** The address of a saved view: all that it says, and its id. */
export function savedQuery(view: RecordData): URLSearchParams {
  const query = new URLSearchParams(String(view.query ?? ''))
  if (isRecord(view.where)) query.set('where', JSON.stringify(view.where))
  query.set('saved', idOf(view))
  return query
}
