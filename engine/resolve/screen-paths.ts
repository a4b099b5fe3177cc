/** What screens may name: values that answers have, conditions that lists take, and lists below a record. */
import type { Access, EmbedEntry, Field, FieldPath, Filter } from '../catalog/catalog.ts'
import type { FilterDefinition } from '../definition/definition.ts'
import type { ViewDefinition } from '../definition/screen-schema.ts'
import { type PlacedPath, parseFilter } from '../filter/parse-yaml.ts'
import { leaves } from '../filter/walk.ts'
import type { JsonObject } from '../json.ts'
import type { Span } from '../text/source.ts'
import { accessOf, implies } from './access.ts'
import type { Place } from './document-part.ts'
import { fieldOf, isBroken, relationOf, reportUnknown } from './link-path.ts'
import { linkFilter, linkPlain } from './link.ts'
import type { Draft, Resolution } from './resolution.ts'

/** For whom something is shown. */
export interface Seen {
  readonly resolution: Resolution
  readonly draft: Draft
  /** Alternatives, each the conditions of a clause. */
  readonly audience: readonly (readonly Access[])[]
  readonly view: string
}

/** Those who have a view, or else all who see records of the resource. */
export function audienceOf(draft: Draft, view: ViewDefinition): Seen['audience'] {
  return view.for?.map(accessOf) ?? draft.policies.view.map(({ access }) => access)
}

/** The guards on the way to a value that answers have; undefined with a complaint where they have none. */
export function answered(
  resolution: Resolution,
  draft: Draft,
  segments: readonly string[],
  span: Span,
): readonly (readonly Access[])[] | undefined {
  const [first = '', ...rest] = segments
  const relation = relationOf(resolution, draft, first)
  const field = draft.fields.get(first)
  if (relation === undefined && field === undefined) return reportUnknown(resolution, draft, first, span)
  const name = segments.join('.')
  const hidden = (hint: string): undefined =>
    void resolution.report('wrong_screen', `No answer shows "${name}"`, span, { hint })
  if (relation === undefined || rest.length === 0) {
    const own = field ?? (relation?.kind === 'belongs_to' && relation.embed === undefined ? relation.field : undefined)
    const { read, show } = (relation?.embed === undefined ? own : relation) ?? { show: 'never', read: undefined }
    if (show === 'never' || own?.type.hidden === true) return hidden('name a field that answers show')
    if (rest.length > 0) return hidden(`"${first}" is a value without parts`)
    return read === undefined ? [] : [read]
  }
  if (relation.show === 'never' || relation.embed === undefined)
    return hidden(`add "${rest[0]}" to "embed" of "${relation.name}"`)
  const below = embedded(resolution, draft, relation.name, relation.embed, rest, span)
  return below && [...(relation.read === undefined ? [] : [relation.read]), ...below]
}

function embedded(
  resolution: Resolution,
  draft: Draft,
  owner: string,
  entries: readonly EmbedEntry[],
  [first = '', ...rest]: readonly string[],
  span: Span,
): readonly (readonly Access[])[] | undefined {
  const entry = entries.find(({ name }) => name === first)
  if (entry === undefined) {
    if (isBroken(resolution, draft, owner)) return undefined
    const known = entries.map(({ name }) => name)
    const target = resolution.drafts.get(draft.relations.get(owner)?.target ?? '')
    if (target !== undefined && fieldOf(resolution, target, first) !== undefined) {
      const hint = `add "${first}" to "embed" of "${owner}"`
      return void resolution.report('wrong_screen', `No answer shows "${owner}.${first}"`, span, { hint })
    }
    return reportUnknown(resolution, target ?? draft, first, span, known)
  }
  const { value } = entry
  if (value.kind === 'field') return guards([value.path.field])
  if (rest.length === 0) return guards([value.relation])
  const below = embedded(resolution, draft, owner, value.entries, rest, span)
  return below && [...guards([value.relation]), ...below]
}

function guards(parts: readonly Pick<Field, 'read'>[]): readonly (readonly Access[])[] {
  return parts.flatMap(({ read }) => (read === undefined ? [] : [read]))
}

/** Complains about a value that answers do not have, and warns where some who have the view may not read it. */
export function refuseUnseen({ audience, draft, resolution, view }: Seen, path: string, span: Span): boolean {
  const found = answered(resolution, draft, path.split('.'), span)
  if (found === undefined) return false
  const isKept = (clause: readonly Access[]): boolean =>
    found.some((alternatives) => !alternatives.some((one) => implies(clause, [one])))
  if (audience.some(isKept))
    resolution.report(
      'wrong_screen',
      `Some who have the view "${view}" may not read "${path}"; they do not see it`,
      span,
      {
        hint: 'say with "for" who has the view, or leave it so',
        severity: 'warning',
      },
    )
  return true
}

/** The paths of a condition as written. */
function writtenPaths(where: JsonObject): readonly PlacedPath[] {
  const { filter } = parseFilter(where)
  return filter === undefined ? [] : leaves(filter).map(({ path }) => path)
}

/** The condition under which screens have something, judged by what answers have. */
export function judgeWhen(resolution: Resolution, draft: Draft, when: FilterDefinition | undefined, at: Place): void {
  if (when === undefined || linkPlain(resolution, draft, when, at) === undefined) return
  for (const path of writtenPaths(when)) answered(resolution, draft, path, at(path.where, 'key'))
}

/** Complains about a part of a condition that the list takes from nobody. */
export function refuseUnasked(resolution: Resolution, draft: Draft, where: JsonObject, place: Place): void {
  for (const [key, value] of Object.entries(where)) {
    const part = linkFilter({ ...resolution, report: () => undefined }, draft, { [key]: value }, place)
    const missing = part === undefined ? undefined : unaskedIn(resolution, draft, part)
    if (missing === undefined) continue
    const message =
      missing === DELETED
        ? 'A view knows no deleted records'
        : `The list of "${missing.draft.name}" takes no filter "${missing.name}"`
    const hint =
      missing === DELETED ? 'take with_deleted away' : `add "${missing.name}" to "filters" of "${missing.draft.name}"`
    resolution.report('wrong_screen', message, place([key], 'key'), { hint })
  }
}

const DELETED = 'deleted'
type Missing = typeof DELETED | { readonly draft: Draft; readonly name: string }

function unaskedIn(resolution: Resolution, draft: Draft, filter: Filter): Missing | undefined {
  for (const leaf of leaves(filter)) {
    if (leaf.withDeleted === true) return DELETED
    if (leaf.kind === 'compare') {
      const missing = unasked(resolution, draft, leaf.path)
      if (missing !== undefined) return missing
      continue
    }
    const target = resolution.drafts.get(leaf.path.many.target)
    const missing = target && unaskedIn(resolution, target, leaf.of)
    if (missing !== undefined) return missing
  }
  return undefined
}

/** The filter that is missing where no list takes the path; relations may be followed by whose key a list is filtered. */
function unasked(resolution: Resolution, draft: Draft, { field, relations }: FieldPath): Missing | undefined {
  const nameOf = (path: FieldPath): string =>
    [...path.relations.map((one) => one.name), path.field.relation ?? path.field.name].join('.')
  const declared = new Set(
    [...draft.filters.values()].flatMap((path) => (path.through === undefined ? [nameOf(path)] : [])),
  )
  const [first, ...rest] = relations
  if (declared.has(nameOf({ field, relations })) || (first === undefined && field.name === draft.key.name))
    return undefined
  const next = first === undefined ? undefined : resolution.drafts.get(first.target)
  if (first === undefined || next === undefined) return { draft, name: field.relation ?? field.name }
  if (!declared.has(first.name)) return { draft, name: first.name }
  return unasked(resolution, next, { field, relations: rest })
}

/** The resource whose records are created below one, by the last part of their path; undefined with a complaint. */
export function childAt(resolution: Resolution, draft: Draft, path: string, span: Span): Draft | undefined {
  const below = [...resolution.drafts.values()].flatMap((child) =>
    child.nested.flatMap((one) => (one.relation.target === draft.name ? [{ ...one, child }] : [])),
  )
  const found = below.find((one) => one.path === path && one.actions.includes('create'))
  if (found !== undefined) return found.child
  const known = below.filter(({ actions }) => actions.includes('create')).map((one) => one.path)
  const message = `Nothing can be created at "${path}" below a record of "${draft.name}"`
  resolution.report('wrong_screen', message, span, {
    ...(known.length === 0 ? {} : { expected: known }),
    hint: 'name the path of a resource that has it under "nested", with create',
  })
  return undefined
}
