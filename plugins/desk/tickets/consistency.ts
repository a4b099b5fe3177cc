/** Hook: a sub-category stands below the ticket's category. */
import { type HookContext, invalid, type Json, type Next } from '../../../engine/index.ts'

/** `tickets.sub_category`: refuses a sub-category whose parent is not the ticket's category. */
export async function subCategory(context: HookContext, next: Next): Promise<void> {
  const { catalog, draft, record, transaction } = context
  const { category_id, sub_category_id: id = null } = await draft()
  const concerned = category_id !== record?.category_id || id !== record?.sub_category_id
  if (concerned && id !== null) {
    const { table } = catalog.resources.get('categories')!
    const row = await transaction.knex(table).where({ id }).first('parent_id')
    const parent: Json = row?.parent_id ?? null
    if (parent === null || parent !== category_id) {
      throw invalid({ sub_category_id: ['The selected sub category does not belong to the category of the ticket'] })
    }
  }
  await next()
}
