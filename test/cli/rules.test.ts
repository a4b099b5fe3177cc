/** A rule over records that are there already: what plan and check --data say, and what waits for a person. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connect } from '../../engine/database/connect.ts'
import { readSettings } from '../../engine/settings.ts'
import { SILENT, type TestDatabase, testDatabase } from '../support/database.ts'
import { placeOf } from './serving.ts'
import { type Folder, folder, plinth, type Ran } from './world.ts'

const rules = suite('rules over data')
let application: Folder
/** The server's, where there is one: each command opens an embedded one anew. */
let base: TestDatabase | undefined

const STAYS = `resource: stays
label: Stay
actions: [list, get]
fields:
  room: { type: integer }
  from: { type: date, required: true }
  to:   { type: date, required: true }
policies: { view: [{ who: anyone }] }
`

rules.before(async () => {
  if (process.env.TEST_DATABASE_URL) base = await testDatabase()
  application = folder({ 'resources/app.yaml': 'name: House\n', 'resources/stays.yaml': STAYS })
  await applied()
  const { value: settings } = readSettings(environment())
  assert.ok(settings)
  const database = await connect(settings, { log: SILENT, joins: true })
  const rows = `(1, '2030-01-01', '2030-01-03'), (1, '2030-01-03', '2030-01-05'), (2, '2030-01-09', '2030-01-02')`
  await database.adhoc.run({ text: `insert into stays (room, "from", "to") values ${rows}` }, [])
  await database.close()
})
rules.after(async () => {
  application?.remove()
  await base?.close()
})

const environment = () => ({ ...placeOf(application, base), LOG_LEVEL: 'silent' })

function run(...args: string[]): Promise<Ran> {
  return plinth(args, environment())
}

async function applied(): Promise<Ran> {
  const hash = /^Plan (\w+)/.exec((await run('plan')).said)?.[1] ?? ''
  return run('apply', hash)
}

rules('plan counts the records that break a rule, and check --data names them', async () => {
  application.write(
    'resources/stays.yaml',
    `${STAYS}rules: { in_order: { must: { to: { gte: $record.from } }, says: It ends before it starts, at: to } }\n`,
  )
  const planned = await run('plan')
  assert.is(planned.code, 0)
  assert.match(planned.said, 'Nothing to do')
  assert.match(planned.said, 'stays: 1 record breaks the rule in_order. They stay;')
  const checked = await run('check', '--data')
  assert.is(checked.code, 1)
  assert.match(checked.complained, /^stays: 1 record breaks in_order \(.*stays\.yaml:9:10\): 3$/)
  assert.equal(await run('check'), { code: 0, said: '', complained: '' })
})

rules(
  'a rule over fields that get another name or type in the same version is asked of the rows as they will be',
  async () => {
    const renamed = STAYS.replace('  room: { type: integer }', '  room: { type: string }').replace(
      'to:   { type: date, required: true }',
      'until: { type: date, required: true, renamed_from: to }',
    )
    application.write(
      'resources/stays.yaml',
      `${renamed}rules:
  in_order: { must: { until: { gte: $record.from } }, says: It ends before it starts, at: until }
  few: { at_most: 1, per: room, says: There is one already }
`,
    )
    const planned = await run('plan')
    assert.match(planned.said, 'rename column stays.to to until')
    assert.match(planned.said, 'stays: 1 record breaks the rule in_order. They stay;')
    assert.match(planned.said, 'stays: 2 records break the rule few. They stay;')
    application.write('resources/stays.yaml', STAYS)
  },
)

rules('rules about several records are asked too', async () => {
  application.write(
    'resources/stays.yaml',
    `${STAYS}rules:
  few: { at_most: 1, per: room, says: There is one already }
  far: { at_least: 1, where: { room: 9 }, says: Nobody stays in room 9 }
`,
  )
  const checked = await run('check', '--data')
  assert.is(checked.code, 1)
  const [first = '', second = ''] = checked.complained.split('\n')
  assert.match(first, /^stays: 2 records break few \(.*stays\.yaml:10:3\): 1, 2$/)
  assert.match(second, /^stays: there are 0 of at least 1 for far \(.*stays\.yaml:11:3\)$/)
  assert.match((await run('plan')).said, 'stays: there are 0 of at least 1 for the rule far.')
})

rules(
  'a rule about a change, or about the moment of a change, says nothing of the records that are there',
  async () => {
    const about = (...lines: readonly string[]) =>
      application.write('resources/stays.yaml', `${STAYS}rules:\n${lines.map((line) => `  ${line}\n`).join('')}`)
    about(
      'room_of_early: { changed: room, must: { to: { lt: 2030-01-02 } }, says: The room stays as it is }',
      'one_way: { on: [update], must: { room: { gt: $before.room } }, says: Only a higher room }',
      'explained: { on: [update], must: { room: 7 }, says: Changed stays are in room 7 }',
      'past: { must: { from: { lte: $today } }, when: { room: 9 }, says: It has begun }',
      'ahead: { must: { not: { from: { gte: $today } } }, when: { from: { lte: $today } }, says: It has begun }',
      'to_come: { must: { any: [{ room: 1 }, { to: { gt: $now } }] }, when: { to: { lt: $now } }, says: It is over }',
    )
    assert.equal(await run('check', '--data'), { code: 0, said: '', complained: '' })
    assert.not.match((await run('plan')).said, 'break')
    about(
      'over: { must: { from: { lt: $today } }, says: It has begun }',
      'both: { changed: [from, to], must: { to: { gte: $record.from } }, says: It ends before it starts }',
    )
    const { complained } = await run('check', '--data')
    assert.match(complained, /stays: 3 records break over/)
    assert.match(complained, /stays: 1 record breaks both/)
  },
)

rules('check --data names the records with a value that their field does not allow', async () => {
  application.write('resources/stays.yaml', STAYS.replace('{ type: integer }', '{ type: integer, max: 1 }'))
  const checked = await run('check', '--data')
  assert.is(checked.code, 1)
  assert.match(checked.complained, /^stays: 1 record has a value that room does not allow \(.*stays\.yaml:5:3\): 3$/)
})

rules('a rule against overlaps waits until none are left, and goes with its line', async () => {
  const rule = 'rules: { alone: { no_overlap: [from, to], per: room, says: The room is taken } }\n'
  application.write('resources/stays.yaml', `${STAYS}${rule}`)
  const planned = await run('plan')
  assert.match(
    planned.said,
    'blocked  refuse overlaps in stays (room, from, to): 2 rows share a time that only one may have',
  )
  assert.match(planned.said, 'install btree_gist to refuse overlaps')
  const { value: settings } = readSettings(environment())
  assert.ok(settings)
  const database = await connect(settings, { log: SILENT, joins: true })
  await database.adhoc.run({ text: `delete from stays where id > 1` }, [])
  await database.close()
  assert.is((await applied()).code, 0)
  assert.match((await run('plan')).said, 'Nothing to do')
  application.write('resources/stays.yaml', STAYS)
  assert.match((await run('plan')).said, 'drop index on stays')
  assert.is((await applied()).code, 0)
  assert.match((await run('plan')).said, 'Nothing to do')
})

rules.run()
