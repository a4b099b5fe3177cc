/** What the tests of the AI share: a desk with people, settled tickets to learn from, and new ones to ask about. */
import { type Desk, openDesk, type Person } from '../../../desk/desk.ts'
import { until } from '../../../support/wait.ts'

export interface AiDesk extends Desk {
  readonly manager: Person
  readonly agent: Person
  readonly customer: Person
  /** Opens a ticket; gives its id. */
  ticket(subject: string, details: string, more?: Record<string, unknown>): Promise<number>
  /** Opens a ticket in a category and department and closes it. */
  settled(subject: string, details: string, labels: Labels): Promise<number>
  /** Asks until `done` says so or time is up; the last answer. */
  until(
    path: string,
    done: (list: readonly Record<string, unknown>[]) => boolean,
  ): Promise<readonly Record<string, unknown>[]>
}

export interface Labels {
  readonly category: string
  readonly department: string
  readonly priority?: string
  readonly type?: string
}

/** Opens a desk with a manager, an agent and a customer. */
export async function openAiDesk(env: Readonly<Record<string, string>> = {}): Promise<AiDesk> {
  const desk = await openDesk(env)
  const { post, setting } = desk
  const manager = await desk.person('manager', 'Mira')
  const agent = await desk.person('agent', 'Arno')
  const customer = await desk.person('customer', 'Cleo')
  const ticket: AiDesk['ticket'] = async (subject, details, more = {}) => {
    const made = await post('/tickets', agent, { subject, details, user_id: customer.id, ...more })
    if (made.status !== 201) throw new Error(made.text)
    return Number(made.at('data.id'))
  }
  return {
    ...desk,
    manager,
    agent,
    customer,
    ticket,
    async settled(subject, details, { category, department, priority = 'Medium', type = 'Question' }) {
      return ticket(subject, details, {
        category_id: await setting('categories', category),
        department_id: await setting('departments', department),
        priority_id: await setting('priorities', priority),
        type_id: await setting('types', type),
        status_id: await setting('statuses', 'closed'),
      })
    },
    async until(path, done) {
      const asked = async () => (await desk.get(path, agent)).list
      await until(async () => done(await asked()))
      return asked()
    },
  }
}
