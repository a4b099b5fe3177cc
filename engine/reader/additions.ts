/** What plugins add to the console, for one class of callers: their pages, and the files of what its screens name. */
import type { Asker } from '../ask/askable.ts'
import { allowsAll, holds } from '../ask/policy.ts'
import type { AddedPage } from '../catalog/addition.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'

/** The pages that the caller may open. */
export function pagesFor({ actor, catalog }: Asker): readonly AddedPage[] {
  return [...catalog.additions.values()].flatMap(({ pages }) =>
    pages.filter((page) => isOpenTo(page, { actor, catalog })),
  )
}

function isOpenTo({ access }: AddedPage, { actor, catalog: { explain } }: Asker): boolean {
  if (access !== 'explain') return allowsAll([access], actor)
  return explain !== undefined && holds(actor, explain)
}

/** `additions`: of each plugin that adds something to these screens its version, and what it adds to them. */
export function additionsFor({ actor, catalog }: Asker, resources: JsonObject): JsonObject {
  const named = namedIn(resources)
  const told = [...catalog.additions.values()].flatMap(({ blocks, editors, pages, plugin, style, version, views }) => {
    const open = pages.filter((page) => isOpenTo(page, { actor, catalog }))
    const used = {
      ...filled(
        'pages',
        open.map(({ access: _, icon, ...page }) => ({ ...page, ...(icon === undefined ? {} : { icon }) })),
      ),
      ...filled(
        'editors',
        [...editors.keys()].filter((name) => named.editors.has(name)),
      ),
      ...filled(
        'cells',
        [...editors].flatMap(([name, { hasCell }]) => (hasCell && named.editors.has(name) ? [name] : [])),
      ),
      ...filled(
        'blocks',
        blocks.filter((name) => named.blocks.has(name)),
      ),
      ...filled(
        'views',
        views.filter((name) => named.views.has(name)),
      ),
    }
    if (Object.keys(used).length === 0) return []
    return [{ plugin, version, ...(style === undefined ? {} : { styled: true }), ...used }]
  })
  return told.length === 0 ? {} : { additions: told }
}

function filled(key: string, list: readonly Json[]): JsonObject {
  return list.length === 0 ? {} : { [key]: list }
}

/** The editors, blocks and views that the screens name. */
function namedIn(resources: JsonObject) {
  const [editors, blocks, views] = [new Set<Json>(), new Set<Json>(), new Set<Json>()]
  const partsOf = (value: Json | undefined): readonly JsonObject[] =>
    isObject(value) ? Object.values(value).filter(isObject) : []
  for (const resource of partsOf(resources)) {
    for (const part of [...partsOf(resource.fields), ...partsOf(resource.relations)])
      if (part.widget !== undefined) editors.add(part.widget)
    for (const view of partsOf(resource.views)) if (view.as !== undefined) views.add(view.as)
    const { record } = isObject(resource.layout) ? resource.layout : {}
    for (const column of isObject(record) ? Object.values(record) : [])
      for (const block of Array.isArray(column) ? (column as readonly Json[]).flat() : []) blocks.add(block)
  }
  return { editors, blocks, views }
}
