/** Data that earlier versions left in the middle of their work: the present program ends it, once. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listenerStates } from '../../engine/index.ts'
import { startMailServer } from '../plugins/mail/smtp-server.ts'
import { until } from '../support/wait.ts'
import { midwayOf, type Opened, open, versions } from './opened.ts'

/** Commits before the log of changes, and before tables were changed while they are used: they have jobs alone, as later ones do. */
const WHOLE = new Set(['7aad99f', '04ea4ea'])

for (const version of await versions()) {
  if (WHOLE.has(version)) continue
  const midway = await midwayOf(version)
  const test = suite(`data of ${version}, left in the middle of its work`)
  let desk: Opened
  let mails: Awaited<ReturnType<typeof startMailServer>>
  const column = async (text: string): Promise<readonly (string | null)[]> =>
    (await desk.engine.database.adhoc.run({ text }, [])).map(([value]) => value ?? null)

  test.before(async () => {
    mails = await startMailServer()
    desk = await open(version, { midway, env: { SMTP_URL: `smtp://127.0.0.1:${mails.port}` } })
  })
  test.after(async () => {
    await desk?.close()
    await mails?.close()
  })

  test('it held work that was not done', () => {
    const names = Object.keys(midway.left)
    assert.ok(names.includes('job csv.import'), names.join())
    assert.ok(
      names.some((name) => name.startsWith('job mail.')) || names.some((name) => !name.startsWith('job ')),
      names.join(),
    )
  })

  test('what was acknowledged is there, once', async () => {
    const found = await column(`select subject from tickets where subject like 'Of the burst %' order by subject`)
    const subjects = new Set(found)
    assert.equal(
      midway.acknowledged.filter((subject) => !subjects.has(subject)),
      [],
    )
    assert.is(subjects.size, found.length)
  })

  test('a change that was not finished has left nothing', async () => {
    const left = await column(`select table_name || '.' || column_name from information_schema.columns
      where table_schema = current_schema() and (column_name like '%\\_\\_converting' or column_name like '%\\_\\_filling')`)
    assert.equal(left, [])
    assert.equal(
      await column(`select tgname from pg_trigger where not tgisinternal and tgname like '%converting%'`),
      [],
    )
    assert.equal(await column(`select value from plinth_fact where name = 'change'`), [])
    assert.equal(
      await column(`select relname from pg_class c join pg_index i on i.indexrelid = c.oid where not indisvalid`),
      [],
    )
  })

  test('the import goes on to its end, and each of its rows is there once', async () => {
    const rows = () => column(`select subject from tickets where subject like 'Row of the import %'`)
    await until(async () => (await rows()).length >= midway.imported.length, 240_000)
    assert.equal([...(await rows())].sort(), [...midway.imported].sort())
  })

  test('listeners come to the end of the log, and mails that waited are sent', async () => {
    await until(async () => {
      const { catalog } = desk.engine.app
      const states = await listenerStates(desk.engine.database.adhoc, catalog, new Date())
      return states.every(({ waiting }) => waiting === 0)
    }, 120_000)
    const waiting = () =>
      column(`select id::text from plinth_job where finished_at is null and name like 'mail.%' and due_at < now()`)
    await until(async () => (await waiting()).length === 0, 120_000)
    assert.ok(mails.received.length > 0)
  })

  test.run()
}
