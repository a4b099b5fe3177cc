/** README.md is run as it is written: its files are served, its commands are sent, its answers are compared. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../engine/boot/boot.ts'
import { renderDiagnostics } from '../engine/text/render.ts'
import { KINDS, TYPES } from '../plugins/desk/notifications/options.ts'
import { application, type TestApplication } from './support/application.ts'
import { blocks as blocksOf, commands, literal, send } from './support/page.ts'

const page = suite('README.md')

const README = await readFile('README.md', 'utf8')

const blocks = (language: string, heading?: string): readonly string[] => blocksOf(README, language, heading)

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
  const { body } = await send(app.address, use![0]!)
  await send(app.address, use![1]!, body.data.token)
  const admin = await app.call('POST', '/api/v1/auth/login', {
    body: { email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD },
  })
  await routesAnswer(app, admin.body.data.token)
  await app.close()

  // The database of the test ends with its application, so the page begins again with the file that extends it.
  const next = await application({ resources: { ...files, 'users.yaml': users! }, env })
  const registered = await send(next.address, use![0]!)
  await send(next.address, extended![0]!, registered.body.data.token)
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
  const { token } = (await send(app.address, login!)).body.data
  await send(app.address, ticket!, token)
  const rest = blocks('sh', 'Add a field').flatMap(commands)
  assert.is(rest.length, 2)
  for (const command of rest) await send(app.address, command, token)
  await writeFile(join(folder, 'zendesk.csv'), 'Ticket ID,Title,Via\n3000000077,Lamp broken,web\n')
  const imports = blocks('sh', 'Import and export').flatMap(commands)
  assert.is(imports.length, 1)
  await send(app.address, imports[0]!, token, folder)
  await app.close()

  await writeFile(path, added.replace(fields, fields.replace('min:', 'mim:')))
  const { diagnostics } = await readCatalog({ resourcesDir: folder, pluginsDir: 'plugins' })
  await rm(folder, { recursive: true })
  const told = renderDiagnostics(diagnostics).replace(/^\S*(?=tickets\.yaml)/, 'resources/')
  assert.match(told.split('\n\n')[0] ?? '', new RegExp(`^${mistake.trim().split('…').map(literal).join('.*')}$`))
})

page.run()
