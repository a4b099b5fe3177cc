/** Names and meanings: older files, other tables and columns, long names, and links of renamed resources. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { applyTables, migrateTables, planTables } from '../../engine/migration/migrate.ts'
import { purge, purgeable, restoreField } from '../../engine/migration/set-aside.ts'
import type { Table } from '../../engine/migration/table.ts'
import { resolved } from '../resolve/resolves.ts'
import { LIBRARY } from './example.ts'
import { BEFORE, lines, linesOf } from './lines.ts'
import { EDITED, type Library, migratedLibrary } from './world.ts'

const test = suite('names and what they stand for')
let library: Library

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

const RESTARTED = { ...EDITED, edited: false }
const start = (wanted: readonly Table[], more = {}) =>
  migrateTables(wanted, library.database, { ...RESTARTED, ...more })
/** The titles of the steps that are about more than indexes. */
const titles = async (wanted: readonly Table[]) =>
  (await library.titles(wanted)).filter((title) => !/ index /.test(title))
const rows = (table: string, column: string) => library.database.knex(table).orderBy('id').pluck(column)

/** The tables of several files, with those of the library. */
function application(files: Readonly<Record<string, string>>): readonly Table[] {
  const made = tables(
    resolved(
      Object.fromEntries(
        Object.entries(files).map(([name, file]) => [name, `${file}\npolicies: { view: [{ who: anyone }] }`]),
      ),
    ),
  )
  const known = new Set(LIBRARY.map(({ name }) => name))
  return [...LIBRARY, ...made.filter(({ name }) => !known.has(name))]
}

const RENAMED = lines('title: { type: string, renamed_from: name }, rank: { type: integer }')

test('an older file takes a rename back where nothing else is served, and the newer one makes it again', async () => {
  await library.titles(BEFORE)
  await library.database.knex('lines').insert({ name: 'first' })
  assert.equal((await start(RENAMED)).diagnostics, [])
  assert.equal((await start(BEFORE)).value?.applied, [
    'rename column lines.title back to name, its name until 2026-01-31 12:00 UTC',
  ])
  assert.equal(await rows('lines', 'name'), ['first'])
  assert.equal((await start(RENAMED)).diagnostics, [])
  assert.equal(await rows('lines', 'title'), ['first'])
})

test('an older branch does so too, which the database has never seen', async () => {
  await library.titles(BEFORE)
  await library.database.knex('lines').insert({ name: 'first' })
  await library.titles(RENAMED)
  const branch = lines('name: { type: string }, rank: { type: integer }, more: { type: string }')
  assert.match(
    await library.shown(branch),
    'rename column lines.title back to name, its name until 2026-01-31 12:00 UTC',
  )
  assert.equal((await start(branch)).diagnostics, [])
  assert.equal(await rows('lines', 'name'), ['first'])
})

test('while the newer file is served, an older one is refused with what was called how, and until when', async () => {
  await library.titles(BEFORE)
  await library.database.knex('lines').insert({ name: 'first' })
  await library.titles(RENAMED)
  if (library.database.kind === 'embedded') return
  let asked = 0
  const isServed = async () => {
    asked += 1
    return true
  }
  const { value, diagnostics } = await start(BEFORE, { isServed })
  assert.is(value, undefined)
  assert.ok(asked > 1)
  assert.equal(
    diagnostics.map(({ message, hint }) => [message, hint]),
    [
      [
        'rename column lines.title back to name, its name until 2026-01-31 12:00 UTC: an instance serves it under the other name',
        'start the files in which it is title, or end the instances that serve them',
      ],
    ],
  )
  assert.equal(await rows('lines', 'title'), ['first'])
})

test('a field that is dropped while another takes its name: the first is set aside by a word, the second keeps its values', async () => {
  await library.titles(BEFORE)
  await library.database.knex('lines').insert({ name: 'first', rank: 3 })
  const both = lines('rank: { type: string, renamed_from: name }')
  assert.match(
    await library.shown(both),
    /unsafe {3}set aside column lines.rank as rank__removed_20260131: 1 row has a value in it/,
  )
  assert.is((await library.migrated(both)).diagnostics[0]?.code, 'unsafe_migration')
  await library.apply(both)
  assert.equal(await library.database.knex('lines').select('rank', 'rank__removed_20260131'), [
    { rank: 'first', rank__removed_20260131: 3 },
  ])
  assert.equal(await library.titles(both), [])
})

test('an empty column that an older file added gives its place to the renamed one', async () => {
  await library.titles(BEFORE)
  await library.database.knex('lines').insert({ name: 'first', rank: 3 })
  await library.titles(lines('name: { type: string }, rank: { type: integer }, label: { type: string }'))
  assert.equal(await titles(lines('label: { type: string, renamed_from: name }, rank: { type: integer }')), [
    'set aside column lines.label as label__removed_20260131',
    'rename column lines.name to label',
  ])
  assert.equal(await rows('lines', 'label'), ['first'])
  assert.equal(await library.titles(lines('label: { type: string, renamed_from: name }, rank: { type: integer }')), [])
})

test('another `column:` and another `table:` hold what the field and the resource held', async () => {
  await library.titles(BEFORE)
  await library.database.knex('lines').insert({ name: 'first', rank: 3 })
  const file = (table: string) =>
    `table: ${table}\nfields: { name: { type: string, column: heading }, rank: { type: integer } }`
  const other = application({ lines: file('verses') })
  assert.equal(await titles(other), [
    'rename table lines to verses, which holds the same',
    'rename column verses.name to heading, which holds the same',
  ])
  assert.equal(await rows('verses', 'heading'), ['first'])
  assert.equal(await titles(BEFORE), [
    'rename table verses to lines, which holds the same',
    'rename column lines.heading to name, which holds the same',
  ])
  assert.equal(await rows('lines', 'name'), ['first'])
})

test('another key of a relation holds what the relation held', async () => {
  const file = (column: string) =>
    `fields: { name: { type: string } }\nrelations: { above: { belongs_to: lines${column} } }`
  await library.titles(application({ lines: file('') }))
  await library.database.knex('lines').insert([{ name: 'a' }, { name: 'b', above_id: 1 }])
  await library.titles(application({ lines: file(', column: parent_id') }))
  assert.equal(await rows('lines', 'parent_id'), [null, 1])
  await library.titles(application({ lines: file('') }))
  assert.equal(await rows('lines', 'above_id'), [null, 1])
})

const LONG = 'a_name_of_which_the_beginning_is_like_another_s'

test('long names are set aside whole: they come back, and no other field of the same beginning gets their values', async () => {
  const long = (...ends: readonly string[]) =>
    lines(['name: { type: string }', ...ends.map((end) => `${LONG}${end}: { type: string }`)].join(', '))
  await library.titles(long('_x', '_y'))
  await library.database.knex('lines').insert({ [`${LONG}_x`]: 'x', [`${LONG}_y`]: 'y' })
  await library.apply(long())
  assert.equal(
    (await purgeable(library.database)).map(({ rows: count }) => count),
    [1, 1],
  )
  assert.equal(await titles(long('_z')), [`add column lines.${LONG}_z (character varying(255))`])
  assert.equal(await rows('lines', `${LONG}_z`), [null])
  const back = await titles(long('_x', '_y', '_z'))
  assert.equal(back.length, 2)
  assert.ok(back.every((title) => title.startsWith(`bring back column lines.${LONG}_`)))
  assert.equal([await rows('lines', `${LONG}_x`), await rows('lines', `${LONG}_y`)], [['x'], ['y']])
  await library.apply(long('_z'))
  await restoreField(library.database, 'lines', `${LONG}_y`)
  assert.equal(await rows('lines', `${LONG}_y`), ['y'])
})

test('a field that is called like something that was set aside is a field: nothing purges it, no plan touches it', async () => {
  const odd = lines('name: { type: string }, price__removed_20260131: { type: integer }')
  await library.titles(odd)
  await library.database.knex('lines').insert({ price__removed_20260131: 7 })
  assert.equal(await purgeable(library.database), [])
  await purge(library.database)
  assert.equal(await rows('lines', 'price__removed_20260131'), [7])
  assert.equal(await library.titles(odd), [])
})

const POSTS = (more = '') => `fields: { title: { type: string } }
relations: { tags: { many_to_many: tags }, related: { many_to_many: posts, through: links } }${more}`
const TAGS = (posts: string) =>
  `fields: { name: { type: string } }\nrelations: { ${posts}: { many_to_many: ${posts} } }`

test('links of a renamed resource move along: its own, those that lead to it, and those of a table that is named', async () => {
  const before = application({ posts: POSTS(), tags: TAGS('posts') })
  await library.titles(before)
  const { knex } = library.database
  await knex('posts').insert([{ title: 'a' }, { title: 'b' }])
  await knex('tags').insert({ name: 'x' })
  await knex('posts_tags').insert({ post_id: 2, tag_id: 1 })
  await knex('links').insert({ post_id: 1, other_post_id: 2 })
  const articles = POSTS().replace('many_to_many: posts', 'many_to_many: articles')
  const after = application({ articles: `renamed_from: posts\n${articles}`, tags: TAGS('articles') })
  const told = await library.shown(after)
  assert.not.match(told, /blocked|unsafe/)
  await library.titles(after)
  assert.equal(await knex('articles_tags').select(), [{ article_id: 2, tag_id: 1 }])
  assert.equal(await knex('links').select(), [{ article_id: 1, other_article_id: 2 }])
  assert.equal(await library.titles(after), [])
  const { rows: keys } = await knex.raw(
    `select conrelid::regclass::text as t, confrelid::regclass::text as f from pg_constraint where contype = 'f' and conrelid in ('links'::regclass, 'articles_tags'::regclass) order by 1, 2`,
  )
  assert.equal(keys, [
    { t: 'articles_tags', f: 'articles' },
    { t: 'articles_tags', f: 'tags' },
    { t: 'links', f: 'articles' },
    { t: 'links', f: 'articles' },
  ])
  assert.equal(await library.titles(before).then((titles) => titles.some((title) => title.startsWith('add'))), false)
  assert.equal(await knex('posts_tags').select(), [{ post_id: 2, tag_id: 1 }])
})

test('a many_to_many that is renamed, or gets a table of another name, keeps its links', async () => {
  await library.titles(application({ posts: POSTS(), tags: 'fields: { name: { type: string } }' }))
  const { knex } = library.database
  await knex('posts').insert([{ title: 'a' }, { title: 'b' }])
  await knex('tags').insert({ name: 'x' })
  await knex('posts_tags').insert({ post_id: 2, tag_id: 1 })
  const labels = POSTS().replace(
    'tags: { many_to_many: tags }',
    'labels: { many_to_many: tags, renamed_from: tags, through: labelled }',
  )
  const after = application({ posts: labels, tags: 'fields: { name: { type: string } }' })
  await library.titles(after)
  assert.equal(await knex('labelled').select(), [{ post_id: 2, tag_id: 1 }])
})

test('the file before a many_to_many was renamed shows the same links, and the newer one too', async () => {
  const tags = 'fields: { name: { type: string } }'
  const before = application({ posts: POSTS(), tags })
  const renamed = POSTS().replace('tags: { many_to_many: tags', 'labels: { many_to_many: tags, renamed_from: tags')
  const after = application({ posts: renamed, tags })
  await library.titles(before)
  const { knex } = library.database
  await knex('posts').insert({ title: 'a' })
  await knex('tags').insert({ name: 'x' })
  await knex('posts_tags').insert({ post_id: 1, tag_id: 1 })
  for (const version of [
    after,
    before,
    after,
    application({ posts: renamed.replace(', renamed_from: tags', ''), tags }),
  ]) {
    assert.equal(await library.titles(version), [])
    assert.equal(await knex('posts_tags').select(), [{ post_id: 1, tag_id: 1 }])
  }
})

test('a many_to_many that takes the table of another begins without its links, which a word sets aside', async () => {
  const tags = 'fields: { name: { type: string } }'
  const before = application({ posts: POSTS(), tags })
  await library.titles(before)
  const { knex } = library.database
  await knex('posts').insert([{ title: 'a' }, { title: 'b' }])
  await knex('tags').insert({ name: 'x' })
  await knex('posts_tags').insert({ post_id: 2, tag_id: 1 })
  const other = (through = '') =>
    application({
      posts: POSTS().replace('tags: { many_to_many: tags }', `labels: { many_to_many: tags${through} }`),
      tags,
    })
  assert.not.match(await library.shown(other(', through: posts_tags')), /unsafe/)
  const told = await library.shown(other())
  assert.match(told, /unsafe {3}set aside table posts_tags as posts_tags__removed_20260131: 1 row is kept/)
  assert.match(told, /if posts.labels is the same, write `renamed_from: tags` or `through: posts_tags` there/)
  assert.is((await library.migrated(other())).diagnostics[0]?.code, 'unsafe_migration')
  await library.apply(other())
  assert.equal(await knex('posts_tags').select(), [])
  assert.equal(await library.titles(other()), [])
  await knex('posts_tags').insert({ post_id: 1, tag_id: 1 })
  await library.apply(before)
  assert.equal(await knex('posts_tags').select(), [{ post_id: 2, tag_id: 1 }])
  const both = application({
    posts: POSTS().replace('tags: {', 'labels: { many_to_many: tags }, tags: { through: kept,'),
    tags,
  })
  await library.titles(both)
  assert.equal(await knex('kept').select(), [{ post_id: 2, tag_id: 1 }])
  assert.equal(await knex('posts_tags').select(), [{ post_id: 1, tag_id: 1 }])
})

test('links and values that were set aside come back, also where their table or column has another name by then', async () => {
  const posts = (more: string, tags = 'tags: { many_to_many: tags, through: tagged }, kin: { many_to_many: posts }') =>
    application({
      posts: `${more}\nfields: { title: { type: string } }\nrelations: { ${tags} }`,
      tags: 'fields: { name: { type: string } }',
    })
  const before = posts('')
  await library.titles(before)
  const { knex } = library.database
  await knex('posts').insert([{ title: 'a' }, { title: 'b' }])
  await knex('tags').insert({ name: 'x' })
  await knex('tagged').insert({ post_id: 2, tag_id: 1 })
  await knex('posts_posts').insert({ post_id: 1, other_post_id: 2 })
  await library.titles(posts('table: articles'))
  await library.apply(posts('table: articles', ''))
  assert.equal(
    (await titles(before)).filter((title) => title.startsWith('bring')),
    [
      'bring back table posts_posts from articles_articles__removed_20260131 with 1 row',
      'bring back table tagged from tagged__removed_20260131 with 1 row',
    ],
  )
  assert.equal(await knex('tagged').select(), [{ post_id: 2, tag_id: 1 }])
  assert.equal(await knex('posts_posts').select(), [{ post_id: 1, other_post_id: 2 }])
  await library.titles(lines('name: { type: string, column: label }'))
  await knex('lines').insert({ label: 'first' })
  await library.apply(lines('rank: { type: integer }'))
  await library.titles(lines('name: { type: string, column: heading }'))
  assert.equal(await rows('lines', 'heading'), ['first'])
})

test('links that come back leave out those of records that were deleted in between', async () => {
  const tags = 'fields: { name: { type: string } }'
  const before = application({ posts: POSTS(), tags })
  await library.titles(before)
  const { knex } = library.database
  await knex('posts').insert([{ title: 'a' }, { title: 'b' }])
  await knex('tags').insert([{ name: 'x' }, { name: 'y' }])
  await knex('posts_tags').insert([1, 2].flatMap((post_id) => [1, 2].map((tag_id) => ({ post_id, tag_id }))))
  await library.apply(application({ posts: 'fields: { title: { type: string } }', tags }))
  await knex('posts').where({ id: 1 }).delete()
  await knex('tags').where({ id: 2 }).delete()
  const told = await library.shown(before)
  assert.match(told, /safe {5}take links to deleted posts out of posts_tags with 2 rows/)
  assert.match(told, /safe {5}take links to deleted tags out of posts_tags with 2 rows/)
  assert.not.match(told, /blocked/)
  await library.titles(before)
  assert.equal(await knex('posts_tags').select(), [{ post_id: 2, tag_id: 1 }])
  assert.equal(await library.titles(before), [])
})

test('a plan that a person applies keeps the names too', async () => {
  await library.titles(linesOf('fields: { name: { type: string } }\npolicies: { view: [{ who: anyone }] }'))
  await library.database.knex('lines').insert({ name: 'first' })
  const renamed = lines('title: { type: string, renamed_from: name }')
  const { hash } = (await planTables(renamed, library.database, EDITED.now)).value
  assert.equal((await applyTables(renamed, library.database, hash, EDITED)).diagnostics, [])
  await library.titles(lines('name: { type: string }'))
  assert.equal(await rows('lines', 'name'), ['first'])
})

test.run()
