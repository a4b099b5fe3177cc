/**
 * Present names that look alike: the plan lists them, they stay, and new ones are refused until an index can be made.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { planFor } from '../../engine/migration/migrate.ts'
import { reason } from '../../engine/migration/plan-text.ts'
import { riskOf } from '../../engine/migration/step.ts'
import { application, type TestApplication } from '../support/application.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

const test = suite('names that look alike before their index')

let one: TestDatabase
let shop: TestApplication
let version = 0

const NAME = 'name: { type: string, unique: true, max: 200 }'

/** Serves the parts with these fields on the same database, as files that nobody has served there before. */
async function serve(fields: string, isNew = true): Promise<void> {
  if (isNew) version += 1
  await shop?.close()
  shop = await application({
    database: one.database,
    resources: {
      'app.yaml': "name: Shop\nprefix: ''\nplugins: { timestamps: {}, soft_delete: {} }\n",
      'parts.yaml': `resource: parts
fields: { ${fields}, note: { type: string }, v${version}: { type: integer } }
soft_delete: true
restore: true
policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }], restore: [{ who: anyone }] }
`,
    },
  })
}

test.before(async () => {
  one = await testDatabase()
})
test.after(async () => {
  await shop?.close()
  await one.close()
})

const run = (text: string) => one.database.adhoc.run({ text }, [])
const create = (name: string, key = 'name') => shop.call('POST', '/parts', { body: { [key]: name } })
const change = (id: number, body: object) => shop.call('PATCH', `/parts/${id}`, { body })

async function planned(): Promise<readonly string[]> {
  const { value } = await planFor(shop.engine.app.catalog, one.database, new Date())
  const steps = value.steps.filter(({ effect }) => effect !== 'removes')
  return steps.map((step) => (riskOf(step) === 'safe' ? step.title : `${step.title}: ${reason(step)}`))
}

const ids: number[] = []

test('pairs that are there stay and are listed; new names like others are refused, also at once', async () => {
  await serve('name: { type: string, unique: exact, max: 200 }')
  for (const name of ['Nut', 'Ｎut', 'Bolt', 'Nu\u00adt']) ids.push((await create(name)).body.data.id)
  const [first = 0, second = 0, third = 0, last = 0] = ids
  await shop.call('DELETE', `/parts/${last}`)
  await serve(NAME)
  const waiting = [
    `add index against texts that look alike on parts (name): 2 rows have values that look like those of others; they stay, and new ones are refused (ids ${first}, ${second})`,
  ]
  assert.equal(await planned(), waiting)
  for (const name of ['Ｎｕｔ', 'Ｂolt', 'Bo\u00adlt'])
    assert.match((await create(name)).text, /The name has already been taken/, name)
  assert.is((await change(third, { name: 'N\u200but' })).status, 422)
  assert.is((await shop.call('POST', `/parts/${last}/restore`)).status, 409)
  for (const body of [{ note: 'x' }, { name: 'Ｎut' }])
    assert.is((await change(first, { ...body, name: 'Nut' })).status, 200)
  const forms = ['At once', 'At\u2003once', 'At\u00a0once', 'At  once', 'Ａt once', 'At\u200b once']
  const answers = await Promise.all([...forms, ...forms].map((name) => create(name)))
  assert.equal(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 11 }, () => 422)])
  // By SQL of a plugin too, and of two rows of one statement.
  const twice = `insert into parts (name, created_at, updated_at) select name, now(), now() from unnest(array['Twice', 'Twi\u00adce']) name`
  assert.match(await run(twice).then(String, String), /Validation failed/)
  assert.is((await create('Twice')).status, 201)
  await serve(NAME, false)
  assert.equal(await planned(), waiting)
})

test('they are refused under another name of the field too', async () => {
  await serve('title: { type: string, unique: true, max: 200, renamed_from: name }')
  assert.match((await planned()).join(), /parts \(title\): 2 rows have values/)
  assert.match((await create('Ｂolt', 'title')).text, /The title has already been taken/)
  assert.is((await create('Washer', 'title')).status, 201)
  await serve(NAME.replace('max', 'renamed_from: title, max'))
  assert.match((await create('Ｗasher')).text, /The name has already been taken/)
})

test('the index is made by the first start after they are different, and nothing else is left', async () => {
  assert.is((await change(ids[1] ?? 0, { name: 'Nut, small' })).status, 200)
  await serve(NAME)
  assert.equal(await planned(), [])
  const guards = `select tgname from pg_trigger where not tgisinternal and tgrelid = 'parts'::regclass`
  assert.equal(await run(guards), [])
  const indexes = `select count(*) from pg_index where indrelid = 'parts'::regclass and indisunique and indexprs is not null`
  assert.equal(await run(indexes), [['1']])
  assert.match((await create('Ｂolt')).text, /has already been taken/)
})

test('what a field no longer asks is refused no longer', async () => {
  await serve('name: { type: string, unique: exact, max: 200 }')
  assert.is((await create('Ｂolt')).status, 201)
  await serve(NAME)
  assert.is((await create('Bo\u00adlt')).status, 422)
  await serve('name: { type: string, unique: exact, max: 200 }')
  assert.is((await create('Bo\u00adlt')).status, 201)
  await serve('other: { type: string }')
  assert.is((await shop.call('POST', '/parts', { body: { other: 'x' } })).status, 201)
})

test.run()
