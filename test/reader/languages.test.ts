/** An application in further languages: whose words the catalog and refusals have, and what is missing. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { inLanguage, missingWords } from '../../engine/catalog/words.ts'
import { languageOf } from '../../engine/http/negotiation.ts'
import { application as written } from '../plugin/application.ts'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('languages')

const OPEN = `policies:
  view: [{ who: anyone }]
  create: [{ who: anyone }]
  update: [{ who: anyone }]
  delete: [{ who: anyone }]
`

const TASKS = `resource: tasks
description: What is to be done.
fields:
  title: { type: string, required: true, help: In a few words }
  state: { type: enum, values: [open, done], default: open }
  starts_on: { type: date }
  ends_on: { type: date }
  hidden: { type: integer, show: never, read_only: true }
relations:
  list: { belongs_to: lists, embed: [id, { kind: kind }] }
filters: [state, list.kind]
batch: true
summary: true
views:
  now: { label: Now, where: { state: open } }
  figures: { as: figures, tiles: [{ number: count, label: All of them }] }
layout:
  record: { main: [title], side: [{ label: Work, fields: [state] }] }
buttons:
  finish: { label: Finish, set: { state: done } }
rules:
  in_order: { when: { ends_on: { null: false } }, must: { ends_on: { gte: $record.starts_on } }, says: The end comes before the start, at: ends_on }
  few: { at_most: 2, where: { state: open }, says: Two things at a time }
moves:
  state: { says: What is done stays so, allow: [{ from: open, to: done }] }
${OPEN}`

const LISTS = `resource: lists
fields:
  name: { type: string, required: true }
  kind: { type: enum, values: [own, shared], default: own }
${OPEN}`

const GERMAN = `name: Aufgaben
fields: { id: Nummer, name: Name, kind: Art }
texts: { Work: Arbeit }
resources:
  tasks:
    label: { one: Aufgabe, many: Aufgaben }
    description: Was zu tun ist.
    fields:
      title: { label: Titel, help: In wenigen Worten }
      state: { label: Zustand, values: { open: Offen, done: Erledigt } }
      starts_on: Beginn
      ends_on: Ende
    relations: { list: Liste }
    views: { now: Jetzt, figures: Zahlen }
    buttons: { finish: Erledigen }
    rules: { in_order: Das Ende liegt vor dem Anfang, few: Nie mehr als zwei }
    moves: { state: Was erledigt ist, bleibt so }
    texts: { All of them: Alle }
  lists:
    label: { one: Liste, many: Listen }
    fields: { kind: { values: { own: Eigene, shared: Gemeinsame } } }
`

const FILES = {
  'app.yaml': 'name: Tasks\nlanguages: [en, de]\nprefix: /api\nconsole: { menu: { Work: [tasks] } }\n',
  'tasks.yaml': TASKS,
  'lists.yaml': LISTS,
  'de.words.yaml': GERMAN.replace('Was erledigt ist, bleibt so', '"Was erledigt ist, bleibt so"'),
}

let app: TestApplication
test.before(async () => {
  app = await application({ resources: FILES })
})
test.after(() => app?.close())

// biome-ignore lint/suspicious/noExplicitAny: a document is walked freely
async function catalogIn(language?: string): Promise<any> {
  const headers: Record<string, string> = language === undefined ? {} : { 'accept-language': language }
  return app.call('GET', '/catalog.json', { headers })
}

test('the catalog has the words of the language that its reader prefers', async () => {
  const { body, headers } = await catalogIn('de-AT,de;q=0.9,en;q=0.5')
  const { lists, tasks } = body.resources
  assert.is(headers['content-language'], 'de')
  assert.match(String(headers.vary), /Accept-Language/)
  assert.is(body.name, 'Aufgaben')
  assert.equal(body.console.menu, [{ label: 'Arbeit', screens: ['tasks'] }])
  assert.equal(tasks.label, { one: 'Aufgabe', many: 'Aufgaben' })
  assert.is(tasks.description, 'Was zu tun ist.')
  assert.is(tasks.fields.id.label, 'Nummer')
  assert.is(tasks.fields.title.label, 'Titel')
  assert.is(tasks.fields.title.help, 'In wenigen Worten')
  assert.equal(tasks.fields.state.values, { open: 'Offen', done: 'Erledigt' })
  assert.equal(tasks.list.filters.state.values, { open: 'Offen', done: 'Erledigt' })
  assert.equal(tasks.list.filters['list.kind'].values, { own: 'Eigene', shared: 'Gemeinsame' })
  assert.is(tasks.relations.list.label, 'Liste')
  assert.is(tasks.fields.list_id.label, 'Liste', 'the key of a relation is called like it')
  assert.equal(tasks.relations.list.embed[1], {
    name: 'kind',
    label: 'Art',
    type: 'enum',
    values: { own: 'Eigene', shared: 'Gemeinsame' },
  })
  assert.is(tasks.views.now.label, 'Jetzt')
  assert.is(tasks.views.figures.tiles[0].label, 'Alle')
  assert.is(tasks.layout.record.side[0].label, 'Arbeit')
  assert.is(tasks.buttons.finish.label, 'Erledigen')
  assert.equal(lists.label, { one: 'Liste', many: 'Listen' })
  assert.equal(tasks.fields.title.schema, (await catalogIn()).body.resources.tasks.fields.title.schema)
})

test('whoever prefers no language of the application reads that of the YAML', async () => {
  for (const language of [undefined, 'fr', 'en-GB,de;q=0.3', '', 'de;q=0']) {
    const { body, headers } = await catalogIn(language)
    assert.is(headers['content-language'], 'en', String(language))
    assert.equal(body.resources.tasks.label, { one: 'Task', many: 'Tasks' })
    assert.is(body.resources.tasks.fields.state.values, undefined)
  }
})

test('each language has a tag of its own, by which a reader is told that nothing changed', async () => {
  const [english, german] = [await catalogIn('en'), await catalogIn('de')]
  assert.is.not(english.headers.etag, german.headers.etag)
  const again = (language: string) =>
    app.call('GET', '/catalog.json', {
      headers: { 'accept-language': language, 'if-none-match': german.headers.etag! },
    })
  assert.is((await again('de')).status, 304)
  assert.is((await again('en')).status, 200)
})

test('what a rule says is said in the language of the request', async () => {
  const body = { title: 'Paint', starts_on: '2026-02-02', ends_on: '2026-02-01' }
  const refused = (language: string) =>
    app.call('POST', '/api/tasks', { body, headers: { 'accept-language': language } })
  const german = await refused('de')
  assert.is(german.status, 422)
  assert.equal(german.body.errors, { ends_on: ['Das Ende liegt vor dem Anfang'] })
  assert.equal(german.body.error_codes, { ends_on: ['invalid'] })
  assert.match(String(german.headers.vary), /Accept-Language/)
  assert.equal((await refused('en')).body.errors, { ends_on: ['The end comes before the start'] })
})

test('what moves say is said in it, with the words that may follow', async () => {
  const { body } = await app.call('POST', '/api/tasks', { body: { title: 'Paint', state: 'done' } })
  const move = (language: string) =>
    app.call('PATCH', `/api/tasks/${body.data.id}`, {
      body: { state: 'open' },
      headers: { 'accept-language': language },
    })
  assert.is((await move('de')).body.message, 'Was erledigt ist, bleibt so')
  assert.is((await move('en')).body.message, 'What is done stays so')
})

test('a rule of many records says it too', async () => {
  for (const title of ['One', 'Two']) await app.call('POST', '/api/tasks', { body: { title } })
  const third = await app.call('POST', '/api/tasks', { body: { title: 'Three' }, headers: { 'accept-language': 'de' } })
  assert.is(third.status, 409)
  assert.is(third.body.message, 'Nie mehr als zwei')
})

test('the program says its own sentences in the language of the request, with the names that fields have there', async () => {
  const said = async (method: string, path: string, body?: object) => {
    const headers = { 'accept-language': 'de' }
    const answer = await app.call(method, `/api${path}`, body === undefined ? { headers } : { headers, body })
    const english = await app.call(method, `/api${path}`, body === undefined ? {} : { body })
    assert.equal(answer.body.error_codes, english.body.error_codes)
    assert.is(answer.body.code, english.body.code)
    return [answer.body.message, ...Object.values(answer.body.errors ?? {}).flat()]
  }
  assert.equal(await said('POST', '/tasks', { state: 'lost', starts_on: 'soon', tilte: 'x' }), [
    'Nicht alle Angaben sind in Ordnung',
    '„Zustand“ muss einer der Werte open, done sein',
    '„Beginn“ muss ein Datum der Form JJJJ-MM-TT sein',
    'Das Feld „tilte“ ist nicht bekannt; meinten Sie „title“?',
    '„Titel“ muss angegeben werden',
  ])
  assert.equal(await said('POST', '/tasks', { title: 'x', list_id: 77 }), [
    'Nicht alle Angaben sind in Ordnung',
    'Was für „Liste“ gewählt ist, gibt es nicht oder nicht mehr',
  ])
  assert.equal(await said('GET', '/tasks/77'), ['Aufgabe nicht gefunden'])
  assert.equal(await said('GET', '/nothing'), ['Diese Adresse gibt es nicht'])
  assert.equal(await said('GET', '/tasks?per_page=0&sort=hidden'), [
    'Nicht alle Angaben sind in Ordnung',
    'Der Parameter „per_page“ muss eine positive ganze Zahl sein',
    'Nach „hidden“ wird nicht sortiert; möglich sind: id, title, state, starts_on, ends_on, list_id',
  ])
})

test('each refusal of a batch is in it too', async () => {
  const { body } = await app.call('POST', '/api/tasks/batch?partial=true', {
    body: { create: [{ title: 'x', state: 'lost' }], delete: [99] },
    headers: { 'accept-language': 'de' },
  })
  assert.equal(body.data.create[0].errors, { state: ['„Zustand“ muss einer der Werte open, done sein'] })
  assert.is(body.data.delete[0].message, 'Aufgabe nicht gefunden')
})

test('nothing is missing where every text has its words, and each missing one is named once', async () => {
  assert.equal(missingWords(app.engine.app.catalog, 'de'), [])
  const { 'de.words.yaml': _, ...others } = FILES
  const bare = await application({ resources: others })
  const missing = missingWords(bare.engine.app.catalog, 'de').map(({ path }) => path.join('.'))
  await bare.close()
  assert.is(missing.length, new Set(missing).size)
  assert.ok(missing.includes('fields.id'), 'a label of several resources is asked for once')
  assert.ok(missing.includes('resources.tasks.fields.state.values.done'))
  assert.ok(missing.includes('resources.tasks.rules.in_order'))
  assert.not.ok(missing.some((path) => path.includes('hidden')))
})

test('a field that is renamed or taken away keeps nothing from starting because of its words', async () => {
  const changed = {
    'lists.yaml': LISTS.replace('name: { type', 'title: { renamed_from: name, type').replace(/ {2}kind: .*\n/, ''),
    'tasks.yaml': TASKS.replace(', embed: [id, { kind: kind }]', '').replace(', list.kind]', ']'),
    'de.words.yaml': FILES['de.words.yaml'].replace('fields: { kind: {', 'fields: { name: Listenname, kind: {'),
  }
  const all = Object.entries({ ...FILES, ...changed }).map(([name, text]) => [`resources/${name}`, text])
  const { boot, remove } = written(Object.fromEntries(all))
  const { diagnostics, value } = await boot()
  remove()
  assert.equal(
    diagnostics.map(({ severity, message, hint }) => `${severity}: ${message}, ${hint}`),
    [
      'warning: No resource has a field or relation "name", undefined',
      'warning: No resource has a field or relation "kind", did you mean "id"?',
      'warning: "lists" has no field "name", it is called "title" now',
      'warning: "lists" has no field "kind", did you mean "id"?',
    ],
  )
  const { fields } = inLanguage(value!.catalog, 'de').resources.get('lists')!
  assert.is(fields.get('title')?.label, 'Listenname', 'the words go with the name')
})

test('an application in one language answers as before', async () => {
  const { 'de.words.yaml': _, ...others } = FILES
  const alone = await application({ resources: { ...others, 'app.yaml': 'name: Tasks\nprefix: /api\n' } })
  const answer = await alone.call('GET', '/catalog.json', { headers: { 'accept-language': 'de' } })
  await alone.close()
  assert.is(answer.headers['content-language'], undefined)
  assert.not.match(String(answer.headers.vary), /Accept-Language/)
})

test('a language is found by what its reader prefers', () => {
  const languages = ['en', 'de', 'pt-BR']
  const cases: readonly (readonly [string | undefined, string])[] = [
    ['de', 'de'],
    ['DE-at', 'de'],
    ['pt', 'pt-BR'],
    ['fr, de;q=0.2', 'de'],
    ['de;q=0.2, pt-BR;q=0.9', 'pt-BR'],
    ['*', 'en'],
    ['nonsense;;', 'en'],
    [undefined, 'en'],
  ]
  for (const [header, language] of cases) assert.is(languageOf(header, languages), language, header)
  assert.is(languageOf('de', []), undefined)
})

test.run()
