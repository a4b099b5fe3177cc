/** Two changes in one version: a conflict is reported before anything changes, or both happen as a whole. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { migrateTables } from '../../engine/migration/migrate.ts'
import type { Table } from '../../engine/migration/table.ts'
import { lines, linesOf, mortal, watched } from './lines.ts'
import { EDITED, type Library, migratedLibrary } from './world.ts'

const test = suite('changes that meet')
let library: Library

test.before.each(async () => {
  library = await migratedLibrary()
})
test.after.each(() => library.close())

/** Columns and rows as they are, in the order of their keys. */
async function everything(): Promise<string> {
  const { rows } = await library.database.knex.raw(`select
    (select json_agg(attname order by attname) from pg_attribute where attrelid = 'lines'::regclass and attnum > 0 and not attisdropped) as columns,
    (select json_agg(relname order by relname) from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'lines'::regclass) as indexes,
    (select json_agg(conname order by conname) from pg_constraint where conrelid = 'lines'::regclass) as constraints,
    (select count(*) from pg_trigger where tgrelid = 'lines'::regclass and not tgisinternal) as triggers,
    (select json_agg(to_jsonb(l) order by id) from lines l) as rows`)
  return JSON.stringify(rows)
}

interface Meeting {
  readonly before: string
  readonly rows: readonly object[]
  readonly after: string
  /** What the plan says of what is in the way. */
  readonly says: RegExp
  /** Statements after which nothing is. */
  readonly cure: string
}

const NICK = 'nick: { type: string }'
const NICKNAME = 'nickname: { type: string, renamed_from: nick }'

const MEETINGS: Readonly<Record<string, Meeting>> = {
  'a backfill from a field that is renamed': {
    before: NICK,
    rows: [{ nick: 'ada' }, { nick: null }],
    after: `${NICKNAME}, known_as: { type: string, required: true, backfill: $record.nickname }`,
    says: /1 row gets no value by backfill that the field can hold \(id 2\)/,
    cure: `update lines set nick = 'x' where nick is null`,
  },
  'a backfill from a field that is converted': {
    before: 'size: { type: string }',
    rows: [{ size: '1' }, { size: '' }],
    after: 'size: { type: integer }, length: { type: integer, required: true, backfill: $record.size }',
    says: /1 row gets no value by backfill that the field can hold \(id 2\)/,
    cure: `update lines set size = '2'`,
  },
  'a unique field that is converted': {
    before: 'code: { type: string }',
    rows: [{ code: '1' }, { code: '01' }, { code: '2' }],
    after: 'code: { type: integer, unique: true }',
    says: /2 rows share a value that must be unique/,
    cure: `update lines set code = '3' where code = '01'`,
  },
  'a unique field that is filled from another one': {
    before: 'code: { type: string, unique: true }, other: { type: string }',
    rows: [
      { code: 'a', other: 'x' },
      { code: null, other: 'a' },
    ],
    after: 'code: { type: string, unique: true, required: true, backfill: $record.other }, other: { type: string }',
    says: /2 rows would share a value that must be unique/,
    cure: `update lines set other = 'b' where other = 'a'`,
  },
  'a unique field that is renamed': {
    before: NICK,
    rows: [{ nick: 'ada' }, { nick: 'ada' }],
    after: 'nickname: { type: string, renamed_from: nick, unique: true }',
    says: /2 rows share a value that must be unique/,
    cure: `update lines set nick = 'x' where id = 1`,
  },
  'a unique field whose words become others': {
    before: 'mood: { type: enum, values: [good, fine, bad] }',
    rows: [{ mood: 'good' }, { mood: 'fine' }],
    after: 'mood: { type: enum, values: [good, bad], becomes: { fine: good }, unique: true }',
    says: /2 rows share a value that must be unique/,
    cure: `update lines set mood = 'bad' where mood = 'good'`,
  },
  'a unique field behind a backfill': {
    before: 'code: { type: string }',
    rows: [{ code: 'a' }, { code: null }],
    after: 'code: { type: string, required: true, backfill: a, unique: true }',
    says: /2 rows share a value that must be unique/,
    cure: `update lines set code = 'b' where code = 'a'`,
  },
  'a unique field that is computed from a renamed one': {
    before: NICK,
    rows: [{ nick: 'ada' }, { nick: 'ada' }],
    after: `${NICKNAME}, label: { type: string, stored: { text: "{{ nickname }}!" }, unique: true }`,
    says: /2 rows share a value that must be unique/,
    cure: `update lines set nick = 'x' where id = 1`,
  },
  'what is computed from a converted field': {
    before: 'size: { type: string }',
    rows: [{ size: '2000000000' }],
    after: 'size: { type: integer }, twice: { type: integer, stored: { times: [size, 2] } }',
    says: /1 row has a value that does not fit into integer as the field says/,
    cure: `update lines set size = '20'`,
  },
  'a backfill from a field that is new too': {
    before: 'name: { type: string }',
    rows: [{ name: null }, { name: 'ada' }],
    after: 'name: { type: string, required: true, backfill: $record.more }, more: { type: string }',
    says: /1 row gets no value by backfill that the field can hold \(id 1\)/,
    cure: `update lines set name = 'x' where name is null`,
  },
  'a renamed field whose values mean nothing any more': {
    before: 'mood: { type: boolean }',
    rows: [{ mood: true }],
    after: 'moods: { type: list, of: string, renamed_from: mood }',
    says: /1 row has a value in it, kept but no longer served/,
    cure: 'update lines set mood = null',
  },
  'a renamed field that becomes required': {
    before: NICK,
    rows: [{ nick: null }, { nick: 'ada' }],
    after: 'nickname: { type: string, renamed_from: nick, required: true }',
    says: /1 row is null \(id 1\)/,
    cure: `update lines set nick = 'x' where nick is null`,
  },
}

for (const [title, { before, rows, after, says, cure }] of Object.entries(MEETINGS)) {
  test(`${title}: the plan names the rows, a start changes nothing, and without them all of it happens`, async () => {
    await library.titles(lines(before))
    await library.database.knex('lines').insert([...rows])
    const there = await everything()
    assert.match(await library.shown(lines(after)), says)
    const { value, diagnostics } = await library.migrated(lines(after))
    assert.equal([value, diagnostics[0]?.code], [undefined, 'unsafe_migration'])
    assert.match(diagnostics.map(({ message }) => message).join('\n'), says)
    assert.is(await everything(), there)
    assert.equal(await library.titles(lines(before)), [])
    await library.database.knex.raw(cure)
    assert.not.match(await library.shown(lines(after)), /blocked|unsafe/)
    await library.titles(lines(after))
    assert.equal(await library.titles(lines(after)), [])
  })
}

const UNIQUE =
  'nickname: { type: string, renamed_from: nick, unique: true }, size: { type: integer }, more: { type: string }'

test('a partial unique index whose condition is over a renamed field asks of the rows that it concerns alone', async () => {
  const file = (
    state: string,
    more = '',
  ) => `fields: { code: { type: string }, ${state}: { type: enum, values: [open, done]${more} } }
indexes: [{ fields: [code], unique: true, where: { ${state}: open } }]
policies: { view: [{ who: anyone }] }`
  await library.titles(linesOf(file('state').replace(', unique: true, where: { state: open }', '')))
  await library.database.knex('lines').insert([
    { code: 'a', state: 'done' },
    { code: 'a', state: 'done' },
    { code: 'b', state: 'open' },
  ])
  const renamed = linesOf(file('stage', ', renamed_from: state'))
  assert.not.match(await library.shown(renamed), /blocked|unsafe/)
  await library.titles(renamed)
  assert.equal(await library.titles(renamed), [])
  await library.database
    .knex('lines')
    .insert({ code: 'b', stage: 'open' })
    .then(
      () => assert.unreachable('it is unique'),
      () => undefined,
    )
})

/** Migrates while a row comes that the plan did not see, which the version before may write. */
async function meanwhile(wanted: readonly Table[], text: string) {
  const on = watched(library.database)
  const begin = async (): Promise<void> => {
    await on.runner().run({ text }, [])
  }
  return migrateTables(wanted, on.database, {
    ...EDITED,
    pause: { begin, giveBack: async () => {}, end: async () => {} },
  })
}

test('a row that comes before the change is made names its step, and nothing has changed', async () => {
  const before = 'nick: { type: string }, size: { type: string }'
  const after = `${NICKNAME}, size: { type: integer }, label: { type: integer, stored: { times: [size, 2] } }`
  await library.titles(lines(before))
  await library.database.knex('lines').insert([{ nick: 'ada', size: '1' }])
  const there = await everything()
  const { value, diagnostics } = await meanwhile(
    lines(after),
    `insert into lines (nick, size) values ('bob', '2000000000')`,
  )
  assert.equal([value, diagnostics[0]?.code], [undefined, 'unsafe_migration'])
  assert.match(
    diagnostics[0]?.message ?? '',
    /^The step "compute column lines.label \(integer\) with 1 row" failed: integer out of range$/,
  )
  assert.is(diagnostics[0]?.hint, 'nothing was changed: `plinth plan` names the rows')
  await library.database.knex('lines').where({ nick: 'bob' }).delete()
  assert.is(await everything(), there)
  assert.equal(await library.titles(lines(before)), [])
})

test('a value that must be unique is so for the version before, from when the index is there', async () => {
  const before = 'nick: { type: string }, size: { type: string }'
  await library.titles(lines(before))
  await library.database.knex('lines').insert([{ nick: 'ada', size: '1' }])
  const there = await everything()
  const twice = `insert into lines (nick) values ('ada')`
  const failed = await meanwhile(lines(UNIQUE), twice).catch((error: { code?: string }) => error.code)
  assert.is(failed, 'validation_failed')
  assert.is(await everything(), there)
  await library.titles(lines(UNIQUE))
  assert.equal(await library.titles(lines(UNIQUE)), [])
})

const SEEDED = (words: string) =>
  linesOf(`fields: { ${words} }
policies: { view: [{ who: anyone }] }`)

test('what stands against the catalog behind its tables takes the tables back', async () => {
  await library.titles(lines(NICK))
  await library.database.knex('lines').insert([{ nick: 'ada' }])
  const there = await everything()
  const wanted = SEEDED(`${NICKNAME}, more: { type: string, required: true, default: x }`)
  const complete = async () => [{ code: 'wrong_seed' as const, message: 'no' }]
  const { diagnostics } = await migrateTables(wanted, library.database, { ...EDITED, complete })
  assert.is(diagnostics[0]?.code, 'wrong_seed')
  assert.is(await everything(), there)
  await library.titles(wanted)
  await library.database.knex('lines').insert([{ nickname: 'bob' }])
})

test('a process that is killed at any statement leaves the version before or the one behind, never a part', async () => {
  const before = lines('nick: { type: string }, size: { type: string }, mood: { type: enum, values: [good, fine] }')
  const after = lines(
    `${NICKNAME}, size: { type: integer }, mood: { type: enum, values: [good], becomes: { fine: good } }, code: { type: string, required: true, backfill: $record.nickname, unique: true }`,
  )
  await library.titles(before)
  await library.database.knex('lines').insert([
    { nick: 'ada', size: '1', mood: 'good' },
    { nick: 'bob', size: '2', mood: 'fine' },
  ])
  const there = await everything()
  let kills = 0
  for (let survived = 0; ; survived += 3) {
    const dead = mortal(library.database, survived)
    const done = await migrateTables(after, dead.database, EDITED).then(
      () => true,
      () => false,
    )
    if (done) break
    kills += 1
    const isFlipped =
      (
        await library.database.knex.raw(
          `select 1 from pg_attribute where attrelid = 'lines'::regclass and attname = 'nickname'`,
        )
      ).rows.length > 0
    if (isFlipped) break
    assert.equal(await library.titles(before), [])
    assert.is(await everything(), there)
  }
  assert.ok(kills > 10, `${kills} kills`)
  await library.titles(after)
  assert.equal(await library.titles(after), [])
  assert.equal(await library.database.knex('lines').orderBy('id').select('nickname', 'size', 'mood', 'code'), [
    { nickname: 'ada', size: 1, mood: 'good', code: 'ada' },
    { nickname: 'bob', size: 2, mood: 'good', code: 'bob' },
  ])
})

test.run()
