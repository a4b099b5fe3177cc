/** What is known of tables and columns under earlier names, where a start that was killed gave them their later ones already. */
import type { Present, Table } from './table.ts'

/** The same database, with what was written down of a renamed table or column under the name that it has by now. */
export function carried(wanted: readonly Table[], present: Present): Present {
  const tables = new Set<string | undefined>(present.tables.map(({ name }) => name))
  const has = (name: string | undefined) => tables.has(name)
  const owned = new Map(present.owned)
  const words = { ...present.history.words }
  for (const { columns, name, renamedFrom } of wanted) {
    const before = present.owned.get(renamedFrom ?? '')
    const isMoved = before !== undefined && has(name) && !has(renamedFrom)
    if (isMoved) owned.set(name, new Set([...before, ...(owned.get(name) ?? [])]))
    const earlier = isMoved || !has(name) ? renamedFrom : name
    for (const column of columns) {
      // It has its name already, so there is nothing to carry.
      if (earlier === name && column.renamedFrom === undefined) continue
      const there = has(name) ? `${name}.${column.name}` : undefined
      const known = [column.name, column.renamedFrom].map((one) => present.history.words[`${earlier}.${one}`])
      const last = known.find((one) => one !== undefined)
      if (there !== undefined && words[there] === undefined && last !== undefined) words[there] = last
    }
  }
  return { ...present, owned, history: { ...present.history, words } }
}
