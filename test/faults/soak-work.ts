/** What the people of a desk do all day, as loops of requests that take back what they make. */
import { follow } from '../stream/client.ts'
import type { RestartableDesk } from './desk.ts'

export interface Tally {
  requests: number
  /** Answers by status that were not what the step expects. */
  readonly wrong: string[]
}

/** One request that must be answered with `status`; gives `data` of the answer. */
type Step = (
  status: number,
  method: string,
  path: string,
  body?: object | FormData,
) => Promise<Readonly<Record<string, unknown>>>

export interface Person {
  readonly desk: RestartableDesk
  readonly step: Step
  /** No two calls give the same. */
  readonly next: () => string
}

export function personOf(desk: RestartableDesk, tally: Tally): Person {
  let made = 0
  const step: Step = async (status, method, path, body) => {
    tally.requests += 1
    const answer = await desk.ask(method, path, body)
    if (answer.status !== status) tally.wrong.push(`${method} ${path} → ${answer.status}, not ${status}`)
    return (answer.body?.data ?? {}) as Record<string, unknown>
  }
  const next = (): string => {
    made += 1
    return `soak${made}`
  }
  return { desk, step, next }
}

type Day = (person: Person) => Promise<void>

const agent: Day = async ({ step, next }) => {
  const subject = next()
  const { id } = await step(201, 'POST', '/tickets', { subject, details: `The printer of ${subject} is on fire.` })
  await step(201, 'POST', `/tickets/${id}/comments`, { comment: `We look into ${subject}.` })
  await step(201, 'POST', `/tickets/${id}/comments`, { comment: 'Nobody outside reads this.', is_internal: true })
  await step(200, 'GET', `/tickets/${id}`)
  await step(200, 'PATCH', `/tickets/${id}`, { tags: ['soak', subject] })
  await step(422, 'PATCH', `/tickets/${id}`, { subject: 7 })
  await step(204, 'DELETE', `/tickets/${id}`)
  await step(404, 'GET', `/tickets/${id}`)
}

const reader: Day = async ({ step, next }) => {
  const word = next()
  // A search and a condition that nobody has sent before: what is compiled for them must not stay.
  await step(200, 'GET', `/tickets?search=${word}&per_page=20`)
  await step(200, 'GET', '/tickets?per_page=50&sort=-created_at&status_id=1')
  await step(200, 'GET', '/tickets?cursor=first&per_page=20&fields=id,subject,user.name')
  const where = { any: [{ subject: { contains: word } }, { 'user.email': { starts_with: word.slice(0, 5) } }] }
  await step(200, 'GET', `/tickets?where=${encodeURIComponent(JSON.stringify(where))}`)
  await step(200, 'GET', '/dashboard')
  await step(422, 'GET', `/tickets?${word}=1`)
}

const clerk: Day = async ({ desk, step, next }) => {
  const name = next()
  const file = new FormData()
  file.set('file', new Blob([`${name} `.repeat(5_000)]), `${name}.txt`)
  const { id } = await step(201, 'POST', '/media', file)
  await fetch(`${desk.service.url}/api/v1/media/${id}/download`, { headers: desk.headers() }).then((got) => got.text())
  await step(204, 'DELETE', `/media/${id}`)
  const people = new FormData()
  people.set('file', new Blob([`Email,First Name,Last Name\n${name}@people.example,Ivy,Imported\n`]), 'people.csv')
  await step(200, 'POST', '/contacts/import', people)
  await fetch(`${desk.service.url}/api/v1/contacts/export`, { headers: desk.headers() }).then((got) => got.text())
  await step(201, 'POST', '/reports/generate', { type: 'tickets', format: 'csv' })
}

const follower: Day = async ({ desk, step, next }) => {
  const reading = await follow(desk.service.url, '/api/v1/tickets/stream', desk.headers())
  const subject = next()
  const { id } = await step(201, 'POST', '/tickets', { subject, details: 'Somebody follows.' })
  await reading.come(1)
  reading.close()
  await step(204, 'DELETE', `/tickets/${id}`)
  const { token } = await step(200, 'POST', '/auth/login', {
    email: 'boss@desk.example',
    password: 'a very long secret',
  })
  const headers = { authorization: `Bearer ${token}` }
  await fetch(`${desk.service.url}/api/v1/auth/logout`, { method: 'POST', headers }).then((got) => got.text())
}

/** Each is one person's, over and over. */
export const DAYS: readonly Day[] = [agent, agent, reader, reader, clerk, follower]
