/** Moments and days of existing tables beyond the years that answers have a form for: answered as the nearest in them, and in their order. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('beyond the years')

const BEFORE = `
create table term (id serial primary key, ends timestamp with time zone not null, began timestamp without time zone, day date, amount integer not null);
insert into term (ends, began, day, amount) values ('infinity', '-infinity', 'infinity', 1), ('2020-01-02 03:04:05', '2020-01-02 03:04:05', '2020-01-02', 2),
  ('-infinity', 'infinity', '-infinity', 3), ('20000-01-01 00:00:00', '0044-03-15 12:00:00 BC', '0044-03-15 BC', 4)`

const TERMS = `resource: terms
table: term
existing: true
fields:
  ends: { type: timestamp, required: true }
  began: { type: timestamp, column_type: timestamp without time zone }
  day: { type: date }
  amount: { type: integer }
filters: [ends, day]
sort: { keys: [id, ends, began, day] }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }
actions: [list, get, create, update]
`

let app: TestApplication
test.before(async () => {
  app = await application({ resources: { 'app.yaml': 'name: Terms\n', 'terms.yaml': TERMS }, before: BEFORE })
})
test.after(() => app?.close())

test('each is the first or the last that a date-time can say', async () => {
  const { list } = await app.call('GET', '/terms?sort=id')
  assert.equal(
    list.map(({ ends, began, day }) => [ends, began, day]),
    [
      ['9999-12-31T23:59:59.999999Z', '0001-01-01T00:00:00.000000Z', '9999-12-31'],
      ['2020-01-02T03:04:05.000000Z', '2020-01-02T03:04:05.000000Z', '2020-01-02'],
      ['0001-01-01T00:00:00.000000Z', '9999-12-31T23:59:59.999999Z', '0001-01-01'],
      ['9999-12-31T23:59:59.999999Z', '0001-01-01T00:00:00.000000Z', '0001-01-01'],
    ],
  )
})

for (const [sort, expected] of Object.entries({
  ends: [3, 2, 4, 1],
  '-ends': [1, 4, 2, 3],
  began: [1, 4, 2, 3],
  day: [3, 4, 2, 1],
})) {
  test(`pages by ${sort} have each once, in the order of the database`, async () => {
    const found: unknown[] = []
    for (let cursor: unknown = 'first'; cursor !== null; ) {
      const page = await app.call('GET', `/terms?sort=${sort}&per_page=1&cursor=${cursor}`)
      assert.is(page.status, 200, page.text)
      found.push(...page.list.map(({ id }) => id))
      cursor = page.at('meta.pagination.next_cursor')
    }
    assert.equal(found, expected)
  })
}

test('a record is changed in another field, and keeps its moment', async () => {
  const changed = await app.call('PATCH', '/terms/1', { body: { amount: 9 } })
  assert.is(changed.status, 200, changed.text)
  assert.equal(
    (await app.call('GET', '/terms?ends[gte]=2100-01-01&sort=id')).list.map(({ id }) => id),
    [1, 4],
  )
  const sent = { ends: '9999-12-31T23:59:59.999999Z', amount: 8 }
  const back = await app.call('PUT', '/terms/1', { body: sent })
  assert.is(back.status, 200, back.text)
  const [row] = await app.engine.database.adhoc.run({ text: `select ends::text, amount from term where id = 1` }, [])
  assert.equal(row, ['infinity', '8'])
})

test('a value that the table asks for and the file does not is said to be required', async () => {
  const wrong = await app.call('POST', '/terms', { body: { ends: '2020-01-01T00:00:00Z' } })
  assert.equal([wrong.status, wrong.at('errors')], [422, { amount: ['The amount field is required'] }], wrong.text)
})

test.run()
