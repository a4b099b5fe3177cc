/** The demo's macros: common changes of tickets. */
import type { People } from './fill-people.ts'
import { daysAgo, type Ids, insert, type Scene } from './ids.ts'

/** Inserts them, where the desk has macros, as its manager. */
export async function fillMacros(scene: Scene, ids: Ids, { staff }: People): Promise<void> {
  if (!scene.catalog.resources.has('macros')) return
  const moment = daysAgo(scene, 60)
  const rows = MACROS.map(({ name, slug, description, status, priority, comment, internal = false }) => ({
    name,
    slug,
    description,
    resource: 'tickets',
    set: {
      ...(status === undefined ? {} : { status_id: ids.statuses.get(status) }),
      ...(priority === undefined ? {} : { priority_id: ids.priorities.get(priority) }),
    },
    create: { comments: { comment, is_internal: internal } },
    is_shared: true,
    user_id: staff[0]?.id ?? null,
    created_at: moment,
    updated_at: moment,
  }))
  await insert(scene, 'macros', rows)
}

interface DemoMacro {
  readonly name: string
  readonly slug: string
  readonly description: string
  readonly status?: string
  readonly priority?: string
  readonly comment: string
  readonly internal?: boolean
}

const MACROS: readonly DemoMacro[] = [
  {
    name: 'Ask for details',
    slug: 'ask-for-details',
    description: 'Asks what is needed to look into it, and waits for the answer.',
    status: 'pending',
    comment:
      'Hello {{ user.first_name }},\n\ncould you tell us what you did before it happened, and send a screenshot?\n\n{{ actor.first_name }}',
  },
  {
    name: 'Solved',
    slug: 'solved',
    description: 'Says that it works again, and solves the ticket.',
    status: 'resolved',
    comment:
      'Hello {{ user.first_name }},\n\nthis should work again. If it does not, answer here and we look into it once more.\n\n{{ actor.first_name }}',
  },
  {
    name: 'Escalate',
    slug: 'escalate',
    description: 'Makes it critical, and tells the staff why.',
    priority: 'Critical',
    comment: 'Escalated by {{ actor.name }}: several customers are affected.',
    internal: true,
  },
]
