/** Records that rows name and that do not exist: on request created with the rows, like rows of their own files. */
import { type Id, nameText, type ParentEntry, type PluginContext } from '../../engine/index.ts'
import { type Column, headerWord, layoutOf } from './columns.ts'
import { type Entry, entryOf, type Named } from './entry.ts'
import type { Sheet } from './parse.ts'

/** The identity of a created record. */
export function madeKey({ name, resource }: Pick<ParentEntry, 'name' | 'resource'>): string {
  return `${resource} ${name}`
}

/** For entries with an unknown name: the id, if an earlier entry created the record, or how to create it. */
export function nameParents(
  context: PluginContext,
  sheet: Sheet,
  made: ReadonlyMap<string, Id | undefined>,
  entries: readonly Entry[],
): void {
  for (const column of sheet.columns.keys()) {
    if (column.create === undefined || !sheet.options.create.has(column.create.in)) continue
    for (const entry of entries) {
      const text = entry.names.get(column)
      if (text === undefined || entry.errors[column.field.name] === undefined) continue
      delete entry.errors[column.field.name]
      const parent = parentOf(context, sheet, column, entry, text)
      const id = made.get(madeKey(parent))
      if (id !== undefined) entry.input[column.field.name] = id
      else entry.parents.push(parent)
    }
  }
}

/** The record as an import of its own resource would read it from a file with these cells. */
function parentOf(
  { catalog }: PluginContext,
  sheet: Sheet,
  { create, field, path }: Column,
  entry: Entry,
  text: string,
): Named {
  const resource = catalog.resources.get(create!.in)!
  const layout = layoutOf(catalog, resource)!
  const filled = layout.columns.flatMap((column): [Column, string][] => {
    if (column.path === path.split('.').at(-1)) return [[column, text]]
    const from = create!.from?.[column.title]
    const own = sheet.layout.columns.find(({ title }) => from !== undefined && headerWord(title) === headerWord(from))
    const value = own === undefined ? '' : (entry.texts.get(own) ?? '')
    return value === '' ? [] : [[column, value]]
  })
  const columns = new Map(filled.map(([column], at) => [column, at]))
  const { errors, fixed, input } = entryOf(
    { ...sheet, layout, columns, width: filled.length },
    { line: entry.line, cells: filled.map(([, value]) => value) },
  )
  const wrong = Object.values(errors).flat()
  if (wrong.length > 0) entry.errors[field.name] = wrong
  const naming = layout.columns.find((column) => column.path === path.split('.').at(-1))?.field
  const stored = naming?.type.decode(text, naming.options)
  const shown = stored !== undefined && 'value' in stored ? String(stored.value) : text
  return { field: field.name, resource: resource.name, name: nameText(text), shown, input, fixed }
}
