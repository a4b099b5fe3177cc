/** Values of existing tables are what was sent, and what is sent back as it was read changes nothing. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { served, type World } from './world.ts'

const test = suite('values of existing tables')

const SCHEMA = `
create type mood as enum ('glad', 'sad');
create table things (id serial primary key, note text not null default '', line varchar(60), code char(8), mood mood,
  day date, at timestamp, moment timestamptz(3), amount numeric(12, 2), any_number numeric, ratio double precision, data jsonb, done boolean, count bigint);
create table touched (thing int);
create function touch() returns trigger language plpgsql as $$ begin insert into touched values (new.id); return new; end $$;
create trigger touch before update on things for each row execute function touch();`

let world: World
test.before(async () => {
  world = await served(SCHEMA)
})
test.after(() => world?.close())

/** Blanks and signs that nobody sees, at both ends of a text and alone. */
const edge = fc.constantFrom('', ' ', '\t', '\u00a0', '\u200b', '  ')
const texts = fc
  .tuple(edge, fc.string({ unit: 'grapheme-ascii', maxLength: 20 }), edge)
  .map(([before, text, after]) => `${before}${text}${after}`)

const columns = fc.record({
  note: texts,
  line: fc.option(texts),
  code: fc.option(fc.constantFrom('a', 'ab  ', ' b', '')),
  mood: fc.option(fc.constantFrom('glad', 'sad')),
  day: fc.option(fc.constantFrom('infinity', '-infinity', '2024-02-29', '0044-03-15 BC', '10001-01-01')),
  at: fc.option(fc.constantFrom('infinity', '2024-02-29 10:00:00.123456', '0044-03-15 BC', '294276-01-01')),
  moment: fc.option(fc.constantFrom('-infinity', '2024-02-29 10:00:00.120+02', '11000-01-01')),
  amount: fc.option(fc.constantFrom('1.50', '0.00', '-12345678.90')),
  any_number: fc.option(
    fc.constantFrom('1.500', '0.000000000000000000001', 'NaN', '123456789012345678901234567890.25'),
  ),
  ratio: fc.option(fc.constantFrom('0.1', '1e300', 'NaN', 'Infinity', '-0')),
  data: fc.option(fc.constantFrom('{"b":1,"a":[" x ",""]}', '" x "', '""', '1.10')),
  done: fc.option(fc.constantFrom('t', 'f')),
  count: fc.option(fc.constantFrom('9223372036854775807', '0')),
})

async function stored(): Promise<unknown> {
  const rows = await world.sql('select to_jsonb(t)::text, xmin from things t order by id')
  return { rows, touched: await world.sql('select count(*) from touched') }
}

test('a record that is sent back as it was read is not changed, and no trigger fires', async () => {
  await fc.assert(
    fc.asyncProperty(columns, async (row) => {
      await world.sql('truncate things restart identity')
      await world.sql('insert into things default values')
      for (const [name, value] of Object.entries(row))
        if (value !== null) await world.database.adhoc.run({ text: `update things set ${name} = $1` }, [value])
      const read = await world.call('GET', '/things/1')
      const before = await stored()
      for (const [name, value] of Object.entries(read.body.data)) {
        const back = await world.call('PATCH', '/things/1', { [name]: value })
        assert.is(back.status, 200, `${name} ${back.text}`)
        assert.equal(await stored(), before, name)
      }
      const whole = await world.call('PUT', '/things/1', read.body.data)
      assert.is(whole.status, 200, whole.text)
      assert.equal(await stored(), before)
    }),
    { numRuns: 12, includeErrorInReport: true },
  )
})

test('a text is stored as it was sent, blanks and nothing included', async () => {
  await fc.assert(
    fc.asyncProperty(texts, texts, async (first, second) => {
      const made = await world.call('POST', '/things', { note: first, line: first })
      assert.is(made.status, /[\t]/.test(first) ? 422 : 201, made.text)
      if (made.status !== 201) return
      const { id, note, line } = made.body.data
      assert.equal([note, line], [first, first])
      const changed = await world.call('PATCH', `/things/${id}`, { note: second })
      assert.is(changed.status, 200, changed.text)
      const [row] = await world.sql(`select note, line from things where id = ${id}`)
      assert.equal(row, [second, first])
    }),
    {
      numRuns: 25,
      includeErrorInReport: true,
      examples: [
        ['x', ''],
        ['', ' '],
      ],
    },
  )
})

test.run()
