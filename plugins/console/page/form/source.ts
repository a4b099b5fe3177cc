/** Where the picker of a relation finds what it offers: in its choices, or in the list of the other resource. */
import { type Catalog, idOf, type RecordData } from '../client/catalog.ts'
import type { Draft, Input } from './draft.ts'
import { listSource, type Source } from './picker.tsx'

/** The source for an input; undefined where its writer sees no list of the other records. */
export function sourceOf(
  catalog: Catalog,
  { name, relation }: Input,
  record: RecordData,
  draft: Draft,
): Source | undefined {
  const target = relation?.to === undefined ? undefined : catalog.resources[relation.to]
  if (relation?.choices === undefined) return target?.actions.includes('list') ? listSource(target) : undefined
  const id = idOf(record)
  // What depends on another answer of the form is judged by it, although it is not stored yet.
  const { [name]: _, ...others } = draft
  const query = {
    ...(id === '' ? {} : { id }),
    ...(Object.keys(others).length === 0 ? {} : { record: JSON.stringify(others) }),
  }
  const one = target?.actions.includes('get')
    ? { one: (key: string) => `${target.path}/${encodeURIComponent(key)}` }
    : {}
  return {
    path: relation.choices,
    query,
    canSearch: target?.list?.search !== undefined,
    titleOf: (row) => String(row.title ?? row.id ?? ''),
    ...one,
  }
}
