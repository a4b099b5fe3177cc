/** Every table of a desk in use: no text and no JSON holds the name of a resource outside of the list of what stores names. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { tables } from '../../engine/migration/catalog-tables.ts'
import { ENGINE_COLUMNS, nameColumns } from '../../engine/migration/names/name-columns.ts'
import { namedIn } from '../support/named-in.ts'
import { printed } from '../support/printed.ts'
import { type Desk, openDesk } from './desk.ts'

const test = suite('desk: stored names')

/** Words of a plugin's own that are also names of resources: they stay what they are, whatever is renamed. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  'ticket_merges.moved': 'merging moves the same three resources of the desk whatever they are called',
  'reports.type': 'the kinds of reports',
  'rights_history.details': 'a history says what was given in the words of then',
}

let desk: Desk

test.before(async () => {
  desk = await openDesk()
})
test.after(() => desk?.close())

test('each column of the engine’s own tables that holds text or JSON is in the list', () => {
  const texts = tables(desk.engine.app.catalog)
    .filter(({ name }) => name.startsWith('plinth_'))
    .flatMap(({ columns, name }) =>
      columns.filter(({ type }) => type === 'text' || type === 'jsonb').map((one) => `${name}.${one.name}`),
    )
  const listed = Object.entries(ENGINE_COLUMNS).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  )
  assert.equal(texts.sort(), listed.sort())
})

test('a desk in use holds names of resources nowhere else', async () => {
  assert.is((await printed(() => desk.engine.command('demo', []))).result, 0)
  const tickets = ['One', 'Two'].map((subject) =>
    desk.post('/tickets', desk.admin, { subject, details: 'Both are mine.' }),
  )
  const [one, two] = (await Promise.all(tickets)).map((made) => made.at('data.id'))
  const address = 'https://93.184.215.14/hook'
  const hook = await desk.post('/webhooks', desk.admin, { name: 'All', address, events: ['tickets.*'] })
  assert.is(hook.status, 201, hook.text)
  const merged = await desk.post(`/tickets/${one}/merge`, desk.admin, { into: two })
  assert.is(merged.status, 200, merged.text)
  const report = { type: 'tickets', format: 'json', date_from: '2026-01-01', date_to: '2026-01-02' }
  const made = await desk.post('/reports/generate', desk.admin, report)
  assert.ok(made.status < 300, made.text)
  await desk.heard()
  const { catalog, database } = desk.engine.app.foundation
  const names = [...catalog.resources.keys()].join('|')
  const found = await namedIn(database, new RegExp(`^(automation:)?(${names})([. ][\\w*]+)?$`))
  const held = nameColumns(catalog).map(({ table, column }) => `${table}.${column}`)
  const outside = found.filter(
    (place) => !held.includes(place) && !place.startsWith('plinth_') && OWN_WORDS[place] === undefined,
  )
  assert.equal(outside, [])
  assert.equal(
    Object.keys(OWN_WORDS).filter((place) => !found.includes(place)),
    [],
  )
  assert.ok(
    found.includes('roles.permissions') && found.includes('webhooks.events') && found.includes('macros.resource'),
  )
})

test.run()
