/** README.md is run as it is written: its files are served, its commands are sent, its answers are compared. */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../engine/boot/boot.ts'
import { renderDiagnostics } from '../engine/text/render.ts'
import { KINDS, TYPES } from '../plugins/desk/notifications/options.ts'
import { application, type TestApplication } from './support/application.ts'

const page = suite('README.md')

const README = await readFile('README.md', 'utf8')

/** The blocks of a language under a heading (before the first one without), without the indentation of lists. */
function blocks(language: string, heading?: string): readonly string[] {
  const start = heading === undefined ? 0 : README.indexOf(`\n## ${heading}\n`)
  assert.ok(start >= 0, heading)
  const end = README.indexOf('\n## ', start + 1)
  const found = README.slice(start, end).matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)
  return [...found].flatMap(([, margin, name, text]) =>
    name === language ? [(text ?? '').replaceAll(new RegExp(`^${margin}`, 'gm'), '')] : [],
  )
}

interface Command {
  readonly command: string
  /** What the comment behind it says; `…` stands for anything. */
  readonly answer: string | undefined
}

function commands(block: string): readonly Command[] {
  return block
    .split(/^(?=curl )/m)
    .filter((part) => part.startsWith('curl '))
    .map((part) => {
      const [command, comment] = part.split(/^# /m)
      return { command: command!.trim(), answer: comment?.trim() }
    })
}

/** Sends a command of the page as a shell would; gives the status and body. */
async function send(app: TestApplication, { command, answer }: Command, token = '', cwd = '.') {
  const elided = ` -H "authorization: Bearer $TOKEN" -H 'content-type: application/json'`
  const script = command
    .replaceAll(/'?localhost:3000/g, (found) => found.replace('localhost:3000', app.address))
    .replaceAll(/ …/g, elided)
    .replace('curl -s', `curl -s -w '\\n%{http_code}'`)
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: { ...process.env, TOKEN: token }, cwd })
  const [, body = '', status = ''] = /^([\s\S]*)\n(\d+)$/.exec(stdout) ?? []
  if (answer !== undefined) {
    const expected = answer.replace(/^(?!\d{3} )/, '… ')
    assert.match(
      `${status} ${body}`,
      new RegExp(`^${expected.split('…').map(literal).join('[\\s\\S]*')}$`),
      `${command}\n${body}`,
    )
  } else assert.match(status, /^2/, `${command}\n${body}`)
  return { status: Number(status), body: JSON.parse(body) }
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function filesOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => [/^# shelf\/(\S+)/.exec(text)?.[1] ?? assert.unreachable(`no name in ${text}`), text]),
  )
}

page('its application of two files starts, registers, creates and is extended, copied from the page', async () => {
  const { 'users.yaml': users, ...files } = filesOf(blocks('yaml'))
  assert.equal(Object.keys(files), ['app.yaml', 'books.yaml'])
  const [use, extended, ...others] = blocks('sh').map(commands)
  assert.equal([use?.length, extended?.length, others], [2, 1, []])
  const env = { ADMIN_EMAIL: 'boss@shelf.example', ADMIN_PASSWORD: 'a very long secret' }
  const app = await application({ resources: files, env })
  const { body } = await send(app, use![0]!)
  await send(app, use![1]!, body.data.token)
  const admin = await app.call('POST', '/api/v1/auth/login', {
    body: { email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD },
  })
  await routesAnswer(app, admin.body.data.token)
  await app.close()

  // The database of the test ends with its application, so the page begins again with the file that extends it.
  const next = await application({ resources: { ...files, 'users.yaml': users! }, env })
  const registered = await send(next, use![0]!)
  await send(next, extended![0]!, registered.body.data.token)
  await next.close()
})

/** Every route of the page's table, as it stands there. */
async function routesAnswer(app: TestApplication, token: string): Promise<void> {
  const table = README.slice(README.indexOf('| route | does |'), README.indexOf('Serve it beside'))
  const query = /`(\?search=[^`]*)`/.exec(table)?.[1]?.replace('page=2', 'page=1')
  assert.equal([...table.matchAll(/^\| `([^`]*)/gm)].length, 5)
  const call = async (method: string, path: string, body?: object) => {
    const answer = await app.call(method, `/api/v1/books${path}`, { token, body })
    assert.is(answer.status, method === 'DELETE' ? 204 : 200, `${method} ${path} ${answer.text}`)
    return answer.body.data
  }
  const found = await call('GET', String(query).replace('author_id=3,4', 'author_id=2,3'))
  assert.is(found.length, 1)
  assert.is((await call('GET', '/1')).author.name, 'Ann Reed')
  for (const method of ['PUT', 'PATCH']) assert.is((await call(method, '/1', { title: method })).title, method)
  await call('DELETE', '/1')
  await call('POST', '/1/restore')
}

page('every kind of notification is explained, and no other', () => {
  const rows = [...README.matchAll(/^\| `([a-z_]+)` \| (.*) \|$/gm)].map(([, kind, tells]) => [kind, tells] as const)
  const from = rows.findIndex(([kind]) => kind === 'ticket_created')
  assert.equal(rows.slice(from, from + TYPES.length), Object.entries(KINDS))
})

page('the desk answers as the page says, also after a field was added', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-readme-'))
  await cp('resources', folder, { recursive: true })
  const path = join(folder, 'tickets.yaml')
  const [fields = '', filters = ''] = blocks('yaml', 'Add a field')[0]!.replace('fields:\n', '').split('filters:\n')
  const [mistake = ''] = blocks('', 'Add a field')
  const lines = (await readFile(path, 'utf8'))
    .replace(/\nfilters:.*\n/, (line) => `${line}${filters.trimEnd()}\n`)
    .split('\n')
  lines.splice(Number(/:(\d+):/.exec(mistake)?.[1]) - 1, 0, fields.trimEnd())
  const added = lines.join('\n')
  await writeFile(path, added)
  const app = await application({ resources: folder, env: { ADMIN_PASSWORD: 'the printed one' } })
  const [login, ticket] = blocks('sh', 'Run it').flatMap(commands)
  const { token } = (await send(app, login!)).body.data
  await send(app, ticket!, token)
  const rest = blocks('sh', 'Add a field').flatMap(commands)
  assert.is(rest.length, 2)
  for (const command of rest) await send(app, command, token)
  await writeFile(join(folder, 'zendesk.csv'), 'Ticket ID,Title,Via\n3000000077,Lamp broken,web\n')
  const imports = blocks('sh', 'Import and export').flatMap(commands)
  assert.is(imports.length, 1)
  await send(app, imports[0]!, token, folder)
  await app.close()

  await writeFile(path, added.replace(fields, fields.replace('min:', 'mim:')))
  const { diagnostics } = await readCatalog({ resourcesDir: folder, pluginsDir: 'plugins' })
  await rm(folder, { recursive: true })
  const told = renderDiagnostics(diagnostics).replace(/^\S*(?=tickets\.yaml)/, 'resources/')
  assert.match(told.split('\n\n')[0] ?? '', new RegExp(`^${mistake.trim().split('…').map(literal).join('.*')}$`))
})

page.run()
