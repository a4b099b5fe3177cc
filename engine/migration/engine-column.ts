/** A column of the engine's own tables, without what most of them do not have. */
import type { Column } from './table.ts'

export const MOMENT = 'timestamp with time zone'

/** A column that is never null and has no default, unless `more` says so. */
export function column(name: string, type: string, more: Partial<Column> = {}): Column {
  return { name, type, nullable: false, default: undefined, identity: false, ...more }
}
