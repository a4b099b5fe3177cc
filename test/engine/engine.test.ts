/** The running application as a whole: editing YAML while it serves, mistakes, changes that would lose data, and stopping. */
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine } from '../../engine/engine.ts'
import { readSettings } from '../../engine/settings.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import { ANN, FILES, type Library, library, STAFF } from '../action/library.ts'
import { journal } from '../action/plugins/probe/index.ts'
import { send } from '../support/application.ts'
import { SILENT } from '../support/database.ts'
import { until } from '../support/wait.ts'

const test = suite<{ app: Library }>('engine')

test.before.each(async (context) => {
  context.app = await library()
})
test.after.each(({ app }) => app.close())

/** Saves a resource file of the running application. */
async function save(app: Library, name: string, change: (text: string) => string): Promise<void> {
  const path = join(dirname(app.dataDir), 'resources', name)
  const text = await readFile(path, 'utf8')
  const changed = change(text)
  assert.is.not(changed, text, 'the edit must change the file')
  await writeFile(path, changed)
}

const addField = (line: string) => (text: string) => text.replace('fields:\n', `fields:\n  ${line}\n`)

test('a field added to the YAML is there after a reload, without a restart', async ({ app }) => {
  const book = await app.expect(201, 'POST', '/books', STAFF, { title: 'Old' })
  assert.not.ok('subtitle' in book)
  assert.is((await app.call('GET', '/api/v1/books?subtitle=x', { token: STAFF })).status, 422)
  const first = app.engine.app
  await save(app, 'books.yaml', (text) =>
    addField('subtitle: { type: string, max: 10 }')(text).replace('filters: [', 'filters: [subtitle, '),
  )
  assert.equal(await app.engine.reload(), [])
  assert.is.not(app.engine.app, first)
  assert.is((await app.expect(200, 'GET', `/books/${book.id}`)).subtitle, null)
  await app.expect(200, 'PATCH', `/books/${book.id}`, STAFF, { subtitle: 'New' })
  await app.expect(422, 'PATCH', `/books/${book.id}`, STAFF, { subtitle: 'Much too long' })
  const { data } = (await app.call('GET', '/api/v1/books?subtitle=New', { token: STAFF })).body
  assert.is(data.length, 1)
  assert.ok(Object.isFrozen(app.engine.app))
})

test('a rule changed in the YAML holds from the reload on', async ({ app }) => {
  await app.expect(201, 'POST', '/books', STAFF, { title: 'Ann’s', owner_id: 1 })
  assert.is((await app.call('GET', '/api/v1/books', { token: ANN })).body.data.length, 1)
  await save(app, 'books.yaml', (text) =>
    text.replace('{ role: member, where: { owner: $actor } }]', '{ role: guest }]'),
  )
  assert.equal(await app.engine.reload(), [])
  assert.is((await app.call('GET', '/api/v1/books', { token: ANN })).status, 403)
})

test('a resource added and a route taken away follow the YAML', async ({ app }) => {
  assert.is((await app.call('GET', '/api/v1/racks', { token: STAFF })).status, 404)
  await writeFile(
    join(dirname(app.dataDir), 'resources', 'racks.yaml'),
    'resource: racks\nfields: { name: { type: string } }\nactions: [list, create]\npolicies: { view: [{ who: anyone }], create: [{ who: anyone }] }\n',
  )
  await save(app, 'shouts.yaml', (text) => `${text}actions: [list, get]\n`)
  assert.equal(
    (await app.engine.reload()).filter(({ severity }) => severity === 'error'),
    [],
  )
  await app.expect(201, 'POST', '/racks', STAFF, { name: 'r' })
  assert.is((await app.call('POST', '/api/v1/shouts', { token: STAFF, body: { text: 'x' } })).status, 405)
})

test('a file with mistakes changes nothing, and all its mistakes are told', async ({ app }) => {
  const first = app.engine.app
  await save(app, 'books.yaml', (text) =>
    text.replace('type: integer', 'type: intger').replace('search: [title', 'search: [titel'),
  )
  await save(app, 'tags.yaml', (text) => text.replace('resource: tags', 'resource: tags\n  bad: indent'))
  const diagnostics = await app.engine.reload()
  const said = renderDiagnostics(diagnostics)
  assert.match(said, /intger/)
  assert.match(said, /integer/)
  assert.match(said, /titel/)
  assert.match(said, /tags\.yaml/)
  assert.is(app.engine.app, first)
  assert.is((await app.call('GET', '/api/v1/books?search=x', { token: STAFF })).status, 200)
  await save(app, 'books.yaml', () => FILES['books.yaml'])
  await save(app, 'tags.yaml', () => FILES['tags.yaml'])
  assert.equal(
    (await app.engine.reload()).filter(({ severity }) => severity === 'error'),
    [],
  )
})

test('a required field without a default is refused while there are rows, with the plan', async ({ app }) => {
  await app.expect(201, 'POST', '/tags', STAFF, { name: 'There' })
  const first = app.engine.app
  await save(app, 'tags.yaml', (text) => text.replace('fields: {', 'fields: { sign: { type: string, required: true },'))
  const said = renderDiagnostics(await app.engine.reload())
  assert.match(said, /sign/)
  assert.match(said, /1 row/)
  assert.is(app.engine.app, first)
  const read = await app.call('GET', '/api/v1/tags', { token: STAFF })
  assert.is(read.status, 200)
  assert.not.ok('sign' in read.body.data[0])
  await save(app, 'tags.yaml', (text) => text.replace('required: true },', 'required: true, default: S },'))
  assert.equal(await app.engine.reload(), [])
  assert.is((await app.call('GET', '/api/v1/tags', { token: STAFF })).body.data[0].sign, 'S')
})

test('SQL that the database cannot run is told at its place, and the good version keeps serving', async ({ app }) => {
  await app.expect(201, 'POST', '/books', STAFF, { title: 'There' })
  const first = app.engine.app
  await save(app, 'books.yaml', addField('shout: { type: string, computed: "(select b.titel from books b limit 1)" }'))
  const said = renderDiagnostics(await app.engine.reload())
  assert.match(
    said,
    /books\.yaml:\d+:3 error wrong_sql: The database cannot compute "shout" as string: column b\.titel does not/,
  )
  assert.match(said, /hint: .*"b\.title"/)
  assert.is(app.engine.app, first)
  assert.is((await app.call('GET', '/api/v1/books', { token: STAFF })).status, 200)
  for (const [sql, mistake] of [
    ['t.title', 'operator does not exist'],
    ['length(t.title) from', 'syntax error'],
    ['(select count(*) from boks)', 'relation \\"boks\\" does not exist'],
  ] as const) {
    await save(app, 'books.yaml', () => addField(`shout: { type: integer, computed: "${sql}" }`)(FILES['books.yaml']))
    assert.match(renderDiagnostics(await app.engine.reload()), mistake.replaceAll('\\', ''))
  }
  await save(app, 'books.yaml', () =>
    addField('shout: { type: string, computed: "upper(t.title)" }')(FILES['books.yaml']),
  )
  assert.equal(await app.engine.reload(), [])
  assert.is((await app.call('GET', '/api/v1/books', { token: STAFF })).body.data[0].shout, 'THERE')
})

test('an answer that looks at its own table shows what was just written', async ({ app }) => {
  const fields = `rank: { type: integer, computed: "(select count(*) from books b where b.pages <= t.pages)" }`
  await save(app, 'books.yaml', addField(fields))
  assert.equal(await app.engine.reload(), [])
  const first = await app.expect(201, 'POST', '/books', STAFF, { title: 'One', pages: 10 })
  assert.is(first.rank, 1)
  await app.expect(201, 'POST', '/books', STAFF, { title: 'Two', pages: 20 })
  assert.is((await app.expect(200, 'PATCH', `/books/${first.id}`, STAFF, { pages: 30 })).rank, 2)
})

test('a field taken out of the YAML is no longer served, and not lost', async ({ app }) => {
  const book = await app.expect(201, 'POST', '/books', STAFF, { title: 'Kept', isbn: 'K-1' })
  await save(app, 'books.yaml', (text) => text.replace('  isbn: { type: string, immutable: true }\n', ''))
  await app.engine.reload()
  const after = await app.call('GET', `/api/v1/books/${book.id}`, { token: STAFF })
  const columns = await app.engine.database.adhoc.run(
    {
      text: "select column_name from information_schema.columns where table_name = 'books' and column_name like '%isbn%'",
    },
    [],
  )
  assert.equal(columns, [['isbn']])
  await app.expect(201, 'POST', '/books', STAFF, { title: 'Written meanwhile' })
  const kept = await app.engine.database.adhoc.run({ text: `select "${columns[0]?.[0]}" from books where id = $1` }, [
    book.id,
  ])
  assert.equal(kept, [['K-1']])
  assert.is(after.status, 200)
  await save(app, 'books.yaml', () => FILES['books.yaml'])
  assert.equal(await app.engine.reload(), [])
  assert.is((await app.expect(200, 'GET', `/books/${book.id}`)).isbn, 'K-1')
})

test('requests in flight finish on the old app while the next one takes over', async ({ app }) => {
  // Past the contract: the answer is the old app's, the contract by then the next one's.
  journal.length = 0
  const slow = send(app.address, 'POST', '/api/v1/notes', { token: ANN, body: { text: 'slow' } })
  await until(() => journal.some((line) => line.startsWith('inner after')))
  await save(app, 'notes.yaml', (text) => text.replace('fields: {', 'fields: { colour: { type: string },'))
  assert.equal(
    (await app.engine.reload()).filter(({ severity }) => severity === 'error'),
    [],
  )
  assert.is((await slow).status, 201)
})

test('many requests during reloads are all answered, also while a field is renamed', async ({ app }) => {
  await app.expect(201, 'POST', '/books', STAFF, { title: 'Busy' })
  let running = true
  const statuses = new Set<number>()
  const readers = Array.from({ length: 4 }, async () => {
    while (running) statuses.add((await send(app.address, 'GET', '/api/v1/books?sort=-title', { token: STAFF })).status)
  })
  for (const name of ['a1', 'a2', 'a3']) {
    await save(app, 'books.yaml', addField(`${name}: { type: string }`))
    assert.equal(await app.engine.reload(), [])
  }
  for (const [before, after] of [
    ['a1', 'b1'],
    ['a2', 'b2'],
    ['a3', 'b3'],
  ] as const) {
    await save(app, 'books.yaml', (text) =>
      text.replace(`${before}: { type: string }`, `${after}: { type: string, renamed_from: ${before} }`),
    )
    assert.equal(await app.engine.reload(), [])
  }
  running = false
  await Promise.all(readers)
  assert.equal([...statuses], [200])
})

test('close lets requests in flight finish, and then nobody answers', async ({ app }) => {
  journal.length = 0
  const slow = app.call('POST', '/api/v1/notes', { token: ANN, body: { text: 'slow' } })
  await until(() => journal.some((line) => line.startsWith('inner after')))
  await app.engine.close()
  assert.is((await slow).status, 201)
  await app.call('GET', '/livez').then(
    () => assert.unreachable('the port is given up'),
    (error: NodeJS.ErrnoException) => assert.match(String(error.code), /ECONNREFUSED|ECONNRESET/),
  )
})

test('a second engine on the same database serves the same records', async ({ app }) => {
  const book = await app.expect(201, 'POST', '/books', STAFF, { title: 'Shared' })
  const settings = readSettings({
    PORT: '0',
    DATA_DIR: app.dataDir,
    RESOURCES_DIR: join(dirname(app.dataDir), 'resources'),
    PLUGINS_DIR: 'test/action/plugins',
  })
  const made = await createEngine({ settings: settings.value!, log: SILENT, database: app.engine.database })
  const engine = made.value!
  const { url } = await engine.listen()
  const answer = await fetch(`${url}/api/v1/books/${book.id}`, { headers: { authorization: `Bearer ${STAFF}` } })
  assert.equal(((await answer.json()) as { data: unknown }).data, book)
  const { instance } = app.engine.app.foundation
  assert.match(instance, /^[0-9a-f-]{36}$/)
  assert.is(engine.app.foundation.instance, instance, 'the id belongs to the database')
  await engine.close()
})

test('what the YAML no longer names is logged once, and again where it is something else', async ({ app }) => {
  await save(app, 'books.yaml', addField('subtitle: { type: string }'))
  await save(app, 'books.yaml', addField('motto: { type: string }'))
  const settings = readSettings({
    PORT: '0',
    DATA_DIR: app.dataDir,
    RESOURCES_DIR: join(dirname(app.dataDir), 'resources'),
    PLUGINS_DIR: 'test/action/plugins',
  })
  const left: unknown[] = []
  const log = { ...SILENT, warn: (fields: object) => void left.push(Reflect.get(fields, 'left')) }
  const { value: engine } = await createEngine({ settings: settings.value!, log, database: app.engine.database })
  assert.ok(engine)
  const saved = async (change: (text: string) => string) => {
    await save(app, 'books.yaml', change)
    assert.equal(await engine.reload(), [])
    return left.splice(0).map((titles) => String(titles).replaceAll(/__removed_\d+/g, ''))
  }
  assert.equal(await saved((text) => text.replace('  motto: { type: string }\n', '')), [
    'set aside column books.motto as motto',
  ])
  assert.equal(await saved((text) => text.replace('label: Book', 'label: Volume')), [])
  assert.equal(await saved((text) => text.replace('  subtitle: { type: string }\n', '')), [
    'set aside column books.motto as motto,set aside column books.subtitle as subtitle',
  ])
  assert.equal(await saved((text) => text.replace('label: Volume', 'label: Book')), [])
  await engine.close()
})

test('sources with mistakes start nothing', async ({ app }) => {
  await save(app, 'books.yaml', (text) => text.replace('label: Book', 'lable: Book'))
  const settings = readSettings({
    PORT: '0',
    DATA_DIR: app.dataDir,
    RESOURCES_DIR: join(dirname(app.dataDir), 'resources'),
    PLUGINS_DIR: 'test/action/plugins',
  })
  const made = await createEngine({ settings: settings.value!, log: SILENT, database: app.engine.database })
  assert.is(made.value, undefined)
  assert.match(renderDiagnostics(made.diagnostics), /lable/)
})

test.run()
