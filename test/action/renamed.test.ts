/** A renamed field, relation and resource: clients of the version before are served as if nothing had happened. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compareDocuments } from '../../engine/openapi/compare/documents.ts'
import { clientOfApplication } from '../../engine/openapi/routes.ts'
import { typescript } from '../../engine/openapi/types.ts'
import { type Answer, application, type TestApplication } from '../support/application.ts'

const test = suite('earlier names')

const POLICIES =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }'
const ROLE = 'read: { permission: talks.notes }'

const BEFORE = {
  'app.yaml': 'name: Talks\nprefix: /api\n',
  'halls.yaml': `resource: halls
fields: { label: { type: string, required: true } }
${POLICIES}`,
  'tags.yaml': `resource: tags
fields: { name: { type: string } }
${POLICIES}`,
  'talks.yaml': `resource: talks
fields:
  title: { type: string, required: true, max: 20 }
  minutes: { type: integer }
  notes: { type: text, ${ROLE} }
relations:
  hall: { belongs_to: halls, embed: [id, label] }
  tags: { many_to_many: tags, embed: [id, name] }
filters: [title, minutes, hall.label, notes]
sort: { keys: [title, hall.label] }
search: [title]
batch: true
${POLICIES}`,
}

const AFTER = {
  ...BEFORE,
  'halls.yaml': BEFORE['halls.yaml'].replace('label: { ', 'name: { renamed_from: label, '),
  'talks.yaml': BEFORE['talks.yaml']
    .replace(
      'resource: talks',
      'resource: lectures\nrenamed_from: { name: talks, since: 2026-01-01, until: 2027-06-01 }',
    )
    .replace('  title: { ', '  subject: { renamed_from: { name: title, since: 2026-02-01, until: 2027-01-01 }, ')
    .replace('  notes: { ', '  remarks: { renamed_from: notes, ')
    .replace(
      '  hall: { belongs_to: halls, embed: [id, label] }',
      '  place: { belongs_to: halls, renamed_from: hall, embed: [id, name] }',
    )
    .replace('  tags: { many', '  labels: { renamed_from: tags, many')
    .replace('filters: [title, minutes, hall.label, notes]', 'filters: [subject, minutes, place.name, remarks]')
    .replace('keys: [title, hall.label]', 'keys: [subject, place.name]')
    .replace('search: [title]', 'search: [subject]'),
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

/** What a client of the version before sends, one after the other. */
const SCRIPT: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['POST', '/api/halls', { label: 'Main' }],
  ['POST', '/api/tags', { name: 'new' }],
  ['POST', '/api/talks', { title: 'Alpha', minutes: 10, hall_id: 1, tag_ids: [1] }],
  ['POST', '/api/talks', { title: 'Beta', minutes: 20 }],
  ['POST', '/api/talks', { minutes: 20 }],
  ['POST', '/api/talks', { title: 'x'.repeat(30) }],
  ['PATCH', '/api/talks/2', { hall_id: 1 }],
  ['PATCH', '/api/talks/2', { title: 'Gamma', notes: 'n' }],
  ['PATCH', '/api/talks/2', { hall_id: 99 }],
  ['GET', '/api/talks/1'],
  ['GET', '/api/talks?sort=-title'],
  ['GET', '/api/talks?sort=hall.label,-title&title=Alpha'],
  ['GET', '/api/talks?title[contains]=mm'],
  ['GET', '/api/talks?hall_id=1&hall.label=Main'],
  ['GET', '/api/talks?fields=id,title,hall.label'],
  ['GET', '/api/talks/1?fields=title,tags'],
  ['GET', '/api/talks?omit=hall,tags,hall_id'],
  ['GET', `/api/talks?where=${encodeURIComponent('{"any":[{"title":"Alpha"},{"hall.label":"None"}]}')}`],
  ['POST', '/api/talks/query', { sort: ['-title'], where: { hall: 1 }, fields: ['title'] }],
  ['GET', '/api/talks?search=gam'],
  ['GET', '/api/talks?notes=n'],
  ['GET', '/api/halls?sort=label'],
  ['POST', '/api/talks/batch', { create: [{ title: 'Delta' }], update: [{ id: 1, title: 'Alef' }] }],
  ['DELETE', '/api/talks/1'],
]

/** Later names → earlier ones: what a client that knows only these makes of an answer. */
const LATER = new Set(['subject', 'place', 'place_id', 'remarks', 'labels', 'label_ids'])

function asBefore(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.filter((item) => !LATER.has(item)).map((item) => asBefore(item, path))
  if (typeof value !== 'object' || value === null) return value
  const hall = Object.keys(value).includes('label')
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !LATER.has(key) && !(hall && key === 'name') && key !== 'timestamp')
      .map(([key, item]) => [key, asBefore(item, `${path}.${key}`)]),
  )
}

function told({ status, body, headers }: Answer): unknown {
  const { message, ...rest } = body
  const location = headers.location === undefined ? {} : { location: headers.location.replace('lectures', 'talks') }
  return { status, ...location, ...(asBefore(rest, '') as object) }
}

test('a client of the version before gets the same answers to the same requests', async () => {
  for (const [method, path, body] of SCRIPT) {
    const [was, is] = [before, after].map((app) => app.call(method, path, body === undefined ? {} : { body }))
    const [old, now] = [await was!, await is!]
    const what = `${method} ${path} ${JSON.stringify(body ?? '')}`
    const [expected, found] = [told(old), told(now)]
    // Sentences name fields as they are called now.
    const sentences = (text: string) => text.replaceAll(/"The [^"]*"/g, '"…"').replaceAll(/; known here: [^"]*/g, '; …')
    assert.is(sentences(JSON.stringify(found, null, 1)), sentences(JSON.stringify(expected, null, 1)), what)
  }
})

test('a refusal lists present names alone', async () => {
  const message = (await after.call('GET', '/api/lectures?nothing=1')).body.errors.nothing[0]
  assert.match(message, /; known here: .*place_id.*/)
  assert.not.match(message, /hall|title/)
})

test('nothing of it breaks clients, and the document says which names are the earlier ones', async () => {
  const [old, now] = [before, after].map((app) => app.engine.app.document())
  assert.equal(
    compareDocuments(old!, now!).filter(({ breaking }) => breaking),
    [],
  )
  const text = JSON.stringify(now)
  assert.match(text, 'The earlier name of `subject`, which may be used until 2027-01-01.')
  assert.is(
    (now as { paths: Record<string, { get?: { deprecated?: boolean } }> }).paths['/api/talks']?.get?.deprecated,
    true,
  )
})

test('types and clients that are made now know the later names only', () => {
  const { catalog, composition } = after.engine.app
  const types = typescript({ catalog, hooks: composition.hooks })
  assert.match(types, 'export type LectureCreate = {')
  assert.match(types, 'readonly subject: string')
  assert.equal(types.match(/readonly (title|hall|tags|notes|tag_ids|hall_id)\b.*/), null)
  const client = clientOfApplication(catalog, [], composition, '')
  // A choice has a `title` of its own.
  assert.not.match(client, /\b(talks|hall_id|tag_ids)\b/)
})

test('answers tell since when and until when, by the earliest of what was used', async () => {
  const [named, plain, other] = await Promise.all([
    after.call('GET', '/api/lectures?title=Alpha'),
    after.call('GET', '/api/lectures?fields=id,subject'),
    after.call('GET', '/api/talks?fields=id'),
  ])
  assert.equal([named?.headers.deprecation, named?.headers.sunset], ['@1769904000', 'Fri, 01 Jan 2027 00:00:00 GMT'])
  assert.equal([plain?.headers.deprecation, plain?.headers.sunset], [undefined, undefined])
  assert.equal([other?.headers.deprecation, other?.headers.sunset], ['@1767225600', 'Tue, 01 Jun 2027 00:00:00 GMT'])
  const choices = await after.call('GET', '/api/talks/choices/hall')
  assert.equal([choices.status, choices.headers.deprecation], [200, '@1767225600'])
  const tags = await after.call('GET', '/api/tags')
  assert.is(tags.headers.deprecation, undefined)
})

test('/metrics tells who still uses them, and nothing of theirs', async () => {
  const { text } = await after.call('GET', '/metrics', { token: 'metrics-token-of-the-test' })
  assert.match(text, /plinth_earlier_names_total\{resource="lectures",name="title",role="anonymous",use="asked"\} \d+/)
  assert.match(text, /plinth_earlier_names_total\{resource="lectures",name="talks",role="anonymous",use="asked"\} \d+/)
  assert.match(
    text,
    /plinth_earlier_names_total\{resource="lectures",name="hall.label",role="anonymous",use="answered"\} \d+/,
  )
  assert.not.match(text, 'Alpha')
})

test('a record is sent back whole, with either name changed; two values that both differ are refused', async () => {
  const made = await after.call('POST', '/api/lectures', { body: { subject: 'One', minutes: 1 } })
  assert.is(made.status, 201, made.text)
  const path = `/api/lectures/${made.at('data.id')}`
  const change = async (values: object) => {
    const { data } = (await after.call('GET', path)).body
    return after.call('PUT', path, { body: { ...data, ...values } })
  }
  assert.equal((await change({ title: 'Two' })).at('data.subject'), 'Two')
  assert.equal((await change({ subject: 'Three' })).at('data.title'), 'Three')
  assert.equal((await change({ subject: 'Four', title: 'Four' })).at('data.title'), 'Four')
  const refused = await change({ subject: 'Five', title: 'Six' })
  assert.is(refused.status, 422)
  assert.equal(refused.body.errors, { subject: ['"title" is the earlier name of "subject", and has another value'] })
  const created = await after.call('POST', '/api/lectures', { body: { subject: 'a', title: 'b' } })
  assert.is(created.status, 422)
})

test('what only some may read is no more readable by its earlier name', async () => {
  for (const query of ['notes=n', 'sort=notes', 'fields=notes', 'where={"notes":"n"}']) {
    const answer = await after.call('GET', `/api/lectures?${encodeURI(query)}`)
    assert.is(answer.status, 422, query)
  }
  const { body } = await after.call('GET', '/api/lectures')
  assert.ok(body.data.every((one: object) => !('notes' in one) && !('remarks' in one)))
})

const DEVICES_APP = 'name: Devices\nprefix: /api\nplugins: { soft_delete: {} }\n'
const DEVICES = `resource: devices
soft_delete: true
restore: true
fields:
  serial: { type: string, column: code, renamed_from: code }
  tags: { type: boolean, default: true }
  label: { type: string, unique: true, column: text, renamed_from: text }
indexes: [{ fields: [serial], unique: true, where: { tags: true } }]
${POLICIES.replace('{ view', '{ restore: [{ who: anyone }], view')}`

test('what the database refuses is told of one field, by the name that the client knows', async () => {
  const app = await application({ resources: { 'app.yaml': DEVICES_APP, 'devices.yaml': DEVICES } })
  try {
    await app.call('POST', '/api/devices', { body: { serial: 'A1' } })
    const taken = 'The serial has already been taken'
    const later = await app.call('POST', '/api/devices', { body: { serial: 'A1' } })
    assert.equal(later.at('errors'), { serial: [taken] })
    const earlier = await app.call('POST', '/api/devices', { body: { code: 'A1' } })
    assert.equal(Object.keys(earlier.at('errors') as object), ['code'])
    await app.call('PATCH', '/api/devices/1', { body: { label: 'first' } })
    await app.call('DELETE', '/api/devices/1')
    await app.call('POST', '/api/devices', { body: { label: 'first' } })
    const back = await app.call('POST', '/api/devices/1/restore')
    assert.is(back.at('message'), 'The device cannot be restored: its label has been taken since')
  } finally {
    await app.close()
  }
})

test.run()
