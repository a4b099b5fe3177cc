/** A blog with data in every place that stores names, under its first and its later names. */
import * as assert from 'uvu/assert'
import type { Database } from '../../engine/database/database.ts'
import { PNG } from '../plugins/media/world.ts'
import type { Receiver } from '../plugins/webhooks/world.ts'
import { application, type TestApplication } from '../support/application.ts'
import { until } from '../support/wait.ts'

/** What the YAML says of names; `was` puts in what stands there only while clients may use the earlier ones. */
interface Words {
  readonly posts: string
  readonly title: string
  readonly writer: string
  readonly area: string
  /** What notes say. */
  readonly note: string
  readonly was: (name: string) => string
}

export const BEFORE: Words = {
  posts: 'posts',
  title: 'title',
  writer: 'author',
  area: 'section',
  note: 'text',
  was: () => '',
}
export const AFTER: Words = {
  posts: 'articles',
  title: 'headline',
  writer: 'writer',
  area: 'area',
  note: 'words',
  was: (name) => `renamed_from: ${name}`,
}
/** The same when nobody uses the earlier names any more. */
export const LATER: Words = { ...AFTER, was: () => '' }

export function blogFiles({ area, note, posts, title, was, writer }: Words): Readonly<Record<string, string>> {
  const more = (name: string): string => (was(name) === '' ? '' : `, ${was(name)}`)
  return {
    'app.yaml': [
      'name: Blog',
      'prefix: /api',
      'plugins:',
      '  timestamps: {}',
      '  soft_delete: {}',
      '  mail: {}',
      '  jobs: {}',
      '  auth: { approval: "off", roles: [admin, editor, reader] }',
      '  activity: {}',
      '  media: {}',
      '  macros: {}',
      '  csv: { job_rows: 0 }',
      '  webhooks: { http: true, networks: [127.0.0.0/8] }',
      'limits: { jobPollMs: 100, listenerPollMs: 100, automationPollMs: 50 }',
    ].join('\n'),
    'roles.yaml': [
      'resource: roles',
      'seeds:',
      '  key: slug',
      '  rows:',
      `    - { name: Editor, slug: editor, permissions: [${posts}.view, ${posts}.manage, webhooks.manage, macros.use] }`,
      '    - { name: Reader, slug: reader, permissions: [] }',
    ].join('\n'),
    'sections.yaml': [
      'resource: sections',
      'fields: { name: { type: string, required: true }, is_open: { type: boolean, default: true, nullable: false } }',
      `policies: { view: [{ who: signed_in }], create: [{ permission: ${posts}.manage }] }`,
      'seeds: { key: name, rows: [{ name: North }, { name: South }] }',
    ].join('\n'),
    'notes.yaml': [
      'resource: notes',
      `fields: { ${note}: { type: string, required: true${more('text')} } }`,
      `relations: { about: { belongs_to: ${posts}, required: true } }`,
      'nested: { about: { path: posted, actions: [list, create] } }',
      `policies: { view: [{ who: signed_in }], create: [{ permission: ${posts}.manage }], update: [{ permission: ${posts}.manage }], delete: [{ permission: ${posts}.manage }] }`,
      `seeds: { key: [about, ${note}], rows: [{ about: { ${title}: Welcome }, ${note}: First }] }`,
    ].join('\n'),
    [`${posts}.yaml`]: [
      `resource: ${posts}`,
      was('posts'),
      'activity: true',
      'attachments: true',
      'webhooks: true',
      'macros: true',
      'stream: true',
      `csv: { import: [{ permission: ${posts}.manage }], columns: { Title: ${title} } }`,
      'fields:',
      `  ${title}: { type: string, required: true${more('title')} }`,
      '  text: { type: text }',
      '  is_seen: { type: boolean, default: false, nullable: false }',
      '  due_at: { type: timestamp }',
      'relations:',
      `  ${writer}: { belongs_to: users, embed: [first_name]${more('author')} }`,
      `  ${area}: { belongs_to: sections${more('section')} }`,
      `  notes: { has_many: notes }`,
      'policies:',
      `  view: [{ permission: ${posts}.view }, { who: signed_in, where: { ${writer}: $actor } }]`,
      `  create: [{ permission: ${posts}.manage }]`,
      `  update: [{ permission: ${posts}.manage }]`,
      `  delete: [{ permission: ${posts}.manage }]`,
      `seeds: { key: ${title}, rows: [{ ${title}: Welcome }, { ${title}: About us }] }`,
      'automations:',
      `  place: { on: [create], set: { ${area}: { pick: { is_open: true }, by: in_turn } } }`,
      '  look: { at: due_at, set: { is_seen: true } }',
    ].join('\n'),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read what answers hold.
export type Data = any

export interface Blog {
  readonly app: TestApplication
  readonly admin: string
  login(name: string): Promise<string>
  must(method: string, path: string, body?: object, token?: string): Promise<Data>
  close(): Promise<void>
}

const PASSWORD = 'correct horse battery'

/** The blog on a database and a folder that stay. */
export async function openBlog(words: Words, database: Database, folder: string): Promise<Blog> {
  const env = { ADMIN_EMAIL: 'boss@blog.example', ADMIN_PASSWORD: PASSWORD, DATA_DIR: folder }
  const app = await application({ resources: blogFiles(words), database, env })
  const login = async (name: string): Promise<string> => {
    const body = { email: `${name}@blog.example`, password: PASSWORD }
    return String((await app.call('POST', '/api/auth/login', { body })).at('data.token'))
  }
  const admin = await login('boss')
  return {
    app,
    admin,
    login,
    async must(method, path, body, token = admin) {
      const answer = await app.call(method, `/api${path}`, { token, ...(body && { body }) })
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body?.data
    },
    close: () => app.close(),
  }
}

const TEMPLATE = '{{ title | append: " of author title" }} by {{ author.first_name }}'

/** Writes something everywhere: records with their activity and files, a webhook that was told, a macro, a deleted seed. */
export async function fill(blog: Blog, receiver: Receiver): Promise<void> {
  const { must } = blog
  const roles: readonly Data[] = await must('GET', '/settings/roles')
  for (const [first_name, slug] of [
    ['Ed', 'editor'],
    ['Ria', 'reader'],
  ] as const) {
    const role_id = roles.find((one) => one.slug === slug)?.id
    const email = `${first_name.toLowerCase()}@blog.example`
    const words = { first_name, last_name: 'T', email, password: PASSWORD, password_confirmation: PASSWORD, role_id }
    await must('POST', '/users', words)
  }
  const ria = (await must('GET', '/users?email=ria@blog.example'))[0].id
  await must('POST', '/webhooks', {
    name: 'Hook',
    address: receiver.url,
    events: ['posts.*', 'posts.create'],
    where: { any: [{ title: { contains: 'e' } }, { 'author.first_name': 'Ria' }, { author_id: ria }] },
  })
  const macro = {
    name: 'Seen',
    resource: 'posts',
    is_shared: true,
    set: { is_seen: true, title: TEMPLATE },
    create: { posted: { text: '{{ title | upcase }}' } },
  }
  await must('POST', '/macros', macro)
  const post = await must('POST', '/posts', { title: 'One', author_id: ria, due_at: new Date().toISOString() })
  await must('PATCH', `/posts/${post.id}`, { title: 'One more', text: 'Words' })
  await upload(blog, post.id)
  const [seed] = await must('GET', '/posts?search=&fields=id,title&per_page=100').then((all: readonly Data[]) =>
    all.filter(({ title }) => title === 'About us'),
  )
  await must('DELETE', `/posts/${seed.id}`)
  const [note] = await must('GET', '/notes')
  await must('DELETE', `/notes/${note.id}`)
  await receiver.until(3)
  await until(async () => (await must('GET', `/posts/${post.id}`)).is_seen === true)
}

async function upload({ admin, app }: Blog, post: number): Promise<void> {
  const line = (text: string) => Buffer.from(`${text}\r\n`)
  const form = (rest: string) => line(`--part\r\nContent-Disposition: form-data; ${rest}\r\n`)
  const body = Buffer.concat([
    form('name="post_id"'),
    line(String(post)),
    form('name="file"; filename="cover.png"\r\nContent-Type: image/png'),
    PNG,
    line(''),
    line('--part--'),
  ])
  const headers = { 'content-type': 'multipart/form-data; boundary=part' }
  const answer = await app.call('POST', '/api/media', { token: admin, headers, body })
  assert.is(answer.status, 201, answer.text)
}
