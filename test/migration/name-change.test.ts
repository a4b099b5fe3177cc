/** Filters and values by earlier names become those by present ones, and nothing else of them changes. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Json } from '../../engine/json.ts'
import { nameChanges, namesOf, presentFilter, presentValues, turned } from '../../engine/migration/names/name-change.ts'
import { resolved } from '../resolve/resolves.ts'

const test = suite('earlier names in JSON')

const VIEW = 'policies: { view: [{ who: anyone }] }'
const catalog = resolved({
  people: `renamed_from: persons\nfields: { name: { type: string, renamed_from: label }, title: { type: string } }\n${VIEW}`,
  notes: `fields: { title: { type: string }, text: { type: string, renamed_from: body } }\nrelations: { post: { belongs_to: posts } }\n${VIEW}`,
  tags: `fields: { label: { type: string } }\n${VIEW}`,
  posts: `fields: { headline: { type: string, renamed_from: title }, label: { type: string } }
relations:
  writer: { belongs_to: people, renamed_from: author }
  remarks: { has_many: notes, renamed_from: notes }
  words: { many_to_many: tags, renamed_from: labels }
${VIEW}`,
})
const changes = nameChanges(catalog)
const names = namesOf(catalog, changes)
const posts = catalog.resources.get('posts')
const now = (filter: Json) => presentFilter({ catalog, names }, posts, filter)

test('what has another name is known, resources first', () => {
  assert.equal(changes[0], { kind: 'resource', from: 'persons', to: 'people' })
  const parts = changes.slice(1).map((one) => (one.kind === 'resource' ? '' : `${one.resource}.${one.from}>${one.to}`))
  assert.equal(parts.sort(), [
    'notes.body>text',
    'people.label>name',
    'posts.author>writer',
    'posts.author_id>writer_id',
    'posts.labels>words',
    'posts.notes>remarks',
    'posts.title>headline',
  ])
})

test('each name is that of the record where it stands', () => {
  assert.equal(now({ title: 'a', 'author.label': 'b', 'author.title': 'c', author_id: 1, label: 'title' }), {
    headline: 'a',
    'writer.name': 'b',
    'writer.title': 'c',
    writer_id: 1,
    label: 'title',
  })
  assert.equal(now({ notes: { some: { title: 'x', body: { contains: 'title' }, 'post.author.label': 'y' } } }), {
    remarks: { some: { title: 'x', text: { contains: 'title' }, 'post.writer.name': 'y' } },
  })
  assert.equal(now({ notes: { count: { gte: 2 }, where: { not: { body: null } } } }), {
    remarks: { count: { gte: 2 }, where: { not: { text: null } } },
  })
  // It would take the place of a condition that is there.
  assert.equal(now({ title: 'a', headline: 'b' }), { title: 'a', headline: 'b' })
})

test('values have the names of their own records', () => {
  const values = (value: Json) => presentValues({ catalog, names }, posts, value)
  assert.equal(values({ title: 'a', author_id: 2, label_ids: [1], notes: [{ title: 't', body: 'b' }] }), {
    headline: 'a',
    writer_id: 2,
    word_ids: [1],
    remarks: [{ title: 't', text: 'b' }],
  })
})

const leaf = fc.oneof(fc.string(), fc.integer(), fc.record({ contains: fc.constantFrom('title', 'author.label', '"') }))
const ofPerson = fc.constantFrom('label', 'title')
const path = fc.oneof(
  fc.constantFrom('title', 'author_id', 'label'),
  ofPerson.map((name) => `author.${name}`),
)
const { filter } = fc.letrec<{ filter: Json }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4 },
    fc.dictionary(path, leaf as fc.Arbitrary<Json>, { maxKeys: 3 }),
    fc.record({ any: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ not: tie('filter') }),
    fc.record({
      notes: fc.record({ some: fc.dictionary(fc.constantFrom('body', 'title'), leaf as fc.Arbitrary<Json>) }),
    }),
    tie('filter').map((inner) => ({
      notes: { none: { 'post.title': 'x', not: { 'post.author.label': 1 } } },
      all: [inner],
    })),
  ) as fc.Arbitrary<Json>,
}))

test('a filter that is renamed and renamed back is the same, and renaming it twice changes nothing', () => {
  const back = (written: Json) => presentFilter({ catalog, names: turned(names) }, posts, written)
  fc.assert(
    fc.property(filter, (drawn) => {
      const written = JSON.parse(JSON.stringify(drawn)) as Json
      const renamed = now(written)
      assert.equal(back(renamed), written)
      assert.equal(now(renamed), renamed)
    }),
    { numRuns: 500 },
  )
})

test.run()
