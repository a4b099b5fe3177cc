/** The possible suggestions: the live priorities, categories, departments and types. ⇄ */
import type { PluginContext } from '../../../engine/index.ts'
import { TARGETS, type Target } from './model.ts'

export interface Choice {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly isDefault: boolean
}

export type Choices = Readonly<Record<Target, readonly Choice[]>>

/** The resource of each target, and its further columns. */
const SOURCES: Readonly<Record<Target, { readonly resource: string; readonly rest: string; readonly where: string }>> =
  {
    priority: { resource: 'priorities', rest: `'', is_default::text`, where: '' },
    // The category of a ticket is one of the upper level; the lower one is its sub-category.
    category: { resource: 'categories', rest: `coalesce(description, ''), 'false'`, where: 'and parent_id is null' },
    department: { resource: 'departments', rest: `coalesce(description, ''), 'false'`, where: '' },
    type: { resource: 'types', rest: `'', 'false'`, where: '' },
  }

/** The live choices of every target, in order of their ids. */
export async function choicesOf({ catalog, database }: Pick<PluginContext, 'catalog' | 'database'>): Promise<Choices> {
  const parts = TARGETS.map((target) => {
    const { resource, rest, where } = SOURCES[target]
    const { table } = catalog.resources.get(resource)!
    return `select '${target}', id, name, ${rest} from "${table}" where deleted_at is null ${where}`
  })
  const rows = await database.adhoc.run({ text: `${parts.join('\nunion all\n')}\norder by 1, 2` }, [])
  const choices: Record<Target, Choice[]> = { priority: [], category: [], department: [], type: [] }
  for (const [target, id, name, description, isDefault] of rows) {
    const list = TARGETS.find((one) => one === target)
    if (list === undefined) continue
    const choice = { id: Number(id), name: name ?? '', description: description ?? '', isDefault: isDefault === 'true' }
    choices[list].push(choice)
  }
  return choices
}
