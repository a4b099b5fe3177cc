/** Due times against a model of working time of its own, over drawn pauses, priorities and targets that change. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from './desk.ts'

const test = suite('desk: drawn due times')

/** A longer search: `DRAWN_DUE=300 npm test -- --timeout 3600000 test/desk/drawn-due.test.ts`. */
const RUNS = Number(process.env.DRAWN_DUE ?? 8)

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let desk: Desk
test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk?.close())

type Hours = 'business' | 'always'

/** The working time of a day that begins at `day`: Monday to Friday, nine to five, or all of it. */
function spanOf(hours: Hours, day: number): readonly [number, number] {
  if (hours === 'always') return [day, day + DAY]
  const weekday = new Date(day).getUTCDay()
  return weekday === 0 || weekday === 6 ? [day, day] : [day + 9 * HOUR, day + 17 * HOUR]
}

function worked(hours: Hours, from: number, to: number): number {
  let sum = 0
  for (let day = Math.floor(from / DAY) * DAY; day < to; day += DAY) {
    const [begins, ends] = spanOf(hours, day)
    sum += Math.max(0, Math.min(ends, to) - Math.max(begins, from))
  }
  return sum
}

/** When so much working time has passed behind a moment. */
function after(hours: Hours, from: number, ms: number): number {
  let left = ms
  for (let day = Math.floor(from / DAY) * DAY; ; day += DAY) {
    const [begins, ends] = spanOf(hours, day)
    const begin = Math.max(begins, from)
    if (ends - begin >= left && ends > begin) return begin + left
    left -= Math.max(0, ends - begin)
  }
}

interface Target {
  readonly id: number
  hours: Hours
  first: number
  resolution: number
}

/** What the model knows of a ticket. */
interface Ticket {
  created: number
  priority: string
  pauses: (readonly [number, number])[]
  pausedAt: number | undefined
  answered: boolean
  firstDue: number | undefined
  resolutionDue: number | undefined
}

/** The rule: a pause counts in the hours of the target that the ticket has when its due times are made. */
function makeDue(ticket: Ticket, { first, hours, resolution }: Target): void {
  // Each is counted in whole seconds.
  const seconds = ticket.pauses.map(([from, to]) => Math.floor(worked(hours, from, to) / 1000))
  const paused = seconds.reduce((sum, one) => sum + one * 1000, 0)
  const due = (minutes: number): number => after(hours, ticket.created, minutes * MINUTE + paused)
  if (!ticket.answered) ticket.firstDue = due(first)
  ticket.resolutionDue = due(resolution)
}

const PRIORITIES = ['Low', 'Medium', 'High', 'Critical'] as const
const step = fc.record({
  minutes: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30_000 })),
  act: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('status' as const),
        to: fc.constantFrom('Pending', 'Resolved', 'Open', 'Open'),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('priority' as const), to: fc.constantFrom(...PRIORITIES) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('hours' as const),
        of: fc.constantFrom(...PRIORITIES),
        to: fc.constantFrom<Hours>('business', 'always'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('minutes' as const),
        of: fc.constantFrom(...PRIORITIES),
        to: fc.integer({ min: 1, max: 6_000 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('answer' as const) }) },
  ),
})
type Act = (typeof step extends fc.Arbitrary<infer S> ? S : never)['act']

async function targets(): Promise<ReadonlyMap<string, Target>> {
  const { list } = await desk.get('/settings/sla', desk.admin)
  return new Map(
    list.map(({ first_response_minutes: first, hours, id, priority, resolution_minutes: resolution }) => [
      String((priority as { name: string }).name),
      { id: Number(id), hours: hours as Hours, first: Number(first), resolution: Number(resolution) },
    ]),
  )
}

async function must(method: 'post' | 'put', path: string, body: object): Promise<number> {
  const answer = await desk[method](path, desk.admin, body)
  assert.ok(answer.status < 300, `${path}: ${answer.text}`)
  return Number(answer.at('data.id'))
}

/** The moments that are stored of a ticket. */
const MOMENTS = ['created_at', 'paused_at', 'first_response_due_at', 'resolution_due_at', 'first_response_at']

/**
 * Lets time pass: what is stored moves back. Where a pause was counted already it is whole weeks, so that the same hours lie
 * within it.
 */
async function pass(id: number, ticket: Ticket, drawn: number): Promise<void> {
  const week = 7 * 24 * 60
  const minutes = ticket.pauses.length === 0 ? drawn : Math.floor(drawn / week) * week
  const set = MOMENTS.map((name) => `${name} = ${name} - interval '${minutes} minutes'`).join(', ')
  await desk.engine.database.adhoc.run({ text: `update tickets set ${set} where id = $1` }, [id])
  const back = (moment: number): number => moment - minutes * MINUTE
  ticket.created = back(ticket.created)
  ticket.pauses = ticket.pauses.map(([from, to]) => [back(from), back(to)])
  ticket.pausedAt &&= back(ticket.pausedAt)
  ticket.firstDue &&= back(ticket.firstDue)
  ticket.resolutionDue &&= back(ticket.resolutionDue)
}

async function act(id: number, ticket: Ticket, by: ReadonlyMap<string, Target>, one: Act): Promise<void> {
  if (one.kind === 'hours' || one.kind === 'minutes') {
    const target = by.get(one.of)!
    if (one.kind === 'hours') target.hours = one.to
    else target.resolution = one.to
    await must('put', `/settings/sla/${target.id}`, { hours: target.hours, resolution_minutes: target.resolution })
    return
  }
  if (one.kind === 'answer') {
    await must('post', `/tickets/${id}/comments`, { comment: 'We look at it.' })
    ticket.answered = true
    return
  }
  if (one.kind === 'priority') {
    await must('put', `/tickets/${id}`, { priority_id: await desk.setting('priorities', one.to) })
    if (ticket.priority !== one.to) makeDue(ticket, by.get(one.to)!)
    ticket.priority = one.to
    return
  }
  const answer = await desk.put(`/tickets/${id}`, desk.admin, { status_id: await desk.setting('statuses', one.to) })
  assert.is(answer.status, 200, answer.text)
  if (one.to !== 'Open') ticket.pausedAt ??= Date.parse(String(answer.at('data.paused_at')))
  else if (ticket.pausedAt !== undefined) {
    const pause = [ticket.pausedAt, Date.parse(String(answer.at('data.updated_at')))] as const
    ticket.pausedAt = undefined
    // One of less than a second is none.
    if (worked('always', ...pause) < 1000) return
    ticket.pauses.push(pause)
    makeDue(ticket, by.get(ticket.priority)!)
  }
}

/** What answers round, and what a request takes. */
const SLACK = 20_000

test('each pause counts in the hours of the target that a ticket has by then', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
    const by = await targets()
    const priority_id = await desk.setting('priorities', 'Critical')
    const made = await desk.post('/tickets', desk.admin, { subject: 'Printer', details: 'It smokes', priority_id })
    const id = Number(made.at('data.id'))
    const ticket: Ticket = {
      ...{ created: Date.parse(String(made.at('data.created_at'))), priority: 'Critical', pauses: [], answered: false },
      ...{ pausedAt: undefined, firstDue: undefined, resolutionDue: undefined },
    }
    makeDue(ticket, by.get('Critical')!)
    const trace: string[] = []
    for (const { act: one, minutes } of steps) {
      await pass(id, ticket, minutes)
      await act(id, ticket, by, one)
      trace.push(`${minutes} minutes, ${JSON.stringify(one)}`)
      const { at } = await desk.get(`/tickets/${id}`, desk.admin)
      for (const [field, due] of Object.entries({
        first_response_due_at: ticket.firstDue!,
        resolution_due_at: ticket.resolutionDue!,
      })) {
        const told = Date.parse(String(at(`data.${field}`)))
        const said = `${field} is ${new Date(told).toISOString()} and not ${new Date(due).toISOString()}`
        assert.ok(Math.abs(told - due) < SLACK, `${said}\n${trace.join('\n')}\n${JSON.stringify([ticket, ...by])}`)
      }
    }
  })
  const { counterexamplePath, errorInstance, failed, seed } = await fc.check(property, {
    numRuns: RUNS,
    endOnFailure: true,
    ...(process.env.DRAWN_SEED && { seed: Number(process.env.DRAWN_SEED) }),
    ...(process.env.DRAWN_PATH && { path: process.env.DRAWN_PATH }),
  })
  if (failed)
    throw new Error(`DRAWN_SEED=${seed} DRAWN_PATH=${counterexamplePath}: ${(errorInstance as Error)?.message}`)
})

test.run()
