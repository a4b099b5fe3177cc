/** Reads the changes of one record, for people who may see the record. */
import {
  ApiError,
  fieldError,
  type Id,
  invalid,
  type Json,
  LIMITS,
  type PluginContext,
  type Reply,
  type Resource,
  type RouteContext,
  type Row,
} from '../../engine/index.ts'
import { ACTIONS, type Change, changesShown, describe, namesOf, readableFields } from './describe.ts'

const TIME = `to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/**
 * The rows of the log (alias `a`) for this reader. An update without a readable field is left out. A reader whose
 * clause has a condition reads only what happened while the record met it, before and after.
 */
export function rowsShown(
  context: Pick<PluginContext, 'actor' | 'keptWithin'>,
  resource: Resource,
  values: unknown[],
): string {
  const fields = `$${values.push(readableFields(resource, context.actor))}::text[]`
  return `(a.action <> 'update' or exists
    (select 1 from jsonb_array_elements(a.changes) c where c ->> 'field' = any(${fields}))) and ${seenThen(context, resource, values)}`
}

/** Whether the reader could see the record (alias `a`) at that time; unknown counts as no. */
export function seenThen(context: Pick<PluginContext, 'keptWithin'>, resource: Resource, values: unknown[]): string {
  const within = context.keptWithin(resource.name, 's', values)
  if (within === 'true' || within === 'false') return within
  return `(jsonb_array_length(a.seen_by) > 0 and not exists
    (select 1 from jsonb_array_elements(a.seen_by) s where not ${within})) is true`
}

/** The record of a path; a deleted one only for people who may restore it. */
async function recordId(context: RouteContext, resource: Resource): Promise<Id> {
  const named = context.params.id ?? ''
  try {
    return (await context.records(resource.name).get(named)).id as Id
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'record_not_found') throw error
    return context
      .records(resource.name)
      .restorable(named)
      .catch(() => Promise.reject(error))
  }
}

/** `GET /<resource>/{id}/activity`: newest first; 404 and 403 as for the record itself. */
export async function readActivity(context: RouteContext, resource: Resource): Promise<Reply> {
  const { catalog, database, parameters } = context
  const page = positive('page', parameters.page, 1)
  const most = Math.min(catalog.limits.perPageMax ?? LIMITS.perPageMax, LIMITS.perPageMax)
  const size = Math.min(positive('per_page', parameters.per_page, catalog.limits.perPageDefault ?? most), most)
  const about: unknown[] = [resource.owner, await recordId(context, resource)]
  const where = `a.resource = $1 and a.record_id = $2 and ${rowsShown(context, resource, about)}`
  const [counted] = await database.adhoc.run({ text: `select count(*) from plinth_change a where ${where}` }, about)
  const rows = await database.adhoc.run(
    {
      text: `select a.id, a.action, a.actor_id, a.changes, ${TIME}, a.source from plinth_change a where ${where}
        order by a.id desc limit $${about.length + 1}::int offset $${about.length + 2}::bigint`,
    },
    [...about, size, (page - 1) * size],
  )
  const total = Number(counted?.[0] ?? 0)
  return {
    data: await shown(context, resource, rows),
    meta: { pagination: pagination(page, size, total, rows.length) },
  }
}

function positive(name: string, value: Json | undefined, otherwise: number): number {
  const number = value === undefined ? otherwise : Number(value)
  if (number < 1 || number > LIMITS.pageMax) {
    throw invalid({
      [name]: [fieldError('out_of_range', `The ${name.replace('_', ' ')} must be between 1 and ${LIMITS.pageMax}`)],
    })
  }
  return number
}

function pagination(page: number, size: number, total: number, rows: number) {
  const from = rows === 0 ? null : (page - 1) * size + 1
  return {
    current_page: page,
    per_page: size,
    total,
    last_page: Math.max(1, Math.ceil(total / size)),
    from,
    to: from === null ? null : from + rows - 1,
    next_cursor: null,
  }
}

async function shown(context: RouteContext, resource: Resource, rows: readonly Row[]): Promise<readonly object[]> {
  const lists = rows.map((row) => JSON.parse(row[3] ?? '[]') as readonly Change[])
  const changes = await changesShown(context, resource, lists)
  const people = rows.flatMap((row) => (row[2] === null || row[2] === undefined ? [] : [Number(row[2])]))
  const names = await namesOf(context, 'users', people, 'all')
  return rows.map(([id, action, userId, , time, automation = null], index) => ({
    id: Number(id),
    action: ACTIONS[action ?? 'update'],
    description: describe(resource, ACTIONS[action ?? 'update'] ?? 'updated', changes[index] ?? []),
    changes: changes[index] ?? [],
    user:
      userId === null || userId === undefined ? null : { id: Number(userId), name: names.get(Number(userId)) ?? null },
    automation,
    created_at: time,
  }))
}
