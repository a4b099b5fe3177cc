/** A relation that is not for everybody is not told from its other side either, unless that says itself who may read it. */
import type { Access } from '../catalog/catalog.ts'
import { type DraftRelation, eachDraft, type Resolution } from './resolution.ts'

/** Gives relations back to a record the `read` of those that lead there, and what is counted over a relation its own. */
export function otherSides(resolution: Resolution): void {
  const links = new Map<string, readonly Access[]>()
  for (const { draft } of eachDraft(resolution)) {
    for (const relation of draft.relations.values())
      if (relation.kind === 'many_to_many' && relation.read !== undefined)
        links.set(relation.through.table, relation.read)
  }
  for (const { written, draft } of eachDraft(resolution)) {
    for (const relation of draft.relations.values()) {
      if (relation.read !== undefined) continue
      const [read, ...others] = guardsOf(relation, links)
      relation.read = read
      if (others.length === 0) continue
      const place = written.relations.get(relation.name)?.place([], 'key') ?? relation.span
      const message = `"${relation.name}" goes over two relations that are not for everybody`
      resolution.report('wrong_relation', message, place, { hint: 'write "read" beside it: who may read it' })
    }
    for (const field of draft.fields.values())
      if (field.count !== undefined) field.read ??= draft.relations.get(field.count)?.read
  }
}

function guardsOf(
  relation: DraftRelation,
  links: ReadonlyMap<string, readonly Access[]>,
): readonly (readonly Access[])[] {
  if (relation.kind === 'belongs_to') return []
  if (relation.kind === 'has_many') return relation.by.flatMap(({ read }) => (read === undefined ? [] : [read]))
  const read = links.get(relation.through.table)
  return read === undefined ? [] : [read]
}
