/** The steps before, within and after the pause of a change. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Runner } from '../../engine/database/database.ts'
import { migrateTables } from '../../engine/migration/migrate.ts'
import { BEFORE, insert, lines, linesOf, migrating, watched, write } from './lines.ts'
import { EDITED, type Library, migratedLibrary } from './world.ts'

const test = suite('the pause of a change')
let library: Library

test.before.each(async () => {
  library = await migratedLibrary()
  await library.titles(BEFORE)
  await library.database.knex('lines').insert([{ name: 'first' }, { name: 'second', rank: 3 }])
})
test.after.each(() => library.close())

test('an index that only speeds, over what gets another name, is made when the pause has ended', async () => {
  const files = `fields: { title: { type: string, renamed_from: name }, rank: { type: integer, unique: true } }
indexes: [[title, rank]]
policies: { view: [{ who: anyone }] }`
  const renamed = linesOf(files)
  const on = watched(library.database)
  const during: string[] = []
  const pause = {
    begin: async () => {},
    giveBack: async () => {},
    end: async () => {
      during.push(...on.ran())
      on.forget()
    },
  }
  const { diagnostics } = await migrateTables(renamed, on.database, { ...EDITED, pause })
  assert.equal(diagnostics, [])
  assert.ok(during.includes('alter table "lines" rename column "name" to "title"'), during.join('\n'))
  const isIndex = (text: string) => /^create index .*"lines_title_rank_/.test(text)
  assert.equal([during.some(isIndex), on.ran().some(isIndex)], [false, true])
  assert.ok(during.some((text) => text.startsWith('create unique index')))
  assert.equal(await library.titles(renamed), [])
})

test('what is added beside a rename is there before the pause: fields, what must be unique, a relation', async () => {
  const files = `fields:
  title: { type: string, renamed_from: name }
  rank: { type: integer }
  code: { type: string, max: 10, unique: true }
  mood: { type: enum, values: [good, bad], default: good, nullable: false }
  number: { type: sequence, start: 100 }
relations: { above: { belongs_to: lines } }
policies: { view: [{ who: anyone }] }`
  const wider = linesOf(files)
  const on = watched(library.database)
  const { diagnostics } = await migrating(wider, on, async (runner) => {
    const added = await write('select name, code, mood, above_id from lines order by id')(runner)
    assert.equal(added[0], ['first', null, 'good', null])
    const made = `select count(*) from pg_constraint where conrelid = 'lines'::regclass and contype = 'f' and convalidated`
    assert.equal(await write(made)(runner), [['1']])
    assert.equal(await insert(runner), [[null]])
  })
  assert.equal(diagnostics, [])
  const long = /^(update|with plinth_batch|create unique index)|validate|not valid|add column "(code|mood|above_id)"/
  assert.ok(on.ran().includes('alter table "lines" rename column "name" to "title"'))
  assert.equal(
    on.ran().filter((text) => long.test(text)),
    [],
  )
  assert.equal(await library.titles(wider), [])
})

test('what stands behind the tables is completed before the pause ends, and not where it is amiss', async () => {
  const renamed = lines('name: { type: string }, place: { type: integer, renamed_from: rank }')
  const told: string[] = []
  const nothing = async () => {}
  const pause = { begin: nothing, giveBack: nothing, end: async () => void told.push('ended') }
  const complete = (code: 'wrong_seed' | undefined) => async (runner: Runner) => {
    told.push(...(await runner.run({ text: `select count(place) from lines` }, [])).map(([n]) => `completed on ${n}`))
    return code === undefined ? [] : [{ code, message: 'no' }]
  }
  const migrated = (code?: 'wrong_seed') =>
    migrateTables(renamed, library.database, { ...EDITED, pause, complete: complete(code) })
  assert.is((await migrated('wrong_seed')).diagnostics[0]?.code, 'wrong_seed')
  assert.equal((await migrated()).diagnostics, [])
  assert.equal(told, ['completed on 1', 'completed on 1', 'ended'])
})

test.run()
