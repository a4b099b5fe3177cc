/** An application whose people sign in by a directory. */
import { type Answer, type ApplicationOptions, application, type TestApplication } from '../../support/application.ts'
import { type Directory, PASSWORD, SUFFIX } from './directory.ts'

export const ADMIN = { email: 'boss@acme.example', password: 'a very long secret' }

const HOUR = 3_600_000
/** After this every person of the directory is asked for. */
export const DAY = 25 * HOUR

/** The options of the plugin of the guide, for a directory at an address. */
export function optionsFor(url: string, more = ''): string {
  return `
    label: Acme
    url: ${url}
    bind: cn=plinth,${SUFFIX}
    base: ou=people,${SUFFIX}
    filter: (&(objectClass=inetOrgPerson)(!(employeeType=disabled)))
    sign_in: [uid, mail]
    groups: { base: "ou=groups,${SUFFIX}" }
    claims: { departmentNumber: string }
    trust_addresses_of: [acme.example]
    new: { role: agent, status: active }
    roles:
      - { when: { groups: desk-admins }, role: admin }
      - { when: { any: [{ groups: desk-agents }, { departmentNumber: "7" }] }, role: agent }
    ${more}`
}

export interface Office extends TestApplication {
  readonly admin: string
  signIn(name: string, password?: string): Promise<Answer>
  /** Who is signed in with the token of an answer; null where nobody is. */
  me(answer: Answer): Promise<Readonly<Record<string, unknown>> | null>
}

/** Starts it. */
export async function openOffice(
  options: string,
  more: Omit<ApplicationOptions, 'resources'> = {},
  auth = '',
): Promise<Office> {
  const app = `
name: Office
prefix: /api
plugins:
  timestamps: {}
  soft_delete: {}
  mail: {}
  auth:
    roles: [admin, agent, customer]
    approval: 'off'
    ${auth}
  ldap: ${options}
`
  const roles = `
resource: roles
seeds:
  key: slug
  rows:
    - { slug: agent, name: Agent, permissions: [users.view] }
`
  const env = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, LDAP_PASSWORD: PASSWORD, ...more.env }
  const running = await application({ ...more, resources: { 'app.yaml': app, 'roles.yaml': roles }, env })
  const inside = await running.call('POST', '/api/auth/login', { body: ADMIN })
  return {
    ...running,
    admin: String(inside.at('data.token')),
    signIn: (name, password = PASSWORD) => running.call('POST', '/api/auth/ldap', { body: { name, password } }),
    async me(answer) {
      const { body, status } = await running.call('GET', '/api/auth/me', { token: String(answer.at('data.token')) })
      return status === 200 ? body.data : null
    },
  }
}

/** Starts it at a directory of tests. */
export function officeAt(directory: Pick<Directory, 'port'>, more = '', auth = ''): Promise<Office> {
  return openOffice(optionsFor(`ldap://127.0.0.1:${directory.port}`, more), {}, auth)
}
