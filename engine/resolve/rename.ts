/** What something was called before, as written in either form. */
import type { RenameDefinition } from '../definition/definition.ts'

/** The earlier name with its days; undefined where there is none. */
export function renameOf(value: string | RenameDefinition | undefined): RenameDefinition | undefined {
  return typeof value === 'string' ? { name: value } : value
}
