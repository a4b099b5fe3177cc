/** What people send to the desk while it is killed: tickets with comments, files, imports, and tickets with an Idempotency-Key. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RestartableDesk } from './desk.ts'
import { hashOf } from './measure.ts'

/** Rows of one import, more than `job_rows` of the desk under test, so that each is a job. */
export const IMPORT_ROWS = 30

/** What was answered with success. */
export interface Acknowledged {
  /** Subjects of tickets. */
  readonly tickets: Set<string>
  /** Subjects of tickets whose comment was acknowledged; each gets one at most. */
  readonly comments: Set<string>
  /** Subjects of tickets that were sent with a key until an answer was final. */
  readonly keyed: Set<string>
  /** SHA-256 of each file, by the id of its record. */
  readonly files: Map<number, string>
  /** The prefix of the addresses in each import, by the id of its job. */
  readonly imports: Map<string, string>
  /** Statuses that neither success nor the fault explains. */
  readonly wrong: number[]
}

export const nothingYet = (): Acknowledged => ({
  tickets: new Set(),
  comments: new Set(),
  keyed: new Set(),
  files: new Map(),
  imports: new Map(),
  wrong: [],
})

/** One kind of work, again and again; `n` counts up and `name` is no other writer's. Rejects when the service is gone. */
type DeskWork = (desk: RestartableDesk, name: string, done: Acknowledged) => Promise<void>

export const detailsOf = (subject: string): string => `The details of ${subject}.`

const isExplained = (status: number): boolean => status === 503

const ticket: DeskWork = async ({ ask }, subject, done) => {
  const made = await ask('POST', '/tickets', { subject, details: detailsOf(subject), tags: [subject] })
  if (made.status !== 201) {
    if (!isExplained(made.status)) done.wrong.push(made.status)
    return
  }
  done.tickets.add(subject)
  const { id } = made.body.data as { readonly id: number }
  const said = await ask('POST', `/tickets/${id}/comments`, { comment: `A word on ${subject}` })
  if (said.status === 201) done.comments.add(subject)
  else if (!isExplained(said.status)) done.wrong.push(said.status)
}

const file: DeskWork = async ({ ask }, name, done) => {
  const content = randomBytes(15_000).toString('base64')
  const form = new FormData()
  form.set('file', new Blob([content]), `${name}.txt`)
  const made = await ask('POST', '/media', form)
  if (made.status === 201) done.files.set((made.body.data as { id: number }).id, hashOf(Buffer.from(content)))
  else if (!isExplained(made.status)) done.wrong.push(made.status)
}

const people: DeskWork = async ({ ask }, name, done) => {
  const rows = Array.from({ length: IMPORT_ROWS }, (_, n) => `${name}.${n}@imported.example,First ${n},Last`)
  const form = new FormData()
  form.set('file', new Blob([['Email,First Name,Last Name', ...rows].join('\n')], { type: 'text/csv' }), 'people.csv')
  const made = await ask('POST', '/contacts/import', form)
  if (made.status === 202) done.imports.set((made.body.data as { job_id: string }).job_id, name)
  else if (!isExplained(made.status)) done.wrong.push(made.status)
  await sleep(100)
}

/** Sent again, with its key, until an answer is final: through the kill and the next start. */
async function keyed({ ask }: RestartableDesk, subject: string, done: Acknowledged): Promise<void> {
  const body = { subject, details: detailsOf(subject) }
  for (const end = performance.now() + 120_000; performance.now() < end; ) {
    const made = await ask('POST', '/tickets', body, { 'idempotency-key': subject }).catch(() => undefined)
    if (made?.status === 201) {
      done.keyed.add(subject)
      return
    }
    // 409: the attempt before is not over, or its process is gone and its key not yet free.
    if (made !== undefined && ![409, 503].includes(made.status)) done.wrong.push(made.status)
    await sleep(50)
  }
  throw new Error(`${subject} had no final answer`)
}

const WORKS: readonly DeskWork[] = [ticket, ticket, ticket, file, people]

/** Writers of every kind, each until the service is gone; resolves when all have ended, keyed ones after the next start. */
export function work(desk: RestartableDesk, cycle: number, done: Acknowledged): readonly Promise<void>[] {
  const { child } = desk.service.server
  const writers = WORKS.map(async (one, writer) => {
    for (let n = 0; !child.killed; n++) {
      // Without an answer nothing is known of this piece of work.
      await one(desk, `c${cycle}w${writer}n${n}`, done).catch(() => sleep(50))
    }
  })
  const insisting = Array.from({ length: 4 }, async (_, n) => {
    // At different moments, so that the kill meets some of them at work.
    await sleep(Math.random() * 800)
    await keyed(desk, `c${cycle}k${n}`, done)
  })
  return [...writers, ...insisting]
}

/** How many of these files are not what was sent. */
export async function tornFiles({ service, headers }: RestartableDesk, files: Acknowledged['files']): Promise<number> {
  let torn = 0
  for (const [id, hash] of files) {
    const answer = await fetch(`${service.url}/api/v1/media/${id}/download`, { headers: headers() })
    if (hashOf(Buffer.from(await answer.arrayBuffer())) !== hash) torn += 1
  }
  return torn
}
