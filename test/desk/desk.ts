/** A desk to test against: the real resources and plugins on a real database, spoken to over HTTP. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listenerStates } from '../../engine/change/state.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Answer } from '../support/answer.ts'
import { type ApplicationOptions, application, type TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'

export type { Answer }

export interface CallOptions {
  /** Whose token to present; absent: none. */
  readonly as?: Person | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Somebody with an account and an open session. */
export interface Person {
  readonly id: number
  readonly email: string
  readonly password: string
  readonly token: string
}

export interface Desk {
  readonly engine: Engine
  /** Where it is served. */
  readonly address: string
  /** Path below /api/v1, or from the root when it begins with `//`. Notifications are asked for when all have been made. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  get(path: string, as?: Person): Promise<Answer>
  post(path: string, as: Person | undefined, body?: unknown): Promise<Answer>
  put(path: string, as: Person | undefined, body?: unknown): Promise<Answer>
  remove(path: string, as: Person | undefined): Promise<Answer>
  login(email: string, password: string): Promise<Person>
  /** An account with a role, signed in. */
  person(role: string, name: string): Promise<Person>
  readonly admin: Person
  /** Waits until every listener has worked what was written so far. */
  heard(): Promise<void>
  /** The text of every mail so far, oldest first; waits until there are `atLeast`. */
  mails(atLeast?: number): Promise<readonly string[]>
  /** The id of a setting, by its path below settings and its name. */
  setting(kind: string, name: string): Promise<number>
  close(): Promise<void>
}

export const PASSWORD = 'correct horse battery'

const ADMIN = { email: 'boss@desk.example', password: 'a very long secret' }

/** The files of the desk, with another app.yaml. */
export async function deskFiles(edit: (app: string) => string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir('resources')).filter((name) => name.endsWith('.yaml') && !name.includes('.test.'))
  const files = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(`resources/${name}`, 'utf8')] as const)),
  )
  const [before = '', after] = [files['app.yaml'], edit(files['app.yaml'] ?? '')]
  if (after === before) throw new Error('The edit changes nothing in app.yaml')
  return { ...files, 'app.yaml': after }
}

/** Starts a desk on an empty database; `env` is laid over the settings of tests. */
export async function openDesk(
  env: Readonly<Record<string, string>> = {},
  resources: ApplicationOptions['resources'] = 'resources',
): Promise<Desk> {
  const admin = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, BASE_URL: 'https://desk.example' }
  return deskOf(await application({ resources, env: { ...admin, ...env } }))
}

async function deskOf(app: TestApplication): Promise<Desk> {
  const { engine } = app
  const heard = (): Promise<void> =>
    until(async () => {
      const states = await listenerStates(engine.database.adhoc, engine.app.catalog, new Date())
      return states.every(({ waiting, deferred }) => waiting + deferred === 0)
    })
  const call: Desk['call'] = async (method, path, { as, body, headers = {} } = {}) => {
    if (path.startsWith('/notifications')) await heard()
    const whole = path.startsWith('//') ? path.slice(1) : `/api/v1${path}`
    return app.call(method, whole, { token: as?.token, body, headers })
  }
  const login = async (email: string, password: string): Promise<Person> => {
    const answer = await call('POST', '/auth/login', { body: { email, password } })
    if (answer.status !== 200) throw new Error(`login of ${email}: ${answer.status} ${answer.text}`)
    return { id: Number(answer.at('data.user.id')), email, password, token: String(answer.at('data.token')) }
  }
  const setting: Desk['setting'] = async (kind, name) => {
    const { list, text } = await call('GET', `/settings/${kind}?per_page=100`, { as: desk.admin })
    const found = list.find((one) => one.name === name || one.slug === name)
    if (found === undefined) throw new Error(`there is no ${name} among ${kind}: ${text}`)
    return Number(found.id)
  }
  // A test that loses the admin's session puts another one in its place, so it is read from here each time.
  const desk: Desk = {
    engine,
    address: app.address,
    admin: await login(ADMIN.email, ADMIN.password),
    call,
    login,
    setting,
    get: (path, as) => call('GET', path, { as }),
    post: (path, as, body) => call('POST', path, { as, body }),
    put: (path, as, body) => call('PUT', path, { as, body }),
    remove: (path, as) => call('DELETE', path, { as }),
    async person(role, name) {
      const email = `${name.toLowerCase()}@people.example`
      const body = { first_name: name, last_name: 'Tester', email, password: PASSWORD, password_confirmation: PASSWORD }
      const made = await call('POST', '/users', {
        as: desk.admin,
        body: { ...body, role_id: await setting('roles', role) },
      })
      if (made.status !== 201) throw new Error(`account of ${name}: ${made.status} ${made.text}`)
      return login(email, PASSWORD)
    },
    heard,
    async mails(atLeast = 0) {
      await heard()
      return mailsIn(join(app.dataDir, 'outbox'), atLeast)
    },
    close: () => app.close(),
  }
  return desk
}

/** Mails leave after the answer, so a test may be there before them. */
async function mailsIn(outbox: string, atLeast: number): Promise<readonly string[]> {
  let ready: readonly string[] = []
  await until(async () => {
    const files = await readdir(outbox).catch(() => [])
    ready = files.filter((file) => file.endsWith('.eml')).sort()
    return ready.length >= atLeast
  })
  return Promise.all(ready.map((file) => readFile(join(outbox, file), 'utf8')))
}

/** A mail without the soft line breaks of its encoding. */
function plain(mail: string): string {
  return mail.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
}

/** The token of the link to set a password in a mail. */
export function tokenIn(mail: string): string {
  return /\/password\/reset\/([\w-]+)\?/.exec(plain(mail))?.[1] ?? ''
}

/** The token of the link to confirm an address in a mail. */
export function confirmationIn(mail: string): string {
  return /\/email\/verify\/([\w-]+)/.exec(plain(mail))?.[1] ?? ''
}

/** The mails to one address so far, oldest first, those whose subject matches; waits until there are `atLeast`. */
export async function mailsTo(desk: Desk, email: string, atLeast = 0, subject = /./): Promise<readonly string[]> {
  let found: readonly string[] = []
  await until(async () => {
    found = (await desk.mails())
      .map(plain)
      .filter((mail) => mail.includes(`\nTo: ${email}`) && subject.test(/^Subject: (.*)$/m.exec(mail)?.[1] ?? ''))
    return found.length >= atLeast
  })
  return found
}

/** Somebody who registered by themselves, signed in. */
export async function registerAt(desk: Desk, name: string, more: object = {}): Promise<Person> {
  const email = `${name.toLowerCase()}@people.example`
  const password = { password: PASSWORD, password_confirmation: PASSWORD }
  const body = { first_name: name, last_name: 'New', email, ...password, ...more }
  const answer = await desk.post('/auth/register', undefined, body)
  if (answer.status !== 201) throw new Error(`registration of ${name}: ${answer.status} ${answer.text}`)
  return { id: Number(answer.at('data.user.id')), email, password: PASSWORD, token: String(answer.at('data.token')) }
}
