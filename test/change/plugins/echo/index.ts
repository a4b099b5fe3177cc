/** A plugin for tests: a listener that notes what it heard, one that fails where it is told to, and people by their token. */
import {
  type Actor,
  type Change,
  definePlugin,
  type HearingContext,
  type ListenerContext,
} from '../../../../engine/index.ts'
import { awake, batches, given, moments, refused, woken } from './heard.ts'

const PEOPLE: Readonly<Record<string, Actor>> = {
  ada: { kind: 'user', id: 1, role: 'keeper', permissions: new Set(), attributes: {} },
  bob: { kind: 'user', id: 2, role: 'reader', permissions: new Set(), attributes: {} },
}

function titleOf({ fields }: Change): string {
  return String(fields.find(({ field }) => field === 'title')?.to ?? '')
}

async function note({ transaction }: ListenerContext, changes: readonly Change[]): Promise<void> {
  batches.push(changes.length)
  moments.push(performance.now())
  await transaction.knex('echoes').insert(
    changes.map(({ id, action, recordId, actorId, bulk, fields }) => ({
      change_id: id,
      action,
      record_id: recordId,
      actor_id: actorId,
      bulk,
      fields: JSON.stringify(fields),
    })),
  )
}

async function picky(_context: ListenerContext, changes: readonly Change[]): Promise<void> {
  for (const change of changes) {
    if (refused.has(titleOf(change))) throw new Error(`no room for ${titleOf(change)}`)
  }
  given.push(...changes.map(titleOf))
}

async function sleeper({ idle }: HearingContext, changes: readonly Change[]): Promise<void> {
  woken.push([changes.length, titleOf(changes.at(-1)!)])
  if (!awake.now) idle()
}

const ALL = ['create', 'update', 'delete', 'restore'] as const

export default definePlugin({
  name: 'echo',
  description: 'Listeners for tests.',
  authenticate: async ({ headers }) => PEOPLE[headers.authorization?.replace('Bearer ', '') ?? ''] ?? null,
  listeners: {
    note: { description: 'Notes what it heard.', to: { books: ALL }, run: note },
    picky: { description: 'Refuses some titles.', to: { books: ['create', 'update'] }, run: picky },
    sleeper: { description: 'Has nothing to do most of the time.', to: { books: ['update'] }, run: sleeper },
  },
})
