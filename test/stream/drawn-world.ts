/** An application in which sights depend on parents and on links, and followers that check each event by what they know. */
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import type { TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'
import type { Reading, StreamEvent } from './client.ts'
import { readFrom } from './world.ts'

const WRITES = [
  '  create: [{ permission: tickets.write }]',
  '  update: [{ permission: tickets.write }]',
  '  delete: [{ permission: tickets.write }]',
]
const RESTORED = [...WRITES, '  restore: [{ permission: tickets.write }]']

export const FILES: Readonly<Record<string, string>> = {
  'app.yaml': [
    'name: Drawn',
    'plugins: { soft_delete: {}, jobs: {}, who: {} }',
    'limits: { listenerPollMs: 200, streamPauseMs: 10, streamHeartbeatMs: 20, streamsPerCaller: 20, streamRetryMs: 10, streamRetryMostMs: 20 }',
  ].join('\n'),
  'orgs.yaml': [
    'resource: orgs',
    'soft_delete: true',
    'restore: true',
    'fields: { lead: { type: integer } }',
    'policies:',
    '  view: [{ who: anyone }]',
    ...RESTORED,
  ].join('\n'),
  'teams.yaml': [
    'resource: teams',
    'soft_delete: true',
    'restore: true',
    'fields: { lead: { type: integer }, name: { type: string } }',
    'relations: { org: { belongs_to: orgs, embed: false } }',
    'policies:',
    '  view: [{ who: anyone }]',
    ...RESTORED,
  ].join('\n'),
  'boxes.yaml': [
    'resource: boxes',
    'soft_delete: false',
    'fields: { lead: { type: integer } }',
    'policies:',
    '  view: [{ who: anyone }]',
    ...WRITES,
  ].join('\n'),
  'tags.yaml': [
    'resource: tags',
    'soft_delete: false',
    'fields: { lead: { type: integer } }',
    'relations: { tickets: { many_to_many: tickets, embed: false } }',
    'policies:',
    '  view: [{ who: anyone }]',
    ...WRITES,
  ].join('\n'),
  'tickets.yaml': [
    'resource: tickets',
    'stream: true',
    'soft_delete: true',
    'restore: true',
    'fields:',
    '  title: { type: string }',
    '  status: { type: enum, values: [open, closed], default: open }',
    '  owner: { type: integer }',
    '  note: { type: string, read: { permission: tickets.notes } }',
    '  talks: { type: integer, default: 0, nullable: false }',
    'relations:',
    '  team: { belongs_to: teams, embed: false }',
    '  box: { belongs_to: boxes, embed: false, on_delete: set_null }',
    '  tags: { many_to_many: tags, embed: [id], show: single }',
    '  comments: { has_many: comments, embed: false }',
    'filters: [title, status, owner, team.lead, team.org.lead]',
    'search: [title]',
    'policies:',
    '  view:',
    '    - { permission: tickets.all }',
    '    - { role: customer, where: { owner: $actor } }',
    '    - { role: lead, where: { team.lead: $actor } }',
    '    - { role: chief, where: { team.org.lead: $actor } }',
    '    - { role: archivist, where: { with_deleted: { team.org.lead: $actor } } }',
    '    - { role: stranger, where: { not: { team.lead: 21 } } }',
    '    - { role: packer, where: { box.lead: $actor } }',
    '    - { role: helper, where: { comments: { some: { author: $actor } } } }',
    ...RESTORED,
  ].join('\n'),
  'comments.yaml': [
    'resource: comments',
    'stream: true',
    'soft_delete: true',
    'restore: true',
    'fields: { text: { type: string }, internal: { type: boolean, default: false, nullable: false }, author: { type: integer } }',
    'relations: { ticket: { belongs_to: tickets, embed: false } }',
    'filters: [ticket_id, internal]',
    'follows: [{ of: ticket, on: [create], set: { talks: { plus: [$record.ticket.talks, 1] } } }]',
    'policies:',
    '  view:',
    '    - { permission: tickets.all }',
    '    - { role: customer, where: { internal: false, ticket.owner: $actor } }',
    '    - { role: lead, where: { ticket.team.lead: $actor } }',
    ...RESTORED,
  ].join('\n'),
  'parts.yaml': [
    'resource: parts',
    'stream: true',
    'soft_delete: false',
    'fields: { text: { type: string }, owner: { type: integer } }',
    'relations: { box: { belongs_to: boxes, embed: false, on_delete: cascade } }',
    'filters: [owner]',
    'policies:',
    '  view:',
    '    - { permission: tickets.all }',
    '    - { role: customer, where: { owner: $actor } }',
    '    - { role: packer, where: { box.lead: $actor } }',
    ...WRITES,
  ].join('\n'),
}

/** Who follows what; people who lead are 21, those who own 11. */
export const FOLLOWERS: readonly (readonly [token: string, path: string])[] = [
  ['1:boss:tickets.all,tickets.notes,tickets.write', '/tickets'],
  ['2:agent:tickets.all', '/tickets'],
  ['2:agent:tickets.all', '/tickets?status=open'],
  ['2:agent:tickets.all', '/tickets?team.lead=21'],
  ['2:agent:tickets.all', '/tickets?team.org.lead=21'],
  ['2:agent:tickets.all', '/tickets?search=apple'],
  ['11:customer:', '/tickets'],
  ['11:customer:', '/tickets?status=open'],
  ['21:lead:', '/tickets'],
  ['21:chief:', '/tickets'],
  ['21:archivist:', '/tickets'],
  ['21:stranger:', '/tickets'],
  ['21:packer:', '/tickets'],
  ['21:helper:', '/tickets'],
  ['2:agent:tickets.all', '/comments?internal=false'],
  ['11:customer:', '/comments'],
  ['21:lead:', '/comments'],
  ['11:customer:', '/parts'],
  ['2:agent:tickets.all', '/parts?owner=11'],
  ['21:packer:', '/parts'],
]

type Known = ReadonlyMap<number, string>

/** One follower, which goes on where it was. */
export class Follower {
  readonly name: string
  /** What it knew behind each event that it has heard, oldest first. */
  #past: { readonly lastId: string; readonly known: Known }[] = []
  #reading: Reading | undefined
  #heard = 0
  /** Whether it has read its list since it began to hear. */
  #isAhead = false
  readonly #app: TestApplication
  readonly #token: string
  readonly #path: string
  /** Records that were removed for good, by path. */
  readonly #removed: ReadonlySet<string>

  constructor(app: TestApplication, [token, path]: readonly [string, string], removed: ReadonlySet<string>) {
    this.name = `${token} ${path}`
    this.#app = app
    this.#token = token
    this.#path = path
    this.#removed = removed
  }

  async #list(): Promise<Known> {
    const path = `${this.#path}${this.#path.includes('?') ? '&' : '?'}per_page=100`
    const { list } = await this.#app.call('GET', path, { token: this.#token })
    return new Map(list.map((record) => [Number(record.id), JSON.stringify(record)]))
  }

  async begin(): Promise<void> {
    const [plain, query = ''] = this.#path.split('?')
    const path = `${plain}/stream${query === '' ? '' : `?${query}`}`
    this.#reading = await readFrom(this.#app.address, this.#token, path)
    this.#heard = 1
    this.#past = [{ lastId: this.#reading.lastId(), known: await this.#list() }]
  }

  leave(): void {
    this.#reading?.close()
    this.#reading = undefined
  }

  /** Comes back with the place that it had so many events ago. */
  async comeBack(ago: number): Promise<void> {
    if (this.#reading !== undefined) return
    this.#past.splice(Math.max(1, this.#past.length - ago))
    const [plain, query = ''] = this.#path.split('?')
    const path = `${plain}/stream${query === '' ? '' : `?${query}`}`
    this.#reading = await readFrom(this.#app.address, this.#token, path, this.#past.at(-1)!.lastId)
    this.#heard = 0
  }

  get isHere(): boolean {
    return this.#reading !== undefined
  }

  /** Whether it has been told of all that these transactions wrote. */
  isUpTo(transactions: readonly string[]): boolean {
    const [, , snapshot = '', partly] = (this.#reading?.lastId() ?? '').split('.')
    const [, next = '0', open = ''] = snapshot.split(':')
    const isSeen = (one: string): boolean => BigInt(one) < BigInt(next) && !open.split(',').includes(one)
    return partly === undefined && transactions.every(isSeen)
  }

  /** Checks each event by what it knew. */
  async hear(): Promise<void> {
    for (const event of this.#reading!.events.slice(this.#heard)) await this.#take(event)
    this.#heard = this.#reading!.events.length
    const now = { lastId: this.#reading!.lastId(), known: this.#past.at(-1)!.known }
    if (this.#isAhead) this.#past = [now]
    else this.#past.push(now)
    this.#isAhead = false
  }

  async #take({ data, event, id: lastId }: StreamEvent): Promise<void> {
    const known = new Map(this.#past.at(-1)!.known)
    const id = Number(data.id)
    const said = `${this.name}: ${event} ${JSON.stringify(data)}, known: ${known.get(id)}`
    if (event === 'reset') {
      assert.ok(
        data.reason === 'expired' && [...this.#removed].some((path) => /^\/(boxes|parts|tags)/.test(path)),
        said,
      )
      // Its list shows what is told behind this, too.
      this.#isAhead = true
      this.#past.push({ lastId, known: await this.#list() })
      return
    }
    const text = JSON.stringify(data)
    if (this.#isAhead) assert.ok(['created', 'changed', 'deleted'].includes(event), said)
    else if (event === 'created') assert.not.ok(known.has(id), said)
    else if (event === 'changed') assert.ok(known.has(id) && known.get(id) !== text, said)
    // What its filter asked of a record that is gone for good is not known any more.
    else if (!this.#isForgotten(id)) assert.ok(known.has(id), said)
    if (event === 'deleted') known.delete(id)
    else known.set(id, text)
    this.#past.push({ lastId, known })
  }

  #isForgotten(id: number): boolean {
    const [plain, query] = this.#path.split('?')
    return query !== undefined && this.#removed.has(`${plain}/${id}`)
  }

  async isAsListed(): Promise<void> {
    const { known } = this.#past.at(-1)!
    const sorted = (map: Known): readonly unknown[] => [...map].sort(([one], [other]) => one - other)
    assert.is(JSON.stringify(sorted(known)), JSON.stringify(sorted(await this.#list())), this.name)
  }
}

/** Waits until all that was written is told to those who are here. */
export async function settled(app: TestApplication, followers: readonly Follower[]): Promise<void> {
  const rows = await app.engine.database.adhoc.run({ text: 'select distinct xid::text from plinth_change' }, [])
  const transactions = rows.map(([one]) => one ?? '')
  await until(() => followers.every((one) => !one.isHere || one.isUpTo(transactions)))
}

/** A write as the one who may write everything. */
export async function write(
  app: TestApplication,
  method: string,
  path: string,
  body?: JsonObject,
): Promise<number | undefined> {
  const answer = await app.call(method, path, { token: FOLLOWERS[0]![0], body })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.status === 201 ? Number(answer.at('data.id')) : undefined
}
