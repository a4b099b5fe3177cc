/** Existing tables with keys of several columns, without a primary key, and views with a declared one. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { served, type World } from './world.ts'

const test = suite('keys of existing tables')

const ROWS = 2_500
const SCHEMA = `
create table meters (id serial primary key, name text not null);
insert into meters (name) values ('one'), ('two');
create table readings (meter_id int references meters, day date, value int, primary key (meter_id, day));
insert into readings select 1, date '2020-01-01' + n, n from generate_series(1, ${ROWS}) n;
create table remarks (meter_id int not null references meters, text text);
insert into remarks select 1, 'remark ' || n from generate_series(1, ${ROWS}) n;
create table codes (code varchar(8) not null, label text); create unique index on codes (code);
create table numbered (number int not null unique, code varchar(8) not null references codes (code), label text);
create table lines (a int not null references meters, b int not null, label text, unique (a, b), unique (b, a));
create table tags (id serial primary key, name text);
create table meters_tags (meter_id int not null references meters, tag_id int not null references tags);
create unique index on meters_tags (meter_id, tag_id);
create table maybe (n int unique, label text);
insert into codes values ('a', 'A'); insert into tags (name) values ('x'); insert into lines values (1, 2, 'l');
create view busy as select m.id as meter, m.name, count(r.day)::int as days from meters m left join readings r on r.meter_id = m.id group by m.id;
create materialized view stored as select id, name from meters;`

const view = (name: string, key: string): string => `resource: ${name}
table: ${name}
existing: true
id: { column: ${key} }
timestamps: false
actions: [list, get]
fields: { name: { type: text, required: true }${name === 'busy' ? ', days: { type: integer }' : ''} }
${name === 'busy' ? 'sort: { keys: [days] }\nfilters: [days]\n' : ''}policies: { view: [{ role: admin }] }
`

let world: World
test.before(async () => {
  world = await served(SCHEMA, { files: { 'busy.yaml': view('busy', 'meter'), 'stored.yaml': view('stored', 'id') } })
})
test.after(() => world?.close())

test('rows of a table without a key of one column are inside their record, in the order of their key and bounded', async () => {
  const one = await world.call('GET', '/meters/1')
  assert.is(one.status, 200, one.text)
  const { readings, remarks, lines } = one.body.data
  assert.is(readings.length, 100)
  assert.equal([readings[0].day, readings[99].day], ['2020-01-02', '2020-04-10'])
  assert.is(remarks.length, 100)
  assert.equal(lines, [{ a: 1, b: 2, label: 'l' }])
  const changed = await world.call('PATCH', '/meters/1', { name: 'changed' })
  assert.is(changed.status, 200, changed.text)
  assert.ok(changed.text.length < 30_000, `${changed.text.length} bytes`)
  assert.ok(world.found.remarks.some((line) => line.startsWith('readings ') && line.includes('at most 100 rows')))
})

test('a unique index over a column that is never null is a key', async () => {
  assert.equal((await world.call('GET', '/codes/a')).body.data, { id: 'a', label: 'A' })
  const made = await world.call('POST', '/numbered', { id: 7, code: 'a', label: 'seven' })
  assert.is(made.status, 201, made.text)
  assert.is((await world.call('PATCH', '/numbered/7', { label: 'changed' })).status, 200)
  assert.is((await world.call('GET', '/numbered?code=a')).list.length, 1)
  assert.is((await world.call('POST', '/numbered', { id: 8, code: 'b' })).status, 422)
  assert.is((await world.call('DELETE', '/numbered/7')).status, 204)
  assert.not.ok(world.found.served.has('maybe'))
})

test('a joining table with a unique index over its pair is a relation', async () => {
  const linked = await world.call('PATCH', '/meters/1', { tag_ids: [1] })
  assert.is(linked.status, 200, linked.text)
  assert.equal(await world.sql('select meter_id, tag_id from meters_tags'), [['1', '1']])
})

test('a view with a declared key is a resource to read', async () => {
  const list = await world.call('GET', '/busy?sort=-days')
  assert.equal(list.list, [
    { id: 1, name: 'changed', days: ROWS },
    { id: 2, name: 'two', days: 0 },
  ])
  assert.is((await world.call('GET', '/busy/2')).body.data.days, 0)
  assert.is((await world.call('GET', '/busy?days=0')).list.length, 1)
  assert.is((await world.call('GET', '/busy/3')).status, 404)
  assert.is((await world.call('POST', '/busy', { name: 'x' })).status, 405)
  assert.is((await world.call('GET', '/stored')).list.length, 2)
})

test.run()
