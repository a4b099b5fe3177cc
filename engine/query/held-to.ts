/** Every rule that a write may be refused by, for people: the same for the reference and for explain. */
import type { Field, Resource, WriteAction } from '../catalog/catalog.ts'
import { breaks } from '../plan/write-checks.ts'
import type { Span } from '../text/source.ts'

/** A rule as people hear of it. */
export interface HeldTo {
  readonly name: string
  readonly says: string
  readonly at: Field | undefined
  readonly span: Span
}

/** The rules that speak of an action: of the record itself, of several records, and those of others that look at it. */
export function heldTo(resource: Resource, action: WriteAction): readonly HeldTo[] {
  const counts = resource.counts.filter(({ least, most }) => {
    if (action === 'delete') return least !== undefined
    return action === 'update' || most !== undefined
  })
  const linked = action === 'create' || action === 'update' ? resource.linkRules : []
  const distant = [...resource.foreignRules.filter((foreign) => breaks(foreign, action, undefined)), ...linked]
  const others = distant
    .filter(({ rule }, i) => !resource.rules.includes(rule) && distant.findIndex((one) => one.rule === rule) === i)
    .map(({ rule }) => ({ ...rule, at: undefined }))
  return [
    ...resource.rules.filter(({ on }) => on.has(action)),
    ...counts,
    ...(action === 'delete' ? [] : resource.overlaps),
    ...others,
  ]
}
