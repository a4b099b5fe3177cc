/** Writes that the database undoes without an error: triggers that return null. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { served, type World } from './world.ts'

const test = suite('writes that an existing table undoes')

const SCHEMA = `
create table triggered (id serial primary key, note text not null); insert into triggered (note) values ('one'), ('two'), ('keep');
create function nothing() returns trigger language plpgsql as $$ begin
  if tg_op = 'INSERT' and new.note not like 'keep%' then return null; end if;
  if tg_op = 'UPDATE' and new.note not like 'keep%' then return null; end if;
  if tg_op = 'DELETE' and old.note not like 'keep%' then return null; end if;
  return case tg_op when 'DELETE' then old else new end; end $$;
create trigger nothing before insert or update or delete on triggered for each row execute function nothing();`

let world: World
test.before(async () => {
  world = await served(SCHEMA)
})
test.after(() => world?.close())

async function notes(name: string): Promise<unknown> {
  return (await world.sql(`select note from ${name} order by id`)).flat()
}

test('an update and a delete that have no effect are refused', async () => {
  const name = 'triggered'
  const before = await notes(name)
  for (const [method, path, body] of [
    ['PATCH', `/${name}/1`, { note: 'new' }],
    ['PUT', `/${name}/1`, { id: 1, note: 'new' }],
    ['DELETE', `/${name}/1`],
    ['PATCH', `/${name}?id=1&max=5`, { note: 'new' }],
    ['DELETE', `/${name}?id=1&max=5`],
    ['POST', `/${name}/batch`, { update: [{ id: 2, note: 'new' }], delete: [1] }],
  ] as const) {
    const answer = await world.call(method, path, body)
    assert.is(answer.status, 409, `${method} ${path} ${answer.text}`)
    assert.match(answer.body.message, 'The database did not make this change')
    assert.equal(await notes(name), before)
  }
  assert.is((await world.call('PATCH', `/${name}/1`, { note: 'keep it' })).status, 200)
  assert.is((await world.call('DELETE', `/${name}/1`)).status, 204)
  assert.is((await world.call('DELETE', `/${name}/1`)).status, 404)
})

test('a creation that makes no row is refused, alone and among others', async () => {
  const before = await notes('triggered')
  const one = await world.call('POST', '/triggered', { note: 'gone' })
  assert.is(one.status, 409, one.text)
  const many = await world.call('POST', '/triggered/batch', { create: [{ note: 'keep a' }, { note: 'gone' }] })
  assert.is(many.status, 409, many.text)
  assert.equal(await notes('triggered'), before)
  const partly = { create: [{ note: 'keep a' }, { note: 'gone' }, { note: 'keep b' }] }
  const some = await world.call('POST', '/triggered/batch?partial=true', partly)
  assert.equal(
    some.body.data.create.map(({ status }: { status: number }) => status),
    [201, 409, 201],
  )
  assert.equal(await notes('triggered'), [...(before as string[]), 'keep a', 'keep b'])
})

test.run()
