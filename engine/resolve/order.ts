/** Orders as written, `-created_at`, linked to what they sort by; every order ends with the id. */

import type { Field, FieldPath, SortTerm } from '../catalog/catalog.ts'
import type { Span } from '../text/source.ts'
import { linkPath } from './link-path.ts'
import type { Draft, Resolution } from './resolution.ts'

/** Links sort terms, each with an optional leading minus, and adds the id so that pages never repeat a record. */
export function linkOrder(
  resolution: Resolution,
  draft: Draft,
  written: readonly { readonly term: string; readonly span: Span }[],
): readonly SortTerm[] {
  const terms = written.flatMap(({ term, span }) => {
    const path = linkPath(resolution, draft, term.replace(/^-/, '').split('.'), span)
    if (path === undefined || !sortable(resolution, path, span)) return []
    return [{ path, direction: term.startsWith('-') ? 'desc' : 'asc' } as const]
  })
  return withKey(terms, draft.key)
}

/** Whether the database can order by it; reports it if not. */
export function sortable(resolution: Resolution, path: FieldPath, span: Span): boolean {
  const { field } = path
  const ordered = field.count === undefined && field.type.hidden !== true && field.type.wire !== 'json'
  if (!ordered)
    resolution.report(
      'not_sortable',
      `"${field.name}" (${field.count === undefined ? field.type.name : 'a count'}) has no order in the database`,
      span,
      { hint: 'sort by a field with one short value, such as a text, a number, a date or an enum' },
    )
  return ordered
}

function withKey(terms: readonly SortTerm[], key: Field): readonly SortTerm[] {
  if (terms.some(({ path }) => path.relations.length === 0 && path.field === key)) return terms
  return [...terms, { path: { relations: [], field: key }, direction: terms.at(-1)?.direction ?? 'asc' }]
}
