/** Searches whose whole text is an id or a unique value: that record is found, and comes first where no order is asked for. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer, TestApplication } from '../support/application.ts'
import { creating } from './created.ts'
import { openedTwice } from './help.ts'

const POLICIES = 'create: [{ who: signed_in }], update: [], delete: [{ role: agent }]'

const FIELDS = `
fields:
  code:    { type: string, unique: true }
  number:  { type: integer, unique: true }
  pin:     { type: string, unique: true, read: [{ role: agent }] }
  hidden:  { type: string, unique: true, show: never }
  subject: { type: string, required: true }
policies: { view: [{ role: agent }, { role: guest, where: { subject: { ne: Locked } } }], ${POLICIES} }
`

const RESOURCES = {
  'app.yaml': 'name: Help\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n',
  'plain.yaml': `
resource: plain
soft_delete: true${FIELDS}search: [code, subject]
sort: { keys: [id, subject], default: -id }
`,
  'ranked.yaml': `
resource: ranked
soft_delete: true${FIELDS}search: { fields: { subject: 3, code: 1 } }
sort: { keys: [id, subject], default: id }
`,
  'things.yaml': `
resource: things
id: uuid
fields: { name: { type: string, required: true } }
search: { fields: { name: 2 } }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
  'slips.yaml': `
resource: slips
id: { type: string }
fields: { name: { type: string, required: true } }
search: [name]
sort: { default: name }
policies: { view: [{ who: signed_in }], ${POLICIES} }
`,
}

const AGENT = '1:agent:'
const GUEST = '2:guest:'

const ROWS = [
  { code: 'GS-1', number: 900, subject: 'Order 3, see GS-10' },
  { code: 'GS-10', number: 901, subject: 'Mail about 900' },
  { code: 'GS-3', number: 902, subject: 'Locked', pin: 'abc-1', hidden: 'xyz-1' },
  { code: 'main office', number: 903, subject: 'Chairs, 3 of them' },
  { code: 'Straße', number: 904, subject: 'GS-1 and 3 and 900' },
  { code: 'GS-6', number: 905, subject: 'The main thing is an office; gs-1' },
]

const test = suite('identifiers')
/** The second takes every word for a common one. */
let apps: readonly TestApplication[] = []

test.before(async () => {
  apps = await openedTwice(RESOURCES, fill)
})

async function fill(app: TestApplication): Promise<void> {
  const create = creating(app, AGENT)
  for (const path of ['/plain', '/ranked']) for (const row of ROWS) await create(path, row)
  for (const name of ['One', 'Two 22222222', 'Three']) await create('/things', { name })
  for (const id of ['b-7', 'a-7', 'c']) await create('/slips', { id, name: `${id === 'c' ? 'A-7' : 'Z'} slip` })
}

test.after(async () => {
  for (const app of apps) await app.close()
})

const get = (app: TestApplication, path: string, text: string, more = '', token = AGENT): Promise<Answer> =>
  app.call('GET', `${path}?search=${encodeURIComponent(text)}${more}`, { token })

/** The ids of a search, in order, the same however common its words are. */
async function found(text: string, path: string, more = '', token = AGENT): Promise<readonly unknown[]> {
  const [ids, others] = await Promise.all(
    apps.map(async (app) => {
      const answer = await get(app, path, text, more, token)
      assert.is(answer.status, 200, answer.text)
      return answer.list.map(({ id }) => id)
    }),
  )
  assert.equal([...ids!].sort(), [...others!].sort(), `${text} as a common word`)
  assert.is(ids![0], others![0], `${text} as a common word`)
  return ids!
}

for (const path of ['/plain', '/ranked']) {
  const first = async (text: string, more = '', token = AGENT) => (await found(text, path, more, token))[0]

  test(`${path}: the record whose id it is comes first, also where no text has it`, async () => {
    assert.is(await first('3'), 3)
    assert.equal([...(await found('3', path))].sort(), [1, 3, 4, 5])
    assert.equal(await found('6', path), [6])
  })

  test(`${path}: so does one with a unique text or number, in whatever letters`, async () => {
    for (const text of ['GS-1', 'gs-1', '"GS-1"', ' GS-1 ']) assert.is(await first(text), 1, text)
    assert.is(await first('900'), 1)
    assert.equal([...(await found('900', path))].sort(), [1, 2, 5])
    assert.is(await first('STRASSE'), 5)
    assert.is(await first('Main Office'), 4)
    assert.equal([...(await found('main office', path))].sort(), [4, 6])
  })

  test(`${path}: only by what the caller may read, and only records that it may see`, async () => {
    assert.equal(await found('abc-1', path), [3])
    assert.equal(await found('abc-1', path, '', GUEST), [])
    assert.equal(await found('xyz-1', path), [])
    assert.equal([...(await found('3', path, '', GUEST))].sort(), [1, 4, 5])
    assert.equal([...(await found('GS-3', path, '', GUEST))], [])
    assert.equal(await found('6', path, '&where={"id":{"ne":6}}'), [])
  })

  test(`${path}: not where another order is asked for, or something is left out`, async () => {
    assert.equal(await found('3', path, '&sort=id'), [1, 3, 4, 5])
    assert.equal(await found('3', path, '&sort=-id'), [5, 4, 3, 1])
    assert.equal([...(await found('3 -order', path))].sort(), [3, 4, 5])
  })

  test(`${path}: pages and cursors hold each record once`, async () => {
    for (const app of apps)
      for (const text of ['3', 'GS-1', '900', 'main office'])
        for (const size of [1, 2, 3]) {
          const whole = (await get(app, path, text, '&per_page=50')).list.map(({ id }) => id)
          const read: unknown[] = []
          for (let cursor: string | null = 'first'; cursor !== null; ) {
            const answer = await get(app, path, text, `&per_page=${size}&cursor=${cursor}`)
            assert.is(answer.status, 200, answer.text)
            read.push(...answer.list.map(({ id }) => id))
            cursor = answer.at('meta.pagination.next_cursor') as string | null
          }
          assert.equal([...read].sort(), [...whole].sort(), `${text} by ${size}`)
          assert.is(read[0], whole[0])
          const pages = [1, 2, 3, 4, 5].map((page) => get(app, path, text, `&per_page=${size}&page=${page}`))
          const paged = (await Promise.all(pages)).flatMap(({ list }) => list.map(({ id }) => id))
          assert.equal(paged, whole.slice(0, size * 5), `${text} by pages of ${size}`)
        }
  })

  test(`${path}: the total counts it, and what was found is told`, async () => {
    const answer = await get(apps[0]!, path, '3', '&snippets=true')
    assert.is(answer.at('meta.pagination.total'), 4)
    assert.equal(answer.at('meta.search.matches.0'), {
      id: 3,
      fields: ['code', 'id'],
      snippets: { code: 'GS-<mark>3</mark>', id: '<mark>3</mark>' },
    })
    const least = (await get(apps[1]!, path, '3')).at('meta.pagination.total')
    assert.ok(least === 3 || least === 4, `${least} of 4`)
    const six = await get(apps[0]!, path, '6')
    assert.equal([six.at('meta.pagination.total'), six.at('meta.search.matches.0.fields')], [1, ['code', 'id']])
    const number = await get(apps[0]!, path, '903')
    assert.equal(number.at('meta.search'), { matches: [{ id: 4, fields: ['number'] }] })
  })
}

test('a deleted record is not found by its id', async () => {
  for (const app of apps) {
    await creating(app, AGENT)('/plain', { code: 'GS-99', number: 999, subject: 'Gone' })
    assert.equal(
      (await get(app, '/plain', '999')).list.map(({ id }) => id),
      [7],
    )
    assert.is((await app.call('DELETE', '/plain/7', { token: AGENT })).status < 300, true)
    for (const text of ['7', '999', 'GS-99']) assert.equal((await get(app, '/plain', text)).list, [], text)
  }
})

test('ids that are no numbers are found as they are shown, and ranked lists of them have cursors', async () => {
  for (const app of apps) {
    const [one] = (await get(app, '/things', 'One')).list
    assert.equal(
      (await get(app, '/things', String(one!.id))).list.map(({ name }) => name),
      ['One'],
    )
    const page = await get(app, '/things', 't', '&per_page=1&cursor=first')
    const next = await get(app, '/things', 't', `&per_page=1&cursor=${page.at('meta.pagination.next_cursor')}`)
    assert.is(next.status, 200, next.text)
    assert.equal([page.list[0]!.name, next.list[0]!.name].sort(), ['Three', 'Two 22222222'])
  }
  assert.equal(await found('a-7', '/slips'), ['a-7', 'c'])
  assert.equal(await found('slip', '/slips'), ['c', 'a-7', 'b-7'])
})

test.run()
