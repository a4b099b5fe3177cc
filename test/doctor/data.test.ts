/** The findings of the doctor about data: queries without an index, growth, waiting work, and rights of the user. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { setUpDatabase } from '../../engine/boot/database-setup.ts'
import { connect } from '../../engine/database/connect.ts'
import type { Database } from '../../engine/database/database.ts'
import { THRESHOLDS } from '../../engine/doctor/finding.ts'
import { SILENT } from '../support/database.ts'
import { boot, closeShop, lineOf, look, of, openShop, place, run, settingsOf } from './world.ts'

const doctor = suite('doctor of data')
doctor.before(openShop)
doctor.after(closeShop)

doctor('queries without an index are told with their place and their cure', async () => {
  const large = { thresholds: { ...THRESHOLDS, roomMb: 1, largeRows: 1_000 } }
  const found = (await look(large)).filter(({ check }) => check === 'queries')
  const told = found.map(({ message, advice, place }) => [
    message,
    advice,
    place?.replace(/^.*\//, '').replace(/\d+$/, ''),
  ])
  assert.equal(told, [
    [
      'the filter loud of goods reads all 3,000 rows of goods',
      'a computed field has no index: give loud a formula in `stored`, or take it out',
      lineOf('  loud:'),
    ],
    [
      'the filter maker_name of goods reads all 3,000 rows of makers',
      'write `indexes: [[name]]` into the file of makers',
      'makers.yaml:3:',
    ],
    [
      'the sort key maker.name of goods reads all 3,000 rows of goods',
      'take it out of `sort.keys`, or keep the value in a field of goods as well',
      'makers.yaml:3:',
    ],
  ])
  await run(`do $$ declare i text; begin for i in select indexname from pg_indexes where tablename = 'goods'
    and (indexdef like '%price%' or indexdef like '%maker_id%' or indexdef like '%gin%') loop execute format('drop index %I', i); end loop; end $$`)
  const without = of('queries', await look(large)).join('\n')
  for (const what of ['the filter price', 'the filter maker_id', 'the search'])
    assert.match(without, `${what} of goods reads all 3,000 rows of goods`)
  assert.match(
    of('tables', await look()).join(),
    /^warning the tables are not what the YAML describes: add .*index on goods .*, and 2 more/,
  )
  await setUpDatabase(boot.catalog, place.database, { log: SILENT, now: new Date(), settings: settingsOf() })
  assert.is(of('queries', await look(large)).length, 3)
})

doctor('a table that is gone is a problem, though a start would make it', async () => {
  await run('alter table visits rename to visits_elsewhere')
  assert.match(
    of('tables', await look()).join(),
    /^problem visits is gone with all rows; the next start makes an empty table$/,
  )
  await run('alter table visits_elsewhere rename to visits')
})

doctor('what a start leaves as it is, because rows stand in the way, is told as that', async () => {
  await run('alter table goods drop constraint goods_maker_id_fkey; update goods set maker_id = 99999 where id = 1')
  const [told] = (await look()).filter(({ check }) => check === 'tables')
  assert.match(told?.message ?? '', 'reference goods.maker_id to makers; the next start leaves that as it is')
  assert.is(told?.level, 'problem')
  const logged: unknown[] = []
  const log = { ...SILENT, warn: (...args: unknown[]) => void logged.push(args) }
  assert.equal(
    (await setUpDatabase(boot.catalog, place.database, { log, now: new Date(), settings: settingsOf() })).diagnostics,
    [],
  )
  assert.equal(logged, [
    [
      { left: ['reference goods.maker_id to makers'] },
      'rows stand in the way of what the YAML says; `plinth plan` names them',
    ],
  ])
  await run('update goods set maker_id = 1 where id = 1')
  await setUpDatabase(boot.catalog, place.database, { log: SILENT, now: new Date(), settings: settingsOf() })
})

doctor('what grows without a keeper, and keepers that do not come, are told', async () => {
  const grown = await look({ thresholds: { ...THRESHOLDS, roomMb: 1, grownRows: 3_000 } })
  assert.equal(of('growth', grown), [
    'warning goods has 3,000 rows, and nothing ever removes one',
    'warning makers has 3,000 rows, and nothing ever removes one',
  ])
  await run(`insert into visits (at) values (now() - interval '32 days')`)
  await run(
    `insert into plinth_idempotency (actor, route, key, fingerprint, created_at) values ('a', 'b', 'c', 'd', now() - interval '3 days')`,
  )
  assert.equal(of('growth', await look()), [
    'problem visits: records are there that are older than its keep says',
    'problem housekeeping does not run: answers of past days are still kept',
  ])
  await run('delete from visits; delete from plinth_idempotency')
})

doctor('work that waits or was given up is told', async () => {
  await run(`insert into plinth_job (id, name, payload, attempts, runs_as, status, due_at, finished_at) values
    (gen_random_uuid(), 'mail.send', '{}', 1, 'system', 'failed', now(), now()),
    (gen_random_uuid(), 'mail.send', '{}', 1, 'system', 'pending', now() - interval '1 hour', null)`)
  assert.equal(of('work', await look()), [
    'warning 1 jobs were given up',
    'problem 1 jobs wait for longer than they should',
  ])
  await run('delete from plinth_job')
})

doctor('a user who may not do what is needed, and a server that takes no writes, are problems', async () => {
  if (place.url === undefined) return
  const name = `plinth_doctor_${process.pid}`
  await run(
    `create role ${name} login; grant usage on schema public to ${name}; grant select on all tables in schema public to ${name}`,
  )
  await run('drop extension pg_trgm cascade')
  const url = new URL(place.url)
  url.username = name
  const open = (): Promise<Database> =>
    connect({ databaseUrl: url.href, dataDir: '', databasePool: 2 }, { log: SILENT })
  try {
    const found = await look({ open })
    const told = of('database', found).join('\n')
    assert.match(told, `problem ${name} may not create tables in the schema public`)
    assert.match(told, new RegExp(`problem ${name} does not own .*goods.*: changes of the YAML will fail`))
    assert.match(
      of('extensions', found).join(),
      /^problem pg_trgm is missing, for searches, and this user may not make it/,
    )
    await run(`alter role ${name} set default_transaction_read_only = on`)
    assert.match(of('database', await look({ open })).join('\n'), /problem .* takes no writes: it is read-only/)
  } finally {
    await run(`drop owned by ${name}; drop role ${name}`)
    await setUpDatabase(boot.catalog, place.database, { log: SILENT, now: new Date(), settings: settingsOf() })
  }
})

doctor.run()
