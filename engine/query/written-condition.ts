/** Conditions that people write while the application runs, as SQL that a plugin writes itself. */
import type { Filter } from '../catalog/catalog.ts'
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { type ReadCondition, readCondition } from '../resolve/condition.ts'
import { conditionSql } from './condition.ts'
import { filterable, reach } from './policy.ts'
import { type Asking, appended, resourceNamed } from './readable.ts'

/** Reads a condition on the records of a resource, in the words of the YAML; only what the actor may read can be asked for, and no deeper than in `where`. */
export function writtenCondition({ actor, catalog }: Asking, resource: string, written: Json): ReadCondition {
  return readCondition(catalog, resourceNamed(catalog, resource), written, {
    most: { depth: LIMITS.whereDepth, relations: LIMITS.whereRelations },
    field: (path) => path.field.show !== 'never' && filterable(path, actor),
    everyRecord: ({ policies }) => reach(policies.view, actor).kind === 'all',
  })
}

/** The SQL condition that the record of `alias` is as a written condition asks; false where there is no record. */
export function matchingSql(asking: Asking, condition: Filter, alias: string, values: unknown[]): string {
  return appended(conditionSql(asking.catalog, condition, alias), values, asking)
}
