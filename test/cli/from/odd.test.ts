/** `plinth init --from` on a database of odd names, types and keys: what can be served is, and the rest is told. */
import { readFileSync, writeFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type FromWorld, fingerprint, openFrom } from './world.ts'

const test = suite('init --from an odd database')

let world: FromWorld
test.before(async () => {
  world = await openFrom('odd.sql')
})
test.after(() => world?.close())

test('every row of every resource is read', async () => {
  for (const [table, resource] of world.found.served) {
    const list = await world.call('GET', `/${resource.replaceAll('_', '-')}?per_page=50`)
    assert.is(list.status, 200, list.text)
    assert.is(list.list.length, await world.count(table), table)
  }
  const after = await fingerprint(world.database)
  for (const [what, hash] of world.before) assert.is(after.get(what), hash, what)
})

test('what it could not take over is told', () => {
  const lines = `${world.found.remarks.join('\n')}\n`
  if (process.env.UPDATE_FROM) writeFileSync('test/cli/from/odd.txt', lines)
  assert.snapshot(lines, readFileSync('test/cli/from/odd.txt', 'utf8'))
})

test('names that mean something else have others, and values are as they were', async () => {
  const [one] = (await world.call('GET', '/existing-auth?sort=id')).list
  const { any_value, any_value_2, page, not_value, user_name, grosse, hidden, order, limit } = one as Record<
    string,
    unknown
  >
  assert.equal(
    { any_value, any_value_2, page, not_value, user_name, grosse, hidden, order, limit },
    {
      any_value: 1,
      any_value_2: 'a: b #c',
      page: true,
      not_value: false,
      user_name: 'x',
      grosse: '1.25',
      hidden: 7,
      order: 3,
      limit: 5,
    },
  )
})

test('a reference to a table with partitions is one relation, and leads to the record', async () => {
  assert.equal(
    world.found.remarks.filter((line) => line.startsWith('thirds')),
    [],
  )
  const [first] = (await world.call('GET', '/thirds?sort=id')).list
  assert.equal(first, { id: 1, half: 1, half_halve: { id: 1 } })
})

test('a check that the YAML does not say refuses at its column, and one over several at the record', async () => {
  const note = await world.call('POST', '/halves', { id: 8, note: 'A' })
  assert.is(note.status, 422, note.text)
  assert.equal(note.body.errors, { note: ['The note field is invalid'] })
  const turned = await world.call('POST', '/halves', { id: 8, least: 2, most: 1 })
  assert.is(turned.status, 422, turned.text)
  assert.equal(turned.body.errors, { record: ['The database refuses it by its check halves_check'] })
})

test.run()
