/** Tickets that five kinds of readers follow, each with a sight of its own. */
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
import { application, type TestApplication } from '../support/application.ts'
import { follow, type Reading } from './client.ts'

export const RESOURCES: Readonly<Record<string, string>> = {
  'app.yaml': [
    'name: Tickets',
    'plugins: { soft_delete: {}, jobs: {}, who: {} }',
    'limits: { listenerPollMs: 200, streamPauseMs: 10, streamCheckMs: 50, streamsPerCaller: 4, streamUnsentBytes: 300000, streamHeartbeatMs: 200, streamRetryMs: 10, streamRetryMostMs: 20 }',
  ].join('\n'),
  'teams.yaml': [
    'resource: teams',
    'soft_delete: true',
    'restore: true',
    'fields: { name: { type: string, required: true }, lead: { type: integer } }',
    'policies: { view: [{ who: anyone }], create: [{ permission: tickets.write }], update: [{ permission: tickets.write }], delete: [{ permission: tickets.write }], restore: [{ permission: tickets.write }] }',
  ].join('\n'),
  'tickets.yaml': [
    'resource: tickets',
    'stream: true',
    'soft_delete: true',
    'restore: true',
    'fields:',
    '  title: { type: string, required: true }',
    '  status: { type: enum, values: [open, closed], default: open }',
    '  owner: { type: integer }',
    '  tags: { type: list, of: string, default: [] }',
    '  due: { type: timestamp }',
    '  price: { type: decimal }',
    '  note: { type: string, read: { permission: tickets.notes } }',
    'relations:',
    '  team: { belongs_to: teams, embed: [id, name] }',
    '  comments: { has_many: comments, embed: false }',
    'filters: [title, status, owner, tags, due, price, team.lead]',
    'search: [title]',
    'policies:',
    '  view:',
    '    - { permission: tickets.all }',
    '    - { role: customer, where: { owner: $actor } }',
    '    - { role: lead, where: { team.lead: $actor } }',
    '    - { role: archivist, where: { with_deleted: { team.lead: $actor } } }',
    '    - { role: helper, where: { comments: { some: { author: $actor } } } }',
    '  create: [{ permission: tickets.write }]',
    '  update: [{ permission: tickets.write }]',
    '  delete: [{ permission: tickets.write }]',
    '  restore: [{ permission: tickets.write }]',
  ].join('\n'),
  'comments.yaml': [
    'resource: comments',
    'stream: true',
    'soft_delete: false',
    'fields: { text: { type: string, required: true }, internal: { type: boolean, default: false, nullable: false }, author: { type: integer } }',
    'relations: { ticket: { belongs_to: tickets, required: true, embed: false } }',
    'filters: [ticket_id]',
    'policies:',
    '  view:',
    '    - { permission: tickets.all }',
    '    - { role: customer, where: { internal: false, ticket.owner: $actor } }',
    '  create: [{ permission: tickets.write }]',
    '  update: [{ permission: tickets.write }]',
    '  delete: [{ permission: tickets.write }]',
  ].join('\n'),
}

/** Tokens of the plugin `who`: id, role, permissions. */
export const BOSS = '1:boss:tickets.all,tickets.notes,tickets.write'
export const AGENT = '2:agent:tickets.all'
export const ANN = '11:customer:'
export const BEN = '12:customer:'
export const LEAD = '21:lead:'
export const ARCHIVIST = '77:archivist:'
export const HELPER = '31:helper:'

export interface World extends TestApplication {
  make(path: string, body: JsonObject): Promise<number>
  write(method: 'PUT' | 'DELETE' | 'POST', path: string, body?: JsonObject): Promise<void>
  /** Opens a stream and waits for its first event, unless it goes on behind an id. */
  read(token: string | undefined, path?: string, lastId?: string): Promise<Reading>
  /** What a list shows a reader, by id. */
  list(token: string, path?: string): Promise<ReadonlyMap<number, JsonObject>>
}

export async function openWorld(resources: Readonly<Record<string, string>> = RESOURCES): Promise<World> {
  return worldOf(await application({ resources, plugins: 'test/support/plugins', env: { METRICS_TOKEN: 'numbers' } }))
}

export function worldOf(app: TestApplication): World {
  const write: World['write'] = async (method, path, body) => {
    const answer = await app.call(method, path, { token: BOSS, body })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  }
  return {
    ...app,
    write,
    async make(path, body) {
      const answer = await app.call('POST', path, { token: BOSS, body })
      if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`)
      return Number((answer.body.data as JsonObject).id)
    },
    read: (token, path = '/tickets/stream', lastId) => readFrom(app.address, token, path, lastId),
    async list(token, path = '/tickets') {
      const answer = await app.call('GET', `${path}${path.includes('?') ? '&' : '?'}per_page=100`, { token })
      return new Map((answer.body.data as { id: number }[]).map((record) => [record.id, record]))
    },
  }
}

/** Opens a stream at an address. */
export async function readFrom(
  address: string,
  token: string | undefined,
  path: string,
  lastId?: string,
): Promise<Reading> {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  }
  const reading = await follow(address, path, headers)
  if (lastId === undefined && reading.status === 200) await reading.come(1)
  return reading
}

/** Opens streams that must be open (200), and closes them behind each test of the suite. */
export function readingsOf(test: { readonly after: { each(close: () => void): void } }): typeof readFrom {
  let readings: Reading[] = []
  test.after.each(() => {
    for (const reading of readings) reading.close()
    readings = []
  })
  return async (address, token, path, lastId) => {
    const reading = await readFrom(address, token, path, lastId)
    readings.push(reading)
    assert.is(reading.status, 200, reading.text())
    return reading
  }
}
