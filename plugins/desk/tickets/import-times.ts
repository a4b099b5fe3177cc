/** When an imported ticket was answered, solved and closed: as its file says, and unknown where it says nothing. */
import { type HookContext, invalid } from '../../../engine/index.ts'
import { categoryOf, isDone } from './status.ts'

/** Judges the times of a ticket that is imported: those of work that has ended belong to a status that says so. */
export async function timesOfImport({ catalog, draft, input, now, transaction }: HookContext): Promise<void> {
  const category = await categoryOf(catalog, transaction, input.status_id ?? (await draft()).status_id)
  const errors: Record<string, string[]> = {}
  const given = (field: string): string | undefined => (typeof input[field] === 'string' ? input[field] : undefined)
  // Closing ends the work, whatever came before it.
  if (category === 'closed') input.resolved_at ??= given('closed_at') ?? null
  const created = given('created_at') ?? now().toISOString().replace('Z', '000Z')
  for (const [field, label] of [
    ['first_response_at', 'first response'],
    ['resolved_at', 'resolved time'],
    ['closed_at', 'closed time'],
  ] as const) {
    const time = given(field)
    if (time !== undefined && time < created) errors[field] = [`The ${label} is before the time of creation`]
  }
  if (given('resolved_at') !== undefined && !isDone(category))
    errors.resolved_at = ['Only a ticket with a solved or closed status has a resolved time']
  if (given('closed_at') !== undefined && category !== 'closed')
    errors.closed_at = ['Only a ticket with a closed status has a closed time']
  if ((given('closed_at') ?? '9') < (given('resolved_at') ?? '0'))
    errors.closed_at ??= ['The closed time is before the resolved time']
  if (Object.keys(errors).length > 0) throw invalid(errors)
}
