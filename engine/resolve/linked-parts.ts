/** A condition by its keys, so that it can be told which of them holds. */
import type { Filter } from '../catalog/catalog.ts'
import type { FilterDefinition } from '../definition/definition.ts'
import type { Span } from '../text/source.ts'
import { linkFilter } from './link.ts'
import type { Place } from './link-path.ts'
import type { Judging } from './record-operand.ts'
import type { Draft, Resolution } from './resolution.ts'

interface LinkedPart {
  readonly filter: Filter
  /** The key with its value. */
  readonly span: Span
  readonly value: Span
}

/** Each key of a condition, linked by itself, with the place of the key and its value. */
export function linkedParts(
  resolution: Resolution,
  draft: Draft,
  written: FilterDefinition,
  place: Place,
  judging: Judging,
): readonly LinkedPart[] {
  return Object.entries(written).flatMap(([key, value]) => {
    const filter = linkFilter(resolution, draft, { [key]: value }, place, judging)
    return filter === undefined
      ? []
      : [{ filter, span: spanning(place([key], 'key'), place([key])), value: place([key]) }]
  })
}

/** From the beginning of one place to the end of another of the same file. */
function spanning(from: Span, to: Span): Span {
  return { ...from, end: Math.max(from.end, to.end) }
}
