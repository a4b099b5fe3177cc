/** Stored names at the edges: a table that keeps its name, several names in one path, permissions that are still asked for. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { resolved } from '../resolve/resolves.ts'
import { type Library, migratedLibrary } from './world.ts'

const test = suite('names that are carried')
let library: Library

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

const run = async (text: string) => (await library.database.adhoc.run({ text }, [])).map((row) => row[0])
const carriedBy = async (files: Readonly<Record<string, string>>) =>
  (await library.titles(tables(resolved(files)))).filter((title) => title.startsWith('carry '))

const WRITES = 'create: [{ permission: posts.write }]'
const posts = (more: string, view: string) => `${more}
policies: { view: [${view}], ${WRITES} }`

test('a resource that keeps its table has its stored names carried all the same', async () => {
  await carriedBy({ posts: posts('fields: { title: { type: string } }', '{ who: anyone }') })
  await run(`insert into plinth_seed (resource, key) values ('posts', '["a"]'), ('posts.b', '["a"]')`)
  const renamed = posts('renamed_from: posts\ntable: posts\nfields: { title: { type: string } }', '{ who: anyone }')
  assert.equal(await carriedBy({ articles: renamed }), ['carry 1 seed over from posts to articles'])
  assert.equal(await run('select resource from plinth_seed order by 1'), ['articles', 'posts.b'])
  assert.equal(await carriedBy({ articles: renamed }), [])
})

test('what policies compared is known by the columns of now, however many of a path have other names', async () => {
  const people = (team: string) => `fields: { name: { type: string } }
relations: { ${team} }
policies: { view: [{ who: anyone }] }`
  const teams = 'fields: { name: { type: string } }\npolicies: { view: [{ who: anyone }] }'
  await carriedBy({
    teams,
    people: people('team: { belongs_to: teams }'),
    posts: posts('relations: { author: { belongs_to: people } }', '{ who: anyone, where: { author.team: 7 } }'),
  })
  await run(`insert into plinth_change (resource, record_id, action, changes, seen_by) values
    ('posts', 1, 'update', '[{"field": "author_id", "from": 1, "to": 2}, {"field": "team_id", "from": null, "to": 3}]',
      '[{"author_id.team_id": 7}, {"author_id.team_id": 8, "other": 1}]'),
    ('posts', 2, 'delete', '[]', null), ('teams', 1, 'update', '[{"field": "author_id", "from": 1, "to": 2}]', '[{"author_id.team_id": 7}]')`)
  const later = {
    teams,
    people: people('crew: { belongs_to: teams, renamed_from: team }'),
    posts: posts(
      'relations: { writer: { belongs_to: people, renamed_from: author } }',
      '{ who: anyone, where: { writer.crew: 7 } }',
    ),
  }
  assert.equal(await carriedBy(later), [
    'carry 1 change over from people.team_id to people.crew_id',
    'carry 1 change over from posts.author_id to posts.writer_id',
  ])
  const [first, , of] = await run('select jsonb_build_array(changes, seen_by) from plinth_change order by id')
  assert.equal(JSON.parse(first ?? ''), [
    [
      { field: 'writer_id', from: 1, to: 2 },
      { field: 'team_id', from: null, to: 3 },
    ],
    [{ 'writer_id.crew_id': 7 }, { 'writer_id.crew_id': 8, other: 1 }],
  ])
  assert.match(of ?? '', /author_id/)
  assert.equal(await carriedBy(later), [])
})

test('a permission that the YAML still asks for stays with its role', async () => {
  const roles = `fields: { permissions: { type: list, of: string, holds: permission } }
policies: { view: [{ who: anyone }] }`
  const fields = 'fields: { title: { type: string } }'
  await carriedBy({ roles, posts: posts(fields, '{ permission: posts.view }') })
  await run(
    `insert into roles (permissions) values ('["posts.view", "posts.write", "*"]'), ('["posts.views"]'), (null)`,
  )
  const renamed = posts(`renamed_from: posts\n${fields}`, '{ permission: articles.view }')
  assert.equal(await carriedBy({ roles, articles: renamed }), ['carry 1 role over from posts to articles'])
  assert.equal(await run('select permissions from roles order by id'), [
    '["articles.view", "posts.write", "*"]',
    '["posts.views"]',
    null,
  ])
})

test.run()
