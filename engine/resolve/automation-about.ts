/** What the parts of one automation are judged by, and what none of them may speak of: an actor. */

import type { Filter, Trigger, Value } from '../catalog/catalog.ts'
import { speaksOf } from '../filter/walk.ts'
import type { Span } from '../text/source.ts'
import type { Judging } from './record-operand.ts'
import type { Draft, Resolution } from './resolution.ts'

export interface About {
  readonly resolution: Resolution
  readonly draft: Draft
  readonly trigger: Trigger
  readonly judging: Judging
  /** Whether there are records for which it acts. */
  readonly chooses: boolean
}

/** Reports a filter or a value that speaks of an actor; gives whether it does. */
export function refuseActor(
  { report }: Resolution,
  { filter, value }: { readonly filter?: Filter; readonly value?: Value },
  span: Span,
): boolean {
  const names = (filter !== undefined && speaksOf('actor', filter)) || (value !== undefined && inValue(value))
  if (names) report('wrong_automation', 'There is no "$actor" in an automation: it runs as the system', span)
  return names
}

function inValue(value: Value): boolean {
  switch (value.kind) {
    case 'operand':
      return value.operand.kind === 'actor'
    case 'selection':
      return speaksOf('actor', value.selection.where)
    case 'later':
    case 'earlier':
      return inValue(value.than)
    case 'first':
    case 'sum':
    case 'difference':
    case 'product':
    case 'quotient':
      return value.of.some(inValue)
    default:
      return false
  }
}
