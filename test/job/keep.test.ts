/** `keep`: records are deleted at the age that their resource says, in batches, and no others; /metrics counts them. */
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LIMITS } from '../../engine/limits.ts'
import { oldestKept } from '../../engine/plugin/keep.ts'
import { application, send, type TestApplication } from '../support/application.ts'
import { runAhead } from '../support/job.ts'
import { until } from '../support/wait.ts'

const POLICY = 'policies: { view: [{ who: anyone }], create: [{ who: anyone }] }'
const RESOURCES = {
  'app.yaml': 'name: Notes\nplugins: { timestamps: {}, soft_delete: {} }\nlimits: { jobScheduleMs: 50 }\n',
  'notes.yaml': `resource: notes\nfields: { text: { type: string } }\nsoft_delete: true\nkeep: { for: 90 days, by: created_at }\n${POLICY}`,
  'marks.yaml': `resource: marks\nfields: { word: { type: string } }\nrelations: { note: { belongs_to: notes, on_delete: cascade } }\n${POLICY}`,
  'visits.yaml': `resource: visits\ntimestamps: false\nfields: { day: { type: date } }\nkeep: { for: 2 days, by: day }\n${POLICY}`,
  'letters.yaml': `resource: letters\nfields: { text: { type: string } }\n${POLICY}`,
}
const KEPT_WITH = {
  'app.yaml': 'name: Store\nplugins: {}\n',
  'shelves.yaml': `resource: shelves\nfields: { room: { type: integer, default: 0 } }\n${POLICY}`,
  'boxes.yaml': `resource: boxes\nfields: { day: { type: date } }\nkeep: { for: 2 days, by: day }\n${POLICY}`,
  'things.yaml': `resource: things
fields: { word: { type: string }, is_fixed: { type: boolean, default: false } }
relations:
  box: { belongs_to: boxes, on_delete: cascade }
  shelf: { belongs_to: shelves }
log_changes: true
rules: { fixed: { on: [delete], must: { is_fixed: false }, says: A fixed thing stays } }
follows:
  - { of: shelf, on: [delete], set: { room: { plus: [$record.shelf.room, 1] } } }
${POLICY}`,
  'labels.yaml': `resource: labels
fields: { text: { type: string } }
relations: { box: { belongs_to: boxes, on_delete: set_null } }
log_changes: true
${POLICY}`,
}
const DAY_MS = 86_400_000

let app: TestApplication
const test = suite('keep')
test.before(async () => {
  app = await application({ resources: RESOURCES, env: { METRICS_TOKEN: 'watch' } })
})
test.after(() => app.close())

const knex = (table: string) => app.engine.database.knex(table)
const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
const texts = async (table: string, column = 'text') => (await knex(table).orderBy('id')).map((row) => row[column])
const keep = () => runAhead(app.engine, 'plinth.keep')

test('what is older goes for good, deleted or not, with what hangs on it, and everything else stays', async () => {
  const times = (days: number) => ({ created_at: ago(days), updated_at: ago(days) })
  const [old] = await knex('notes')
    .insert({ text: 'old', ...times(91) })
    .returning('id')
  await knex('notes').insert({ text: 'deleted', deleted_at: ago(91), ...times(92) })
  const [young] = await knex('notes')
    .insert({ text: 'young', ...times(89) })
    .returning('id')
  await knex('marks').insert([
    { word: 'gone', note_id: old.id, ...times(1) },
    { word: 'there', note_id: young.id, ...times(400) },
  ])
  await knex('letters').insert({ text: 'for ever', ...times(4_000) })
  await knex('visits').insert([{ day: ago(4) }, { day: ago(1) }, { day: null }])
  assert.equal(await keep(), { notes: 2, visits: 1 })
  assert.equal([await texts('notes'), await texts('marks', 'word')], [['young'], ['there']])
  assert.equal(await texts('letters'), ['for ever'])
  assert.is((await knex('visits')).length, 2)
})

test('what goes with a record that is too old is written: rules, follows and the log hold', async () => {
  const store = await application({ resources: KEPT_WITH })
  try {
    const { knex: on } = store.engine.database
    const [shelf] = await on('shelves').insert({ room: 3 }).returning('id')
    const boxes = await on('boxes')
      .insert([{ day: ago(4) }, { day: ago(4) }, { day: ago(1) }])
      .returning('id')
    const [first, second, young] = boxes.map(({ id }: { id: number }) => id)
    await on('things').insert([
      { word: 'a', box_id: first, shelf_id: shelf.id },
      { word: 'b', box_id: first, shelf_id: shelf.id },
      { word: 'fixed', box_id: second, shelf_id: shelf.id, is_fixed: true },
      { word: 'young', box_id: young, shelf_id: shelf.id },
    ])
    await on('labels').insert({ text: 'x', box_id: first })
    assert.equal(await runAhead(store.engine, 'plinth.keep'), { boxes: 1 })
    const words = (await on('things').orderBy('id')).map(({ word }: { word: string }) => word)
    assert.equal(words, ['fixed', 'young'], 'a rule that holds a thing holds its box')
    assert.equal(
      (await on('boxes').orderBy('id')).map(({ id }: { id: number }) => id),
      [second, young],
    )
    assert.is((await on('shelves').first()).room, 5)
    assert.is((await on('labels').first()).box_id, null)
    const log = await on('plinth_change').orderBy('id')
    const told = log.map(({ resource, action }: { resource: string; action: string }) => `${action} ${resource}`)
    assert.equal(told.toSorted(), ['delete things', 'delete things', 'update labels'])
  } finally {
    await store.close()
  }
})

test('many go in batches, and a process that stops is not waited for', async () => {
  await knex('notes').delete()
  const many = LIMITS.deleteBatch * 2 + 7
  await app.engine.database.knex.raw(
    `insert into notes (text, created_at, updated_at) select 'x', ?::timestamptz, now() from generate_series(1, ?::int)`,
    [ago(100), many],
  )
  const removed = (await keep()) as { notes: number }
  assert.is(removed.notes, many)
})

test('a clock that runs ahead of the one of the database removes nothing that is young', async () => {
  await knex('notes').insert({ text: 'young', created_at: ago(1), updated_at: ago(1) })
  const removed = (await runAhead(app.engine, 'plinth.keep', 3_650 * DAY_MS)) as { notes: number }
  assert.is(removed.notes, 0)
  assert.ok((await texts('notes')).includes('young'))
})

test('how old the oldest is stands in an index, and the job comes back by itself', async () => {
  await knex('notes').insert({ text: 'older', created_at: ago(10), updated_at: ago(10) })
  const ages = await oldestKept(app.engine.database.adhoc, app.engine.app.catalog)
  const notes = ages.find(({ of }) => of === 'notes')
  assert.ok(Math.abs((notes?.seconds ?? 0) - 10 * 86_400) < 60, JSON.stringify(ages))
  const { rows } = await app.engine.database.knex.raw(`select indexdef from pg_indexes where tablename = 'notes'`)
  assert.match(rows.map(({ indexdef }: { indexdef: string }) => indexdef).join('\n'), /\(created_at, id\)$/m)
  assert.is(app.engine.app.composition.jobs.get('plinth.keep')?.value.every, '1 hour')
})

test('/metrics tells how the queue stands, what housekeeping did, and how old the oldest record is', async () => {
  const { knex: raw } = app.engine.database
  await raw.raw(`insert into plinth_job (id, name, payload, status, attempts, runs_as, finished_at)
    select gen_random_uuid(), 'some.mail', '{}', 'failed', 1, 'system', now() from generate_series(1, 3)`)
  await raw('plinth_job')
    .where({ name: 'plinth.keep', status: 'pending' })
    .update({ due_at: new Date(0) })
  await knex('visits').insert({ day: ago(9) })
  const metrics = async () => (await send(app.address, 'GET', '/metrics', { token: 'watch' })).text
  const shows = (line: RegExp) => until(async () => line.test(await metrics()))
  await shows(/plinth_jobs\{job="some\.mail",status="failed"\} 3/)
  await shows(/plinth_housekeeping_total\{job="plinth\.keep",what="visits"\} [1-9]/)
  await shows(/plinth_oldest_seconds\{of="notes"\} 8\d{5}/)
})

test('files in passing that a killed process left go, on each instance from its start on', async () => {
  const tmp = join(app.dataDir, 'tmp')
  await mkdir(join(tmp, 'import-old'), { recursive: true })
  await mkdir(join(tmp, 'upload-young'))
  await writeFile(join(tmp, 'import-old', 'file.csv'), 'x')
  await utimes(join(tmp, 'import-old'), ago(2), ago(2))
  const { removed } = (await runAhead(app.engine, 'plinth.tidy_files')) as { removed: number }
  assert.equal([removed, await readdir(tmp)], [1, ['upload-young']])
  assert.ok(app.engine.app.composition.jobs.get('plinth.tidy_files')?.value.eachInstance)
  assert.is((await knex('plinth_job').where({ name: 'plinth.tidy_files' })).length, 0, 'it is no row of the queue')
})

test.run()
