/** Hooks: settings that tickets rely on stay there: one default, one closed status, categories one level deep. */
import { ApiError, type HookContext, invalid, type Next } from '../../../engine/index.ts'

/** `tickets.one_default`: a record that becomes the default takes the flag from the one before; it is never just dropped. */
export async function oneDefault(context: HookContext, next: Next): Promise<void> {
  const { input, record, resource, transaction } = context
  if (input.is_default === true) {
    // Two records that become the default at once would each see only the one before.
    await transaction.knex.raw('select pg_advisory_xact_lock(hashtext(?))', [`plinth default of ${resource.table}`])
    await transaction.knex(resource.table).where({ is_default: true }).update({ is_default: false })
  } else if (input.is_default === false && record?.is_default === true) throw defaultConflict(resource.label)
  await next()
}

/** `tickets.keep_default`: the default is not deleted. */
export async function keepDefault({ record, resource }: HookContext, next: Next): Promise<void> {
  if (record?.is_default === true) throw defaultConflict(resource.label)
  await next()
}

function defaultConflict(label: string): ApiError {
  const name = label.toLowerCase()
  return new ApiError('conflict', { message: `This is the default ${name}: make another ${name} the default first` })
}

/** `tickets.keep_closed`: one live status of category closed remains. */
export async function keepClosed(context: HookContext, next: Next): Promise<void> {
  const { action, input, record, resource, transaction } = context
  const leaves = action === 'delete' || (input.category !== undefined && input.category !== 'closed')
  if (leaves && record?.category === 'closed') {
    // Locked, so that two who remove the last two at once do not each count on the other.
    const closed = await transaction
      .knex(resource.table)
      .where({ category: 'closed' })
      .whereNull('deleted_at')
      .forUpdate()
      .select('id')
    if (closed.length <= 1) throw new ApiError('conflict', { message: 'This is the last status of category closed' })
  }
  await next()
}

/** `tickets.one_level`: a category that others stand below can't stand below another, and none below itself. */
export async function oneLevel(context: HookContext, next: Next): Promise<void> {
  const { input, record, resource, transaction } = context
  if ((input.parent_id ?? null) !== null && record !== undefined) {
    const child = await transaction
      .knex(resource.table)
      .where({ parent_id: record.id })
      .whereNull('deleted_at')
      .first('id')
    if (child !== undefined || input.parent_id === record.id) {
      throw invalid({ parent_id: ['Categories are one level deep: the selected parent is invalid'] })
    }
  }
  await next()
}
