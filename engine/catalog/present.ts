/** A catalog without earlier names, for what is written now: types and clients that are made from it. */
import type { Catalog, EmbedEntry, Relation, Resource } from './catalog.ts'

/** The same catalog where nothing had another name. */
export function withoutEarlierNames(catalog: Catalog): Catalog {
  if (![...catalog.resources.values()].some(({ earlier }) => earlier !== undefined)) return catalog
  return { ...catalog, resources: new Map([...catalog.resources].map(([name, one]) => [name, present(one)])) }
}

function present(resource: Resource): Resource {
  const { names } = resource.earlier ?? {}
  const known = <T>(entries: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    names === undefined ? entries : new Map([...entries].filter(([name]) => !names.has(name)))
  const fields = [...resource.fields].filter(([, field]) => field.earlier === undefined)
  const relations = [...resource.relations].filter(([, relation]) => relation.earlier === undefined)
  return {
    ...resource,
    earlier: undefined,
    fields: new Map(fields),
    relations: new Map(relations.map(([name, relation]): [string, Relation] => [name, embedding(relation)])),
    filters: known(resource.filters),
    sort: { ...resource.sort, keys: known(resource.sort.keys) },
    summary: resource.summary && { by: known(resource.summary.by), of: known(resource.summary.of) },
  }
}

function embedding(relation: Relation): Relation {
  return relation.embed === undefined ? relation : { ...relation, embed: entriesOf(relation.embed) }
}

function entriesOf(entries: readonly EmbedEntry[]): readonly EmbedEntry[] {
  return entries.flatMap((entry): readonly EmbedEntry[] => {
    if (entry.earlier !== undefined) return []
    const { name, value } = entry
    return value.kind === 'embed' ? [{ name, value: { ...value, entries: entriesOf(value.entries) } }] : [entry]
  })
}
