/** Fills an empty desk of any version through its API: some forty records of each kind, in every state that clients can reach. */
import type { Answer } from '../support/answer.ts'
import { type Desk, deskAt } from './client.ts'

export const ADMIN = { email: 'boss@desk.example', password: 'a very long secret' }
export const PASSWORD = 'correct horse battery'

/** A person who is signed in, by the name that questions use. */
export interface Person {
  readonly email: string
  readonly token: string
}

export interface Sown {
  readonly people: Readonly<Record<string, Person>>
  /** A token that its owner has given back. */
  readonly signedOut: string
  /** Ids by the path of their list. */
  readonly ids: Readonly<Record<string, readonly number[]>>
  /** What this version refused of what only some versions have. */
  readonly refused: readonly string[]
}

const COUNT = 40

/** Texts that a change of form could damage. */
const TEXTS = [
  'plain',
  'Ünïcödé — “quotes”',
  '100 % of \\ and _',
  "O'Brien; -- drop",
  '日本語のテキスト',
  '👩‍👩‍👧 emoji',
  'a\nb\tc',
  '<b>&amp;',
]
const text = (at: number): string => `${TEXTS[at % TEXTS.length]} ${at}`

/** The same where a field takes one line. */
const line = (at: number): string => text(at).replaceAll(/\s/g, ' ')

class Sower {
  readonly ids: Record<string, number[]> = {}
  readonly refused = new Set<string>()
  readonly desk: Desk
  token: string | undefined

  constructor(desk: Desk) {
    this.desk = desk
  }

  /** Creates a record and keeps its id under the path; a version without the path makes none. */
  async make(path: string, body: unknown, token = this.token, list = path): Promise<number> {
    const reply = await this.must('POST', path, body, token)
    if (reply === undefined) return 0
    const { id } = reply.body.data as { id: number }
    this.ids[list] = [...(this.ids[list] ?? []), id]
    return id
  }

  /** A request that succeeds; undefined where this version does not know the route. */
  async must(method: string, path: string, body?: unknown, token = this.token): Promise<Answer | undefined> {
    const reply = await this.desk.call(method, path, token, body)
    if (reply.status === 404 && reply.text.includes('Route not found')) return undefined
    if (reply.status >= 300) throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${reply.status} ${reply.text}`)
    return reply
  }

  /** A request that a version may refuse, because it does not know the route or knows it in another form. */
  async may(path: string, body: unknown, token = this.token): Promise<void> {
    const reply = await this.desk.call('POST', path, token, body)
    if (reply.status >= 300) return void this.refused.add(`${path}: ${reply.status} ${reply.body.message}`)
    const id = (reply.body.data as { id?: number } | null)?.id
    if (id !== undefined) this.ids[path] = [...(this.ids[path] ?? []), id]
  }

  async each(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
    for (let at = 1; at <= count; at += 1) await work(at)
  }

  of(path: string, at: number): number {
    const ids = this.ids[path] ?? []
    return ids[at % ids.length] ?? 0
  }

  async signIn(email: string, password: string): Promise<Person> {
    const reply = await this.desk.call('POST', '/auth/login', undefined, { email, password })
    return { email, token: (reply.body.data as { token: string }).token }
  }
}

export async function sow(address: string): Promise<Sown> {
  const sower = new Sower(deskAt(address))
  const admin = await sower.signIn(ADMIN.email, ADMIN.password)
  sower.token = admin.token
  await settings(sower)
  const people = { admin, ...(await accounts(sower)) }
  await content(sower, people)
  await tickets(sower, people)
  await conversations(sower, people)
  await files(sower)
  await later(sower, people)
  await removed(sower)
  const lost = await sower.signIn(ADMIN.email, ADMIN.password)
  await sower.must('POST', '/auth/logout', undefined, lost.token)
  return { people, signedOut: lost.token, ids: sower.ids, refused: [...sower.refused] }
}

async function settings(sower: Sower): Promise<void> {
  await sower.each(COUNT, async (at) => {
    await sower.make('/settings/departments', { name: `Department ${line(at)}`, description: text(at + 1) })
    const parent = at % 4 === 0 ? { parent_id: sower.of('/settings/categories', 0) } : {}
    await sower.make('/settings/categories', { name: `Category ${line(at)}`, ...parent })
    await sower.make('/settings/types', { name: `Type ${line(at)}` })
  })
  const categories = ['open', 'pending', 'solved', 'closed']
  await sower.each(8, async (at) => {
    await sower.make('/settings/priorities', { name: `Priority ${at}`, color: `#${String(at).repeat(6)}` })
    await sower.make('/settings/statuses', { name: `State ${at}`, category: categories[at % 4] })
  })
  await sower.make('/settings/roles', {
    name: 'Reader',
    slug: 'reader',
    permissions: ['tickets.view', 'contacts.view'],
  })
}

interface Named {
  readonly id: number
  readonly slug: string
}

async function accounts(sower: Sower): Promise<Record<string, Person>> {
  const roles = (await sower.must('GET', '/settings/roles?per_page=100'))?.body.data as Named[]
  const role = (slug: string): number | undefined => roles.find((one) => one.slug === slug)?.id
  const secret = { password: PASSWORD, password_confirmation: PASSWORD }
  await sower.each(COUNT, (at) =>
    sower.make('/organizations', { name: `Organization ${line(at)}`, city: line(at), country: 'DE' }),
  )
  const people: Record<string, Person> = {}
  const slugs = ['manager', 'agent', 'agent', 'reader', 'customer']
  await sower.each(12, async (at) => {
    const slug = slugs[at % slugs.length] ?? 'agent'
    const email = `${slug}${at}@desk.example`
    const place = { department_id: sower.of('/settings/departments', at) }
    await sower.make('/users', {
      first_name: `Anna ${at}`,
      last_name: line(at),
      email,
      role_id: role(slug),
      ...place,
      ...secret,
    })
    people[slug] ??= await sower.signIn(email, PASSWORD)
  })
  await sower.each(COUNT, async (at) => {
    const organization = at % 3 === 0 ? {} : { organization_id: sower.of('/organizations', at) }
    const person = { first_name: line(at), last_name: `Person ${at}`, phone: `+49 30 ${1000 + at}` }
    await sower.make('/customers', { ...person, email: `customer${at}@example.com`, ...organization, ...secret })
    await sower.make('/contacts', { ...person, email: `contact${at}@example.com`, ...organization })
  })
  for (const name of ['waiting', 'approved', 'declined']) {
    const person = { first_name: name, last_name: 'Registered', email: `${name}@example.com`, ...secret }
    const made = (await sower.must('POST', '/auth/register', person, ''))?.body.data as { user: { id: number } }
    if (name === 'approved') await sower.must('POST', `/users/pending/${made.user.id}/approve`)
    if (name === 'declined') await sower.must('POST', `/users/pending/${made.user.id}/decline`)
  }
  return people
}

async function content(sower: Sower, people: Readonly<Record<string, Person>>): Promise<void> {
  await sower.each(COUNT, async (at) => {
    await sower.make('/knowledge-base', { title: `Article ${line(at)}`, details: `${text(at)} `.repeat(at).trim() })
    await sower.make('/faqs', { name: `Question ${line(at)}`, details: text(at), status: at % 3 > 0 })
    await sower.make('/posts', {
      title: `Post ${line(at)}`,
      details: text(at),
      excerpt: text(at + 2),
      is_active: at % 2 > 0,
    })
    const token = [sower.token, people.agent?.token][at % 2]
    await sower.make('/notes', { name: `Note ${line(at)}`, details: text(at) }, token)
  })
}

async function tickets(sower: Sower, people: Readonly<Record<string, Person>>): Promise<void> {
  const statuses = (await sower.must('GET', '/settings/statuses?per_page=100&sort=id'))?.body.data as Named[]
  await sower.each(COUNT, async (at) => {
    const optional = {
      category_id: sower.of('/settings/categories', at),
      department_id: sower.of('/settings/departments', at),
      type_id: sower.of('/settings/types', at),
      contact_id: sower.of('/contacts', at),
      user_id: sower.of('/customers', at),
      due_date: `2031-0${(at % 9) + 1}-15`,
      tags: ['urgent', line(at), `tag${at}`].slice(0, at % 4),
    }
    const assigned = at % 3 === 0 ? {} : { assigned_to: sower.of('/users', at % 2) }
    const told = { subject: `Ticket ${line(at)}`, details: `${text(at)} printer does not print` }
    await sower.make('/tickets', at % 5 === 0 ? told : { ...told, ...optional, ...assigned })
  })
  const ids = sower.ids['/tickets'] ?? []
  for (const [at, id] of ids.entries()) {
    await sower.make(
      `/tickets/${id}/comments`,
      { comment: text(at), is_internal: at % 3 === 0 },
      undefined,
      '/comments',
    )
    if (at % 2 === 0)
      await sower.make(`/tickets/${id}/comments`, { comment: text(at + 1) }, people.agent?.token, '/comments')
    const status = statuses[at % statuses.length]?.id
    await sower.must('PATCH', `/tickets/${id}`, { status_id: status, subject: `Ticket ${line(at)} again` })
  }
  await sower.each(6, (at) =>
    sower.make('/tickets', { subject: `Of a customer ${at}`, details: text(at) }, people.customer?.token),
  )
}

async function conversations(sower: Sower, people: Readonly<Record<string, Person>>): Promise<void> {
  await sower.each(COUNT, async (at) => {
    const type = at % 3 === 0 ? 'internal' : 'customer'
    const id = await sower.make('/conversations', { ticket_id: sower.of('/tickets', at), type, subject: line(at) })
    await sower.each((at % 3) + 1, (nth) =>
      sower.make(
        `/conversations/${id}/messages`,
        { message: text(at + nth) },
        nth % 2 ? undefined : people.agent?.token,
        '/messages',
      ),
    )
    if (at % 4 === 0) await sower.must('POST', `/conversations/${id}/mark-read`, {}, people.agent?.token)
    if (at % 5 === 0) await sower.must('PATCH', `/conversations/${id}`, { status: 'closed' })
  })
}

async function files(sower: Sower): Promise<void> {
  await sower.each(COUNT, async (at) => {
    const form = new FormData()
    form.set('file', new Blob([`${text(at)}\n`.repeat(at)], { type: 'text/plain' }), `file ${at}.txt`)
    if (at % 3 > 0) form.set('ticket_id', String(sower.of('/tickets', at)))
    await sower.make('/media', form)
  })
  for (const [at, format] of ['json', 'csv', 'xlsx', 'pdf'].entries()) {
    const type = ['tickets', 'agents', 'customers', 'departments'][at]
    await sower.must('POST', '/reports/generate', { type, format, date_from: '2020-01-01', date_to: '2035-01-01' })
  }
  const csv = 'Subject,Details,Tags\nImported one,From a file,a;b\n,without subject,\nImported two,,\n'
  const form = new FormData()
  form.set('file', new Blob([csv], { type: 'text/csv' }), 'tickets.csv')
  await sower.must('POST', '/tickets/import', form)
}

/** What some versions have and others do not, or have in another form. */
async function later(sower: Sower, people: Readonly<Record<string, Person>>): Promise<void> {
  const [a, b, c] = sower.ids['/tickets'] ?? []
  await sower.must('POST', `/ai/tickets/${a}/classify`, {})
  await sower.must('POST', '/ai/settings', { max_suggestions: 4 })
  await sower.must('POST', '/notifications/read-all', {}, people.manager?.token)
  await sower.each(8, async (at) => {
    const create = { comments: { comment: text(at) } }
    await sower.may('/macros', { name: `Macro ${at}`, resource: 'tickets', set: { tags: ['done'] }, create })
    await sower.may('/replies', { title: `Reply ${line(at)}`, text: `The printer is on floor ${at}.` })
    const minutes = { first_response_minutes: 60 * at, resolution_minutes: 600 * at }
    await sower.may('/settings/sla', { priority_id: sower.of('/settings/priorities', at), ...minutes })
  })
  await sower.may(`/tickets/${b}/watchers`, {}, people.agent?.token)
  await sower.may(`/tickets/${b}/merge`, { into: c, force: true })
}

async function removed(sower: Sower): Promise<void> {
  const paths = [
    '/tickets',
    '/contacts',
    '/customers',
    '/organizations',
    '/conversations',
    '/faqs',
    '/notes',
    '/posts',
    '/media',
    '/knowledge-base',
  ]
  for (const path of [...paths, '/settings/departments', '/settings/types', '/settings/categories']) {
    const ids = sower.ids[path] ?? []
    for (const id of ids.slice(-3)) await sower.must('DELETE', `${path}/${id}`)
    const [back] = ids.slice(-3)
    await sower.must('POST', `${path}/${back}/restore`)
  }
}
