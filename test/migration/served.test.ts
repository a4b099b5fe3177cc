/** What was last served stays in the database, and is written only where it is another. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ENGINE_TABLES, FACT_TABLE } from '../../engine/migration/engine-tables.ts'
import { migrateTables } from '../../engine/migration/migrate.ts'
import { keepServed, servedLast } from '../../engine/migration/served.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { EDITED } from './world.ts'

const served = suite('what was last served')
let base: TestDatabase

served.before(async () => {
  base = await testDatabase()
})
served.after(() => base?.close())

/** The version of the row: PostgreSQL gives each that is written another place. */
async function version(): Promise<string | null | undefined> {
  const text = `select ctid::text || ' ' || xmin::text from ${FACT_TABLE.name} where name = 'served'`
  return (await base.database.adhoc.run({ text }, []))[0]?.[0]
}

served('a database without the engine’s tables, or from which nobody served, has none', async () => {
  assert.is(await servedLast(base.database.adhoc), undefined)
  assert.equal((await migrateTables(ENGINE_TABLES, base.database, EDITED)).diagnostics, [])
  assert.is(await servedLast(base.database.adhoc), undefined)
})

served('what was written last is read as it was', async () => {
  await keepServed(base.database.adhoc, '{"a":"é"}')
  const long = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => `line ${n}`))
  await keepServed(base.database.adhoc, long)
  const last = await servedLast(base.database.adhoc)
  assert.is(last?.text, long)
  assert.match(last?.since ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d$/)
})

served('the same is not written again, also by several at once', async () => {
  const { adhoc } = base.database
  await keepServed(adhoc, '"same"')
  const before = await version()
  await Promise.all([keepServed(adhoc, '"same"'), keepServed(adhoc, '"same"')])
  assert.is(await version(), before)
  await Promise.all([keepServed(adhoc, '"other"'), keepServed(adhoc, '"other"')])
  assert.is.not(await version(), before)
  assert.is((await servedLast(adhoc))?.text, '"other"')
})

served.run()
