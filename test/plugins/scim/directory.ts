/** An application whose accounts a directory keeps by SCIM, and the requests of that directory. */
import { type Answer, type ApplicationOptions, application, type TestApplication } from '../../support/application.ts'

export const ADMIN = { email: 'boss@acme.example', password: 'a very long secret' }

const FILES = {
  'app.yaml': `
name: Office
prefix: /api
plugins:
  timestamps: {}
  soft_delete: {}
  mail: {}
  auth: { roles: [admin, agent, customer], approval: 'off' }
  scim:
    roles:
      - { group: Desk Admins, role: admin }
      - { group: Desk Agents, role: agent }
    otherwise: customer
`,
  'roles.yaml': `
resource: roles
seeds:
  key: slug
  rows: [{ slug: agent, name: Agent, permissions: [users.view] }]
`,
}

/** What a directory may do that keeps people of every role. */
export const ALL = ['*']

export interface Directory extends TestApplication {
  readonly admin: string
  /** The id of the service account of the directory. */
  readonly service: number
  /** A request to /scim/v2 by the key of the directory, or by another token. */
  scim(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** A key of the service account. */
  key(permissions: readonly string[]): Promise<string>
  /** Makes a user by SCIM; gives its id. */
  user(name: string, more?: object): Promise<string>
  /** The token of somebody who signs in. */
  signIn(email: string, password: string): Promise<Answer>
  /** The id of a role. */
  role(slug: string): Promise<number>
}

/** Starts the application, with a service account for the directory. */
export async function openDirectory(more: Omit<ApplicationOptions, 'resources'> = {}): Promise<Directory> {
  const env = {
    BASE_URL: 'https://office.example',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    ...more.env,
  }
  const app = await application({ ...more, resources: FILES, env })
  const signIn = (email: string, password: string) => app.call('POST', '/api/auth/login', { body: { email, password } })
  const admin = String((await signIn(ADMIN.email, ADMIN.password)).at('data.token'))
  const role = async (slug: string): Promise<number> => {
    const { list } = await app.call('GET', '/api/settings/roles', { token: admin })
    return Number(list.find((one) => one.slug === slug)?.id)
  }
  const me = Number((await app.call('GET', '/api/auth/me', { token: admin })).at('data.id'))
  const made = await app.call('POST', '/api/users', {
    token: admin,
    body: {
      first_name: 'Directory',
      last_name: 'Program',
      email: 'directory@programs.example',
      kind: 'service',
      responsible_id: me,
      role_id: await role('admin'),
    },
  })
  const service = Number(made.at('data.id'))
  const key = async (permissions: readonly string[]): Promise<string> => {
    const body = { name: 'Directory', permissions, user_id: service }
    return String((await app.call('POST', '/api/auth/keys', { token: admin, body })).at('data.key'))
  }
  const token = await key(ALL)
  const scim: Directory['scim'] = (method, path, body, headers = {}) =>
    app.call(method, `/scim/v2${path}`, {
      token,
      ...(body !== undefined && { body }),
      headers: { ...(body !== undefined && { 'content-type': 'application/scim+json' }), ...headers },
    })
  const user = async (name: string, more: object = {}): Promise<string> => {
    const body = {
      userName: `${name}@acme.example`,
      name: { givenName: name, familyName: 'Acme' },
      active: true,
      ...more,
    }
    const answer = await scim('POST', '/Users', body)
    if (answer.status !== 201) throw new Error(answer.text)
    return String(answer.body.id)
  }
  return { ...app, admin, service, scim, key, user, signIn, role }
}
