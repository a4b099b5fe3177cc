/** An application whose people sign in by a provider, and browsers that do. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Answer,
  type ApplicationOptions,
  application,
  type TestApplication,
} from '../../../support/application.ts'
import { until } from '../../../support/wait.ts'
import { ENVIRONMENT } from './acme.ts'

export const BASE = 'https://office.example'
export const CALLBACK = `${BASE}/api/auth/providers/acme/callback`
export const ADMIN = { email: 'boss@acme.example', password: 'a very long secret' }

const SAME = { 'sec-fetch-site': 'same-origin' }

/** The options of the provider `acme` of the documents, at an issuer. */
export function acmeAt(issuer: string): string {
  return `
      acme:
        label: Acme
        issuer: ${issuer}
        client_id: desk
        scopes: [groups]
        trust_addresses_of: [acme.example]
        admit: { email: { ends_with: "@acme.example" } }
        new: { role: agent, status: active }
        roles:
          - { when: { groups: desk-admins }, role: admin }
          - { when: { groups: desk-agents }, role: agent, set: { department: { name: Support } } }
        otherwise: deny`
}

/** The files of the application, with these providers and more options. */
export function files(providers: string, more = ''): Readonly<Record<string, string>> {
  return {
    'app.yaml': `
name: Office
prefix: /api
plugins:
  timestamps: {}
  soft_delete: {}
  mail: {}
  auth:
    roles: [admin, agent, customer]
    approval: 'off'
    sign_in_page: /start
    ${more}
    providers:${providers}
`,
    'departments.yaml': `
resource: departments
stream: true
fields:
  name: { type: string, required: true, unique: true }
policies:
  view: [{ who: anyone }]
seeds: { key: name, rows: [{ name: Support }, { name: Sales }] }
`,
    'users.yaml': `
resource: users
relations:
  department: { belongs_to: departments }
`,
    'roles.yaml': `
resource: roles
seeds:
  key: slug
  rows:
    - { slug: agent, name: Agent, permissions: [users.view] }
`,
  }
}

export interface Office extends TestApplication {
  /** A browser with cookies of its own. */
  browser(): Browser
  /** SQL on its database. */
  database(text: string): Promise<unknown>
  /** The token of the admin. */
  readonly admin: string
  /** The mails so far, as texts; waits until there are `atLeast`. */
  mails(atLeast: number): Promise<readonly string[]>
}

/** Starts the application. */
export async function openOffice(
  providers: string,
  more: Omit<ApplicationOptions, 'resources'> = {},
  options = '',
): Promise<Office> {
  const env = { BASE_URL: BASE, ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, ...ENVIRONMENT, ...more.env }
  const app = await application({ ...more, resources: files(providers, options), env })
  return officeOf(app)
}

/** The office of an application that runs. */
async function officeOf(app: TestApplication): Promise<Office> {
  const signedIn = await app.call('POST', '/api/auth/login', { body: ADMIN })
  return {
    ...app,
    admin: String(signedIn.at('data.token')),
    database: (text) => app.engine.database.adhoc.run({ text }, []),
    browser: () => createBrowser(app),
    async mails(atLeast) {
      const outbox = join(app.dataDir, 'outbox')
      let names: readonly string[] = []
      await until(async () => {
        names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'))
        return names.length >= atLeast
      })
      return Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
    },
  }
}

/** A browser at the application. */
export interface Browser {
  readonly cookies: Map<string, string>
  /** A request that a person or a page of the application sends, with the cookies. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  remove(path: string): Promise<Answer>
  /** Begins a sign-in; the address at the provider. */
  begin(provider?: string, query?: string): Promise<URL>
  /** Comes back from a provider. */
  comeBack(address: URL): Promise<Answer>
  /** Signs in at a provider that lets everybody in who is asked for. */
  signIn(query?: string): Promise<Answer>
  /** Who is signed in; null where nobody is. */
  me(): Promise<Readonly<Record<string, unknown>> | null>
}

function createBrowser(app: TestApplication): Browser {
  const cookies = new Map<string, string>()
  const send = async (method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await app.call(method, path, { headers: { ...headers, ...(cookie !== '' && { cookie }) }, body })
    keep(cookies, answer.headers['set-cookie'])
    return answer
  }
  const browser: Browser = {
    cookies,
    get: (path, headers = SAME) => send('GET', path, headers),
    post: (path, body = {}) => send('POST', path, SAME, body),
    remove: (path) => send('DELETE', path, SAME),
    async begin(provider = 'acme', query = '') {
      const { headers, status, text } = await browser.get(`/api/auth/providers/${provider}${query}`, {
        'sec-fetch-site': 'none',
      })
      if (status !== 302) throw new Error(`${status} ${text}`)
      return new URL(String(headers.location))
    },
    comeBack: (address) => browser.get(`${address.pathname}${address.search}`, { 'sec-fetch-site': 'cross-site' }),
    async signIn(query) {
      return browser.comeBack(await atProvider(await browser.begin('acme', query)))
    },
    async me() {
      const { body, status } = await browser.get('/api/auth/me')
      return status === 200 ? body.data : null
    },
  }
  return browser
}

function keep(cookies: Map<string, string>, headers: readonly string[] = []): void {
  for (const header of headers) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
    if (/max-age=0\b/i.test(header)) cookies.delete(name)
    else cookies.set(name, value)
  }
}

/** Goes through the pages of a provider with a browser that it does not know, to where it leads back. */
export async function atProvider(begin: URL, known: Map<string, string> = new Map()): Promise<URL> {
  let address = begin
  for (let step = 0; step < 10; step++) {
    const cookie = [...known].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(address, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } })
    keep(known, answer.headers.getSetCookie())
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`${address} was answered with ${answer.status}: ${await answer.text()}`)
    address = new URL(location, address)
    if (address.origin === BASE) return address
  }
  throw new Error(`${begin} leads nowhere`)
}
