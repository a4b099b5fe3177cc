/** The rules that may refuse a write, as people read of them in the reference and in explanations. */
import type { Field, Resource, WriteAction } from '../catalog/catalog.ts'
import type { Span } from '../text/source.ts'
import { breaks } from './write-checks.ts'

/** A rule as people read of it. */
export interface ApplicableRule {
  readonly name: string
  readonly says: string
  readonly at: Field | undefined
  readonly span: Span
}

/** The rules that speak of an action: of the record itself, of several records, and those of others that look at it. */
export function applicableRules(resource: Resource, action: WriteAction): readonly ApplicableRule[] {
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
