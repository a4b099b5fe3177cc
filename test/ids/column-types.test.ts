/** Columns of existing tables that have other types than the engine gives: enums of the database, floats, moments without a zone. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { complaints, VIEW } from '../resolve/resolves.ts'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('column types')

const BEFORE = `
create type mpaa_rating as enum ('G', 'PG', 'NC-17');
create table "Film" ("FilmId" serial primary key, title text not null, rating mpaa_rating default 'G', rate real, weight double precision,
  price numeric, made timestamp without time zone default now(), seen timestamp(3) without time zone);
create table "Actor" ("ActorId" int primary key, name text not null);
create domain year as integer check (value > 1900);
create domain late_year as year check (value > 2000);
create table "Award" (no uuid primary key, "Year" late_year not null);
create table "FilmActor" ("FilmId" int references "Film" on delete cascade, "ActorId" int references "Actor", primary key ("FilmId", "ActorId"));
insert into "Film" (title, rating, rate, weight, price, made, seen) values
  ('One', 'PG', 0.1, 1e300, 1.50, '2020-01-02 03:04:05', '2020-01-02 03:04:05.678'), ('Two', null, 'NaN', -0.5, 12345678901234567890.123, null, null);
insert into "Actor" values (1, 'Ann'), (2, 'Bob');
insert into "FilmActor" values (1, 1), (1, 2)`

const ALL =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }'
const RESOURCES = {
  'app.yaml': 'name: Films\n',
  'films.yaml': `resource: films
table: Film
existing: true
id: { column: FilmId }
fields:
  title: { type: string, required: true }
  rating: { type: enum, values: [G, PG, NC-17], column_type: mpaa_rating, default: G }
  rate: { type: decimal, column_type: real }
  weight: { type: decimal, column_type: double precision }
  price: { type: decimal, column_type: numeric }
  made: { type: timestamp, column_type: timestamp without time zone, default: $now }
  seen: { type: timestamp, column_type: timestamp(3) without time zone }
relations:
  actors: { many_to_many: actors, through: { table: FilmActor, from: FilmId, to: ActorId }, embed: [id, name] }
filters: [rate, weight, price, made, seen]
sort: { keys: [id, rating, rate, weight, price, made, seen] }
summary: true
${ALL}`,
  'actors.yaml': `resource: actors\ntable: Actor\nexisting: true\nid: { column: ActorId, chosen: true }\nfields: { name: { type: string, required: true } }\n${ALL}`,
  'awards.yaml': `resource: awards\ntable: Award\nexisting: true\nid: { type: uuid, column: no, chosen: true }\nfields: { Year: { type: integer, required: true } }\nfilters: [Year]\n${ALL}`,
}

let app: TestApplication
test.before(async () => {
  app = await application({ resources: RESOURCES, before: BEFORE })
})
test.after(() => app?.close())

const ids = async (query: string) => {
  const answer = await app.call('GET', `/films?${query}`)
  assert.is(answer.status, 200, answer.text)
  return (answer.at('data') as { id: number }[]).map(({ id }) => id)
}

test('records read as fields of their types do', async () => {
  const { id, actors, ...one } = (await app.call('GET', '/films/1')).at('data') as Record<string, unknown>
  assert.equal(one, {
    title: 'One',
    rating: 'PG',
    rate: '0.1',
    weight: '1e+300',
    price: '1.50',
    made: '2020-01-02T03:04:05.000000Z',
    seen: '2020-01-02T03:04:05.678000Z',
  })
  assert.equal(actors, [
    { id: 1, name: 'Ann' },
    { id: 2, name: 'Bob' },
  ])
  const two = (await app.call('GET', '/films/2')).at('data') as Record<string, unknown>
  assert.equal([two.rating, two.rate, two.price], [null, 'NaN', '12345678901234567890.123'])
})

test('lists filter and sort by them, and pages go on behind them', async () => {
  assert.equal(await ids('rating=PG'), [1])
  assert.equal(await ids('rating[ne]=PG'), [2])
  assert.equal(await ids('rate=0.1'), [1])
  assert.equal(await ids('weight[gt]=0'), [1])
  assert.equal(await ids('price[between]=1,2'), [1])
  assert.equal(await ids('made=2020-01-02'), [1])
  assert.equal(await ids('seen[lt]=2020-01-02T03:04:06Z'), [1])
  assert.is((await app.call('GET', '/films?rating=X')).status, 422)
  assert.is((await app.call('GET', `/films?rate[lt]=1${'0'.repeat(80)}`)).status, 422)
  for (const key of ['rating', 'rate', 'weight', 'price', 'made']) {
    const first = await app.call('GET', `/films?sort=${key}&per_page=1&cursor=first`)
    const next = first.at('meta.pagination.next_cursor') as string
    const second = await app.call('GET', `/films?sort=${key}&per_page=1&cursor=${next}`)
    const both = [first, second].flatMap((answer) => (answer.at('data') as { id: number }[]).map(({ id }) => id))
    assert.equal(both.sort(), [1, 2], key)
  }
})

test('writes are checked and stored as they were sent', async () => {
  const body = {
    title: 'Three',
    rate: 2.5,
    weight: '1',
    price: '3.10',
    seen: '2021-01-01T01:00:00+01:00',
    actor_ids: [2],
  }
  const made = await app.call('POST', '/films', { body })
  assert.is(made.status, 201, made.text)
  const { id, rating, rate, weight, price, seen, actors } = made.at('data') as Record<string, unknown>
  assert.equal([rating, rate, weight, price, seen], ['G', '2.5', '1', '3.1', '2021-01-01T00:00:00.000000Z'])
  assert.equal(actors, [{ id: 2, name: 'Bob' }])
  const changed = await app.call('PATCH', `/films/${id}`, { body: { rating: 'NC-17', weight: null } })
  assert.equal([changed.at('data.rating'), changed.at('data.weight')], ['NC-17', null])
  assert.is((await app.call('PATCH', `/films/${id}`, { body: { rating: 'R' } })).status, 422)
  assert.is((await app.call('PATCH', `/films/${id}`, { body: { rate: `1${'0'.repeat(50)}` } })).status, 422)
  assert.is((await app.call('GET', '/films/summary?by=rating&of=count,sum:weight')).status, 200)
  assert.is((await app.call('DELETE', `/films/${id}`)).status, 204)
})

test('ids that nobody counts are sent with the record, and stay', async () => {
  const make = (body: object) => app.call('POST', '/actors', { body })
  assert.equal((await make({ name: 'Eve' })).at('errors'), { id: ['The id field is required'] })
  const made = await make({ id: 7, name: 'Eve' })
  assert.equal([made.status, made.at('data.id'), made.headers.location], [201, 7, '/actors/7'])
  assert.equal((await make({ id: '7', name: 'Eva' })).at('errors'), { id: ['The id has already been taken'] })
  for (const id of [0, -1, 1.5, 2 ** 31, 'x', null])
    assert.is((await make({ id, name: 'Eva' })).status, 422, String(id))
  assert.is((await app.call('PATCH', '/actors/7', { body: { id: 8 } })).status, 422)
  assert.is((await app.call('PUT', '/actors/7', { body: { id: 7, name: 'Eva' } })).at('data.name'), 'Eva')
  const several = await app.call('POST', '/actors/batch', {
    body: {
      create: [
        { id: 9, name: 'a' },
        { id: 8, name: 'b' },
      ],
    },
  })
  assert.equal(
    (several.at('data.create') as { id: number }[]).map(({ id }) => id),
    [9, 8],
    several.text,
  )
})

test('a column of a domain is one of the type under it, and the domain judges what is written', async () => {
  const no = '01900000-0000-7000-8000-000000000000'
  assert.is((await app.call('POST', '/awards', { body: { Year: 2001 } })).status, 422)
  assert.is((await app.call('POST', '/awards', { body: { id: no, Year: 2001 } })).at('data.Year'), 2001)
  assert.is((await app.call('PATCH', `/awards/${no}`, { body: { Year: 1999 } })).status, 422)
  assert.is((await app.call('GET', '/awards?Year=1')).list.length, 0)
  assert.is((await app.call('GET', '/awards?Year[gt]=1999')).list.length, 1)
})

test('a column type is told of where it means nothing', () => {
  const says = (things: string) =>
    [...complaints({ things: `${things}\n${VIEW}` }).matchAll(/^\S+ error (\w+: .*)$/gm)].map(([, what]) => what)
  assert.equal(says('fields: { a: { type: decimal, column_type: real } }'), [
    'wrong_option: The column of "a" is made by the engine, with the type that decimal has',
  ])
  for (const [type, column] of [
    ['string', 'citext'],
    ['timestamp', 'date'],
    ['decimal', 'money'],
    ['enum, values: [x]', 'x); drop table y'],
  ])
    assert.equal(says(`existing: true\nfields: { a: { type: ${type}, column_type: "${column}" } }`), [
      `wrong_option: A field of the type ${type?.split(',')[0]} cannot have a column of the type "${column}"`,
    ])
})

test.run()
