/** Files that open the shipped desk one after the other begin with the same database, whatever the one before did. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openDesk } from '../desk/desk.ts'

const begun = suite('a desk after another')

interface Seen {
  readonly counts: readonly string[]
  readonly columns: readonly string[]
  readonly instance: string
  readonly settings: readonly string[]
}

/** What a desk begins with, and what it is left with by `use`. */
async function desk(use: (sql: (text: string) => Promise<readonly string[]>) => Promise<unknown>): Promise<Seen> {
  const opened = await openDesk()
  try {
    const sql = async (text: string): Promise<readonly string[]> =>
      (await opened.engine.database.adhoc.run({ text }, [])).map((row) => row.join(' '))
    const counts = await sql(`select 'tickets', count(*) from tickets union all select 'users', count(*) from users
      union all select 'categories', count(*) from categories union all select 'runs', count(*) from plinth_step order by 1`)
    const columns = await sql(`select table_name, column_name, data_type from information_schema.columns
      where table_schema = 'public' order by 1, 2`)
    const [instance = ''] = await sql(`select value from plinth_fact where name = 'instance'`)
    const made = await opened.person('agent', 'Ann')
    await use(sql)
    const settings = [
      String(made.id),
      ...(await opened.get('/settings/categories', opened.admin)).list.map(({ id }) => String(id)),
    ]
    return { counts, columns, instance, settings }
  } finally {
    await opened.close()
  }
}

begun('has no row of the one before, the same ids, and another instance', async () => {
  const first = await desk((sql) => sql(`delete from categories where id = (select max(id) from categories)`))
  const second = await desk(async () => undefined)
  assert.equal(second.counts, first.counts)
  assert.is(second.settings[0], first.settings[0])
  assert.is(second.settings.length, first.settings.length + 1)
  assert.is.not(second.instance, first.instance)
})

begun('has the tables of the YAML after one that changed them', async () => {
  const first = await desk((sql) => sql('alter table tickets add column scribbled integer'))
  const second = await desk(async () => undefined)
  assert.equal(second.columns, first.columns)
  assert.equal(second.counts, first.counts)
})

begun('refuses whoever still uses the one before', async () => {
  const first = await openDesk()
  const { adhoc } = first.engine.database
  await first.close()
  const second = await openDesk()
  const late = await adhoc.run({ text: 'delete from categories' }, []).then(
    () => 'written',
    () => 'refused',
  )
  assert.is(late, 'refused')
  assert.ok((await second.get('/settings/categories', second.admin)).list.length > 0)
  await second.close()
})

begun.run()
