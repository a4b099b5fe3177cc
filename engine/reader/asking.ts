/** What one class of callers may ask of a list, as JSON: filters, sort keys, the search, and the figures of its summary. */
import { type Asker, isOpen, isSearchable } from '../ask/askable.ts'
import { isKnownPath, takesSeveral } from '../ask/filter-parameters.ts'
import { filterable, readable } from '../ask/policy.ts'
import type { FieldPath, FilterPath, Resource } from '../catalog/catalog.ts'
import type { Json, JsonObject } from '../json.ts'
import { pathName, writtenPath } from '../plan/plan.ts'
import { FIGURES, STEPS } from '../plan/read-plan.ts'

/** The parts of a catalog document that say what a list takes. `resource` is whole, `part` what the caller may read of it. */
export function askingOf(asker: Asker, resource: Resource, part: Resource): JsonObject {
  const search = part.search.filter((path) => isSearchable(asker, resource, path))
  return {
    filters: filtersOf(asker, resource),
    ranges: [...part.ranges.keys()],
    special: Object.fromEntries([...part.specials].map(([name, { values }]) => [name, [...values.keys()]])),
    sort: sortOf(asker, resource),
    ...(search.length === 0 ? {} : { search: { in: search.map(writtenPath), ranked: resource.ranked } }),
    ...(resource.summary === undefined ? {} : { summary: summaryOf(asker, resource.summary) }),
  }
}

function filtersOf(asker: Asker, resource: Resource): JsonObject {
  const { actor, catalog } = asker
  const known = [...resource.filters].filter(([, path]) => isKnownPath({ actor, catalog, resource }, path))
  return Object.fromEntries(known.map(([name, path]) => [name, filterOf(resource, path)]))
}

function filterOf(resource: Resource, path: FilterPath): JsonObject {
  const { field } = path
  return {
    path: writtenPath(path),
    label: field.label,
    type: field.type.name,
    operators: [...field.type.operators],
    several: takesSeveral(resource, field),
    ...wordsOf(field.type.schema(field.options).enum),
    ...(field.values === undefined ? {} : { values: field.values }),
  }
}

function wordsOf(words: unknown): JsonObject {
  return Array.isArray(words) ? { words: words as Json[] } : {}
}

/** Whether a list of the resource may be ordered by the path. */
function isSortable(asker: Asker, resource: Resource, path: FieldPath): boolean {
  return path.relations.length === 0 ? filterable(path, asker.actor) : isOpen(asker, resource, path)
}

function sortOf(asker: Asker, resource: Resource): JsonObject {
  const { default: usual, keys } = resource.sort
  return {
    keys: [...keys].filter(([, path]) => isSortable(asker, resource, path)).map(([name]) => name),
    default: usual
      .filter(({ path }) => isSortable(asker, resource, path))
      .map(({ direction, path }) => `${direction === 'desc' ? '-' : ''}${pathName(path)}`),
  }
}

function summaryOf({ actor }: Asker, summary: NonNullable<Resource['summary']>): JsonObject {
  const namesOf = (fields: typeof summary.by): string[] =>
    [...fields].filter(([, field]) => readable(field, actor)).map(([name]) => name)
  return { by: namesOf(summary.by), of: namesOf(summary.of), steps: [...STEPS], figures: ['count', ...FIGURES] }
}
