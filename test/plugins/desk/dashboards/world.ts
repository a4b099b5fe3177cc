/** A desk with a week of known tickets: what the tests of the dashboards count. */
import { type Desk, openDesk, type Person } from '../../../desk/desk.ts'

/** The week that everything happens in, and its parameters. */
export const WEEK = 'date_from=2026-01-05&date_to=2026-01-11'

export interface World extends Desk {
  readonly manager: Person
  readonly agent: Person
  readonly ann: Person
  readonly ben: Person
  readonly department: number
  /** Makes a ticket of a customer and sets what the tests need to know exactly. */
  ticket(of: Person, given: Given): Promise<number>
}

export interface Given {
  readonly created: string
  readonly status?: string
  readonly priority?: string
  readonly responded?: string
  readonly resolved?: string
  readonly body?: Readonly<Record<string, unknown>>
}

/** Opens the desk with its people and no ticket. */
export async function openWorld(resources?: Readonly<Record<string, string>>): Promise<World> {
  const desk = await openDesk({}, resources)
  const manager = await desk.person('manager', 'Mona')
  const agent = await desk.person('agent', 'Alba')
  const ann = await desk.person('customer', 'Ann')
  const ben = await desk.person('customer', 'Ben')
  const made = await desk.post('/settings/departments', desk.admin, { name: 'Repairs' })
  const { adhoc } = desk.engine.database
  return {
    ...desk,
    manager,
    agent,
    ann,
    ben,
    department: Number(made.at('data.id')),
    async ticket(of, { created, status = 'open', priority = 'Medium', responded, resolved, body = {} }) {
      const ids = {
        status_id: await desk.setting('statuses', status),
        priority_id: await desk.setting('priorities', priority),
      }
      const given = { subject: 'A ticket', details: 'd', user_id: of.id, ...ids, ...body }
      const answer = await desk.post('/tickets', manager, given)
      if (answer.status !== 201) throw new Error(answer.text)
      const text = `update tickets set created_at = $2::timestamptz, first_response_at = $3::timestamptz, resolved_at = $4::timestamptz, closed_at = null where id = $1::int`
      await adhoc.run({ text }, [answer.at('data.id'), created, responded ?? null, resolved || null])
      return Number(answer.at('data.id'))
    },
  }
}

/** The six tickets of the week and those around it. */
export async function fillWeek(world: World): Promise<readonly number[]> {
  const { agent, ann, ben, department, ticket } = world
  const mine = { assigned_to: agent.id, department_id: department, tags: ['printer', 'urgent'] }
  return [
    // The first and the last moment of the week, and the moments right outside of it.
    await ticket(ann, { created: '2026-01-05 00:00:00+00', body: { tags: ['printer'] } }),
    await ticket(ben, { created: '2026-01-11 23:59:59.999999+00', priority: 'High' }),
    await ticket(ann, { created: '2026-01-04 23:59:59.999999+00' }),
    await ticket(ann, { created: '2026-01-12 00:00:00+00' }),
    // Answered after one and three hours; resolved after a day, cancelled after two.
    await ticket(ann, {
      created: '2026-01-06 10:00:00+00',
      responded: '2026-01-06 11:00:00+00',
      resolved: '2026-01-07 10:00:00+00',
      status: 'resolved',
      body: mine,
    }),
    await ticket(ann, {
      created: '2026-01-06 10:30:00+00',
      responded: '2026-01-06 13:30:00+00',
      resolved: '2026-01-08 10:30:00+00',
      status: 'cancelled',
      body: mine,
    }),
  ]
}

/** A script of the page by its name, as far as it needs no browser. */
// biome-ignore lint/suspicious/noExplicitAny: the scripts of the page have no types
export function pageModule(name: string): Promise<any> {
  return import(new URL(`../../../../plugins/desk/dashboards/page/${name}.js`, import.meta.url).href)
}
