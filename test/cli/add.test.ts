/** `plinth add`: what is written into which file, what is refused, and its page followed to the letter. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEngine } from '../../engine/engine.ts'
import { readSettings } from '../../engine/settings.ts'
import { application } from '../../engine/testing/application.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'
import { blocks } from '../support/page.ts'
import { type Folder, folder, NOTES, plinth, type Ran } from './world.ts'

const add = suite('plinth add')

let world: Folder
let base: TestDatabase | undefined
add.before.each(async () => {
  world = folder({})
  const { code, complained } = await plinth(['init', join(world.path, 'app'), '--with-plugin'])
  assert.is(code, 0, complained)
})
add.after.each(() => world.remove())
add.after(() => base?.close())

function env() {
  const [resources, plugins, data] = ['resources', 'plugins', 'data'].map((name) => join(world.path, 'app', name))
  return { RESOURCES_DIR: resources, PLUGINS_DIR: plugins, DATA_DIR: data, PORT: '0', DATABASE_URL: base?.url }
}

/** Runs `plinth add` with these words. */
function run(words: string, ...more: readonly string[]): Promise<Ran> {
  return plinth(['add', ...words.split(' '), ...more], env())
}

async function done(words: string): Promise<string> {
  const { code, said, complained } = await run(words)
  assert.equal([code, complained], [0, ''], words)
  const check = await plinth(['check'], env())
  assert.equal([check.code, check.complained], [0, ''], words)
  return said
}

/** What is complained of; nothing of the application is another one than before. */
async function refused(words: string): Promise<string> {
  const before = everything()
  const { code, said, complained } = await run(words)
  assert.equal([code !== 0, said], [true, ''], words)
  assert.equal(everything(), before, words)
  return complained
}

function read(file: string): string {
  return readFileSync(join(world.path, 'app', file), 'utf8')
}

function write(file: string, text: string): void {
  writeFileSync(join(world.path, 'app', file), text)
}

function everything(): Readonly<Record<string, string>> {
  const entries = readdirSync(join(world.path, 'app'), { recursive: true, withFileTypes: true })
  const paths = entries.map((entry) => [join(entry.parentPath ?? entry.path, entry.name), entry.isFile()] as const)
  return Object.fromEntries(paths.map(([path, isFile]) => [path, isFile ? readFileSync(path, 'utf8') : '']))
}

add('a resource is a file of its own, with the policies of a new application', async () => {
  const said = await done(
    'resource invoices number:string:40! booking:references status:choice:draft,sent! stars:integer:min=1,max=5 paid_on:date',
  )
  assert.is(
    read('resources/invoices.yaml'),
    `# yaml-language-server: $schema=../.plinth/resource.schema.json
resource: invoices
label: Invoice

fields:
  number:  { type: string, required: true, max: 40 }
  status:  { type: enum, required: true, values: [draft, sent] }
  stars:   { type: integer, min: 1, max: 5 }
  paid_on: { type: date }

relations:
  booking: { belongs_to: bookings }

filters: [booking_id, status]

policies:
  view:   [{ who: signed_in }]
  create: [{ permission: invoices.manage }]
  update: [{ permission: invoices.manage }]
  delete: [{ permission: invoices.manage }]
`,
  )
  assert.match(said, /resources\/invoices\.yaml \(new\)\n {3}1 \+ # yaml/)
  assert.match(said, 'Everybody who is signed in may read; the permission invoices.manage is needed to write')
  assert.match(said, 'There is no database yet: `plinth start` makes it')
})

add('without accounts nobody may do anything with a new resource, and it is said', async () => {
  for (const [file, text] of Object.entries(NOTES)) write(file, text)
  for (const file of ['bookings', 'users', 'roles']) rmSync(join(world.path, 'app/resources', `${file}.yaml`))
  assert.match(await done('resource tags name'), 'Nobody may do anything with it yet')
  assert.match(read('resources/tags.yaml'), 'policies:\n  view:   []\n')
})

add('a field changes its own lines and no other, and lists offer it', async () => {
  const before = read('resources/bookings.yaml')
  const said = await done('field bookings note:string --filter --sort --search --label Words')
  assert.is(
    read('resources/bookings.yaml'),
    before
      .replace(/(\n {2}ends_at: .*)/, '$1\n  note:      { type: string, label: Words }')
      .replace('filters: [room, booked_by_id, starts_at]', 'filters: [room, booked_by_id, starts_at, note]')
      .replace('search:  [title]', 'search:  [title, note]')
      .replace('keys: [id, starts_at, created_at]', 'keys: [id, starts_at, created_at, note]'),
  )
  assert.match(said, ' - filters: [room, booked_by_id, starts_at]\n')
  assert.match(said, ' + filters: [room, booked_by_id, starts_at, note]\n')
  write('resources/bookings.yaml', `\uFEFF${read('resources/bookings.yaml')}`)
  await done('field bookings guests:integer --default 2 --required')
  assert.match(read('resources/bookings.yaml'), /^\uFEFF#[\s\S]* guests: {4}.* default: 2 }\n/)
  await done('field bookings seats:integer --index --unique')
  assert.match(read('resources/bookings.yaml'), '\nindexes: [[seats]]\n')
})

add("a plugin's resource is extended by a file of the application", async () => {
  await done('field users city:string:100 --filter')
  assert.match(read('resources/users.yaml'), '  phone: { type: string, max: 50 }\n  city: { type: string, max: 100 }\n')
  assert.match(read('resources/users.yaml'), '# Accounts come with the plugin auth')
  await done('field access_tokens device')
  assert.match(
    read('resources/access_tokens.yaml'),
    '# It comes with the plugin auth; this is what the application adds to it.\nresource: access_tokens\n\nfields:\n  device: { type: string }\n',
  )
})

add('a relation has its other side, which names it', async () => {
  await done('resource invoices number')
  const said = await done('relation invoices booking --to bookings --required --filter')
  assert.match(
    read('resources/invoices.yaml'),
    'relations:\n  booking: { belongs_to: bookings, required: true }\n\nfilters: [booking_id]\n',
  )
  assert.match(
    read('resources/bookings.yaml'),
    'embed: [id, name] }\n  invoices: { has_many: invoices, by: booking, show: asked }\n',
  )
  assert.match(said, '?include=invoices')
  assert.match(await refused('relation invoices other --to bookings'), 'bookings has a relation "invoices" already: ')
  await done('relation invoices other --to bookings --back others')
  assert.match(read('resources/bookings.yaml'), '  others: { has_many: invoices, by: other, show: asked }\n')
  await done('relation invoices third --to bookings --one-way')
  assert.not.match(read('resources/bookings.yaml'), 'by: third')
})

add('a relation to many is one on both sides, whose pairs both see', async () => {
  await done('resource labels name:string!')
  const said = await done('relation bookings labels --to labels --many --filter')
  assert.match(read('resources/bookings.yaml'), '  labels: { many_to_many: labels }\n')
  assert.match(read('resources/labels.yaml'), 'relations:\n  bookings: { many_to_many: bookings, show: asked }\n')
  assert.match(said, 'Answers of labels have "bookings" where they are asked for it: ?include=bookings')
  const taken = await refused('relation bookings badges --to labels --many')
  assert.match(taken, 'labels has a relation "bookings" already: ')
  await done('relation bookings badges --to labels --many --back badge_of')
  assert.match(read('resources/bookings.yaml'), '  badges: { many_to_many: labels, through: bookings_badges }\n')
  assert.match(
    read('resources/labels.yaml'),
    '  badge_of: { many_to_many: bookings, through: bookings_badges, show: asked }\n',
  )
  await done('relation labels similar --to labels --many --back similar_to')
  assert.match(await refused('relation labels like --to labels --many --back like'), '"like" is the relation itself.')
  await done('relation labels third --to bookings --many --one-way')
  const app = await application({ folder: join(world.path, 'app') })
  try {
    const admin = await app.person('admin')
    const made = async (body: object) => (await admin.post('/labels', body)).data as { readonly id: number }
    const one = await made({ name: 'One' })
    const two = await made({ name: 'Two', similar_ids: [one.id] })
    const seen = async (id: number, relation: string) => {
      const { data, text } = await admin.get(`/labels/${id}?include=${relation}`)
      const found = (data as Readonly<Record<string, readonly { readonly id: number }[]>>)[relation]
      return found?.map((record) => record.id) ?? text
    }
    assert.equal(await seen(two.id, 'similar'), [one.id])
    assert.equal(await seen(one.id, 'similar_to'), [two.id])
    assert.equal(await seen(one.id, 'similar'), [])
    assert.equal((await admin.get(`/bookings?labels.id=${one.id}`)).data, [])
  } finally {
    await app.close()
  }
})

add('a plugin is a folder with its test, and is in use', async () => {
  await done('plugin late_greeting')
  assert.match(read('resources/app.yaml'), '    days: [1, 2, 3, 4, 5]\n  late_greeting: {}\n')
  assert.match(read('plugins/late_greeting/index.ts'), "path: '/late-greeting'")
  assert.ok(existsSync(join(world.path, 'app/plugins/late_greeting/late_greeting.test.ts')))
  assert.match(read('plugins/late_greeting/console.tsx'), "path: '/late-greeting'")
})

add('a plugin of an application without screens has no page', async () => {
  write('resources/app.yaml', read('resources/app.yaml').replace(/\n {2}console: .*/, ''))
  write('plugins/office/index.ts', read('plugins/office/index.ts').replace(/\n {2}console: .*/, ''))
  await done('plugin late_greeting')
  assert.not.ok(existsSync(join(world.path, 'app/plugins/late_greeting/console.tsx')))
  assert.not.match(read('plugins/late_greeting/index.ts'), 'console')
})

add('mistakes are told with the word that was meant, and nothing is written', async () => {
  const said: Readonly<Record<string, string>> = {
    'field bookigns x:date': 'There is no resource "bookigns". Did you mean bookings?',
    'field bookings title:text': 'bookings has a field "title" already: ',
    'field bookings booked_by:string': 'bookings has a relation "booked_by" already: ',
    'field bookings x:dat': 'There is no type "dat". Did you mean date? There are string, text, integer, ',
    'field bookings x-y:date': '"x-y:date" is no field: write <name>:<type>',
    'field bookings id:integer': 'bookings has a field "id" already',
    'field bookings page:integer --filter': 'error ',
    'field bookings x:enum': 'A field of type enum needs the key "values"',
    'field bookings x:integer:5': 'does not know what to do with "5": write <option>=<value>',
    'field bookings x:integer:mim=5': 'did you mean "min"?',
    'field bookings x:date x:date': '"x" is named twice.',
    'field bookings x:date --search': 'error not_searchable',
    'field bookings owner:belongs_to': '"owner" names no resource that it belongs to',
    'resource bookings': 'There is a resource "bookings" already.',
    'resource 9lives': '"9lives" is no name of a resource',
    'resource tags x:strnig': 'Did you mean string?',
    'relation bookings payer --to user': 'There is no resource "user". Did you mean users?',
    'plugin office': 'plugins/office is there already',
    'plugin csv': 'There is a plugin "csv" already',
    'plugin Greeting': '"Greeting" is no name of a plugin',
  }
  for (const [words, sentence] of Object.entries(said)) assert.match(await refused(words), sentence, words)
})

add('a command line that is wrong is told how it is right', async () => {
  const said: Readonly<Record<string, string>> = {
    'feild bookings x:date': 'plinth add knows no "feild". Did you mean field?',
    'field bookings': 'needs more words. Use: plinth add field <resource> <field>:<type>',
    'plugin a b': 'does not know what to do with "b"',
    'resource tags name --to users': 'plinth add resource has no option --to.',
    'relation bookings payer --to users --back x --one-way': '--back and --one-way exclude each other',
    'relation bookings tags --to users --many --required': '--many and --required exclude each other',
    'field bookings x:date --many': 'plinth add field has no option --many.',
    'field bookings x:date --filtr': 'Did you mean --filter?',
  }
  for (const [words, sentence] of Object.entries(said)) {
    const { code, complained } = await run(words)
    assert.is(code, 2, words)
    assert.match(complained, sentence, words)
  }
})

add('an application with mistakes is mended first, and one in another form is written by hand', async () => {
  write('resources/bookings.yaml', `${read('resources/bookings.yaml')}colour: red\n`)
  assert.match(await refused('field bookings x:date'), /unknown_key[\s\S]*Nothing was added: mend this first\./)
  const text = read('resources/bookings.yaml').replace('colour: red\n', '')
  write('resources/bookings.yaml', text.replace('fields:', 'fields: &all').replace('filters:', 'filters: &some'))
  await done('field bookings x:date --filter')
  write('resources/tags.yaml', '{ resource: tags, fields: { name: { type: string } } }\n')
  assert.match(await refused('field tags x:date'), 'Write it yourself: fields: { x: { type: date } }')
})

add('a dry run shows all of it and writes nothing', async () => {
  for (const words of ['field bookings guests:integer', 'resource tags name', 'plugin greeting']) {
    const before = everything()
    const { code, said } = await run(words, '--dry-run')
    assert.is(code, 0)
    assert.match(said, /\n +\d+ \+ [\s\S]*Nothing was written: this was a dry run\.$/)
    assert.equal(everything(), before, words)
  }
})

add('what the plan says of the database is told, before a server that follows the files has done it', async () => {
  base = process.env.TEST_DATABASE_URL === undefined ? undefined : await testDatabase()
  const settings = readSettings(env()).value
  assert.ok(settings)
  const made = await createEngine({ settings, log: SILENT })
  await made.value?.close()
  const said = await done('field bookings guests:integer --filter')
  assert.match(said, '`plinth plan` says of the database:\nPlan ')
  assert.match(said, 'add column bookings.guests (integer)')
  assert.match(said, 'add index on bookings (guests')
  await base?.close()
  base = undefined
})

add('its page is followed, line by line, and then the application is served and tested', async () => {
  const lines = blocks(readFileSync('engine/guide/commands.md', 'utf8'), 'sh', 'Adding to the YAML')
    .join('')
    .trim()
    .split('\n')
  assert.is(lines.length, 5)
  mkdirSync(join(world.path, 'app/node_modules'), { recursive: true })
  for (const line of lines) {
    const [npx, name, ...words] = line.split(' ')
    assert.equal([npx, name], ['npx', 'plinth'])
    if (words[0] === 'test') continue
    await done(words.slice(1).join(' '))
  }
  for (const line of readFileSync('engine/guide/commands.md', 'utf8').matchAll(
    /^\| `(\w+:[^`]*)`(?:, `[^`]*`)* \| `(\w+): (\{.*\})`/gm,
  )) {
    const [, word = '', name = '', value = ''] = line
    assert.ok(await done(`field bookings ${word.replace(/^\w+/, `new_${name}`).replace('customers', 'users')}`))
    assert.match(
      read('resources/bookings.yaml').replaceAll(/ +/g, ' '),
      `new_${name}: ${value.replace('customers', 'users')}`,
    )
  }
})

add.run()
