/** Searches find a text however its signs are written: width, ligatures, superscripts, apostrophes, signs that nobody sees. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parameter, print } from '../../engine/filter/sql.ts'
import { foldSql, foldText } from '../../engine/filter/text-forms.ts'
import { planFor } from '../../engine/migration/migrate.ts'
import { renamedIndexes } from '../../engine/migration/plan-index.ts'
import { namedIndex } from '../../engine/migration/sql-name.ts'
import { riskOf } from '../../engine/migration/step.ts'
import type { Table } from '../../engine/migration/table.ts'
import { application, type TestApplication } from '../support/application.ts'
import { testDatabase } from '../support/database.ts'

const test = suite('searches of signs in other forms')
let app: TestApplication

const TITLES = [
  'Ελλάς ΟΔΟΣ',
  'It’s ﬁne',
  'ＡＢＣ１２３ ｶﾞ',
  'x² + ½',
  'soft\u00adware',
  'ze\u200bro',
  'co‐op',
  '100% (sure)_\\',
]

const RESOURCES = {
  'app.yaml': 'name: Forms\nplugins: { who: {} }\n',
  'texts.yaml': [
    'resource: texts',
    'fields: { title: { type: string, required: true } }',
    'search: [title]',
    'policies: { view: [{ who: anyone }], create: [{ who: anyone }] }',
  ].join('\n'),
}

test.before(async () => {
  app = await application({
    resources: RESOURCES,
    plugins: 'test/support/plugins',
  })
  for (const title of TITLES) assert.is((await app.call('POST', '/texts', { body: { title } })).status, 201)
})
test.after(() => app?.close())

async function found(text: string): Promise<readonly number[]> {
  const answer = await app.call('GET', `/texts?search=${encodeURIComponent(text)}&snippets=true`)
  assert.is(answer.status, 200, answer.text)
  return (answer.body.data as { id: number }[]).map(({ id }) => id).sort((a, b) => a - b)
}

for (const [text, ids] of [
  ['ΕΛΛΑΣ', [1]],
  ['ελλας', [1]],
  ['ελλασ', [1]],
  ['οδος', [1]],
  ["it's", [2]],
  ['it’s', [2]],
  ['fine', [2]],
  ['abc123', [3]],
  ['ガ', [3]],
  ['ａｂｃ', [3]],
  ['x2', [4]],
  ['software', [5]],
  ['soft\u00adware', [5]],
  ['zero', [6]],
  ['ze\u200b\u200bro', [6]],
  ['co-op', [7]],
  ['１００％', [8]],
  ['％', [8]],
  ['＿', [8]],
  ['＼', [8]],
  ['（ｓｕｒｅ', [8]],
  ['\u200b', []],
  ['\u00ad \u2060', []],
] as const)
  test(`${JSON.stringify(text)} finds ${ids.join() || 'nothing'}`, async () => assert.equal(await found(text), ids))

test('whatever is sought is answered, and what is told has the marks', async () => {
  const signs = fc.constantFrom(...'％＿＼（［＊＂－’\u00ad\u200b\u0301ﬁ²ΣςßıK', ...'%_\\([*"-\' a1')
  await fc.assert(
    fc.asyncProperty(
      fc.array(signs, { minLength: 1, maxLength: 8 }),
      async (text) => void (await found(text.join(''))),
    ),
    { numRuns: 60 },
  )
  const { body } = await app.call('GET', `/texts?search=fine&snippets=true`)
  assert.match(JSON.stringify(body.meta.search), 'It’s <mark>ﬁne</mark>')
})

test('the database folds a text as this process does, and folding again changes nothing', async () => {
  const one = await testDatabase()
  const { text } = print(foldSql(parameter({ kind: 'slot', name: 'x' })))
  const bare = `select ${text.replaceAll(/\$\d+/g, 't')} from unnest($1::text[]) t`
  const letters = fc.constantFrom(...'aZäÖßœøŁđıéΣσςΆώﬁﬀ２ｶ²½™…’‘ʼ‐\u00ad\u200b\u200f\u2066\ufeff\u0301 -’ẞſ')
  const texts = fc.sample(fc.array(letters, { maxLength: 12 }), 400).map((signs) => signs.join(''))
  const folded = (await one.database.adhoc.run({ text: bare }, [texts])).map(([value]) => value)
  const again = (await one.database.adhoc.run({ text: bare }, [folded])).map(([value]) => value)
  await one.close()
  for (const [at, written] of texts.entries()) {
    assert.is(folded[at], foldText(written), JSON.stringify(written))
    assert.is(again[at], folded[at])
  }
})

test('an index over another expression is made anew, also where its table gets another name', () => {
  const kind = { kind: 'trigram', unique: false, columns: ['title'], where: undefined } as const
  const title = { name: 'title', type: 'text', nullable: true, default: undefined, identity: false }
  const table = (name: string): Table => ({
    ...{ name, columns: [title], indexes: [], primaryKey: ['id'], foreignKeys: [], sequences: [] },
  })
  const names = { aside: new Map(), pairs: new Map(), names: undefined, back: false }
  const pair = { wanted: table('now'), actual: table('then'), ...names }
  const [present, wanted] = [namedIndex('then', kind), namedIndex('now', kind)]
  assert.equal(renamedIndexes(pair, [present], [wanted]), [{ from: present, to: wanted }])
  assert.equal(renamedIndexes(pair, [{ ...present, name: 'then_title_0c0ffee0_idx' }], [wanted]), [])
})

test('a start makes the index of an earlier expression anew beside those who work, then drops it', async () => {
  const one = await testDatabase()
  const how = { resources: RESOURCES, plugins: 'test/support/plugins', database: one.database }
  const names = async () =>
    (
      await one.database.adhoc.run(
        { text: `select indexname from pg_indexes where indexdef like '%gin_trgm_ops%'` },
        [],
      )
    ).flat()
  const first = await application(how)
  const [name] = await names()
  await one.database.adhoc.run({ text: `alter index "${name}" rename to texts_title_0c0ffee0_idx` }, [])
  const { steps } = (await planFor(first.engine.app.catalog, one.database, new Date())).value
  await first.close()
  assert.equal(
    steps.map((step) => [step.title, step.work.kind, riskOf(step)]),
    ['add search index on texts (title)', 'drop index on texts (title)'].map((title) => [title, 'faster', 'safe']),
  )
  const second = await application(how)
  assert.equal(await names(), [name])
  await second.close()
  await one.close()
})

test.run()
