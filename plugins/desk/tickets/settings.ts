/** Hooks: settings that tickets rely on stay there: one default, one closed status, categories one level deep. */
import { ApiError, type HookContext, invalid, type Next } from '../../../engine/index.ts'

/**
 * `tickets.one_default`: a record that becomes the default takes the flag from the one before; it is never just dropped.
 * A record that comes back leaves the default where it is.
 */
export async function oneDefault(context: HookContext, next: Next): Promise<void> {
  const { action, draft, record, resource, transaction } = context
  const before = record?.is_default === true
  const after = (await draft()).is_default === true
  if (action === 'restore') {
    if (before) await transaction.knex(resource.table).where({ id: record.id }).update({ is_default: false })
  } else if (after && !before) {
    // Two records that become the default at once would each see only the one before.
    await transaction.knex.raw('select pg_advisory_xact_lock(hashtext(?))', [`plinth default of ${resource.table}`])
    await transaction.knex(resource.table).where({ is_default: true }).update({ is_default: false })
  } else if (before && !after) throw defaultConflict(resource.label)
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
  const { action, draft, record, resource, transaction } = context
  if (record?.category === 'closed' && (action === 'delete' || (await draft()).category !== 'closed')) {
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
  const { action, draft, record, resource, transaction } = context
  const parent = (await draft()).parent_id ?? null
  if (parent !== null && record !== undefined && (action === 'restore' || parent !== record.parent_id)) {
    const live = transaction.knex(resource.table).whereNull('deleted_at')
    const child = await live.clone().where({ parent_id: record.id }).first('id')
    const deep = await live.clone().where({ id: parent }).whereNotNull('parent_id').first('id')
    if (child !== undefined || deep !== undefined || parent === record.id) throw tooDeep(action)
  }
  await next()
}

function tooDeep(action: HookContext['action']): ApiError {
  return action === 'restore'
    ? new ApiError('conflict', {
        message: 'Categories are one level deep: the category can no longer stand below its parent',
      })
    : invalid({ parent_id: ['Categories are one level deep: the selected parent is invalid'] })
}
