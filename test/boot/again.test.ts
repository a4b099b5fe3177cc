/** Files that are read again: what is kept of those that did not change makes no difference to what is served. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { describeAccess } from '../../engine/access/description.ts'
import { readCatalog } from '../../engine/boot/boot.ts'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { describeApplication } from '../../engine/openapi/routes.ts'
import { renderDiagnostics } from '../../engine/text/render.ts'
import type { Source } from '../../engine/text/source.ts'
import { application } from '../support/application.ts'
import { catalogText, firstDifference } from '../support/catalog-text.ts'
import { writeFiles } from '../support/large.ts'

const test = suite('files that are read again')

const NAMES = ['albums', 'books', 'coats', 'doors', 'eggs']
const ALWAYS = ['title: { type: string, required: true, max: 120 }', 'amount: { type: integer, min: 0 }']
const FIELDS = [
  'code: { type: string, unique: true }',
  'price: { type: decimal, precision: 12, scale: 2 }',
  'state: { type: enum, values: [draft, open], default: draft }',
  'day: { type: date }',
  'double: { type: integer, computed: "t.amount * 2" }',
  'slug: { type: slug, from: title }',
]
const KEYS = [
  'label: Thing',
  'description: Things of all kinds.',
  'soft_delete: true',
  'filters: [amount, parent.amount]',
  'search: [title, parent.title]',
  'sort: { default: title }',
  'cache: true',
  'log_changes: true',
  'rules: { few: { must: { amount: { lt: 10 } }, says: Too many } }',
  'summary: { by: [parent] }',
]
const APPS = ['{ timestamps: {}, soft_delete: {} }', '{ timestamps: {}, soft_delete: {}, mail: {}, auth: {} }']

interface Drawn {
  readonly fields: readonly string[]
  readonly keys: readonly string[]
  readonly parent: string
  readonly view: string
}

const drawnFile = fc.record<Drawn>({
  fields: fc.subarray(FIELDS),
  keys: fc.subarray(KEYS, { maxLength: 4 }),
  parent: fc.constantFrom(...NAMES),
  view: fc.constantFrom(
    '{ who: anyone }',
    '{ who: anyone, where: { amount: 1 } }',
    '{ who: anyone, where: { parent.amount: 1 } }',
  ),
})

function textOf(name: string, { fields, keys, parent, view }: Drawn): string {
  const relations = `relations: { parent: { belongs_to: ${parent}, embed: [id, title, amount] } }\n`
  const lines = [...new Map(keys.map((line) => [line.split(':', 1)[0], line])).values()].map((line) => `${line}\n`)
  const written = [...ALWAYS, ...fields].map((line) => `  ${line}\n`)
  return `resource: ${name}\nfields:\n${written.join('')}${relations}${lines.join('')}policies: { view: [${view}], create: [${view}], update: [], delete: [] }\n`
}

/** What becomes of one file: another text, none, one with a mistake, the first one again, or a resource of another name. */
const drawnChange = fc.oneof(
  { weight: 2, arbitrary: fc.record({ file: fc.constantFrom(...NAMES), becomes: fc.constant('as it was' as const) }) },
  { weight: 2, arbitrary: fc.record({ file: fc.constantFrom(...NAMES), becomes: fc.constant('renamed' as const) }) },
  { weight: 6, arbitrary: fc.record({ file: fc.constantFrom(...NAMES), becomes: drawnFile }) },
  { weight: 1, arbitrary: fc.record({ file: fc.constantFrom(...NAMES), becomes: fc.constant(undefined) }) },
  { weight: 1, arbitrary: fc.record({ file: fc.constant('app'), becomes: fc.constantFrom(...APPS) }) },
  { weight: 1, arbitrary: fc.record({ file: fc.constantFrom(...NAMES), becomes: fc.constant('fields: { title: {') }) },
)

/** Five files without a mistake, of which two change. */
const PLAIN: Drawn = { fields: FIELDS.slice(0, 1), keys: KEYS.slice(0, 2), parent: NAMES[0]!, view: '{ who: anyone }' }
const EXAMPLE = [
  NAMES.map(() => PLAIN),
  [
    { file: NAMES[0]!, becomes: { ...PLAIN, fields: FIELDS } },
    { file: NAMES[2]!, becomes: { ...PLAIN, parent: NAMES[1]! } },
    { file: NAMES[0]!, becomes: 'as it was' },
  ],
] as const

/** All that is told of an application, as texts; nothing but diagnostics of one with mistakes. */
interface Told {
  readonly sources: readonly Source[]
  readonly texts: Readonly<Record<string, string>>
}

async function told(resourcesDir: string, before: readonly Source[]): Promise<Told> {
  const read = await readCatalog({ resourcesDir, pluginsDir: 'plugins' }, undefined, before)
  const diagnostics = renderDiagnostics(read.diagnostics)
  if (read.value === undefined) return { sources: before, texts: { diagnostics } }
  const { catalog, composition, routes, sources, version } = read.value
  const texts = {
    ...{ diagnostics, version },
    catalog: catalogText(catalog, true),
    access: JSON.stringify(describeAccess(catalog, routes, true), null, 1),
    document: JSON.stringify(describeApplication(catalog, routes, composition), null, 1),
    tables: JSON.stringify(tables(catalog), null, 1),
  }
  return { sources, texts }
}

test('an application whose files change is the one that is made of them from nothing', async () => {
  let made = 0
  const drawn = fc.tuple(
    fc.array(drawnFile, { minLength: 5, maxLength: 5 }),
    fc.array(drawnChange, { minLength: 2, maxLength: 5 }),
  )
  await fc.assert(
    fc.asyncProperty(drawn, async ([first, changes]) => {
      const app = (plugins: string): string => `name: Drawn\nprefix: /api\nplugins: ${plugins}\n`
      const texts = first.map((one, at) => [`${NAMES[at]}.yaml`, textOf(NAMES[at]!, one)] as const)
      const { folder, remove } = await writeFiles({ 'app.yaml': app(APPS[0]!), ...Object.fromEntries(texts) })
      try {
        let { sources } = await told(folder, [])
        for (const { file, becomes } of changes) {
          const path = join(folder, `${file}.yaml`)
          const place = NAMES.indexOf(file)
          if (becomes === undefined) rmSync(path, { force: true })
          else if (becomes === 'as it was') writeFileSync(path, textOf(file, first[place]!))
          else if (becomes === 'renamed')
            writeFileSync(path, `${textOf(`${file}_now`, first[place]!)}renamed_from: ${file}\n`)
          else if (typeof becomes === 'string') writeFileSync(path, file === 'app' ? app(becomes) : becomes)
          else writeFileSync(path, textOf(file, becomes))
          const [again, anew] = [await told(folder, sources), await told(folder, [])]
          sources = again.sources
          assert.equal(Object.keys(again.texts), Object.keys(anew.texts))
          for (const [key, text] of Object.entries(again.texts))
            assert.is(firstDifference(text, anew.texts[key]!), undefined, `${key} after a change of ${file}`)
          if ('catalog' in again.texts) made += 1
        }
      } finally {
        await remove()
      }
    }),
    { numRuns: 15, interruptAfterTimeLimit: 60_000, examples: [[[[...EXAMPLE[0]], [...EXAMPLE[1]]]]] },
  )
  assert.ok(made >= EXAMPLE[1].length, `${made} of the applications have no mistake`)
})

test('what is served after a save is refused and shown by the rules of all files as they are now', async () => {
  const { folder, remove } = await writeFiles({
    'app.yaml': 'name: Shelf\nprefix: /api\n',
    'shelves.yaml':
      'resource: shelves\nfields: { name: { type: string, required: true }, open: { type: boolean, default: true } }\npolicies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }\n',
    'books.yaml':
      'resource: books\nfields: { title: { type: string, required: true } }\nrelations: { shelf: { belongs_to: shelves, embed: [id, name] } }\npolicies: { view: [{ who: anyone, where: { shelf.open: true } }], create: [{ who: anyone }] }\n',
    'loans.yaml':
      'resource: loans\nfields: { to: { type: string } }\nrelations: { book: { belongs_to: books, embed: [id, title] } }\npolicies: { view: [{ who: anyone }], create: [{ who: anyone }] }\n',
  })
  const app = await application({ resources: folder })
  const save = async (file: string, change: (text: string) => string) => {
    const path = join(folder, `${file}.yaml`)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
    assert.equal(
      (await app.engine.reload()).filter(({ severity }) => severity !== 'warning'),
      [],
    )
  }
  const asked = async (path: string) => {
    const { status, body } = await app.call('GET', `/api/${path}`)
    return [status, body.data]
  }
  await app.call('POST', '/api/shelves', { body: { name: 'North' } })
  await app.call('POST', '/api/books', { body: { title: 'Sea', shelf_id: 1 } })
  await app.call('POST', '/api/loans', { body: { to: 'Ann', book_id: 1 } })
  const book = { id: 1, title: 'Sea', shelf_id: 1, shelf: { id: 1, name: 'North' } }
  const loan = { id: 1, to: 'Ann', book_id: 1, book: { id: 1, title: 'Sea' } }
  assert.equal(await asked('books/1'), [200, book])
  assert.equal(await asked('loans/1'), [200, loan])
  // Books say nothing else than before, and mean another column now.
  await save('shelves', (text) => text.replace('open: { type: boolean', 'open: { type: boolean, column: is_open'))
  assert.equal(await asked('books/1'), [200, book])
  await app.call('PATCH', '/api/shelves/1', { body: { open: false } })
  assert.is((await asked('books/1'))[0], 403)
  await save('shelves', (text) =>
    text.replace('name: { type: string', 'name: { type: string, read: { who: signed_in }'),
  )
  await save('books', (text) => text.replace(', where: { shelf.open: true }', ''))
  assert.equal(await asked('books/1'), [200, { ...book, shelf: { id: 1 } }])
  await save('books', (text) => text.replace('view: [{ who: anyone }]', 'view: [{ who: signed_in }]'))
  assert.is((await asked('books/1'))[0], 401)
  assert.is((await asked('loans/1'))[0], 200)
  await save('books', (text) => text.replace('view: [{ who: signed_in }]', 'view: [{ who: anyone }]'))
  await save('shelves', (text) => text.replace(', read: { who: signed_in }', ''))
  assert.equal(await asked('books/1'), [200, book])
  assert.equal(await asked('loans/1'), [200, loan])
  await app.close()
  await remove()
})

test.run()
