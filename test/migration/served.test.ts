/** The description of what was served last stays in the database, and is written only where it differs. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { migrateTables } from '../../engine/migration/migrate.ts'
import { ENGINE_TABLES, FACT_TABLE } from '../../engine/migration/own/engine-tables.ts'
import { keepServed, servedLast } from '../../engine/migration/own/facts.ts'
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

/** Says what is served, made from `from`; gives whether it was asked for. */
async function keep(from: string, text: string): Promise<boolean> {
  let described = false
  await keepServed(base.database.adhoc, from, () => {
    described = true
    return text
  })
  return described
}

served('what was written last is read as it was', async () => {
  await keep('a', '{"a":"é"}')
  const long = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => `line ${n}`))
  await keep('b', long)
  const last = await servedLast(base.database.adhoc)
  assert.is(last?.text, long)
  assert.match(last?.since ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d$/)
})

served('nothing is described where it was made from the same, and nothing is written', async () => {
  assert.ok(await keep('c', '"same"'))
  const before = await version()
  assert.not(await keep('c', '"never asked for"'))
  assert.is(await version(), before)
  assert.is((await servedLast(base.database.adhoc))?.text, '"same"')
})

served('the same made from something else is served since it was served first', async () => {
  const { adhoc } = base.database
  const began = "update plinth_fact set created_at = '2026-01-31 09:30+00' where name = 'served'"
  await keep('d', '"same"')
  await adhoc.run({ text: began.replace('plinth_fact', FACT_TABLE.name) }, [])
  assert.ok(await keep('e', '"same"'))
  assert.equal(await servedLast(adhoc), { text: '"same"', since: '2026-01-31 09:30' })
  assert.not(await keep('e', '"same"'), 'what it was made from is known')
  assert.ok(await keep('f', '"other"'))
  const last = await servedLast(adhoc)
  assert.is(last?.text, '"other"')
  assert.is.not(last?.since, '2026-01-31 09:30')
})

served('several at once write it once', async () => {
  await Promise.all([keep('g', '"new"'), keep('g', '"new"')])
  const before = await version()
  await Promise.all([keep('g', '"new"'), keep('g', '"new"')])
  assert.is(await version(), before)
  assert.is((await servedLast(base.database.adhoc))?.text, '"new"')
})

served('what an earlier Plinth wrote down is read, and replaced', async () => {
  const { adhoc } = base.database
  await keep('h', '"before"')
  const text = `update ${FACT_TABLE.name} set value = regexp_replace(value, ':[^ ]*', '') where name = 'served'`
  await adhoc.run({ text }, [])
  assert.is((await servedLast(adhoc))?.text, '"before"')
  assert.ok(await keep('h', '"after"'))
  assert.is((await servedLast(adhoc))?.text, '"after"')
})

served.run()
