/** An application extends another one: what it takes over, adds, leaves out, and where its mistakes are told. */
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Boot, readCatalog } from '../../engine/boot/boot.ts'
import { applicationScenarios } from '../../engine/boot/scenario-files.ts'
import { inLanguage } from '../../engine/catalog/words.ts'
import type { Collected } from '../../engine/text/diagnostic.ts'
import { application } from '../plugin/application.ts'

const test = suite('applications on applications')

const BOOKS = `resource: books
label: Book
fields:
  title: { type: string, required: true }
  pages: { type: integer }
  shelf_mark: { type: string, max: 20 }
relations:
  author: { belongs_to: authors, embed: [id, name] }
filters: [title, pages]
search: [title, shelf_mark]
rules:
  has_pages: { must: { pages: { gt: 0 } }, says: A book has pages }
hooks: { create: [press.stamp] }
policies:
  view: [{ who: anyone }]
  create: [{ who: anyone }]
  update: [{ who: anyone }]
  delete: [{ who: anyone }]
`

const AUTHORS = `resource: authors
fields: { name: { type: string } }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }
`

const BASE = {
  'base/resources/app.yaml':
    'name: Library\nprefix: /api\nplugins: { press: { mark: L, size: 3 }, timestamps: {} }\ncalendars: { desk: { zone: UTC, hours: { mon: 09:00-17:00 } } }\n',
  'base/resources/books.yaml': BOOKS,
  'base/resources/authors.yaml': AUTHORS,
  'base/resources/books.test.yaml':
    'scenarios:\n  a book is found:\n    - { request: GET /books, status: 200 }\n  a book is lent:\n    - { request: GET /books, status: 200 }\n',
  'base/plugins/press/index.js': `export default {
    name: 'press', description: 'Stamps.',
    options: { type: 'object', additionalProperties: false, properties: { mark: { type: 'string' }, size: { type: 'integer' } } },
    hooks: { stamp: async (context, next) => next() },
  }`,
  'package.json': '{ "type": "module" }',
}

async function booted(files: Readonly<Record<string, string>>): Promise<Collected<Boot>> {
  const app = application({ ...BASE, ...files })
  try {
    return await app.boot()
  } finally {
    app.remove()
  }
}

/** The diagnostics as lines: file, what is marked, code, message and hint, without the folder of the test. */
async function said(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { diagnostics } = await booted(files)
  const short = (text: string) => text.replaceAll(/[^\s(]*plinth-app-\w+\//g, '')
  return diagnostics.map(({ code, message, span, hint }) => {
    const file =
      span === undefined ? '' : `${span.source.file} [${span.source.text.slice(span.start, span.end).split('\n')[0]}] `
    return short(`${file}${code}: ${message} (${hint})`)
  })
}

async function made(files: Readonly<Record<string, string>>): Promise<Boot> {
  const { value, diagnostics } = await booted(files)
  assert.equal(
    diagnostics.map(({ message }) => message),
    [],
  )
  return value!
}

const OWN = { 'resources/app.yaml': 'name: Town library\nextends: ../base\n' }

test('the console of the application below goes on without the screens that are left out', async () => {
  const console = `console:
  home: { reader: authors, any: books/long }
  menu: { Reading: [books, books/long], People: [authors] }
`
  const { value, diagnostics } = await booted({
    'base/resources/app.yaml': `${BASE['base/resources/app.yaml']}${console}`,
    'base/resources/books.yaml': `${BOOKS}views: { long: { label: Long, where: { pages: { gt: 500 } } } }\n`,
    'resources/app.yaml':
      'name: Own\nextends: ../base/resources\nwithout: [authors, books.relations.author, books.views.long]\n',
  })
  assert.equal(diagnostics, [])
  assert.equal(value?.catalog.console, { menu: { Reading: ['books'] } })
})

test('the application has what it extends, its plugins too, and its own name', async () => {
  const { catalog, composition, sources } = await made(OWN)
  assert.is(catalog.name, 'Town library')
  assert.is(catalog.prefix, '/api')
  assert.equal([...catalog.resources.keys()].sort(), ['authors', 'books'])
  assert.equal(
    composition.plugins.map(({ name }) => name),
    ['press', 'timestamps'],
  )
  assert.match(sources[0]!.file, /resources\/app\.yaml$/)
})

test('own files extend those below as they extend files of plugins, and app.yaml by its keys', async () => {
  const { catalog, composition } = await made({
    'resources/app.yaml':
      'name: Town library\nextends: ../base/resources\nplugins: { press: { size: 5 }, soft_delete: }\ncalendars: { weekend: { zone: UTC, hours: { sat: 09:00-12:00 } } }\n',
    'resources/books.yaml':
      'resource: books\nlabel: Volume\nfields: { isbn: { type: string }, title: { max: 50 } }\nfilters: [isbn]\n',
    'resources/lists.yaml': AUTHORS.replace('authors', 'lists'),
  })
  const books = catalog.resources.get('books')!
  assert.is(books.label, 'Volume')
  assert.is(books.fields.get('title')?.options.own.max, 50)
  assert.ok(['title', 'pages', 'isbn'].every((name) => books.filters.has(name)))
  assert.ok(catalog.resources.has('lists'))
  assert.equal([...catalog.calendars.keys()], ['desk', 'weekend'])
  const press = composition.hooks.get('press.stamp')
  assert.equal(press?.options, { mark: 'L', size: 5 })
  assert.ok(composition.plugins.some(({ name }) => name === 'soft_delete'))
})

test('an application on an application on an application', async () => {
  const { catalog } = await made({
    'town/resources/app.yaml':
      'name: Town\nextends: ../../base\nwithout: [books.pages, books.filters.pages, books.rules]\n',
    'town/resources/books.yaml': 'resource: books\nfields: { isbn: { type: string } }\n',
    'resources/app.yaml': 'name: Branch\nextends: ../town\nwithout: [books.search.shelf_mark]\n',
    'resources/books.yaml': 'resource: books\nfields: { isbn: { max: 13 } }\n',
  })
  const books = catalog.resources.get('books')!
  assert.is(catalog.name, 'Branch')
  assert.not(books.fields.has('pages'))
  assert.is(books.fields.get('isbn')?.options.own.max, 13)
  assert.equal(
    books.search.map(({ field }) => field.name),
    ['title'],
  )
})

test('an application of a package, and the desk of the program', async () => {
  const files = {
    'node_modules/@town/kit/package.json':
      '{ "name": "@town/kit", "type": "module", "plinth": { "applications": { "library": "library" } }, "peerDependencies": { "plinth": ">=0.3 <2" } }',
    ...Object.fromEntries(
      Object.entries(BASE).map(([path, text]) => [path.replace('base/', 'node_modules/@town/kit/library/'), text]),
    ),
  }
  const { catalog } = await made({ ...files, 'resources/app.yaml': 'name: Town\nextends: "@town/kit/library"\n' })
  assert.ok(catalog.resources.has('books'))
  const desk = await made({ 'resources/app.yaml': 'name: Acme\nextends: plinth/desk\n' })
  assert.ok(desk.catalog.resources.has('tickets'))
  const shipped = await readCatalog({ resourcesDir: 'resources', pluginsDir: 'plugins' })
  assert.equal([...desk.catalog.resources.keys()], [...shipped.value!.catalog.resources.keys()])
  const old = files['node_modules/@town/kit/package.json'].replace('>=0.3 <2', '^0.1.0')
  const lines = await said({
    ...files,
    'node_modules/@town/kit/package.json': old,
    'resources/app.yaml': 'name: Town\nextends: "@town/kit/library"\n',
  })
  assert.is(lines.length, 1)
  assert.match(
    lines[0]!,
    /^resources\/app\.yaml \["@town\/kit\/library"\] wrong_base: "@town\/kit\/library" is for plinth \^0\.1\.0, and this is /,
  )
})

test('a base that is not there, is no application, or goes round in a circle is one sentence', async () => {
  const named = (name: string) => said({ 'resources/app.yaml': `name: Town\nextends: ${name}\n` })
  assert.equal(await named('../bas'), [
    'resources/app.yaml [../bas] wrong_base: There is no app.yaml in bas (name a folder that holds app.yaml, or one whose folder resources does)',
  ])
  assert.equal(await named('plinth/dek'), [
    'resources/app.yaml [plinth/dek] wrong_base: The package "plinth" has no application "dek" (did you mean "plinth/desk"?)',
  ])
  assert.equal(await named('plinth'), [
    'resources/app.yaml [plinth] wrong_base: The package "plinth" has no application without a name (did you mean "plinth/desk"?)',
  ])
  assert.equal(await named('nowhere-at-all/shop'), [
    'resources/app.yaml [nowhere-at-all/shop] wrong_base: The package "nowhere-at-all" is not installed (run npm install nowhere-at-all, or write a path that begins with ./ or ../)',
  ])
  assert.equal(await named('../resources'), [
    'resources/app.yaml [../resources] wrong_base: Applications extend each other in a circle: resources → resources (take "extends" out of one of them)',
  ])
  assert.equal(await named('..'), [
    'resources/app.yaml [..] wrong_base: Applications extend each other in a circle: resources → resources (take "extends" out of one of them)',
  ])
  assert.equal(await said({ ...OWN, 'base/resources/app.yaml': 'name: Library\nextends: ../../resources\n' }), [
    'base/resources/app.yaml [../../resources] wrong_base: Applications extend each other in a circle: resources → base/resources → resources (take "extends" out of one of them)',
  ])
  assert.equal(
    await said({ 'resources/app.yaml': 'name: Town\nextends: ./inner\n', 'resources/inner/app.yaml': 'name: Inner\n' }),
    [
      'resources/app.yaml [./inner] wrong_base: resources/inner and resources are one inside the other (put them beside each other)',
    ],
  )
  assert.equal(await named('3'), [
    'resources/app.yaml [3] wrong_type: "extends" must be text, not the number 3 (put it in quotes: "3")',
  ])
})

test('what is left out is gone: a resource, field, relation, rule, filter, search path, hook, policy, calendar and plugin', async () => {
  const { catalog, composition } = await made({
    'resources/app.yaml': `name: Town
extends: ../base
without:
  - authors
  - books.author
  - books.pages
  - books.filters.pages
  - books.rules.has_pages
  - books.search.shelf_mark
  - books.hooks.create
  - books.policies.update.anyone
  - { books.policies.delete: { who: anyone } }
  - calendars.desk
  - plugins.press
`,
    'resources/books.yaml': 'resource: books\nactions: [list, get, create]\n',
  })
  const books = catalog.resources.get('books')!
  assert.not(catalog.resources.has('authors'))
  assert.equal([...books.relations.keys(), ...books.rules.map(({ name }) => name), ...catalog.calendars.keys()], [])
  assert.not(books.fields.has('pages'))
  assert.not(books.filters.has('pages'))
  assert.equal(
    books.search.map(({ field }) => field.name),
    ['title'],
  )
  assert.equal([books.policies.update, books.policies.delete, books.hooks.create], [[], [], []])
  assert.equal(
    composition.plugins.map(({ name }) => name),
    ['timestamps'],
  )
})

test('a left out part that something needs is told at the line that leaves it out', async () => {
  assert.equal(
    await said({ 'resources/app.yaml': 'name: Town\nextends: ../base\nwithout: [authors, books.title]\n' }),
    [
      'resources/app.yaml [authors] unknown_resource: Without this: Unknown resource "authors" (base/resources/books.yaml:8:25) (leave out what needs it too, or take this line away)',
      'resources/app.yaml [books.title] unknown_field: Without this: "books" has no field or relation "title" (base/resources/books.yaml:9:11) (leave out what needs it too, or take this line away)',
      'resources/app.yaml [books.title] unknown_field: Without this: "books" has no field or relation "title" (base/resources/books.yaml:10:10) (leave out what needs it too, or take this line away)',
    ],
  )
  assert.equal(await said({ 'resources/app.yaml': 'name: Town\nextends: ../base\nwithout: [plugins.press]\n' }), [
    'resources/app.yaml [plugins.press] unknown_hook: Without this: No plugin gives a hook "press.stamp" (base/resources/books.yaml:13:19) (leave out what needs it too, or take this line away)',
  ])
})

test('a left out part that only the code of a plugin needs is told with the name of the plugin', async () => {
  const press = BASE['base/plugins/press/index.js'].replace(
    "description: 'Stamps.',",
    "description: 'Stamps.', reliesOn: { books: ['shelf_mark', 'author'], lists: [] },",
  )
  const relying = {
    'base/plugins/press/index.js': press,
    'base/resources/lists.yaml': AUTHORS.replace('authors', 'lists'),
  }
  const left = 'without: [lists, books.shelf_mark, books.search.shelf_mark, books.author]'
  assert.equal(await said({ ...relying, 'resources/app.yaml': `name: Town\nextends: ../base\n${left}\n` }), [
    'resources/app.yaml [lists] press/missing: Without this: The plugin "press" relies on the resource "lists" (base/resources/app.yaml:3:12) (leave out what needs it too, or take this line away)',
    'resources/app.yaml [books.shelf_mark] press/missing: Without this: The plugin "press" relies on "shelf_mark" of "books" (base/resources/books.yaml:1:11) (leave out what needs it too, or take this line away)',
    'resources/app.yaml [books.author] press/missing: Without this: The plugin "press" relies on "author" of "books" (base/resources/books.yaml:1:11) (leave out what needs it too, or take this line away)',
  ])
  assert.equal(await said({ ...relying, ...OWN }), [])
})

test('an own line that makes a mistake in a file below is told there, and a mistake of that file itself in it', async () => {
  const own = {
    ...OWN,
    'resources/books.yaml':
      'resource: books\nlabel: Volume\nfields:\n  isbn: { type: string }\n  pages: { show: never }\n',
  }
  assert.equal(await said(own), [
    'resources/books.yaml [show] not_filterable: With this: No answer shows "pages", and callers would learn it by asking (base/resources/books.yaml:9:18) (change what needs it too, leave that out by "without", or take this away)',
  ])
  const lines = await said({ ...own, 'base/resources/authors.yaml': `${AUTHORS}search: [nme]\n` })
  assert.ok(
    lines.some((line) => line.startsWith('base/resources/authors.yaml [nme] unknown_field')),
    lines.join('\n'),
  )
  assert.is(lines.length, 2)
})

test('what is not there cannot be left out, and what a plugin relies on neither', async () => {
  const without = (list: string) =>
    said({
      'resources/app.yaml': `name: Town\nextends: ../base\nplugins: { auth: {}, mail: {}, soft_delete: {} }\nwithout: [${list}]\n`,
    })
  assert.equal(await without('bookz, books.titel, books.rules.has_page, books.resource'), [
    'resources/app.yaml [bookz] unknown_part: The application below has no "bookz" that could be left out (did you mean "books"?)',
    'resources/app.yaml [books.titel] unknown_part: The application below has no "books.titel" that could be left out (did you mean "title"?)',
    'resources/app.yaml [books.rules.has_page] unknown_part: The application below has no "books.rules.has_page" that could be left out (did you mean "has_pages"?)',
    'resources/app.yaml [books.resource] unknown_part: The application below has no "books.resource" that could be left out (take the line away)',
  ])
  assert.equal(await without('users.email'), [
    'resources/app.yaml [users.email] wrong_extension: "users.email" comes with a plugin, which relies on it (leave out the plugin itself: plugins.<name>)',
  ])
  assert.equal(await said({ 'resources/app.yaml': 'name: Town\nwithout: [books]\n' }), [
    'resources/app.yaml [books] unknown_part: There is no application below this one whose parts could be left out (write extends: plinth/desk, or take "without" away)',
  ])
})

test('what the application below says of a field stays, unless it is a promise that no plugin relies on', async () => {
  const fields = (text: string) => said({ ...OWN, 'resources/books.yaml': `resource: books\nfields: { ${text} }\n` })
  assert.equal(await fields('title: { type: text, required: false }'), [
    'resources/books.yaml [text] wrong_extension: "type" of the field "title" is "string" in base/resources/books.yaml, which this file extends (leave the key out, or write it as that file does)',
  ])
  const replaced = { 'resources/app.yaml': 'name: Town\nextends: ../base\nwithout: [books.shelf_mark]\n' }
  const { catalog } = await made({
    ...replaced,
    'resources/books.yaml': 'resource: books\nfields: { shelf_mark: { type: text } }\n',
  })
  assert.is(catalog.resources.get('books')?.fields.get('shelf_mark')?.type.name, 'text')
})

test('app.yaml that is no YAML is the only mistake', async () => {
  const lines = await said({
    'resources/app.yaml': 'name: "Town\nextends: ../base\n',
    'resources/books.yaml': 'resource: books\nfields: { title: { max: 3 } }\n',
  })
  assert.is(lines.length, 1)
  assert.match(lines[0]!, /yaml_syntax/)
})

test('the scenarios below are those of the application, without those left out or written anew', async () => {
  const app = application({
    ...BASE,
    'resources/app.yaml':
      'name: Town\nextends: ../base\nwithout: [scenarios.a book is lent, scenarios.a book is fund]\n',
    'resources/own.test.yaml': 'scenarios:\n  a book is found:\n    - { request: GET /books, status: 200 }\n',
  })
  const { value, diagnostics } = await applicationScenarios(join(app.directory, 'resources'))
  app.remove()
  assert.equal(
    value.map(({ source, value: file }) => [source.file.replace(/.*\//, ''), Object.keys(file?.value.scenarios ?? {})]),
    [['own.test.yaml', ['a book is found']]],
  )
  assert.equal(
    diagnostics.map(({ message, hint }) => [message, hint]),
    [
      [
        'The application below has no scenario "a book is fund" that could be left out',
        'did you mean "a book is found"?',
      ],
    ],
  )
})

test('a base behind a link, and one in another order of folders, are the same application', async () => {
  const app = application({ ...BASE, 'resources/app.yaml': 'name: Town\nextends: ../linked\n' })
  symlinkSync(join(app.directory, 'base'), join(app.directory, 'linked'))
  const { value, diagnostics } = await app.boot()
  assert.equal(diagnostics, [])
  assert.ok(value?.catalog.resources.has('books'))
  rmSync(app.directory, { recursive: true })
})

test('the words of an application below are those of the one above, but for what that leaves out or says itself', async () => {
  const { value, diagnostics } = await booted({
    'base/resources/app.yaml': `${BASE['base/resources/app.yaml']}languages: [en, de]\n`,
    'base/resources/de.words.yaml':
      'resources:\n  books: { label: { one: Buch, many: Bücher }, fields: { title: Titel, pages: Seiten }, rules: { has_pages: Ein Buch hat Seiten } }\n  authors: { label: { one: Autorin, many: Autorinnen } }\n',
    'resources/app.yaml': 'name: Acme\nextends: ../base\nwithout: [books.pages, books.filters.pages, books.rules]\n',
    'resources/de.words.yaml': 'resources: { books: { fields: { title: Name des Buches } } }\n',
  })
  assert.equal(diagnostics, [])
  assert.equal(value?.catalog.words.get('de')?.resources?.books, {
    label: { one: 'Buch', many: 'Bücher' },
    fields: { title: { label: 'Name des Buches' } },
    relations: {},
    rules: {},
  })
  assert.is(inLanguage(value!.catalog, 'de').resources.get('authors')?.plural, 'Autorinnen')
  const above = { 'resources/app.yaml': 'name: Acme\nextends: ../base\nlanguages: [en, fr]\n' }
  const wrong = await booted({
    ...above,
    'resources/fr.words.yaml': 'resources: { boks: { fields: { title: Titre } } }\n',
  })
  assert.equal(
    wrong.diagnostics.map(({ code, hint }) => `${code}: ${hint}`),
    ['wrong_words: did you mean "books"?'],
  )
})

test.run()
