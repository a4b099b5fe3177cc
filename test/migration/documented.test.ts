/** Promises of the documents on present records: their YAML is read from the page, and their output is compared. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { resolved } from '../resolve/resolves.ts'
import { application, type TestApplication } from '../support/application.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { blocks } from '../support/page.ts'
import { lines, linesOf, migrating, watched } from './lines.ts'
import { type Library, migratedLibrary } from './world.ts'

const test = suite('what the documents promise of records that are there')

const PAGE = await readFile('resources/guide/changing-fields.md', 'utf8')
const ALL =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }'

/** The YAML below a heading, or the one at the head of the page. */
function yamlUnder(heading?: string, index = 0): string {
  const found = blocks(PAGE, 'yaml', heading)[index]
  assert.ok(found, heading)
  return found
}

let library: Library
let held: TestDatabase | undefined

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(async () => {
  await library.close()
  await held?.close()
  held = undefined
})

const knex = () => library.database.knex('lines')

/** Serves files on the database that stays, for as long as `work` takes. */
async function serving<T>(
  files: Readonly<Record<string, string>>,
  work: (app: TestApplication) => Promise<T>,
): Promise<T> {
  held ??= await testDatabase()
  const { database } = held
  const app = await application({ resources: { 'app.yaml': 'name: Lines\nprefix: /api\n', ...files }, database })
  try {
    return await work(app)
  } finally {
    await app.close()
  }
}

test('the fields at the head of the page get what the page says of them', async () => {
  await library.titles(
    linesOf(`fields: { nickname: { type: string }, phase: { type: enum, values: [open, waiting, done] } }\n${ALL}`),
  )
  await knex().insert([
    { nickname: 'Ann', phase: 'waiting' },
    { nickname: null, phase: 'done' },
  ])
  await library.titles(linesOf(`${yamlUnder()}\n${ALL}`))
  await knex().insert({ known_as: 'new' })
  assert.equal(await knex().orderBy('id').select('known_as', 'phase'), [
    { known_as: 'Ann', phase: 'open' },
    { known_as: 'unknown', phase: 'done' },
    { known_as: 'new', phase: 'open' },
  ])
})

test('where `backfill` is made of other fields, requests wait while the rows are looked through', async () => {
  await library.titles(lines('name: { type: string }, title: { type: string }'))
  await knex().insert([{ name: 'a' }, { name: 'b', title: 'x' }])
  const on = watched(library.database)
  const wanted = lines('name: { type: string }, title: { type: string, required: true, backfill: $record.name }')
  const { diagnostics } = await migrating(wanted, on, async (runner) => {
    const written = 'insert into lines (name) values ($1) returning title'
    assert.equal(await runner.run({ text: written }, ['c']), [[null]])
  })
  assert.equal(diagnostics, [])
  const ran = on.ran()
  assert.ok(
    ran.findIndex((text) => text.startsWith('with plinth_batch')) < ran.findIndex((text) => /set not null/.test(text)),
  )
  assert.match(ran.join('\n'), 'set not null')
  assert.equal(await knex().orderBy('id').pluck('title'), ['a', 'x', 'c'])
})

test('on the embedded database, which has one connection, requests wait for the whole change', async () => {
  if (library.database.kind !== 'embedded') return
  await library.titles(lines('name: { type: string }'))
  await knex().insert({ name: 'a' })
  let answered = false
  let request: Promise<void> | undefined
  const on = watched(library.database)
  const wanted = lines('name: { type: string, required: true }')
  const { diagnostics } = await migrating(wanted, on, async () => {
    request = library.database.adhoc.run({ text: 'select name from lines' }, []).then(() => {
      answered = true
    })
    // Time for the answer that must not come yet.
    await sleep(100)
  })
  assert.equal([diagnostics, answered], [[], false])
  await request
})

for (const type of ['list, of: integer', 'json'])
  test(`A type that no value converts to (a list, a json) starts empty, with the old values set aside. (${type})`, async () => {
    await library.titles(lines('name: { type: string }, size: { type: text }'))
    await knex().insert([{ size: '[1]' }, { size: null }])
    const wanted = lines(`name: { type: string }, size: { type: ${type} }`)
    assert.is((await library.migrated(wanted)).diagnostics[0]?.code, 'unsafe_migration')
    await library.apply(wanted)
    assert.equal(await knex().orderBy('id').pluck('size'), [null, null])
    assert.equal(await knex().orderBy('id').pluck('size__removed_20260131'), ['[1]', null])
  })

test('`computed: { sum: … }` counts all of them, and `backfill` sets the value that the field begins with.', async () => {
  const tags = (fields: string) =>
    `resource: tags\nfields: { name: { type: string }${fields} }\nrelations: { lines: { has_many: lines } }\n${ALL}`
  const parts = (follows: string) =>
    `resource: lines\nfields: { amount: { type: integer } }\nrelations: { tag: { belongs_to: tags } }\n${follows}\n${ALL}`
  await serving({ 'tags.yaml': tags(''), 'lines.yaml': parts('') }, async (app) => {
    await app.call('POST', '/api/tags', { body: { name: 'x' } })
    for (const amount of [2, 3]) await app.call('POST', '/api/lines', { body: { amount, tag_id: 1 } })
  })
  const counted =
    ', sum: { type: integer, computed: { sum: lines.amount } }, total: { type: integer, nullable: false, backfill: 5, default: 0 }'
  const follows = 'follows: [{ of: tag, on: [create], set: { total: { plus: [$record.tag.total, $record.amount] } } }]'
  await serving({ 'tags.yaml': tags(counted), 'lines.yaml': parts(follows) }, async (app) => {
    const { data } = (await app.call('GET', '/api/tags/1')).body
    assert.equal([data.sum, data.total], [5, 5])
    await app.call('POST', '/api/lines', { body: { amount: 4, tag_id: 1 } })
    assert.equal((await app.call('GET', '/api/tags/1')).at('data.total'), 9)
  })
})

test('the fields under "Renaming" are known by both names, and keep their data', async () => {
  const file = (fields: string, day: string, text: string) =>
    `resource: lines\n${fields}\nfilters: [${day}]\nsort: { keys: [${text}] }\n${ALL}`
  await serving(
    { 'lines.yaml': file('fields: { deadline: { type: date }, heading: { type: string } }', 'deadline', 'heading') },
    (app) => app.call('POST', '/api/lines', { body: { deadline: '2026-03-04', heading: 'First' } }),
  )
  await serving({ 'lines.yaml': file(yamlUnder('Renaming'), 'due_until', 'headline') }, async (app) => {
    const answer = await app.call('GET', '/api/lines?deadline=2026-03-04&sort=heading')
    assert.is(answer.status, 200, answer.text)
    const [{ deadline, due_until, heading, headline }] = answer.list as readonly Record<string, unknown>[] as [
      Record<string, unknown>,
    ]
    assert.equal([deadline, due_until, heading, headline], ['2026-03-04', '2026-03-04', 'First', 'First'])
    const day = (text: string) => new Date(`${text}T00:00:00Z`)
    assert.is(answer.headers.deprecation, `@${day('2026-07-01').getTime() / 1_000}`)
    assert.is(answer.headers.sunset, day('2027-01-01').toUTCString())
  })
})

test('a has_many that is renamed is answered, included and asked for under both names', async () => {
  const notes = `resource: notes\nfields: { text: { type: string } }\nrelations: { post: { belongs_to: posts } }\n${ALL}`
  const posts = (name: string, more = '') =>
    `resource: posts\nfields: { title: { type: string } }\nrelations: { ${name}: { has_many: notes, show: single, embed: [id, text]${more} } }\n${ALL}`
  await serving({ 'notes.yaml': notes, 'posts.yaml': posts('replies') }, async (app) => {
    await app.call('POST', '/api/posts', { body: { title: 'a' } })
    await app.call('POST', '/api/notes', { body: { text: 'b', post_id: 1 } })
  })
  const after = { 'notes.yaml': notes, 'posts.yaml': posts('answers', ', renamed_from: replies') }
  await serving(after, async (app) => {
    const answers = [{ id: 1, text: 'b' }]
    const { data } = (await app.call('GET', '/api/posts/1')).body
    assert.equal([data.answers, data.replies], [answers, answers])
    const one = await app.call('GET', '/api/posts/1?fields=replies')
    assert.equal(one.at('data.replies'), answers, one.text)
    const [included] = (await app.call('GET', '/api/posts?include=replies')).list
    assert.equal(included?.replies, answers)
    const where = encodeURIComponent('{"replies":{"some":{"id":1}}}')
    assert.is((await app.call('GET', `/api/posts?where=${where}`)).list.length, 1)
  })
})

test('Names that you chose yourself (`filters: { level: status.level }`, `embed: [{ by: user.name }]`, `path:`) are not renamed.', async () => {
  const states = (field: string) => `resource: states\nfields: { ${field} }\n${ALL}`
  const notes = (name: string, path: string) => `${name}
path: papers
fields: { text: { type: string } }
relations: { status: { belongs_to: states, embed: [{ by: ${path} }] } }
filters: { level: status.${path} }
${ALL}`
  const before = { 'states.yaml': states('level: { type: integer }'), 'notes.yaml': notes('resource: notes', 'level') }
  const ask = async (app: TestApplication) => {
    const found = await app.call('GET', '/api/papers?level=3')
    assert.is(found.status, 200, found.text)
    return found.list.map(({ status }) => status)
  }
  const was = await serving(before, async (app) => {
    await app.call('POST', '/api/states', { body: { level: 3 } })
    await app.call('POST', '/api/papers', { body: { text: 'a', status_id: 1 } })
    return ask(app)
  })
  const after = {
    'states.yaml': states('grade: { type: integer, renamed_from: level }'),
    'leaves.yaml': notes('resource: leaves\nrenamed_from: notes', 'grade'),
  }
  assert.equal(await serving(after, ask), was)
  assert.equal(was, [{ by: 3 }])
})

test('the plan counts what is carried over in the words of the page', async () => {
  const sentence = /`(carry 1,204 changes and 12 webhooks over from posts to articles)`/.exec(PAGE)?.[1]
  const made = (files: Readonly<Record<string, string>>) => tables(resolved(files))
  const webhooks = `fields: { events: { type: list, of: string, holds: event } }\n${ALL}`
  const posts = (more: string) => `${more}log_changes: true\nfields: { title: { type: string } }\n${ALL}`
  await library.titles(made({ webhooks, posts: posts('') }))
  const { knex: query } = library.database
  await query('webhooks').insert(Array.from({ length: 12 }, () => ({ events: '["posts.create"]' })))
  await query.raw(
    `insert into plinth_change (resource, record_id, action, changes) select 'posts', n, 'create', '[]' from generate_series(1, 1204) n`,
  )
  const wanted = made({ webhooks, articles: posts('renamed_from: posts\n') })
  const shown = await library.shown(wanted)
  assert.ok(shown.includes(`safe     ${sentence}`), shown)
  await library.titles(wanted)
  assert.equal(await query('webhooks').distinct('events'), [{ events: ['articles.create'] }])
})

test('fields that hold names, as the page has them, are carried, and a condition on several resources where it comes to the same', async () => {
  const hooks = `${yamlUnder('Renaming', 1)}${ALL}`
  const marks = `fields: { about: { type: json, holds: resource } }\n${ALL}`
  const written = (more: string, title: string) =>
    `${more}fields: { ${title}: { type: string } }\nrelations: { author: { belongs_to: people } }\n${ALL}`
  const people = (name: string) => `fields: { ${name}: { type: string } }\n${ALL}`
  const notes = written('', 'title')
  const made = (files: Readonly<Record<string, string>>) => tables(resolved(files))
  await library.titles(made({ hooks, marks, notes, people: people('name'), posts: written('', 'title') }))
  const { knex: query } = library.database
  const both = '["posts.create", "notes.create"]'
  await query('hooks').insert([
    { events: '["posts.create"]', where: '{"title": "a"}' },
    { events: both, where: '{"title": "a"}' },
    { events: both, where: '{"author.name": "b"}' },
  ])
  await query('marks').insert({ about: '{"resource": "posts", "resources": ["posts", "notes"], "words": "posts"}' })
  await library.titles(
    made({
      ...{ hooks, marks, notes, people: people('label').replace('type: string', 'type: string, renamed_from: name') },
      articles: written('renamed_from: posts\n', 'headline').replace(
        'type: string',
        'type: string, renamed_from: title',
      ),
    }),
  )
  assert.equal(await query('hooks').orderBy('id').select('events', 'where'), [
    { events: ['articles.create'], where: { headline: 'a' } },
    { events: ['articles.create', 'notes.create'], where: { title: 'a' } },
    { events: ['articles.create', 'notes.create'], where: { 'author.label': 'b' } },
  ])
  const about = { resource: 'articles', resources: ['articles', 'notes'], words: 'posts' }
  assert.equal(await query('marks').pluck('about'), [about])
})

test.run()
