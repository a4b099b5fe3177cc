/** A renamed has_many relation: clients of the version before are served under its earlier name. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'

const test = suite('earlier names of has_many')

const ANYONE =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }'

const BEFORE = {
  'app.yaml': 'name: Halls\nprefix: /api\n',
  'halls.yaml': `resource: halls
fields: { name: { type: string, required: true } }
relations: { talks: { has_many: talks, embed: [id, title], show: single, order: id, with_parent: true } }
${ANYONE}`,
  'talks.yaml': `resource: talks
fields: { title: { type: string, required: true } }
relations: { hall: { belongs_to: halls, required: true } }
filters: [title]
${ANYONE}`,
}
const AFTER = {
  ...BEFORE,
  'halls.yaml': BEFORE['halls.yaml'].replace(
    'talks: { has_many: talks,',
    'lectures: { has_many: talks, renamed_from: { name: talks, since: 2026-01-01, until: 2027-01-01 },',
  ),
}

let before: TestApplication
let after: TestApplication
test.before(async () => {
  before = await application({ resources: BEFORE })
  after = await application({ resources: AFTER, env: { METRICS_TOKEN: 'metrics-token-of-the-test' } })
})
test.after(async () => {
  await before.close()
  await after.close()
})

const REQUESTS: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '/api/halls', { name: 'One', talks: [{ title: 'First' }, { title: 'Second' }] }],
  ['POST', '/api/halls', { name: 'Two' }],
  ['POST', '/api/halls', { name: 'Three', talks: [{ title: '' }] }],
  ['GET', '/api/halls/1'],
  ['GET', '/api/halls?include=talks&fields=id,talks&sort=id'],
  ['GET', '/api/halls/1?omit=talks'],
  ['GET', `/api/halls?where=${encodeURIComponent('{"talks":{"some":{"title":"First"}}}')}`],
  ['GET', '/api/halls/1?fields=id,talks.title'],
]

/** An answer without its time, and without what the later name adds. */
function comparable(text: string): unknown {
  return JSON.parse(text, (key, value) =>
    key === 'timestamp' || key.endsWith('_at') || key === 'lectures' ? undefined : value,
  )
}

test('the same requests get the same answers', async () => {
  for (const [method, path, body] of REQUESTS) {
    const sent = body === undefined ? {} : { body }
    const [was, is] = [await before.call(method, path, sent), await after.call(method, path, sent)]
    assert.is(is.status, was.status, `${path} ${is.text}`)
    assert.equal(comparable(is.text), comparable(was.text), path)
  }
})

test('the later name works, and the earlier one is told and counted', async () => {
  const later = await after.call('GET', '/api/halls/1?fields=id,lectures')
  assert.equal(later.at('data.lectures'), [
    { id: 1, title: 'First' },
    { id: 2, title: 'Second' },
  ])
  assert.is(later.headers.deprecation, undefined)
  const earlier = await after.call('GET', '/api/halls/1?fields=id,talks')
  assert.is(earlier.headers.deprecation, `@${Date.UTC(2026, 0, 1) / 1000}`)
  const metrics = await after.call('GET', '/metrics', { token: 'metrics-token-of-the-test' })
  assert.match(
    metrics.text,
    /plinth_earlier_names_total\{[^}]*resource="halls"[^}]*name="talks"[^}]*use="asked"\} [1-9]/,
  )
})

test.run()
