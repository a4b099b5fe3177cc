/** What the database does by itself, where no rule is judged, to the records on a way when others are removed for good. */
import type { BelongsTo } from '../catalog/catalog.ts'
import type { Look, PlacedStep } from './looks.ts'
import type { Resolution } from './resolution.ts'

/** What happens to the records at the end of a way, as the rest of a sentence; undefined: nothing. */
export function removedSilently(resolution: Resolution, { link, reads, steps }: Look): string | undefined {
  const last = steps.at(-1)
  if (last === undefined || link !== undefined) return undefined
  if (last.step.kind === 'to') {
    const { relation } = last
    if (relation === undefined) return undefined
    if (clears(resolution, relation)) return `clears "${relation.name}" when its record is removed`
    const cleared = takes(resolution, relation) ? clearedBefore(steps) : undefined
    return cleared && `clears "${cleared.name}" when "${relation.target}" are removed`
  }
  if (last.step.kind === 'link') return undefined
  const { across, far, step } = last
  for (const relation of keysOf(resolution, far)) {
    const { column } = relation.field
    // With the record that it leads to its rule is gone too, or that record is judged itself.
    if (column === step.column || column === across) continue
    if (takes(resolution, relation)) return `removes records of "${far}" with those of "${relation.target}"`
    if (clears(resolution, relation) && reads.has(column))
      return `clears "${relation.name}" of "${far}" when its record is removed`
  }
  return undefined
}

/** The key that is cleared because the records in between go one with another. */
function clearedBefore(steps: readonly PlacedStep[]): BelongsTo | undefined {
  for (const { relation, step } of [...steps].reverse()) {
    if (step.kind !== 'to' || relation?.onDelete === 'restrict') return undefined
    if (relation?.onDelete === 'set_null') return relation
  }
  return undefined
}

function keysOf(resolution: Resolution, name: string): readonly BelongsTo[] {
  const relations = [...(resolution.drafts.get(name)?.relations.values() ?? [])]
  return relations.filter((relation) => relation.kind === 'belongs_to')
}

/** Whether records of the resource can be removed for good. */
function isRemovable(resolution: Resolution, name: string): boolean {
  return resolution.drafts.get(name)?.live === undefined
}

function clears(resolution: Resolution, { onDelete, target }: BelongsTo): boolean {
  return onDelete === 'set_null' && isRemovable(resolution, target)
}

function takes(resolution: Resolution, { onDelete, target }: BelongsTo): boolean {
  return onDelete === 'cascade' && isRemovable(resolution, target)
}
