/** `plinth/console`: what the pages of plugins import. Its names and React 19 are a promise until the next major version. */
import { words } from '../words/words.ts'

export type { Can, Catalog, Field, Json, Named, RecordData, Relation, Resource } from '../client/catalog.ts'
export { idOf, nameOf, titleOf, valueAt } from '../client/catalog.ts'
export { notify } from '../client/notices.ts'
export { go, hrefOf, usePlace } from '../client/place.ts'
export type { Condition, View } from '../client/said.ts'
export { countText, durationText, momentText, Related, Value, valueText, wordText } from '../format.tsx'
export { Icon } from '../shell/icon.tsx'
export { Failed, Loading } from '../shell/parts.tsx'
export { ViewHead } from '../shell/view-head.tsx'
export * from './define.ts'
export { useCatalog } from './known.ts'
export * from './records.ts'
export * from './widgets.tsx'

/** The words in the language of the reader; those of the first language where the plugin has no others. */
export function useWords<T>(all: Readonly<Record<string, T>>): T {
  const own = all[words().language]
  const [first] = Object.values(all)
  if (own === undefined && first === undefined) throw new Error('There are no words')
  return (own ?? first) as T
}
