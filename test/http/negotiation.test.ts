/** Every header by which a request says what answer it takes, by its grammar: never a 500, and a write is done where its answer says so. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, send, type TestApplication } from '../support/application.ts'

const THINGS = `resource: things
fields:
  code: { type: string, unique: true }
  name: { type: string, required: true }
  text: { type: text }
filters: [code]
policies:
  view: [{ who: anyone }]
  create: [{ who: anyone }]
  update: [{ who: anyone }]
  delete: [{ who: anyone }]
`

interface World {
  readonly app: TestApplication
  /** A record with a text that is worth compressing, and its present tag. */
  readonly long: string
  readonly tag: string
}

const test = suite<World>('http: headers of negotiation')
test.before(async (world) => {
  const app = await application({
    resources: { 'app.yaml': "name: Things\nprefix: ''\n", 'things.yaml': THINGS },
    env: { RATE_LIMIT: '1000000' },
  })
  const made = await app.call('POST', '/things', { body: { name: 'Long', code: 'long', text: 'words '.repeat(2_000) } })
  assert.is(made.status, 201)
  const long = `/things/${made.body.data.id}`
  const { headers } = await app.call('GET', long)
  Object.assign(world, { app, long, tag: String(headers.etag) })
})
test.after(({ app }) => app.close())

const blank = fc.constantFrom('', '', ' ', '\t', ' \t ')
const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}$/)
const weight = fc.constantFrom('', ';q=1', ';q=0', ';q=0.001', ' ; q=0.5', ';Q=1.000', ';q=0.9', '; q=0.')
const quoted = fc.stringMatching(/^[\x21\x23-\x7e]{0,8}$/).map((text) => `"${text}"`)
/** Text that no grammar has, and that a header may hold still. */
const broken = fc.stringMatching(/^[\x21-\x7e]{1,12}$/)

/** `#member`: with blanks around commas, and empty members, which a reader leaves out. */
function listOf(member: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(blank, fc.oneof({ weight: 6, arbitrary: member }, fc.constant('')), blank), { maxLength: 4 })
    .map((members) => members.map((parts) => parts.join('')).join(','))
}

const weighted = (name: fc.Arbitrary<string>) => fc.tuple(name, weight).map((parts) => parts.join(''))
const date = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((day) => day.toUTCString())
const range = fc
  .tuple(fc.nat({ max: 99 }), fc.nat({ max: 99 }))
  .chain(([a, b]) => fc.constantFrom(`${a}-${b}`, `${a}-`, `-${b}`))

const HEADERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  accept: listOf(
    weighted(fc.constantFrom('*/*', 'application/json', 'text/csv', 'text/*', 'image/png', 'a/b;c="d,e"')),
  ),
  'accept-encoding': listOf(
    weighted(fc.oneof(token, fc.constantFrom('gzip', 'GZIP', 'x-gzip', 'br', 'deflate', 'zstd', 'identity', '*'))),
  ),
  'accept-language': listOf(weighted(fc.constantFrom('en', 'de-CH', '*', 'x-y-z'))),
  'if-modified-since': date,
  'if-unmodified-since': date,
  'if-range': fc.oneof(date, quoted),
  range: fc.tuple(fc.constantFrom('bytes=', 'items=', 'bytes '), listOf(range)).map((parts) => parts.join('')),
  expect: fc.oneof(fc.constantFrom('100-continue', '100-Continue'), token, listOf(token)),
  te: listOf(weighted(fc.constantFrom('trailers', 'gzip', 'deflate'))),
  prefer: listOf(
    fc.constantFrom(
      'respond-async',
      'return=minimal',
      'return=representation',
      'wait=10',
      'handling="strict"; a=b',
      'explain',
    ),
  ),
}

/** The weight that the grammar of RFC 9110, section 12.4.2 and 12.5.3, gives a coding; undefined: it is not named. */
function weightIn(header: string, coding: string): number | undefined {
  for (const member of header.split(',').map((one) => one.trim().toLowerCase())) {
    const [, name = '', said] = /^([^\s;]+)(?:\s*;\s*q=([0-9.]+))?$/.exec(member) ?? []
    if (name === coding || (coding === 'gzip' && name === 'x-gzip')) return Number(said ?? 1)
  }
  return undefined
}

const UNPACK: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  deflate: inflateSync,
}

test('Accept-Encoding: a coding that is allowed, the plain form unless it is refused, else 406', async (world) => {
  await fc.assert(
    fc.asyncProperty(HEADERS['accept-encoding']!, fc.boolean(), async (sent, short) => {
      const path = short ? '/things?fields=id' : world.long
      const headers = { 'accept-encoding': sent }
      const { status, headers: answered, bytes } = await send(world.app.address, 'GET', path, { headers })
      const weightOf = (coding: string) => weightIn(sent, coding) ?? weightIn(sent, '*')
      const refusesPlain = weightOf('identity') === 0
      const known = [...Object.keys(UNPACK), ...(process.versions.node.startsWith('20.') ? [] : ['zstd'])]
      const some = known.some((coding) => (weightOf(coding) ?? 0) > 0)
      assert.is(status, refusesPlain && !some ? 406 : 200, sent)
      const coding = answered['content-encoding']
      if (status === 406 || coding === undefined) {
        assert.ok(status === 406 || !refusesPlain, sent)
        return assert.is(typeof JSON.parse(bytes.toString()).success, 'boolean')
      }
      assert.ok((weightOf(coding) ?? 0) > 0, sent)
      if (UNPACK[coding] !== undefined) assert.is(JSON.parse(UNPACK[coding](bytes).toString()).success, true)
    }),
    { numRuns: 200 },
  )
})

for (const [name, valid] of Object.entries(HEADERS)) {
  test(`${name}: whatever it says, a read is answered, and a write is done if its answer says so`, async ({
    app,
    long,
  }) => {
    let made = 0
    await fc.assert(
      fc.asyncProperty(fc.oneof({ weight: 4, arbitrary: valid }, { weight: 1, arbitrary: broken }), async (sent) => {
        const headers = { [name]: sent }
        const read = await send(app.address, 'GET', long, { headers })
        const mayRefuse = name === 'accept-encoding' ? [200, 406] : [200]
        assert.ok(mayRefuse.includes(read.status), `${name}: ${sent} answered ${read.status}`)
        made += 1
        const body = { name: 'New', code: `${name} ${made}` }
        const { status } = await send(app.address, 'POST', '/things', { body, headers })
        assert.ok(
          status === 201 || (status === 406 && name === 'accept-encoding'),
          `${name}: ${sent} answered ${status}`,
        )
        const found = await app.call('GET', `/things?code=${encodeURIComponent(body.code)}`)
        assert.is(found.body.data.length, status === 201 ? 1 : 0, `${name}: ${sent} answered ${status}`)
      }),
      { numRuns: 40 },
    )
  })
}

const tagsWith = (tag: string) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom('*', ' * ') },
    {
      weight: 5,
      arbitrary: listOf(
        fc.oneof(
          quoted,
          quoted.map((one) => `W/${one}`),
          fc.constantFrom(tag, `"x,${tag.slice(1)}`),
        ),
      ),
    },
    { weight: 1, arbitrary: broken },
  )

/** Whether a header names the tag, weak or strong, as RFC 9110, section 8.8.3, writes lists of them. */
function names(header: string, tag: string): boolean {
  if (header.trim() === '*') return true
  let rest = header
  for (;;) {
    const [all, , one] = /^[\s,]*(W\/)?("[^"]*")\s*/.exec(rest) ?? []
    if (all === undefined) return false
    if (one === tag) return true
    rest = rest.slice(all.length)
  }
}

/** Whether a header is `*` or a list of tags; a read passes over what is neither. */
function isOfTags(header: string): boolean {
  return header.trim() === '*' || /^[\s,]*$/.test(header.replace(/(?:W\/)?"[^"]*"/g, ''))
}

test('If-Match and If-None-Match of a read, in the order of RFC 9110', async ({ app, long, tag }) => {
  const optional = fc.option(tagsWith(tag), { nil: undefined })
  await fc.assert(
    fc.asyncProperty(optional, optional, fc.constantFrom('GET', 'HEAD'), async (match, none, method) => {
      fc.pre([match, none].every((header) => header === undefined || isOfTags(header)))
      const headers: Record<string, string> = {}
      if (match !== undefined) headers['if-match'] = match
      if (none !== undefined) headers['if-none-match'] = none
      const { status } = await send(app.address, method, long, { headers })
      const empty = /^[\s,]*$/.test(match ?? '')
      const stale = match !== undefined && !empty && !names(match, tag)
      assert.is(status, stale ? 412 : none !== undefined && names(none, tag) ? 304 : 200, JSON.stringify(headers))
    }),
    { numRuns: 200, examples: [['"', undefined, 'GET']] },
  )
})

test('If-Match and If-None-Match of a write: 412 and nothing is changed, or it is done', async ({ app }) => {
  const made = await app.call('POST', '/things', { body: { name: 'first', code: 'conditional' } })
  const path = `/things/${made.body.data.id}`
  let count = 0
  const ways = fc.constantFrom(['PATCH', path], ['PUT', path], ['PUT', '/things/by/code/conditional'])
  await fc.assert(
    fc.asyncProperty(ways, fc.gen(), async ([method = '', at = ''], draw) => {
      const tag = String((await app.call('GET', path)).headers.etag)
      const match = draw(fc.option, tagsWith(tag), { nil: undefined })
      const none = draw(fc.option, tagsWith(tag), { nil: undefined })
      const headers: Record<string, string> = {}
      if (match !== undefined) headers['if-match'] = match
      if (none !== undefined) headers['if-none-match'] = none
      count += 1
      const name = `name ${count}`
      const { status } = await send(app.address, method, at, { body: { name }, headers })
      const holds = (match === undefined || names(match, tag)) && (none === undefined || !names(none, tag))
      const clean = [match, none].every((one) => !/[^\s,"W/*]/.test((one ?? '').replace(/"[^"]*"/g, '')))
      if (clean) assert.is(status, holds ? 200 : 412, JSON.stringify(headers))
      else assert.ok(status === 200 || status === 412, JSON.stringify(headers))
      assert.is((await app.call('GET', path)).body.data.name === name, status === 200, JSON.stringify(headers))
    }),
    { numRuns: 200 },
  )
})

test('a record that is there is refused by If-None-Match whatever is missing, a mistake of a value before that', async ({
  app,
}) => {
  const headers = { 'if-none-match': '*' }
  await app.call('PUT', '/things/by/code/there', { body: { name: 'There' } })
  assert.is((await app.call('PUT', '/things/by/code/there', { body: {}, headers })).status, 412)
  assert.is((await app.call('PUT', '/things/by/code/there', { body: { name: 7 }, headers })).status, 422)
  assert.is((await app.call('PUT', '/things/by/code/not-there', { body: {}, headers })).status, 422)
  assert.is((await app.call('PUT', '/things/by/code/not-there', { body: { name: 'New' }, headers })).status, 201)
  const { id } = (await app.call('GET', '/things?code=there')).body.data[0]
  for (const method of ['PATCH', 'DELETE']) {
    const { status } = await send(app.address, method, `/things/${id}`, { headers })
    assert.is(status, 412, method)
  }
})

test('a write that has no version to compare is refused where it depends on one', async ({ app }) => {
  await app.call('POST', '/things', { body: { name: 'Kept', code: 'kept' } })
  const headers = { 'if-match': '"x"' }
  for (const [method, path, body] of [
    ['DELETE', '/things?code=kept&max=1', undefined],
    ['PATCH', '/things?code=kept&max=1', { name: 'Changed' }],
  ] as const) {
    const { status } = await send(app.address, method, path, { headers, ...(body && { body }) })
    assert.is(status, 412, `${method} ${path}`)
  }
  const { data } = (await app.call('GET', '/things?code=kept')).body
  assert.equal(
    data.map(({ name }: { name: string }) => name),
    ['Kept'],
  )
  assert.is((await app.call('POST', '/things/query', { body: {}, headers })).status, 200)
  assert.is((await app.call('DELETE', '/things?code=kept&max=1', { headers: { 'if-match': '*' } })).status, 200)
})

test.run()
