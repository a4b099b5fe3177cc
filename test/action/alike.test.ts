/** Names that look alike: a unique text is one of them, whoever writes the second, and those that are there stay. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { lookSqlText, lookText } from '../../engine/filter/text-forms.ts'
import { alike } from '../filter/two-ways.ts'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('unique names that look alike')

const files = (fields: string, indexes = '') => ({
  'app.yaml': "name: Shop\nprefix: ''\nplugins: { timestamps: {}, soft_delete: {} }\n",
  'parts.yaml': `resource: parts
fields: { ${fields}, note: { type: string } }
soft_delete: true
restore: true
${indexes}policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }], restore: [{ who: anyone }] }
`,
})
const UNIQUE = 'name: { type: string, unique: true, max: 200 }'

let shop: TestApplication
test.before(async () => {
  shop = await application({ resources: files(UNIQUE) })
})
test.after(() => shop.close())

const create = (name: string, to = shop) => to.call('POST', '/parts', { body: { name } })

test('of two names that look alike the second is refused, as a creation, a change and one of many', async () => {
  const other = (await create('another one')).body.data.id
  await fc.assert(
    fc.asyncProperty(alike, async ([one, two]) => {
      // A text of nothing but blanks is no value.
      fc.pre(lookText(one) !== '')
      const first = await create(one)
      assert.is(first.status, 201, `${JSON.stringify(one)} ${first.text}`)
      for (const second of [
        await create(two),
        await shop.call('PATCH', `/parts/${other}`, { body: { name: two } }),
        await shop.call('POST', '/parts/batch', { body: { create: [{ name: two }] } }),
      ]) {
        assert.is(second.status, 422, `${JSON.stringify([one, two])} ${second.text}`)
        assert.match(second.text, /has already been taken/)
      }
      // The record itself may be written another way.
      const same = await shop.call('PATCH', `/parts/${first.body.data.id}`, { body: { name: two, note: 'x' } })
      assert.is(same.status, 200, same.text)
      await shop.call('DELETE', `/parts/${first.body.data.id}`)
    }),
    { numRuns: 40 },
  )
})

test('names that can be told apart are several, and so are those of deleted records', async () => {
  for (const name of ['Open', 'open', 'Opén', 'O pen', 'Öpen', 'Open!', '0pen'])
    assert.is((await create(name)).status, 201, name)
  const { id } = (await create('Gone')).body.data
  await shop.call('DELETE', `/parts/${id}`)
  assert.is((await create('Ｇｏｎｅ')).status, 201)
  assert.is((await shop.call('POST', `/parts/${id}/restore`)).status, 409)
})

test('of names that look alike and are sent at once, one is stored', async () => {
  const forms = ['At once', 'At once\u00ad', 'At\u00a0once', 'At  once', 'Ａt once', 'At\u200b once']
  const answers = await Promise.all([...forms, ...forms].map((name) => create(name)))
  assert.equal(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 11 }, () => 422)])
})

test('`exact` compares sign by sign', async () => {
  const app = await application({ resources: files('name: { type: string, unique: exact }') })
  for (const [name, status] of [
    ['aB', 201],
    ['ab', 201],
    ['ab', 422],
  ] as const)
    assert.is((await create(name, app)).status, status)
  await app.close()
})

test('fields that are unique together are compared likewise', async () => {
  const indexes = 'indexes: [{ fields: [name, shelf], unique: true }]\n'
  const app = await application({
    resources: files('name: { type: string }, shelf: { type: integer }', indexes),
  })
  const put = (name: string, shelf: number) => app.call('POST', '/parts', { body: { name, shelf } })
  assert.is((await put('Nut', 1)).status, 201)
  assert.is((await put('Nut', 2)).status, 201)
  const second = await put('Ｎｕｔ', 1)
  assert.is(second.status, 422, second.text)
  assert.equal(Object.keys(second.body.errors), ['name', 'shelf'])
  await app.close()
})

test('a name is looked for by its index', async () => {
  const rows = `insert into parts (name, created_at, updated_at) select 'Part ' || i, now(), now() from generate_series(1, 3000) i`
  for (const text of [rows, 'analyze parts']) await shop.engine.database.adhoc.run({ text }, [])
  const text = `explain select 1 from parts u where ${lookSqlText('u."name"')} = $1::text and (u."deleted_at" is null)`
  const plan = await shop.engine.database.adhoc.run({ text }, [lookText('Part 7')])
  assert.match(plan.flat().join('\n'), /Index/)
})

test.run()
