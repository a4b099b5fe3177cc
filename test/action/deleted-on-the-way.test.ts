/** A deleted record on a path is one that is not there, wherever records are asked for, unless a filter says with_deleted. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'

const BOSS = '1:boss:all.see'
const anyone = (...policies: string[]): string =>
  `policies: { ${policies.map((policy) => `${policy}: [{ permission: all.see }]`).join(', ')} }`

const FILES = {
  'app.yaml': 'name: Offices\nplugins: { soft_delete: {}, who: {}, csv: {} }\n',
  'cities.yaml': `
resource: cities
label: City
soft_delete: true
restore: true
fields: { name: { type: string }, size: { type: integer } }
${anyone('view', 'create', 'update', 'delete', 'restore')}
`,
  'offices.yaml': `
resource: offices
label: Office
soft_delete: true
restore: true
fields: { name: { type: string }, is_open: { type: boolean, default: true } }
relations:
  city: { belongs_to: cities, embed: [id, name] }
  desks: { has_many: desks, embed: [id] }
filters: [name, city.name]
${anyone('view', 'create', 'update', 'delete', 'restore')}
`,
  'desks.yaml': `
resource: desks
label: Desk
fields:
  name: { type: string }
  size: { type: integer }
  city_size: { type: integer, read_only: true }
  is_large: { type: boolean, read_only: true }
relations:
  office: { belongs_to: offices, embed: [id, name] }
filters:
  office_name: office.name
  city_name: office.city.name
  office_is_open: office.is_open
  in_rome: { office.city.name: Rome }
  was_in_rome: { with_deleted: { office.city.name: Rome } }
search: [name, office.name, office.city.name]
sort: { keys: [id, office.name, office.city.name] }
summary: true
csv: { export: [{ permission: all.see }], columns: { Name: name, Office: office.name, City: office.city.name } }
follows:
  - { set: { city_size: $record.office.city.size } }
  - { when: { office.city.size: { gte: 10 } }, set: { is_large: true } }
rules:
  small:
    must: { any: [{ office.city.size: null }, { size: { lte: $record.office.city.size } }] }
    changed: size
    holds: when_written
    says: The desk is larger than the city
  open:
    when: { name: Front }
    must: { office.is_open: true }
    holds: always
    says: The office of a front desk stays open
${anyone('view', 'create', 'update', 'delete')}
`,
}

const test = suite('deleted records on a path')
let app: TestApplication

const call = async (status: number, method: string, path: string, body?: unknown) => {
  const answer = await app.call(method, path, { token: BOSS, body })
  assert.is(answer.status, status, `${method} ${path}: ${answer.text}`)
  return answer
}

test.before(async () => {
  app = await application({ resources: FILES, plugins: 'test/support/plugins' })
  await call(201, 'POST', '/cities', { name: 'Rome', size: 12 })
  await call(201, 'POST', '/cities', { name: 'Oslo', size: 5 })
  await call(201, 'POST', '/offices', { name: 'Forum', city_id: 1 })
  await call(201, 'POST', '/offices', { name: 'Fjord', city_id: 2 })
  for (const [name, office_id] of [
    ['one', 1],
    ['two', 2],
    ['three', null],
  ])
    await call(201, 'POST', '/desks', { name, office_id, size: 5 })
})
test.after(() => app?.close())

/** What finds which desks, while Rome is there and when it is deleted. */
const QUESTIONS: readonly (readonly [query: string, before: readonly number[], after: readonly number[]])[] = [
  ['city_name=Rome', [1], []],
  ['city_name[ne]=Rome', [2, 3], [1, 2, 3]],
  ['city_name[null]=true', [3], [1, 3]],
  ['city_name[null]=false', [1, 2], [2]],
  ['city_name[contains]=o', [1, 2], [2]],
  ['in_rome=true', [1], []],
  ['in_rome=false', [2, 3], [1, 2, 3]],
  ['was_in_rome=true', [1], [1]],
  ['was_in_rome=false', [2, 3], [2, 3]],
  ['search=Rome', [1], []],
  ['where={"office.city.name":"Rome"}', [1], []],
  ['where={"not":{"office.city.name":"Rome"}}', [2, 3], [1, 2, 3]],
  ['where={"office.city.name":{"not_in":["Oslo"]}}', [1, 3], [1, 3]],
  ['where={"office.desks":{"some":{"office.city.name":"Rome"}}}', [1], []],
  ['office_name=Forum', [1], [1]],
]

const asked = async (query: string): Promise<readonly number[]> => {
  const ids = (await call(200, 'GET', `/desks?${query}${/sort=/.test(query) ? '' : '&sort=id'}`)).list.map(({ id }) =>
    Number(id),
  )
  const { data } = (await call(200, 'GET', `/desks/summary?of=count&${query.replace(/&?sort=[^&]*/, '')}`)).body
  if (!query.startsWith('sort')) assert.is(data[0].count, ids.length, `summary ${query}`)
  return ids
}

test('lists, totals and figures', async () => {
  for (const [query, before] of QUESTIONS) assert.equal(await asked(query), before, query)
  assert.equal(await asked('sort=-office.city.name,id'), [3, 1, 2])
  await call(204, 'DELETE', '/cities/1')
  for (const [query, , after] of QUESTIONS) assert.equal(await asked(query), after, query)
  assert.equal(await asked('sort=-office.city.name,id'), [1, 3, 2])
})

test('what is shown stays: in answers, and in exports what answers embed', async () => {
  assert.is((await call(200, 'GET', '/offices/1')).at('data.city.name'), 'Rome')
  assert.match((await call(200, 'GET', '/desks/export?sort=id')).text, /one,Forum,\n/)
  await call(204, 'DELETE', '/offices/1')
  assert.match((await call(200, 'GET', '/desks/export?sort=id')).text, /one,Forum,\n/)
  assert.equal(await asked('office_name=Forum'), [])
  await call(200, 'POST', '/offices/1/restore')
})

test('rules and what follows: a value is copied, a condition does not hold', async () => {
  assert.equal((await call(200, 'PATCH', '/desks/2', { size: 4 })).at('data.is_large'), null)
  await call(409, 'PATCH', '/desks/2', { size: 6 })
  const { data } = (await call(200, 'PATCH', '/desks/1', { size: 20 })).body
  assert.equal([data.is_large, data.city_size], [true, 12], 'it became large while Rome was there')
  const made = (await call(201, 'POST', '/desks', { name: 'four', office_id: 1, size: 20 })).body.data
  assert.equal([made.is_large, made.city_size], [null, 12])
})

test('a rule that always holds is judged when a record on the way is deleted, and when it comes back', async () => {
  const front = (await call(201, 'POST', '/desks', { name: 'Front', office_id: 2, size: 1 })).at('data.id')
  assert.match((await call(409, 'DELETE', '/offices/2')).text, /stays open/)
  await call(409, 'PATCH', '/offices/2', { is_open: false })
  await call(200, 'PATCH', `/desks/${front}`, { name: 'Back' })
  await call(204, 'DELETE', '/offices/2')
  await call(409, 'PATCH', `/desks/${front}`, { name: 'Front' })
  await call(200, 'POST', '/offices/2/restore')
  await call(200, 'PATCH', `/desks/${front}`, { name: 'Front' })
})

test.run()
