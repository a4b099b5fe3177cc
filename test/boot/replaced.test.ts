/** What an application writes over the one below: words for policies, hints, and what happens when that changes there. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Resource } from '../../engine/catalog/catalog.ts'
import { writtenAt } from '../../engine/text/source.ts'
import { application } from '../plugin/application.ts'
import { plinth } from '../cli/world.ts'

const test = suite('writing over an application')

const APP =
  'name: Library\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, reader] } }\n'
const BOOKS = `resource: books
label: Book
fields:
  title: { type: string, max: 100 }
  pages: { type: integer }
  branch: { type: string }
rules:
  has_pages: { must: { pages: { gt: 0 } }, says: A book has pages }
policies:
  view: [{ permission: books.view }, { role: reader, where: { branch: { null: false } } }]
  create: [{ permission: books.edit }]
  update: [{ permission: books.edit }, { role: reader, fields: [title] }]
  delete: [{ permission: books.edit }]
`
const ROLES = `resource: roles
seeds:
  key: slug
  rows:
    - { slug: clerk, name: Clerk, permissions: [books.view, books.edit] }
`
const FILES = { 'base/resources/app.yaml': APP, 'base/resources/books.yaml': BOOKS, 'base/resources/roles.yaml': ROLES }
const OWN = { ...FILES, 'resources/app.yaml': 'name: Town\nextends: ../base\n' }

const own = (text: string) => ({ ...OWN, 'resources/books.yaml': `resource: books\n${text}` })

async function said(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const app = application(files)
  const { diagnostics } = await app.boot()
  app.remove()
  return diagnostics.map(({ code, message, span, hint }) => {
    const marked = span === undefined ? '' : `[${writtenAt(span)}] `
    return `${marked}${code}: ${message} (${hint})`.replaceAll(/[^\s(]*plinth-app-\w+\//g, '')
  })
}

async function booksOf(text: string): Promise<Resource> {
  const app = application(own(text))
  const { value, diagnostics } = await app.boot()
  app.remove()
  assert.equal(
    diagnostics.map(({ message }) => message),
    [],
  )
  return value!.catalog.resources.get('books')!
}

const shown = ({ access, where, fields }: Resource['policies']['view'][number]): string =>
  JSON.stringify([
    access.map((one) => ('permission' in one ? one.permission : 'roles' in one ? [...one.roles].join() : one.kind)),
    ...(where === undefined ? [] : [where]),
    ...(fields === undefined ? [] : [[...fields]]),
  ]).replaceAll(/"span":\{[^}]*\}[^}]*\}/g, '')

test('a policy is replaced by a list, and changed by words: narrowed, with clauses more, or one in place of another', async () => {
  const whole = await booksOf('policies: { view: [{ who: signed_in }] }')
  assert.equal(whole.policies.view.map(shown), ['[["signed_in"]]'])
  assert.is(whole.policies.update.length, 2)
  const added = await booksOf('policies: { update: { add: [{ role: admin }] } }')
  assert.equal(added.policies.update.map(shown), ['[["books.edit"]]', '[["reader"],["title"]]', '[["admin"]]'])
  const other = await booksOf('policies: { update: { replace: [{ role: reader, fields: [title, pages] }] } }')
  assert.equal(other.policies.update.map(shown), ['[["books.edit"]]', '[["reader"],["title","pages"]]'])
  const narrowed = await booksOf('policies: { view: { and: { pages: { gt: 1 } } } }')
  const narrow = narrowed.policies.view.map(shown)
  assert.is(narrow.length, 2)
  assert.ok(
    narrow.every((clause) => clause.includes('pages')),
    narrow.join('\n'),
  )
  assert.match(narrow[1]!, 'branch')
})

test('words for a policy that is not there, or for a clause that is not there, are mistakes', async () => {
  assert.equal(await said(own('policies: { restore: { add: [{ role: admin }] } }')), [
    '[restore] wrong_extension: There is no policy "restore" below that these words could change (write its clauses as a list: [{ … }])',
  ])
  assert.equal(
    await said({
      ...FILES,
      'resources/app.yaml': APP,
      'resources/books.yaml': BOOKS.replace(
        'create: [{ permission: books.edit }]',
        'create: { add: [{ permission: books.edit }] }',
      ),
      'resources/roles.yaml': ROLES,
    }),
    [
      '[create] wrong_extension: There is no policy "create" below that these words could change (write its clauses as a list: [{ … }])',
    ],
  )
  assert.equal(await said(own('policies: { update: { replace: [{ role: raeder, fields: [title] }] } }')), [
    '[{ role: raeder, fields: [title] }] unknown_part: No clause below is for role raeder, so this replaces none (did you mean "role reader"?)',
  ])
  assert.equal(await said(own('policies: { update: { adds: [{ role: admin }] }, view: { add: { role: admin } } }')), [
    '[adds] unknown_key: Unknown key "adds" (did you mean "add"?)',
    '[{ role: admin }] wrong_type: "add" must be a list of clauses (write [{ … }])',
  ])
  assert.equal(
    await said(own('policies: { view: { and: { pagse: 3 } } }')).then((lines) =>
      lines.map((line) => line.replace(/:.*/, '')),
    ),
    ['[pagse] unknown_field'],
  )
})

test('a value that only repeats the one below is a hint', async () => {
  assert.equal(
    await said(
      own(
        'label: Book\nfields: { title: { type: string, max: 100 } }\npolicies: { create: [{ permission: books.edit }] }',
      ),
    ),
    [
      '[label] repeated_part: This repeats what base/resources/books.yaml:2:8 says of books.label (take it away: a later correction there does not reach a copy)',
      '[max] repeated_part: This repeats what base/resources/books.yaml:4:31 says of books.fields.title.max (take it away: a later correction there does not reach a copy)',
      '[create] repeated_part: This repeats what base/resources/books.yaml:11:11 says of books.policies.create (take it away: a later correction there does not reach a copy)',
    ],
  )
})

/** An application that is checked, then checked again after its base has changed. */
async function changed(
  text: string,
  base: (files: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
) {
  const first = application({ ...own(text), ...more })
  const run = (command: string[]) =>
    plinth(command, { RESOURCES_DIR: `${first.directory}/resources`, PLUGINS_DIR: `${first.directory}/plugins` })
  const before = await run(['check'])
  const { writeFileSync, readFileSync } = await import('node:fs')
  for (const [name, changedText] of Object.entries(base(FILES)))
    writeFileSync(`${first.directory}/${name}`, changedText)
  const after = await run(['check'])
  const lock = () => readFileSync(`${first.directory}/resources/extends.lock`, 'utf8')
  return { before, after, run, lock, remove: first.remove }
}

const inBooks = (from: string, to: string) => () => {
  assert.ok(BOOKS.includes(from))
  return { 'base/resources/books.yaml': BOOKS.replace(from, to) }
}

test('a part that is replaced and changes below is told with three values until it is accepted', async () => {
  const { before, after, run, lock, remove } = await changed(
    'fields: { title: { max: 50 } }',
    inBooks('max: 100', 'max: 120'),
  )
  assert.equal([before.code, before.complained], [0, ''])
  assert.is(after.code, 0)
  assert.match(
    after.complained,
    /books\.yaml:2:25 warning changed_part: books\.fields\.title\.max was changed at \S*base\/resources\/books\.yaml:4:31/,
  )
  assert.match(after.complained, 'expected: below then: 100, below now: 120, yours: 50')
  assert.match(after.complained, 'npx plinth accept books.fields.title.max')
  assert.match((await run(['accept'])).said, 'waits: books.fields.title.max: 120 below, 50 here')
  assert.match(
    (await run(['accept', 'books.fields.title.maxi'])).complained,
    'books.fields.title.maxi: It is no part of the application below that this one replaces. Did you mean books.fields.title.max?',
  )
  assert.match((await run(['accept', 'books.fields.title.max'])).said, 'accepted: books.fields.title.max')
  assert.is((await run(['check'])).complained, '')
  assert.match(lock(), 'books.fields.title.max: 120\n')
  remove()
})

test('a policy that became stricter below while it is replaced is a warning that nobody overlooks', async () => {
  const text = 'policies: { update: [{ permission: books.edit }, { role: reader }] }'
  const stricter = await changed(
    text,
    inBooks('{ role: reader, fields: [title] }', '{ role: reader, fields: [title], where: { pages: 1 } }'),
  )
  assert.match(stricter.after.complained, 'DANGER: books.policies.update became stricter')
  stricter.remove()
  const wider = await changed(
    text,
    inBooks('{ role: reader, fields: [title] }', '{ role: reader, fields: [title, pages] }'),
  )
  assert.match(wider.after.complained, 'warning changed_part: books.policies.update was changed')
  assert.not.match(wider.after.complained, 'DANGER')
  wider.remove()
  const one = await changed(
    'policies: { update: { replace: [{ role: reader }] } }',
    inBooks(', { role: reader, fields: [title] }', ', { role: reader, fields: [] }'),
  )
  assert.match(one.after.complained, 'DANGER: books.policies.update.role reader became stricter')
  one.remove()
})

test('a part that comes or goes below is told where this application writes it too', async () => {
  const comes = await changed(
    'fields: { isbn: { type: string, max: 13 } }',
    inBooks('  branch:', '  isbn: { type: string, max: 20 }\n  branch:'),
  )
  assert.match(comes.after.complained, 'changed_part: books.fields.isbn was changed')
  assert.match(comes.after.complained, 'below then: (nothing)')
  assert.match((await comes.run(['accept', '--all'])).said, 'accepted: books.fields.isbn')
  assert.is((await comes.run(['check'])).complained, '')
  comes.remove()
  const goes = await changed(
    'rules: { has_pages: { must: { pages: { gt: 1 } }, says: Two } }',
    inBooks(
      '  has_pages: { must: { pages: { gt: 0 } }, says: A book has pages }\n',
      '  other: { must: { pages: { lt: 9000 } }, says: No }\n',
    ),
  )
  assert.match(goes.after.complained, 'changed_part: books.rules.has_pages was changed')
  assert.match(goes.after.complained, 'below now: (nothing)')
  goes.remove()
  const gone = await changed('fields: { isbn: { type: string } }', () => ({
    'base/resources/books.yaml': BOOKS.replace('resource: books', 'resource: volumes\npath: volumes'),
  }))
  assert.is(gone.after.code, 1)
  assert.match(
    gone.after.complained,
    'unknown_part: The application below has no resource "books" any more, which this file extended',
  )
  gone.remove()
})

test('the origin of each part is told, and of a part that is not there the nearest name', async () => {
  const app = application(own('fields: { title: { max: 50 } }\npolicies: { view: { and: { pages: { gt: 1 } } } }\n'))
  const env = { RESOURCES_DIR: `${app.directory}/resources`, PLUGINS_DIR: `${app.directory}/plugins` }
  const source = async (path: string) => {
    const { said, complained } = await plinth(['explain', '--source', path], env)
    return `${said}${complained}`.replaceAll(/\S*plinth-app-\w+\//g, '').split('\n')
  }
  assert.equal(await source('books.title'), [
    'books.title.type: string',
    '  ../base, base/resources/books.yaml:4:12',
    'books.title.max: 50',
    '  this application, resources/books.yaml:2:20',
  ])
  assert.equal(await source('books.policies.view.reader.where.all'), [
    'books.policies.view.reader.where.all[0]: { branch: { null: false } }',
    '  ../base, base/resources/books.yaml:10:54',
    'books.policies.view.reader.where.all[1]: { pages: { gt: 1 } }',
    '  this application, resources/books.yaml:3:21',
  ])
  assert.equal(await source('plugins.auth'), [
    'plugins.auth: { roles: [admin, reader] }',
    '  ../base, base/resources/app.yaml:3:55',
  ])
  assert.match((await source('users.email.type'))[1]!, /^ {2}a plugin, plugins\/auth\/resources\/users\.yaml:\d+:\d+$/)
  assert.equal(await source('books.titel'), ['There is no books.titel in the files. Did you mean title?'])
  app.remove()
})

test('plan says what is replaced', async () => {
  const app = application(own('label: Volume\nfields: { isbn: { type: string } }\n'))
  const env = {
    RESOURCES_DIR: `${app.directory}/resources`,
    PLUGINS_DIR: `${app.directory}/plugins`,
    DATA_DIR: `${app.directory}/data`,
  }
  const { said: text } = await plinth(['plan'], env)
  assert.match(text, 'In place of what the application below says:\n  books.label: "Book" → "Volume"')
  assert.not.match(text, 'books.fields.isbn:')
  const { said: json } = await plinth(['plan', '--json'], env)
  assert.equal(
    JSON.parse(json).replaced.map(({ path, below, own: mine }: Record<string, unknown>) => [path, below, mine]),
    [['books.label', 'Book', 'Volume']],
  )
  app.remove()
})

test('what is left out is in the lock, and a change of it below is told until it is accepted', async () => {
  const left = (entries: string) => ({ 'resources/app.yaml': `name: Town\nextends: ../base\nwithout: [${entries}]\n` })
  const { after, run, lock, remove } = await changed(
    '',
    inBooks('{ role: reader, where: { branch: { null: false } } }', '{ role: reader }'),
    left('books.policies.view.reader, books.rules.has_pages, { books.policies.delete: { permission: books.edit } }'),
  )
  assert.is(after.code, 0, after.complained)
  assert.match(
    after.complained,
    /app\.yaml:3:11 warning changed_part: books\.policies\.view\.reader was changed at \S*books\.yaml:\d+:\d+ after this left it out/,
  )
  assert.not.match(after.complained, 'DANGER')
  assert.match(
    after.complained,
    'below then: { role: reader, where: { branch: { null: false } } }, below now: { role: reader }, yours: left out',
  )
  assert.is(after.complained.match(/changed_part/g)?.length, 1)
  const said = await run(['accept', 'books.policies.view.reader'])
  assert.match(said.said, 'accepted: books.policies.view.reader')
  assert.is((await run(['check'])).complained, '')
  assert.match(lock(), 'books.policies.view.reader: { role: reader }\n')
  assert.match(lock(), 'books.rules.has_pages: { must: { pages: { gt: 0 } }, says: "A book has pages" }\n')
  remove()
})

test('a resource that is left out is kept as a hash, and an own one of its name is another one', async () => {
  const { after, lock, run, remove } = await changed(
    'fields: { title: { type: text } }\npolicies: { view: [{ who: anyone }], create: [], update: [], delete: [] }',
    inBooks('max: 100', 'max: 120'),
    { 'resources/app.yaml': 'name: Town\nextends: ../base\nwithout: [books]\n' },
  )
  assert.is(after.code, 0, after.complained)
  assert.match(after.complained, 'changed_part: books was changed at')
  assert.match(lock(), /^books: "hash [0-9a-f]{16}"$/m)
  assert.match((await run(['accept', '--all'])).said, 'accepted: books')
  assert.is((await run(['check'])).complained, '')
  remove()
})

test('a text of a mail is replaced by one of the same path, which the lock knows and in which mistakes are told', async () => {
  const automations = `automations:
  thanks:
    on: [create]
    mail: { to: [a@example.com], shows: [title], subject: Thanks, text: { file: mails/thanks.liquid } }
`
  const base = {
    ...FILES,
    'base/resources/books.yaml': `${BOOKS}${automations}`,
    'base/resources/mails/thanks.liquid': 'Thanks for {{ title }}.\n',
  }
  const app = application({ ...base, 'resources/app.yaml': 'name: Town\nextends: ../base\n' })
  const { writeFileSync, mkdirSync, readFileSync } = await import('node:fs')
  const run = (command: string[]) =>
    plinth(command, { RESOURCES_DIR: `${app.directory}/resources`, PLUGINS_DIR: `${app.directory}/plugins` })
  const below = await run(['check'])
  assert.is(below.code, 0, below.complained)
  mkdirSync(`${app.directory}/resources/mails`)
  const write = (name: string, text: string) => writeFileSync(`${app.directory}/${name}`, text)
  write('resources/mails/thanks.liquid', 'Hello, thanks for {{ titel }}.\n')
  const wrong = await run(['check'])
  assert.is(wrong.code, 1)
  assert.match(wrong.complained, /resources\/mails\/thanks\.liquid:1:1 error/)
  assert.not.match(wrong.complained, /base\/resources\/\S+ error/)
  write('resources/mails/thanks.liquid', 'Hello, thanks for {{ title }}.\n')
  assert.equal(await run(['check']).then(({ code, complained }) => [code, complained]), [0, ''])
  assert.match((await run(['flatten'])).said, 'Hello, thanks for {{ title }}.')
  const lock = readFileSync(`${app.directory}/resources/extends.lock`, 'utf8')
  assert.match(lock, /mails\/thanks\.liquid"?: "?Thanks for \{\{ title \}\}\./)
  write('base/resources/mails/thanks.liquid', 'Many thanks for {{ title }}.\n')
  const changedBelow = await run(['check'])
  assert.match(
    changedBelow.complained,
    /thanks\.liquid:1:1 warning changed_part: mails\/thanks\.liquid was changed at \S*base\//,
  )
  assert.match((await run(['accept', 'mails/thanks.liquid'])).said, 'accepted: mails/thanks.liquid')
  write('resources/mails/thanks.liquid', 'Many thanks for {{ title }}.\n')
  assert.match(
    (await run(['check'])).complained,
    /repeated_part: This repeats what \S*thanks\.liquid:1:1 says of mails\/thanks\.liquid/,
  )
  app.remove()
})

test.run()
