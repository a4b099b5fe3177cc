/** Pass: policies become clauses over linked filters; every policy is present, an empty one denies. */

import type { Clause } from '../catalog/catalog.ts'
import type { ClauseDefinition, Document, FilterDefinition, PolicyName } from '../definition/definition.ts'
import { accessOf, declarePermissions } from './access.ts'
import { linkAssignments } from './assign.ts'
import { inside, under } from './document-part.ts'
import { linkDecision } from './link.ts'
import { fieldOf, relationOf, reportUnknown } from './link-path.ts'
import type { Span } from '../text/source.ts'
import { type Draft, eachDraft, fieldNames, type Resolution, suggest, type Written } from './resolution.ts'

export const POLICIES: readonly PolicyName[] = ['view', 'create', 'update', 'delete', 'restore']

/** Completes the policies of every resource and collects the permissions that they, the fields and plugins' keys name. */
export function policies(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    const clauses = (policy: PolicyName): readonly Clause[] => clausesOf(resolution, written, draft, policy)
    draft.policies = {
      view: clauses('view'),
      create: clauses('create'),
      update: clauses('update'),
      delete: clauses('delete'),
      restore: clauses('restore'),
    }
    for (const part of [...draft.fields.values(), ...draft.relations.values()]) {
      declarePermissions(resolution, part.read, draft.name)
      if ('write' in part) declarePermissions(resolution, part.write, draft.name)
    }
    for (const [key, value] of Object.entries(draft.keys)) {
      const named = resolution.extensions.keys.get(key)?.permissions(value) ?? []
      declarePermissions(
        resolution,
        named.map((permission) => ({ kind: 'permission', permission })),
        draft.name,
      )
    }
  }
}

function clausesOf(resolution: Resolution, written: Written, draft: Draft, policy: PolicyName): readonly Clause[] {
  const { value, place } = written.document
  const definitions = value.policies?.[policy] ?? []
  return definitions.flatMap((definition, index) => {
    const clause = clauseOf(
      resolution,
      draft,
      policy,
      inside({ value, place }, ['policies', policy, index], definition),
    )
    return clause === undefined ? [] : [clause]
  })
}

function clauseOf(
  resolution: Resolution,
  draft: Draft,
  policy: PolicyName,
  written: Document<ClauseDefinition>,
): Clause | undefined {
  const { value, place } = written
  const access = accessOf(value)
  declarePermissions(resolution, access, draft.name)
  if (access.length === 0) {
    resolution.report('wrong_access', 'A clause says whom it is about', place([]), {
      expected: ['permission: …', 'role: …', 'who: anyone | signed_in'],
      hint: 'add "who: signed_in" for everyone with a token',
    })
    return undefined
  }
  const writes = policy === 'create' || policy === 'update'
  for (const key of ['fields', 'set'] as const) {
    if (value[key] === undefined || writes) continue
    resolution.report(
      'wrong_access',
      `"${key}" belongs to create and update; ${policy} writes nothing`,
      place([key], 'key'),
      { hint: `take it away, or write it in a clause of create or update` },
    )
  }
  return {
    access,
    where:
      value.where === undefined
        ? undefined
        : linkDecision(resolution, draft, value.where, under(place, 'where'), { record: draft, before: false }),
    fields:
      value.fields === undefined
        ? undefined
        : writable(resolution, draft, value.fields, (index) => place(['fields', index])),
    set: linkAssignments(resolution, draft, value.set, under(place, 'set')),
    span: place([]),
    ...(value.where === undefined ? {} : { wheres: placesOf(value.where, under(place, 'where')) }),
  }
}

/** The places of the conditions in a list `all`; of any other condition the one place. */
function placesOf(where: FilterDefinition, place: Document<unknown>['place']): readonly Span[] {
  const { all, ...others } = where
  if (!Array.isArray(all) || Object.keys(others).length > 0) return [place([])]
  return all.map((_, index) => place(['all', index]))
}

/** The body keys of the named fields and relations. */
function writable(
  resolution: Resolution,
  draft: Draft,
  names: readonly string[],
  place: (index: number) => ReturnType<Document<unknown>['place']>,
): ReadonlySet<string> {
  const keys = names.flatMap((name, index): string[] => {
    const relation = relationOf(resolution, draft, name)
    if (relation?.kind === 'many_to_many') return [relation.writeAs]
    const byKey = [...draft.relations.values()].some((known) => known.kind === 'many_to_many' && known.writeAs === name)
    if (byKey) return [name]
    const field = fieldOf(resolution, draft, name)
    if (field !== undefined && !field.readOnly) return [field.name]
    const known = [...fieldNames(draft, ({ readOnly }) => !readOnly), ...draft.relations.keys()]
    if (field === undefined) return reportUnknown(resolution, draft, name, place(index), known) ?? []
    const message = `"${name}" is read-only and cannot be written`
    resolution.report('unknown_field', message, place(index), suggest(name, known))
    return []
  })
  return new Set(keys)
}
