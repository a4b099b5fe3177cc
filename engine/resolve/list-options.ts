/** Pass: the options of lists: filters, ranges, special filters, sort keys and search, declared or derived. */

import type { Field, FieldPath, Filter, FilterPath, Resource, SearchPath } from '../catalog/catalog.ts'
import { LIST_PARAMETERS } from '../catalog/list-parameter.ts'
import { isStored } from '../catalog/stored.ts'
import type { SearchDefinition } from '../definition/definition.ts'
import { comparedPaths, leaves } from '../filter/walk.ts'
import { isObject, type JsonObject } from '../json.ts'
import type { DiagnosticCode } from '../text/diagnostic.ts'
import { hintOf } from '../text/nearest.ts'
import type { Span } from '../text/source.ts'
import { type Place, under } from './document-part.ts'
import { linkFilter, linkOrder, sortable } from './link.ts'
import { linkFilterPath, linkPath } from './link-path.ts'
import { type Draft, eachDraft, isBrought, named, type Resolution, suggest, type Written } from './resolution.ts'

const RESERVED_PARAMETERS: ReadonlySet<string> = new Set(LIST_PARAMETERS)

/** Completes what lists understand. */
export function listOptions(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    draft.filters = filters(resolution, written, draft)
    draft.ranges = ranges(resolution, written, draft)
    draft.specials = specials(resolution, written, draft)
    sorting(resolution, written, draft)
    draft.search = search(resolution, written, draft)
    draft.summary = summary(resolution, written, draft)
    const options = searchOptions(written)
    draft.ranked = isObject(options.fields)
    draft.language = options.language
  }
}

function isStoredAndShown(field: Field): boolean {
  return isStored(field) && field.type.hidden !== true && field.show !== 'never'
}

function filters(resolution: Resolution, written: Written, draft: Draft): ReadonlyMap<string, FilterPath> {
  const found = new Map<string, FilterPath>()
  for (const field of draft.fields.values()) {
    const { filterable = false } = field.type
    const derived = filterable || field === draft.key || field.name === 'created_at' || field.relation !== undefined
    if (derived && isStoredAndShown(field) && !RESERVED_PARAMETERS.has(field.name))
      found.set(field.name, { relations: [], field })
  }
  for (const { parameter, path, place } of parameters(written)) {
    if (isReserved(resolution, parameter, path, place([], 'key'))) continue
    const linked = linkFilterPath(resolution, draft, path.split('.'), place([]))
    if (linked === undefined || !askable(resolution, linked, path, 'not_filterable', place([]))) continue
    if (linked.field.count === undefined && linked.field.type.hidden !== true && linked.field.type.operators.length > 0)
      found.set(parameter, linked)
    else resolution.report('not_filterable', `"${path}" cannot be filtered by`, place([]))
  }
  return found
}

interface Parameter {
  readonly parameter: string
  readonly path: string
  readonly place: Place
}

/** `filters:` as a list names parameters after their paths; as a map it names them freely. */
function parameters(written: Written): readonly Parameter[] {
  const { value, place } = written.document
  const declared = value.filters ?? []
  const isList = (given: typeof declared): given is readonly string[] => Array.isArray(given)
  if (isList(declared)) {
    return declared.map((path, index) => ({
      parameter: path,
      path,
      place: under(place, 'filters', index),
    }))
  }
  return Object.entries(declared).flatMap(([parameter, path]) =>
    typeof path === 'string' ? [{ parameter, path, place: under(place, 'filters', parameter) }] : [],
  )
}

/** Whether a parameter has a meaning of its own on every list; `path` is what it should mean. */
function isReserved(resolution: Resolution, parameter: string, path: string, span: ReturnType<Place>): boolean {
  if (!RESERVED_PARAMETERS.has(parameter)) return false
  resolution.report('reserved_name', `"${parameter}" means something on every list already`, span, {
    hint: `give it another name: { another_name: ${path} }`,
  })
  return true
}

function ranges(resolution: Resolution, written: Written, draft: Draft): ReadonlyMap<string, Field> {
  const { value, place } = written.document
  const found = new Map<string, Field>()
  for (const [prefix, name] of Object.entries(value.ranges ?? {})) {
    const span = place(['ranges', prefix])
    const path = linkPath(resolution, draft, name.split('.'), span)
    if (path === undefined || !askable(resolution, path, name, 'not_filterable', span)) continue
    const ordered = path.field.type.operators.includes('gte') && path.field.type.operators.includes('lte')
    const taken = [`${prefix}_from`, `${prefix}_to`].find((parameter) => draft.filters.has(parameter))
    if (path.relations.length > 0)
      resolution.report('not_filterable', 'A range is over a field of the record itself', span)
    else if (!ordered)
      resolution.report('not_filterable', `"${name}" (${path.field.type.name}) has no from and to`, span, {
        hint: 'a range is over a date, a timestamp or a number',
      })
    else if (taken !== undefined)
      resolution.report('name_clash', `"${taken}" is a filter already`, place(['ranges', prefix], 'key'))
    else found.set(prefix, path.field)
  }
  return found
}

/** Parameters that are true or false by a condition of the author's own. */
function conditions(resolution: Resolution, written: Written, draft: Draft): Resource['specials'] {
  const { value, place } = written.document
  const found = new Map<string, { readonly name: string; readonly values: ReadonlyMap<string, Filter> }>()
  for (const [parameter, condition] of Object.entries(value.filters ?? {})) {
    if (!isObject(condition)) continue
    if (isReserved(resolution, parameter, '{ … }', place(['filters', parameter], 'key'))) continue
    const at = under(place, 'filters', parameter)
    const of = linkFilter(resolution, draft, condition, at)
    if (of === undefined || !asksOfShown(resolution, of, condition, at)) continue
    const values = new Map<string, Filter>([
      ['true', of],
      ['false', { kind: 'not', of }],
    ])
    found.set(parameter, { name: parameter, values })
  }
  return found
}

function specials(resolution: Resolution, written: Written, draft: Draft): Resource['specials'] {
  const { value, place } = written.document
  const found = new Map(conditions(resolution, written, draft))
  for (const [parameter, name] of Object.entries(value.special ?? {})) {
    const span = place(['special', parameter])
    const words = resolution.extensions.specials.get(name)
    if (words === undefined) {
      resolution.report(
        'unknown_special',
        `No plugin gives a special filter "${name}"`,
        span,
        named(suggest(name, resolution.extensions.specials.keys())),
      )
      continue
    }
    const key = place(['special', parameter], 'key')
    if (isReserved(resolution, parameter, name, key)) continue
    if (draft.filters.has(parameter) || found.has(parameter)) {
      resolution.report('name_clash', `"${parameter}" is a filter already`, key)
      continue
    }
    found.set(parameter, { name, values: linkWords(resolution, draft, words, span) })
  }
  return found
}

/** A plugin's conditions are written in no YAML file, so complaints point to where the filter is used. */
function linkWords(
  resolution: Resolution,
  draft: Draft,
  words: Readonly<Record<string, JsonObject>>,
  span: ReturnType<Place>,
): ReadonlyMap<string, Filter> {
  const linked = new Map<string, Filter>()
  for (const [word, condition] of Object.entries(words)) {
    const filter = linkFilter(resolution, draft, condition, () => span)
    if (filter !== undefined) linked.set(word, filter)
  }
  return linked
}

function sorting(resolution: Resolution, written: Written, draft: Draft): void {
  const { value, place } = written.document
  const keys = new Map<string, FieldPath>()
  // Every order ends with the id, so that one is always there.
  for (const field of value.sort?.keys === undefined ? draft.fields.values() : [draft.key]) {
    const short =
      field === draft.key || field.type.sortable || field.name === 'created_at' || field.name === 'updated_at'
    if (short && isStoredAndShown(field)) keys.set(field.name, { relations: [], field })
  }
  for (const [index, key] of (value.sort?.keys ?? []).entries()) {
    const span = place(['sort', 'keys', index])
    const path = linkPath(resolution, draft, key.replace(/^-/, '').split('.'), span)
    const name = key.replace(/^-/, '')
    if (path === undefined || !askable(resolution, path, name, 'not_sortable', span)) continue
    if (sortable(resolution, path, span)) keys.set(name, path)
  }
  const order = value.sort?.default ?? 'id'
  const terms =
    typeof order === 'string'
      ? [{ term: order, span: place(['sort', 'default']) }]
      : order.map((term, index) => ({ term, span: place(['sort', 'default', index]) }))
  draft.sort = { keys, default: linkOrder(resolution, draft, terms) }
  const outside = terms.find(({ term }) => value.sort?.keys !== undefined && !keys.has(term.replace(/^-/, '')))
  if (outside !== undefined)
    resolution.report(
      'not_sortable',
      `Lists begin in the order of "${outside.term}", for which nobody can ask`,
      outside.span,
      {
        hint: 'name it under "keys" too',
        severity: 'warning',
      },
    )
}

function search(resolution: Resolution, written: Written, draft: Draft): readonly SearchPath[] {
  const { place, value } = written.document
  if (value.search !== undefined && searchOptions(written).fields === undefined)
    resolution.report('not_searchable', `"search" names no fields`, place(['search']), {
      hint: 'name those in which it looks: fields: [name]',
    })
  else if (value.search !== undefined && searched(written).length === 0 && !isBrought(resolution, written))
    resolution.report('not_searchable', '"search" names no fields, so nobody can search', place(['search']), {
      hint: 'name those in which it looks, or take it away',
      severity: 'warning',
    })
  return searched(written).flatMap(({ path, weight, span }) => {
    const linked = linkFilterPath(resolution, draft, path.split('.'), span)
    if (linked === undefined || !askable(resolution, linked, path, 'not_searchable', span)) return []
    const { field } = linked
    if (field.type.operators.includes('contains') && field.type.wire === 'string' && field.count === undefined)
      return [{ ...linked, weight }]
    resolution.report('not_searchable', `"${path}" (${field.type.name}) is not text`, span, {
      hint: 'search looks for parts of words; use filters for other fields',
    })
    return []
  })
}

/** `search:` as a list is one of fields, and a list of fields gives all the same weight. */
function searched(written: Written) {
  const { fields = [], at } = searchOptions(written)
  const { place } = written.document
  const isList = (given: typeof fields): given is readonly string[] => Array.isArray(given)
  return isList(fields)
    ? fields.map((path, index) => ({ path, weight: 1, span: place([...at, index]) }))
    : Object.entries(fields).map(([path, weight]) => ({ path, weight, span: place([...at, path], 'key') }))
}

/** The options under `search:`, with the path to its fields. */
function searchOptions({ document: { value } }: Written): SearchDefinition & { readonly at: readonly string[] } {
  const { search = {} } = value
  const isList = (given: typeof search): given is readonly string[] => Array.isArray(given)
  return isList(search) ? { fields: search, at: ['search'] } : { ...search, at: ['search', 'fields'] }
}

/** Whether callers may ask for the value; reports it where no answer shows it, because a list that has a record or lacks it would. */
function askable(
  { report }: Resolution,
  { field, relations }: FieldPath,
  name: string,
  code: DiagnosticCode,
  span: Span,
): boolean {
  const steps = [...relations.map((relation) => relation.field), field]
  // Secrets have complaints of their own.
  const hidden = steps.find((one) => one.show === 'never' && one.searched !== true && one.type.hidden !== true)
  if (hidden === undefined) return true
  report(code, `No answer shows "${name}", and callers would learn it by asking`, span, {
    hint: `write "searched: true" at "${hidden.relation ?? hidden.name}" if they may, or leave it out here`,
  })
  return false
}

/** Whether callers may learn what the condition of a filter compares; reports the first value that no answer shows. */
function asksOfShown(resolution: Resolution, filter: Filter, written: JsonObject, place: Place): boolean {
  return pathsOf(filter).every((path) => {
    const name = [...path.relations.map((one) => one.name), path.field.relation ?? path.field.name].join('.')
    return askable(resolution, path, name, 'not_filterable', place(name in written ? [name] : [], 'key'))
  })
}

/** What a condition reads, with the relations that it follows on the way to related records. */
function pathsOf(filter: Filter): readonly FieldPath[] {
  return leaves(filter).flatMap((leaf) => {
    if (leaf.kind === 'compare') return comparedPaths(leaf)
    const { many, relations } = leaf.path
    const steps = many.kind === 'belongs_to' ? [...relations, many] : relations
    const way = steps.map(({ field }, at) => ({ relations: relations.slice(0, at), field }))
    return [...way, ...pathsOf(leaf.of)]
  })
}

type Names = 'by' | 'of'

/** Completes what a summary understands; undefined where the resource has none. */
function summary(resolution: Resolution, written: Written, draft: Draft): Resource['summary'] {
  const { value, place } = written.document
  const asked = value.summary
  if (asked === undefined || asked === false) return undefined
  const all = (able: (field: Field) => boolean): readonly Field[] => [...draft.fields.values()].filter(able)
  const chosen = (kind: Names, able: (field: Field) => boolean): readonly Field[] => {
    const names = asked === true ? undefined : asked[kind]
    if (names === undefined) return all(able)
    return names.flatMap((name, index) => {
      const span = place(['summary', kind, index])
      const relation = draft.relations.get(name)
      const field = relation?.kind === 'belongs_to' ? draft.fields.get(relation.field.name) : draft.fields.get(name)
      if (field === undefined) {
        const known = all(able).map((one) => one.name)
        resolution.report('unknown_field', `There is no field "${name}"`, span, hintOf(name, known))
        return []
      }
      if (able(field)) return [field]
      const what = kind === 'by' ? 'Records cannot be grouped by' : 'There is nothing to sum up of'
      resolution.report('not_summarized', `${what} "${name}" (${field.type.name})`, span, {
        hint:
          kind === 'by'
            ? 'name relations to one record, enums, booleans, dates or timestamps'
            : 'name numbers, dates or timestamps',
      })
      return []
    })
  }
  const named = (fields: readonly Field[]) => new Map(fields.map((field) => [field.name, field]))
  return { by: named(chosen('by', isGroup)), of: named(chosen('of', isFigure)) }
}

function isShown(field: Field): boolean {
  return isStored(field) && field.type.hidden !== true && field.show !== 'never'
}

function isGroup(field: Field): boolean {
  const { name, wire } = field.type
  return isShown(field) && (field.relation !== undefined || name === 'enum' || wire === 'boolean' || isMoment(field))
}

function isFigure(field: Field): boolean {
  if (!isShown(field) || field.relation !== undefined || field.name === 'id') return false
  return isMoment(field) || field.type.name === 'integer' || field.type.name === 'decimal'
}

function isMoment({ type }: Field): boolean {
  return type.wire === 'date' || type.wire === 'timestamp'
}
