/** Notes of people with four roles: small enough to count by hand what each may do. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Answer,
  type ApplicationOptions,
  application,
  type TestApplication,
  writeFiles,
} from '../../support/application.ts'

export const NOTES = `# notes of people
resource: notes
label: { one: Note, many: Notes }      # as people call them

fields:
  title:  { type: string, required: true }    # shown everywhere
  kind:   { type: enum, values: [open, done, old], default: open }
  secret: { type: string, read: { role: admin } }

relations:
  owner: { belongs_to: users, embed: false }

filters: [title, kind]

rules:
  has_a_title: { must: { title: { ne: none } }, says: A note has a title }

moves:
  kind: { allow: [{ from: open, to: done }, { role: admin, from: done, to: old }] }

policies:
  view:
    - role: admin
    - { permission: notes.view, where: { kind: open } }   # readers see what is open
    - { role: writer, where: { owner: $actor } }
  create:
    - { role: [admin, writer], set: { owner: $actor } }
  update:
    - role: admin
    - { role: writer, where: { owner: $actor }, fields: [title] }
  delete:
    - role: admin
`

export const FILES: Readonly<Record<string, string>> = {
  'app.yaml': `name: Notes
prefix: /api
explain: { permission: answers.explain }
plugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, reader, writer, customer] }, schema: {} }
`,
  'roles.yaml': `resource: roles
seeds:
  key: slug
  rows:
    - { slug: admin, name: Admin, permissions: ["*"] }
    - { slug: reader, name: Reader, permissions: [notes.view, answers.explain] }
    - { slug: writer, name: Writer, permissions: [] }
    - { slug: customer, name: Customer, permissions: [] }
`,
  'notes.yaml': NOTES,
}

/** The files as those of a base: an application on them names it by `extends: ../base`. */
export function inBase(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`../base/${name}`, text]))
}

const ADMIN = { ADMIN_EMAIL: 'boss@notes.example', ADMIN_PASSWORD: 'a very long secret' }
const PASSWORD = 'a long secret of mine'

export interface World {
  readonly app: TestApplication
  /** Tokens by the name of a role. */
  readonly tokens: Readonly<Record<string, string>>
  /** The folder of its YAML. */
  readonly folder: string
  /** A request of somebody by name: `admin`, or a role of `people`. */
  call(
    who: string | undefined,
    request: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>
  close(): Promise<void>
}

/** The notes, served; `people` are roles, each with one account. */
export async function notesWorld({
  files = FILES,
  people = [],
  ...options
}: Partial<ApplicationOptions> & {
  readonly files?: Readonly<Record<string, string>>
  readonly people?: readonly string[]
} = {}): Promise<World> {
  const folder = join(await mkdtemp(join(tmpdir(), 'plinth-notes-')), 'resources')
  await writeFiles(folder, files)
  const app = await application({ ...options, resources: folder, env: { ...ADMIN, ...options.env } })
  const tokens: Record<string, string> = {}
  const signIn = async (email: string, password: string): Promise<string> => {
    const answer = await app.call('POST', '/api/auth/login', { body: { email, password } })
    return String((answer.at('data') as { readonly token: string }).token)
  }
  tokens.admin = await signIn(ADMIN.ADMIN_EMAIL, ADMIN.ADMIN_PASSWORD)
  const roles = await app.call('GET', '/api/settings/roles', { token: tokens.admin })
  for (const role of people) {
    const { id } = (roles.at('data') as readonly { readonly id: number; readonly slug: string }[]).find(
      ({ slug }) => slug === role,
    )!
    const body = {
      first_name: role,
      last_name: 'Reed',
      email: `${role}@notes.example`,
      password: PASSWORD,
      password_confirmation: PASSWORD,
      role_id: id,
    }
    const made = await app.call('POST', '/api/users', { token: tokens.admin, body })
    if (made.status !== 201) throw new Error(made.text)
    tokens[role] = await signIn(body.email, PASSWORD)
  }
  return {
    app,
    tokens,
    folder,
    call(who, request, body, headers) {
      const [method = '', path = ''] = request.split(' ')
      const token = who === undefined ? {} : { token: tokens[who] }
      return app.call(method, path, {
        ...token,
        ...(body === undefined ? {} : { body }),
        ...(headers === undefined ? {} : { headers }),
      })
    },
    async close() {
      await app.close()
      await rm(join(folder, '..'), { recursive: true, force: true })
    },
  }
}
