/** Statuses as the hooks see them: the category is what counts, never the name. */
import type { Catalog, Json, Transaction } from '../../../engine/index.ts'
import { ENDED } from './figures.ts'

export type Category = 'open' | 'pending' | 'solved' | 'closed'

/** The category of a status, by its id. */
export async function categoryOf(
  catalog: Catalog,
  { knex }: Transaction,
  id: Json | undefined,
): Promise<Category | undefined> {
  if (typeof id !== 'number') return undefined
  const row = await knex<{ id: number; category: Category }>(catalog.resources.get('statuses')!.table)
    .where({ id })
    .first('category')
  return row?.category
}

/** Whether work on a ticket has ended. */
export function isDone(category: Category | undefined): boolean {
  return ENDED.some((one) => one === category)
}
