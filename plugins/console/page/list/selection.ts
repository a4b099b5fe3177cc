/** Which rows of a list are chosen: by Space, by Shift with the arrows, or all that match. */
import { useMemo, useState } from 'react'
import { idOf, type RecordData } from '../client/catalog.ts'

export interface Selection {
  readonly ids: ReadonlySet<string>
  /** Whether every record that matches is chosen, also those that nobody has read. */
  readonly isAll: boolean
  has(id: string): boolean
  toggle(at: number): void
  /** Chooses the rows from the one that was chosen last to this one. */
  extend(at: number): void
  loaded(): void
  all(): void
  /** Chooses these and no others. */
  only(ids: readonly string[]): void
}

interface State {
  readonly of: string
  readonly ids: ReadonlySet<string>
  readonly isAll: boolean
  readonly anchor: number
}

/** The selection of a list; another `key` is another list, in which nothing is chosen. */
export function useSelection(rows: readonly RecordData[], key: string): Selection {
  const [kept, setState] = useState<State>({ of: key, ids: new Set(), isAll: false, anchor: 0 })
  const state = kept.of === key ? kept : { of: key, ids: new Set<string>(), isAll: false, anchor: 0 }
  return useMemo(() => {
    const become = (next: Partial<State>): void => setState({ ...state, isAll: false, ...next })
    const idAt = (at: number): string => idOf(rows[at] ?? {})
    return {
      ids: state.ids,
      isAll: state.isAll,
      has: (id) => state.isAll || state.ids.has(id),
      toggle: (at) => {
        const ids = new Set(state.isAll ? rows.map(idOf) : state.ids)
        if (!ids.delete(idAt(at))) ids.add(idAt(at))
        become({ ids, anchor: at })
      },
      extend: (at) => {
        const [from, to] = [Math.min(state.anchor, at), Math.max(state.anchor, at)]
        become({ ids: new Set([...state.ids, ...rows.slice(from, to + 1).map(idOf)]) })
      },
      loaded: () => become({ ids: new Set(rows.map(idOf)) }),
      all: () => become({ ids: new Set(rows.map(idOf)), isAll: true }),
      only: (ids) => become({ ids: new Set(ids) }),
    }
  }, [state, rows])
}
