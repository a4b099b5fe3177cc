/** Pass: what follows from a write in another record, linked; entries that would set each other off for ever are refused. */
import type { RelatedFollow } from '../catalog/catalog.ts'
import { columnsFollowing, concernsUpdate } from '../catalog/following.ts'
import type { Document, FollowDefinition } from '../definition/definition.ts'
import { position } from '../text/source.ts'
import { accessOf, declarePermissions } from './access.ts'
import { followParts, followsOfTables, USUAL } from './follows.ts'
import { linkPath, relationOf } from './link-path.ts'
import type { Judging } from './record-operand.ts'
import { type Draft, eachDraft, type Resolution } from './resolution.ts'

/** Links what follows in other records, and gives each resource all that writes of its table set off. */
export function relatedFollows(resolution: Resolution): void {
  const byTable = followsOfTables(resolution, (draft, document) =>
    document.value.of === undefined ? undefined : relatedFollowOf(resolution, draft, document.value.of, document),
  )
  for (const { draft } of eachDraft(resolution)) draft.relatedFollows = byTable.get(draft.owner) ?? []
  refuseCircles(resolution, byTable)
}

function relatedFollowOf(
  resolution: Resolution,
  draft: Draft,
  way: string,
  document: Document<FollowDefinition>,
): RelatedFollow | undefined {
  const { value, place } = document
  const access = accessOf(value)
  declarePermissions(resolution, access, draft.name)
  const led = targetOf(resolution, draft, way, document)
  if (led === undefined) return undefined
  // The record is judged when it is stored, so that what was there before is gone.
  const reason = 'With "of" a record is judged when it is written, and nothing of "$before" is left'
  const judging: Judging = { record: draft, before: false, reason }
  const parts = followParts(resolution, led.target, document, judging)
  if (parts === undefined) return undefined
  for (const { field } of parts.set) {
    if (!field.immutable) continue
    const name = Object.keys(value.set).find((one) => one === field.name || one === field.relation) ?? field.name
    resolution.report('wrong_rule', `"${name}" cannot be changed once it is stored`, place(['set', name], 'key'))
  }
  return { ...parts, on: new Set(value.on ?? USUAL), of: led.of, way, target: led.target.name, access, span: place([]) }
}

/** The foreign key at the end of the way, and the resource whose table it leads to; undefined with a complaint. */
function targetOf(
  resolution: Resolution,
  draft: Draft,
  way: string,
  { place }: Document<FollowDefinition>,
): { readonly of: RelatedFollow['of']; readonly target: Draft } | undefined {
  const segments = way.split('.')
  const of = linkPath(resolution, draft, segments, place(['of']))
  if (of === undefined) return undefined
  const holder = resolution.drafts.get(of.relations.at(-1)?.target ?? draft.name)
  const last = segments.at(-1) ?? ''
  const relation = holder && relationOf(resolution, holder, last)
  const named = relation?.kind === 'belongs_to' ? resolution.drafts.get(relation.target) : undefined
  const target = named && resolution.drafts.get(named.owner)
  if (target !== undefined) return { of, target }
  const hint = 'name a belongs_to relation, or several as in conversation.ticket'
  resolution.report('wrong_path', `"${last}" is no relation`, place(['of']), { hint })
  return undefined
}

type Tables = ReadonlyMap<string, readonly RelatedFollow[]>

/** Reports each entry that would be set off again by what it sets. */
function refuseCircles(resolution: Resolution, byTable: Tables): void {
  for (const entries of byTable.values()) {
    for (const entry of entries) {
      const way = wayBack(resolution, byTable, entry, entry, [])
      if (way === undefined) continue
      const circle = [entry, ...way].map(({ span }) => placeOf(span)).join(' → ')
      const message = `What follows here sets itself off again: ${circle}`
      const hint = 'say with "changed" which fields it waits for, or with "on" for which writes'
      resolution.report('follow_cycle', message, entry.span, { hint })
    }
  }
}

/** The entries by which `from` leads to `goal` again, the last of them the goal. */
function wayBack(
  resolution: Resolution,
  byTable: Tables,
  from: RelatedFollow,
  goal: RelatedFollow,
  seen: readonly RelatedFollow[],
): readonly RelatedFollow[] | undefined {
  const target = resolution.drafts.get(from.target)
  if (target === undefined || seen.includes(from)) return undefined
  const set = from.set.map(({ field }) => field.column)
  const always = target.updateSets.map(({ field }) => field.column)
  const columns = columnsFollowing(target.follows, 'update', [...set, ...always])
  for (const next of byTable.get(from.target) ?? []) {
    if (!concernsUpdate(next, columns)) continue
    if (next === goal) return [goal]
    const rest = wayBack(resolution, byTable, next, goal, [...seen, from])
    if (rest !== undefined) return [next, ...rest]
  }
  return undefined
}

function placeOf({ source, start }: RelatedFollow['span']): string {
  const { line } = position(source, start)
  return `${source.file}:${line}`
}
