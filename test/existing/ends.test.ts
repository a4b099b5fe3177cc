/** The ends of what columns and keys of existing tables hold. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve, served, type World } from './world.ts'

const test = suite('ends of existing tables')

const SCHEMA = `
create table numbers (id integer primary key, n integer, big bigint, exact numeric, ratio double precision);
create table signs (id bigint primary key, number_id integer references numbers, label text);
create table codes (code char(4) primary key, label text);
create table uses (id serial primary key, code char(4) references codes);
create table words (word text primary key, label text);
create table films (id serial primary key, title text); create table actors (id serial primary key, name text);
create table film_actor (film_id int references films, actor_id int references actors, primary key (film_id, actor_id));
create table people (id serial primary key, mail text not null, "Name" text, place text);
create unique index on people (lower(mail)); create unique index on people (upper("Name"), lower(place));
insert into numbers values (0, -2147483648, -9223372036854775808, 1, 1), (-5, 1, 1, 1, 1), (-2147483648, 1, 1, 1, 1), (2147483647, 2, 2, 2, 2);
insert into signs values (0, 0, 'zero'), (-7, -5, 'below');
insert into codes values ('a', 'short'), ('abcd', 'full');
insert into words values ('plain', 'p'), ('blank ', 'b'), (' before', 'c'), ('comma, and \\', 'd');
insert into films (title) values ('one'); insert into actors (name) select 'actor ' || n from generate_series(1, 1200) n;`

let world: World
test.before(async () => {
  world = await served(SCHEMA)
})
test.after(() => world?.close())

test('integers reach both ends, and numerics have as many decimals as they have', async () => {
  const exact = `0.${'123456789'.repeat(20)}`
  for (const body of [
    { n: 2_147_483_647 },
    { n: -2_147_483_648 },
    { exact },
    { exact: `-${exact}` },
    { ratio: '0.1234567890123456' },
  ]) {
    const changed = await world.call('PATCH', '/numbers/2147483647', body)
    assert.is(changed.status, 200, changed.text)
    for (const [name, value] of Object.entries(body)) assert.is(changed.body.data[name], value)
  }
  for (const n of [2_147_483_648, -2_147_483_649])
    assert.is((await world.call('PATCH', '/numbers/0', { n })).status, 422)
})

test('what is no number in a column of numbers is a text, taken back unchanged, and pages go past it', async () => {
  await world.sql(
    `create table measures (id serial primary key, exact numeric, scaled numeric(8,2), ratio double precision, small real)`,
  )
  const stored = ['NaN', 'Infinity', '-Infinity', '1.5']
  const infinite = (text: string): string => (text.includes('I') ? 'NaN' : text)
  for (const one of stored)
    await world.sql(
      `insert into measures (exact, scaled, ratio, small) values ('${infinite(one)}', '${infinite(one)}', '${one}', '${one}')`,
    )
  const found = await serve(world.database, {
    files: ({ files }) => ({
      'measures.yaml': `${files.get('measures.yaml')}filters: [exact, ratio]\nsort: { keys: [id, exact, scaled, ratio, small] }\n`,
    }),
  })
  try {
    for (const [at, one] of stored.entries()) {
      const { body, status, text } = await found.call('GET', `/measures/${at + 1}`)
      assert.is(status, 200, text)
      assert.equal(body.data, {
        id: at + 1,
        exact: infinite(one),
        scaled: infinite(one) === '1.5' ? '1.50' : 'NaN',
        ratio: one,
        small: one,
      })
      const back = await found.call('PUT', `/measures/${at + 1}`, body.data)
      assert.equal([back.status, back.body.data], [200, body.data], back.text)
      assert.equal(
        (await found.call('GET', `/measures?ratio=${one}`)).list.map(({ id }) => id),
        [at + 1],
      )
    }
    for (const key of ['exact', 'scaled', 'ratio', 'small']) {
      const seen: unknown[] = []
      let cursor = 'first'
      while (cursor !== null) {
        const page = await found.call('GET', `/measures?sort=-${key}&per_page=1&cursor=${encodeURIComponent(cursor)}`)
        assert.is(page.status, 200, page.text)
        seen.push(...page.list.map(({ id }) => id))
        cursor = page.body.meta.pagination.next_cursor
      }
      assert.equal([...new Set(seen)].length, stored.length, key)
    }
    assert.is((await found.call('PATCH', '/measures/1', { exact: 'nan' })).status, 422)
    assert.is((await found.call('PATCH', '/measures/1', { scaled: 'Infinity' })).status, 422)
  } finally {
    await found.app.close()
  }
})

test('records whose id is 0 or below it are read, changed and referred to', async () => {
  for (const [path, ids] of [
    ['/numbers', [-2_147_483_648, -5, 0]],
    ['/signs', ['-7', '0']],
  ] as const) {
    for (const id of ids) {
      const one = await world.call('GET', `${path}/${id}`)
      assert.is(one.status, 200, `${path}/${id} ${one.text}`)
      assert.is(one.body.data.id, id)
      const back = await world.call('PUT', `${path}/${id}`, one.body.data)
      assert.is(back.status, 200, back.text)
    }
    assert.is((await world.call('GET', `${path}?id=${ids[0]}`)).list.length, 1)
    for (const id of ['-0', '00', '+1', '99999999999999999999'])
      assert.is((await world.call('GET', `${path}/${id}`)).status, 404, id)
  }
  const moved = await world.call('PATCH', '/signs/0', { number_id: -5 })
  assert.is(moved.status, 200, moved.text)
  assert.is((await world.call('GET', '/signs?number_id=-5')).list.length, 2)
  assert.is((await world.call('PATCH', '/signs/0', { number_id: -6 })).status, 422)
  assert.is((await world.call('PATCH', '/signs/0', { number_id: 99_999_999_999 })).status, 422)
})

test('keys of a fixed length and keys with blanks and commas name their records', async () => {
  for (const id of ['a', 'a   ', 'abcd']) {
    const one = await world.call('GET', `/codes/${encodeURIComponent(id)}`)
    assert.is(one.status, 200, `${id} ${one.text}`)
  }
  const use = await world.call('POST', '/uses', { code: 'a' })
  assert.is(use.status, 201, use.text)
  assert.is((await world.call('PUT', `/uses/${use.body.data.id}`, use.body.data)).status, 200)
  const { list } = await world.call('GET', '/words')
  assert.is(list.length, 4)
  for (const { id, label } of list) {
    const one = await world.call('GET', `/words/${encodeURIComponent(String(id))}`)
    assert.equal([one.status, one.body.data?.label], [200, label], String(id))
    assert.is(
      (await world.call('PATCH', `/words/${encodeURIComponent(String(id))}`, { label: `${label}!` })).status,
      200,
    )
  }
  const made = await world.call('POST', '/words', { id: ' both ' })
  assert.equal([made.status, made.body.data?.id], [201, ' both '], made.text)
  assert.is((await world.call('POST', '/words', { id: '' })).status, 422)
})

test('a record is linked to more than a hundred others', async () => {
  const ids = Array.from({ length: 1200 }, (_, at) => at + 1)
  const linked = await world.call('PATCH', '/films/1', { actor_ids: ids })
  assert.is(linked.status, 200, linked.text)
  assert.equal(await world.sql('select count(*) from film_actor'), [['1200']])
})

test('a unique index over an expression is told at its fields', async () => {
  const first = { mail: 'Ada@example.com', Name: 'Ada', place: 'London' }
  assert.is((await world.call('POST', '/people', first)).status, 201)
  const same = await world.call('POST', '/people', { mail: 'ADA@example.com' })
  assert.is(same.status, 422, same.text)
  assert.equal(Object.keys(same.body.errors), ['mail'])
  const both = await world.call('POST', '/people', { ...first, mail: 'other@example.com', Name: 'ADA' })
  assert.is(both.status, 422, both.text)
  assert.equal(Object.keys(both.body.errors).sort(), ['Name', 'place'])
})

test.run()
