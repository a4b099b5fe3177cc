/** A library that offers its books to webhooks, people who are signed in, and receivers that behave as they are told. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listenerStates } from '../../../engine/change/state.ts'
import type { Answer } from '../../support/answer.ts'
import { application, type TestApplication } from '../../support/application.ts'
import { until } from '../../support/wait.ts'

const PASSWORD = 'correct horse battery'
const ADMIN = { email: 'boss@library.example', password: 'a very long secret' }

export const OPEN = 'http: true, networks: [127.0.0.0/8]'

/** The YAML of the library; `options` are those of the plugin. */
export function libraryFiles(options: string): Readonly<Record<string, string>> {
  return {
    'app.yaml': [
      'name: Library',
      'prefix: /api',
      `plugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { approval: "off", roles: [admin, editor, reader] }, webhooks: { ${options} } }`,
      'limits: { jobPollMs: 200, listenerPollMs: 200 }',
    ].join('\n'),
    'roles.yaml': [
      'resource: roles',
      'seeds:',
      '  key: slug',
      '  rows:',
      '    - { name: Editor, slug: editor, permissions: [webhooks.manage] }',
      '    - { name: Reader, slug: reader, permissions: [] }',
    ].join('\n'),
    'shelves.yaml': [
      'resource: shelves',
      'webhooks: true',
      'fields: { name: { type: string, required: true } }',
      'policies: { view: [{ who: signed_in }], create: [{ role: admin }], update: [{ role: admin }], delete: [{ role: admin }] }',
    ].join('\n'),
    'books.yaml': [
      'resource: books',
      'webhooks: true',
      'soft_delete: true',
      'restore: true',
      'fields:',
      '  title: { type: string, required: true }',
      '  pages: { type: integer, default: 100 }',
      '  is_open: { type: boolean, default: true, nullable: false }',
      '  price: { type: decimal, read: { role: admin } }',
      '  pin: { type: secret }',
      'relations: { shelf: { belongs_to: shelves, embed: [id, name] }, copies: { many_to_many: shelves, embed: [id, name] } }',
      'policies:',
      '  view: [{ role: admin }, { role: editor, where: { is_open: true } }]',
      '  create: [{ role: admin }]',
      '  update: [{ role: admin }]',
      '  delete: [{ role: admin }]',
      '  restore: [{ role: admin }]',
    ].join('\n'),
    'visits.yaml': [
      'resource: visits',
      'fields: { day: { type: date } }',
      'policies: { view: [{ role: admin }], create: [{ role: admin }], update: [], delete: [] }',
      'actions: [list, get, create]',
    ].join('\n'),
  }
}

export interface Library {
  readonly app: TestApplication
  /** The token of the admin, and of somebody else with a role. */
  readonly admin: string
  person(role: string, name: string): Promise<{ readonly id: number; readonly token: string }>
  call(method: string, path: string, body?: object, token?: string): Promise<Answer>
  /** The same; throws unless it succeeds. Gives `data`. */
  must(method: string, path: string, body?: object, token?: string): Promise<Data>
  /** Waits until every listener has worked what was written so far. */
  heard(): Promise<void>
  /** The deliveries of a webhook, oldest first, read by the admin. */
  deliveries(webhook: unknown): Promise<readonly Data[]>
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: tests read what answers hold.
export type Data = any

export async function openLibrary(options = OPEN): Promise<Library> {
  const env = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password }
  return libraryOf(await application({ resources: libraryFiles(options), env }))
}

/** The library of an application that is served. */
export async function libraryOf(app: TestApplication): Promise<Library> {
  const login = async (email: string, password: string): Promise<string> => {
    const answer = await app.call('POST', '/api/auth/login', { body: { email, password } })
    return String(answer.at('data.token'))
  }
  const admin = await login(ADMIN.email, ADMIN.password)
  const call: Library['call'] = (method, path, body, token = admin) =>
    app.call(method, `/api${path}`, { token, ...(body && { body }) })
  const must: Library['must'] = async (method, path, body, token) => {
    const answer = await call(method, path, body, token)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body?.data as Data
  }
  return {
    app,
    admin,
    call,
    must,
    heard: () =>
      until(async () => {
        const { app: served, database } = app.engine
        const states = await listenerStates(database.adhoc, served.catalog, new Date())
        return states.every(({ waiting, deferred }) => waiting + deferred === 0)
      }),
    async person(role, name) {
      const roles: readonly Data[] = await must('GET', '/settings/roles')
      const email = `${name.toLowerCase()}@library.example`
      const words = {
        first_name: name,
        last_name: 'Tester',
        email,
        password: PASSWORD,
        password_confirmation: PASSWORD,
      }
      const { id } = await must('POST', '/users', { ...words, role_id: roles.find(({ slug }) => slug === role)?.id })
      return { id: Number(id), token: await login(email, PASSWORD) }
    },
    deliveries: (webhook) => must('GET', `/webhook-deliveries?webhook_id=${webhook}&sort=id&per_page=100`),
    close: () => app.close(),
  }
}

/** One request as a receiver got it. */
export interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly json: Data
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: readonly Received[]
  /** What it does with a request; 204 at first. */
  behave(how: (response: ServerResponse, request: IncomingMessage, got: Received) => void): void
  /** Waits until so many requests have come. */
  until(count: number): Promise<readonly Received[]>
  close(): Promise<void>
}

export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let how: Parameters<Receiver['behave']>[0] = (response) => void response.writeHead(204).end()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const got = { headers: request.headers as Record<string, string>, body, json: JSON.parse(body) as Data }
    received.push(got)
    how(response, request, got)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    behave: (next) => {
      how = next
    },
    until: async (count) => {
      await until(() => received.length >= count)
      return received
    },
    close: () => {
      server.closeAllConnections()
      return new Promise((closed) => void server.close(() => closed()))
    },
  }
}
