/** The demo's tickets with their comments and conversations. */

import type { People, Person } from './fill-people.ts'
import { daysAgo, type Ids, insert, type Scene } from './ids.ts'
import { randomOf } from './random.ts'
import { type Story, storyOf } from './stories.ts'
import { courseOf, writtenAt } from './times.ts'

const TICKETS = 420
const DAYS = 120
const DAY = 86_400_000

interface Case {
  readonly story: Story
  readonly customer: Person
  readonly contact: number | null
  readonly agent: Person | undefined
  readonly created: Date
  readonly status: string
  /** The times of the turns so far. */
  readonly turns: readonly Date[]
  /** The end of its work, if it has one. */
  readonly ended: Date
}

/** Inserts tickets, comments, conversations and messages; returns the number of tickets. */
export async function fillTickets(scene: Scene, ids: Ids, people: People): Promise<number> {
  const cases = Array.from({ length: TICKETS }, (_, index) => caseOf(scene, people, index))
  cases.sort((a, b) => a.created.getTime() - b.created.getTime())
  const tickets = await insert(
    scene,
    'tickets',
    cases.map((one) => ticket(ids, one)),
  )
  await watch(scene, tickets, people)
  const comments = cases.flatMap((one, index) => commentsOf(scene, one, tickets[index]!))
  comments.sort((a, b) => a.created_at.getTime() - b.created_at.getTime())
  await insert(scene, 'ticket_comments', comments)
  const talks = cases.flatMap((one, index) =>
    one.agent !== undefined && index % 4 === 0 ? [{ one, ticket: tickets[index]!, agent: one.agent }] : [],
  )
  const conversations = await insert(
    scene,
    'conversations',
    talks.map(({ agent, one, ticket }, index) => ({
      ticket_id: ticket,
      type: index % 5 === 0 ? 'internal' : 'customer',
      subject: one.story.subject,
      status: one.status === 'closed' ? 'closed' : 'open',
      user_id: agent.id,
      ...stamps(beginning(one, scene)),
    })),
  )
  await insert(
    scene,
    'messages',
    talks.flatMap(({ agent, one }, index) => messagesOf(scene, one, agent, conversations[index]!, index % 5 === 0)),
  )
  return TICKETS
}

function caseOf(scene: Scene, people: People, index: number): Case {
  const { random } = scene
  const who = random.below(people.customers.length)
  const customer = people.customers[who]!
  const story = storyOf(random, customer, 1000 + ((index * 37) % 9000))
  const age = Math.floor((DAYS * random.below(100) * random.below(100)) / 10_000)
  const fitting = people.staff.filter(({ department }) => department === story.department)
  const agent = random.chance(age < 2 ? 45 : 94) ? random.pick(fitting) : undefined
  const status = statusOf(scene, age, agent !== undefined)
  const done = status === 'resolved' || status === 'closed'
  const taken =
    agent === undefined || status === 'open' ? 0 : done ? story.turns.length : 1 + random.below(story.turns.length)
  const created = writtenAt(scene.clock, daysAgo(scene, age), scene.now)
  const { clock, now } = scene
  return {
    story,
    customer,
    contact: people.contacts[who] ?? null,
    agent,
    created,
    status,
    ...courseOf({ clock, now, created, priority: story.priority, agent: agent?.id, turns: taken }),
  }
}

function statusOf({ random }: Scene, age: number, assigned: boolean): string {
  if (!assigned) return random.chance(6) ? 'cancelled' : 'open'
  if (age < 3) return random.pick(['open', 'in-progress', 'in-progress', 'pending', 'resolved'])
  if (age < 14) return random.pick(['in-progress', 'pending', 'resolved', 'resolved', 'closed'])
  return random.chance(92) ? random.pick(['closed', 'closed', 'resolved']) : 'pending'
}

function ticket(ids: Ids, one: Case) {
  const { agent, contact, created, customer, ended, status, story, turns } = one
  const done = ['resolved', 'closed', 'cancelled'].includes(status)
  return {
    subject: story.subject,
    details: story.details,
    status_id: ids.statuses.get(status),
    priority_id: ids.priorities.get(story.priority),
    category_id: ids.categories.get(story.category) ?? null,
    sub_category_id: story.sub === undefined ? null : (ids.categories.get(story.sub) ?? null),
    department_id: ids.departments.get(story.department) ?? null,
    type_id: ids.types.get(story.type) ?? null,
    contact_id: contact,
    user_id: customer.id,
    assigned_to: agent?.id ?? null,
    due_date: story.priority === 'Critical' ? new Date(created.getTime() + 2 * DAY).toISOString().slice(0, 10) : null,
    tags: story.tags,
    first_response_at: turns[0] ?? null,
    resolved_at: done ? ended : null,
    closed_at: ['closed', 'cancelled'].includes(status) ? ended : null,
    created_at: created,
    updated_at: done ? ended : (turns.at(-1) ?? created),
  }
}

function commentsOf(scene: Scene, one: Case, ticketId: number) {
  const { agent, customer, story, turns } = one
  const [first] = turns
  if (agent === undefined || first === undefined) return []
  const said = story.turns.slice(0, turns.length).map((comment, turn) => ({
    ticket_id: ticketId,
    user_id: turn % 2 === 0 ? agent.id : customer.id,
    comment,
    is_internal: false,
    ...stamps(turns[turn]!),
  }))
  if (story.internal === undefined) return said
  return [
    ...said,
    {
      ticket_id: ticketId,
      user_id: agent.id,
      comment: story.internal,
      is_internal: true,
      ...stamps(later(first, 240_000, scene.now)),
    },
  ]
}

function messagesOf(scene: Scene, one: Case, agent: Person, conversationId: number, internal: boolean) {
  const lines = internal
    ? [
        'Has anybody seen this before?',
        'Twice last month. It was solved by the steps in the article.',
        'Then I will try those first.',
      ]
    : [
        `Hello ${one.customer.first}, do you have a minute for this?`,
        'Yes, I am here.',
        'Good, I will look at it with you.',
        'Thank you!',
      ]
  const chance = randomOf(conversationId + 1)
  return lines.slice(0, 1 + chance.below(lines.length)).map((message, index) => ({
    conversation_id: conversationId,
    user_id: internal || index % 2 === 0 ? agent.id : one.customer.id,
    message,
    is_internal: false,
    ...stamps(later(beginning(one, scene), index * 120_000, scene.now)),
  }))
}

/** The beginning of the chat about a ticket: at the first answer, or an hour after the ticket. */
function beginning({ created, turns }: Case, { now }: Scene): Date {
  return turns[0] ?? later(created, 3_600_000, now)
}

/** A while after a moment, but never after now. */
function later(moment: Date, byMs: number, now: Date): Date {
  return new Date(Math.min(moment.getTime() + byMs, now.getTime()))
}

function stamps(moment: Date) {
  return { created_at: moment, updated_at: moment }
}

/** The first member of the staff watches some tickets, if tickets can be watched. */
async function watch(scene: Scene, tickets: readonly number[], { staff }: People): Promise<void> {
  const [watcher] = staff
  if (watcher === undefined || !scene.catalog.resources.has('ticket_watchers')) return
  const some = tickets.filter((_, index) => index % 20 === 0)
  const moment = { created_at: scene.now, updated_at: scene.now }
  await insert(
    scene,
    'ticket_watchers',
    some.map((ticket_id) => ({ ticket_id, user_id: watcher.id, ...moment })),
  )
}
