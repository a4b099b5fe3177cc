/** Hooks: a sub-category stands below the ticket's category, and a contact names the customer. */
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

/** `tickets.customer_of_contact`: where nobody names the customer, the user with the contact's e-mail is. */
export async function customerOfContact(context: HookContext, next: Next): Promise<void> {
  const { catalog, input, transaction } = context
  const contactId = input.contact_id ?? null
  if ((input.user_id ?? null) === null && contactId !== null) {
    const [contacts, users] = [catalog.resources.get('contacts')!, catalog.resources.get('users')!]
    const user = await transaction
      .knex(`${users.table} as u`)
      .join(`${contacts.table} as c`, 'c.email', 'u.email')
      .where('c.id', Number(contactId))
      .whereNull('u.deleted_at')
      .first('u.id')
    if (user !== undefined) input.user_id = Number(user.id)
  }
  await next()
}
