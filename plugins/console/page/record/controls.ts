/** Which controls a record has: what its resource offers, as far as its caller may do it to this record. */
import type { Can, Resource } from '../client/catalog.ts'

export interface Controls {
  /** The keys of a body by which the record is changed. */
  readonly edit: ReadonlySet<string>
  readonly remove: boolean
  /** By field, the words to which it may be moved; undefined: its rights say nothing about it. */
  readonly moves: Readonly<Record<string, readonly string[]>>
  /** By the end of a path below the record, the keys of a body that creates a record there. */
  readonly create: Readonly<Record<string, readonly string[]>>
}

/** Nothing may be done to a record that nobody asked about yet. */
export const NO_CONTROLS: Controls = { edit: new Set(), remove: false, moves: {}, create: {} }

/** The controls of a record; `can` is what the server says of it. */
export function controlsOf(resource: Resource, can: Can | undefined): Controls {
  if (can === undefined) return NO_CONTROLS
  const { actions, below } = resource
  const mayEdit = actions.includes('update')
  const created = Object.entries(can.create ?? {}).filter(([end]) => below[end]?.actions.includes('create'))
  return {
    edit: new Set(mayEdit ? can.update : []),
    remove: actions.includes('delete') && can.delete,
    moves: mayEdit ? (can.moves ?? {}) : {},
    create: Object.fromEntries(created),
  }
}
