/** A unique index over an expression names the fields in it, and no function, type or text. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { served, type World } from './world.ts'

const test = suite('unique indexes over expressions')

/** The index, the body that is sent twice, and the fields that are named. */
const INDEXES: readonly (readonly [index: string, fields: readonly string[], body: object])[] = [
  ['lower(email)', ['email'], { email: 'a@b.example' }],
  ["(coalesce(text, 'date, lower(code)'))", ['text'], { text: 'x' }],
  ["lower(text), (coalesce(code, 'none'))", ['code', 'text'], { text: 'y', code: 'z' }],
  ['((first_name || \' \' || "order"))', ['first_name', 'order'], { first_name: 'Ada', order: 'O' }],
  ["(data ->> 'code')", ['data'], { data: { code: 'k' } }],
  ["((at at time zone 'UTC')::date), text", ['at', 'text'], { at: '2026-01-01T00:00:00Z', text: 'w' }],
  ['(code::character varying::text::bpchar)', ['code'], { code: 'c' }],
]

const names = INDEXES.map((_, at) => `things${at}`)
const SCHEMA = INDEXES.map(
  ([index], at) => `create table things${at} (id serial primary key, email text, text text, code text, first_name text,
  "order" text, data jsonb, at timestamptz, date text, lower text, varying text);
create unique index on things${at} (${index});`,
).join('\n')

let world: World
test.before(async () => {
  world = await served(SCHEMA)
})
test.after(() => world?.close())

test('a value that such an index refuses is refused by the names of its fields', async () => {
  for (const [at, [index, fields, body]] of INDEXES.entries()) {
    const first = await world.call('POST', `/${names[at]}`, body)
    assert.is(first.status, 201, `${index}: ${first.text}`)
    const { body: said, status } = await world.call('POST', `/${names[at]}`, body)
    assert.is(status, 422, index)
    assert.equal(Object.keys(said.errors).sort(), fields, index)
    assert.equal([...new Set(Object.values(said.error_codes as Record<string, string[]>).flat())], ['taken'], index)
  }
})

test.run()
