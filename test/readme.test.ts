/** The first pages are run as they are written: their files are served, their commands are sent, their answers are compared. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../engine/boot/boot.ts'
import { renderDiagnostics } from '../engine/text/render.ts'
import { application, type TestApplication } from './support/application.ts'
import { blocks, commands, literal, send } from './support/page.ts'

const page = suite('first pages')

const README = await readFile('README.md', 'utf8')
const FIRST = await readFile('resources/guide/first-application.md', 'utf8')
const DESK = await readFile('resources/DESK.md', 'utf8')

const desk = (language: string, heading: string): readonly string[] => blocks(DESK, language, heading)

/** The blocks of a language in a whole page. */
function whole(text: string, language: string): readonly string[] {
  return blocks(text.replaceAll(/^##+ .*$/gm, ''), language)
}

function filesOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => [/^# shelf\/(\S+)/.exec(text)?.[1] ?? assert.unreachable(`no name in ${text}`), text]),
  )
}

page('its application of two files starts, registers, creates and is extended, copied from the page', async () => {
  const { 'users.yaml': users, ...files } = filesOf(whole(FIRST, 'yaml'))
  assert.equal(Object.keys(files), ['app.yaml', 'books.yaml'])
  const [use, extended, ...others] = whole(FIRST, 'sh').map(commands)
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
  const table = FIRST.slice(FIRST.indexOf('| route | does |'), FIRST.indexOf('## Use it'))
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

page('README.md is followed: its file is served by a new application, used, and gets a field', async () => {
  const template = async (name: string): Promise<string> =>
    readFile(`engine/cli/init/template-sample/resources/${name}.template`, 'utf8')
  const app = (await template('app.yaml')).replace('{{office}}', '').replace('{{title}}', 'Books')
  const [books = ''] = blocks(README, 'yaml', 'Your own application')
  assert.ok(books.split('\n').length <= 14, 'it is short')
  const [field = ''] = blocks(README, 'yaml', 'Add a field')
  const [, fields = '', filters = ''] = /^fields:\n(.*\n)(filters: .*\n)$/.exec(field) ?? []
  const resources = {
    'app.yaml': app,
    'roles.yaml': (await template('roles.yaml')).replace('bookings.manage, ', ''),
    'users.yaml': await template('users.yaml'),
  }
  const [use, ...others] = blocks(README, 'sh', 'Your own application')
    .map(commands)
    .filter(({ length }) => length > 0)
  assert.equal([use?.length, others], [2, []])
  const first = await application({ resources: { ...resources, 'books.yaml': books } })
  const { body } = await send(first.address, use![0]!)
  await send(first.address, use![1]!, body.data.token)
  await first.close()

  const changed = books.replace('fields:\n', `fields:\n${fields}`).concat(filters)
  const second = await application({ resources: { ...resources, 'books.yaml': changed } })
  const { token } = (await send(second.address, use![0]!)).body.data
  await send(second.address, { command: use![1]!.command, answer: undefined }, token)
  const rest = blocks(README, 'sh', 'Add a field').flatMap(commands)
  assert.is(rest.length, 2)
  for (const command of rest) await send(second.address, command, token)
  await second.close()
})

page('the desk answers as the page says, also after a field was added', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-readme-'))
  await cp('resources', folder, { recursive: true })
  const path = join(folder, 'tickets.yaml')
  const [fields = '', filters = ''] = desk('yaml', 'Add a field')[0]!.replace('fields:\n', '').split('filters:\n')
  const [mistake = ''] = desk('', 'Add a field')
  const lines = (await readFile(path, 'utf8'))
    .replace(/\nfilters:.*\n/, (line) => `${line}${filters.trimEnd()}\n`)
    .split('\n')
  lines.splice(Number(/:(\d+):/.exec(mistake)?.[1]) - 1, 0, fields.trimEnd())
  const added = lines.join('\n')
  await writeFile(path, added)
  const app = await application({ resources: folder, env: { ADMIN_PASSWORD: 'the printed one' } })
  const [login, ticket] = desk('sh', 'Run it').flatMap(commands)
  const { token } = (await send(app.address, login!)).body.data
  await send(app.address, ticket!, token)
  const rest = desk('sh', 'Add a field').flatMap(commands)
  assert.is(rest.length, 2)
  for (const command of rest) await send(app.address, command, token)
  await writeFile(join(folder, 'zendesk.csv'), 'Ticket ID,Title,Via\n3000000077,Lamp broken,web\n')
  const imports = desk('sh', 'Import and export').flatMap(commands)
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
