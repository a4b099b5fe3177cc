/** The slowest inputs there are for every parser of a request, within the limits: none may hold the process. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, send, type TestApplication } from '../support/application.ts'
import { growth, processorTime, worst } from './worst.ts'

/** What no request takes of an idle processor, with its client, in milliseconds. */
const USUAL = 40
/** What a slow or busy machine may take, if four times the input takes at most eight times as long. */
const MOST = 5 * USUAL
const GROWTH = 8
/** Below Node's 16 KiB for all headers of a request, and the longest query. */
const HEADER = 14_000
const QUERY = 8_000

const THINGS = `resource: things
fields:
  name:    { type: string, max: 2000 }
  code:    { type: string, pattern: '^([a-z0-9]+[-.]?){1,10}$' }
  notes:   { type: text }
  slug:    { type: slug, from: name, unique: true }
  mail:    { type: email }
  link:    { type: url }
  shade:   { type: color }
  kind:    { type: enum, values: [one, two] }
  on:      { type: boolean }
  count:   { type: integer }
  price:   { type: decimal, precision: 10, scale: 2 }
  born:    { type: date }
  at:      { type: timestamp }
  sizes:   { type: list, of: integer }
  words:   { type: list, of: string }
  data:    { type: json }
  shaped:  { type: json, schema: { type: string, pattern: '^(.*a){25}$' } }
lookup: [id, slug]
search: [name, notes]
filters: [name, notes, mail, kind, on, count, price, born, at]
policies: { delete: [], view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }] }
csv:
  import: [{ who: anyone }]
  columns: { Name: { path: name, key: true, required: true } }
`
const test = suite<{ app: TestApplication; id: number }>('http: worst inputs')
test.before(async (context) => {
  context.app = await application({
    resources: { 'app.yaml': "name: Worst\nprefix: ''\nplugins: { timestamps: {}, csv: {} }\n", 'things.yaml': THINGS },
    env: { TRUST_PROXY: '1', CORS_ORIGINS: 'https://a.example' },
  })
  const made = await context.app.call('POST', '/things', { body: { name: 'First' } })
  context.id = made.body.data.id
})
test.after(({ app }) => app.close())

type Ask = (app: TestApplication, input: string, id: number) => Promise<{ readonly status: number }>

/** Asks with every input, and names those that took too long or broke something. */
async function drive(app: TestApplication, id: number, inputs: readonly string[], ask: Ask): Promise<void> {
  const slow: string[] = []
  await ask(app, 'a', id)
  for (const input of inputs) {
    let status = 0
    const cost = (text: string) =>
      processorTime(async () => {
        status = (await ask(app, text, id)).status
      }, USUAL)
    const ms = await cost(input)
    const told = `${input.slice(0, 40)}…: ${status}, ${ms.toFixed(1)} ms`
    if (status === 500 || ms > MOST) slow.push(told)
    else if (ms > USUAL && (await growth(input, ms, cost)) > GROWTH) slow.push(`${told}, and more for each byte`)
  }
  assert.equal(slow, [])
}

const header =
  (name: string): Ask =>
  (app, input) =>
    send(app.address, 'GET', '/things?per_page=1', { headers: { [name]: input } })

for (const [name, before] of [
  ['accept', 'application/json'],
  ['accept-encoding', 'gzip'],
  ['accept-language', 'en'],
  ['authorization', 'Bearer '],
  ['cookie', 'a=b'],
  ['forwarded', 'for='],
  ['host', 'a'],
  ['if-match', '"'],
  ['if-modified-since', 'Mon, '],
  ['if-none-match', '"'],
  ['origin', 'https://'],
  ['range', 'bytes='],
  ['x-forwarded-for', '1.2.3.4'],
  ['x-request-id', 'a'],
] as const) {
  test(name, async ({ app, id }) => {
    await drive(app, id, worst(HEADER, { before }), header(name))
  })
}
for (const [path, before] of [
  ['/things', ''],
  ['/things', 'application/json'],
  ['/things', 'application/json; charset='],
  ['/things', 'application/a'],
  ['/things/import', 'multipart/form-data;'],
] as const) {
  test(`content-type: ${before}`, async ({ app, id }) => {
    const ask: Ask = (_app, input) =>
      send(app.address, 'POST', path, { body: '{}', headers: { 'content-type': input } })
    await drive(app, id, worst(HEADER, { before }), ask)
  })
}

test('idempotency-key', async ({ app, id }) => {
  const ask: Ask = (_app, input) =>
    send(app.address, 'POST', '/things', { body: {}, headers: { 'idempotency-key': input } })
  await drive(app, id, [...worst(HEADER), ...worst(200)], ask)
})

test('if-match of a write', async ({ app, id }) => {
  const ask: Ask = (_app, input) =>
    send(app.address, 'PATCH', `/things/${id}`, { body: { on: true }, headers: { 'if-match': input } })
  await drive(app, id, worst(HEADER, { before: '"' }), ask)
})

/** As a query may hold it, whatever else it means there. */
const escaped = (text: string) => encodeURI(text).replaceAll('%25', '%').replaceAll('%5B', '[').replaceAll('%5D', ']')

test('the path', async ({ app, id }) => {
  const ask =
    (before: string): Ask =>
    (_app, input) =>
      send(app.address, 'GET', `${before}x${escaped(input)}`, {})
  for (const before of ['/', '/things/', '/things/1/']) {
    await drive(
      app,
      id,
      worst(HEADER).map((text) => text.replaceAll('?', '')),
      ask(before),
    )
  }
})

test('names of parameters', async ({ app, id }) => {
  const ask: Ask = (_app, input) => send(app.address, 'GET', `/things?${escaped(input)}=1`, {})
  const frames = [{}, { after: '\n' }, { before: 'name[', after: '\n' }, { after: '_from' }]
  await drive(
    app,
    id,
    frames.flatMap((frame) => worst(QUERY, frame)),
    ask,
  )
})

for (const name of [
  'search',
  'sort',
  'cursor',
  'page',
  'nothing',
  'name',
  'name[in]',
  'mail',
  'count',
  'count[between]',
  'price',
  'born',
  'at',
]) {
  test(`the parameter ${name}`, async ({ app, id }) => {
    const ask: Ask = (_app, input) => send(app.address, 'GET', `/things?${name}=${escaped(input)}`, {})
    const length = name === 'search' ? 250 : QUERY
    await drive(app, id, worst(length, { after: name.length % 2 === 0 ? '\n' : '!' }), ask)
  })
}

test('many parameters', async ({ app, id }) => {
  const ask: Ask = (_app, input) => send(app.address, 'GET', `/things?${input}`, {})
  const many = (of: (at: number) => string) =>
    Array.from({ length: 1_000 }, (_, at) => of(at))
      .join('&')
      .slice(0, QUERY)
  const inputs = [
    many((at) => `a${at}=`),
    many(() => 'name=a'),
    many((at) => `name=${at}`),
    many((at) => `nam${at}[gte]=1`),
    many((at) => `count=${at}`),
    many(() => '='),
    many(() => ''),
    many((at) => `count[in]=${at},${at}`),
    `name=${many((at) => `${at}`).replaceAll('&', ',')}`,
    `sort=${many((at) => `-a${at}`).replaceAll('&', ',')}`,
  ]
  await drive(app, id, inputs, ask)
})

/** Of those that have a short one. */
const LENGTHS: Readonly<Record<string, number>> = { name: 2_000, slug: 2_000, code: 250, shaped: 7_000 }
const FIELDS = ['name', 'notes', 'slug', 'mail', 'link', 'shade', 'kind', 'on', 'count', 'price', 'born', 'at', 'sizes']
for (const name of [...FIELDS, 'words', 'data', 'shaped', 'code']) {
  test(`the field ${name}`, async ({ app, id }) => {
    const ask: Ask = (_app, input) => {
      const value = name === 'words' || name === 'sizes' ? [input] : input
      return send(app.address, 'PATCH', `/things/${id}`, { body: { [name]: value } })
    }
    await drive(app, id, worst(LENGTHS[name] ?? 60_000, { after: 'ü\n!' }), ask)
  })
}

test('names of fields', async ({ app, id }) => {
  const ask: Ask = (_app, input) => send(app.address, 'PATCH', `/things/${id}`, { body: { [input]: 1 } })
  await drive(app, id, worst(60_000), ask)
})

test('JSON bodies', async ({ app, id }) => {
  const ask: Ask = (_app, input) => send(app.address, 'PATCH', `/things/${id}`, { body: input })
  // Reading JSON takes its time by the byte, most of it JSON.parse's own: a tenth of the limit takes a tenth.
  const size = 100_000
  const inputs = [
    ...worst(size),
    ...worst(size, { before: '{"name":"', after: '"}' }),
    '['.repeat(size),
    `{"a":${'['.repeat(size)}`,
    '{"a":'.repeat(size / 5),
    `{"count":${'9'.repeat(size)}}`,
    `{"count":1e${'9'.repeat(size)}}`,
    `{"price":"${'9'.repeat(size)}"}`,
    `{"name":"${'\\u0000'.repeat(size / 6)}"}`,
    `{"name":"${'\\ud800'.repeat(size / 6)}"}`,
    `{${Array.from({ length: size / 10 }, (_, at) => `"k${at}":1`).join(',')}}`,
    `{${'"name":"x",'.repeat(size / 11)}"on":true}`,
    `{"words":[${'"x",'.repeat(size / 4)}"x"]}`,
    `{"data":[${'[],'.repeat(size / 3)}[]]}`,
    `{"data":{${Array.from({ length: size / 40 }, (_, at) => `"k${at}":[]`).join(',')}}}`,
  ]
  await drive(app, id, inputs, ask)
})

test('multipart bodies', async ({ app, id }) => {
  const ask: Ask = (_app, body) =>
    send(app.address, 'POST', '/things/import', {
      body,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
    })
  const size = 200_000
  const part = (headers: string, content = 'x') => `--b\r\n${headers}\r\n\r\n${content}\r\n`
  const disposition = 'Content-Disposition: form-data; name="'
  const inputs = [
    ...worst(size),
    ...worst(size, { before: '--b\r\n' }),
    ...worst(size, { before: `--b\r\n${disposition}` }),
    ...worst(8_000, { before: disposition, after: '"' }).map((headers) => part(headers).repeat(20)),
    ...['filename="', 'filename=', 'name="', 'name=', '"'].flatMap((piece) => [
      part(`${disposition}a"; ${piece.repeat(8_000 / piece.length)}`).repeat(20),
      `--b\r\n${disposition}a"; ${piece.repeat(size / piece.length)}`,
    ]),
    '--b\r\n'.repeat(size / 5),
    part('').repeat(size / 12),
    part('a: b\r\n'.repeat(size / 8)),
    '\r\n--'.repeat(size / 4),
    `${part('Content-Transfer-Encoding: base64\r\nContent-Disposition: form-data; name="a"', '='.repeat(size))}--b--`,
  ]
  await drive(app, id, inputs, ask)
})
test.run()
