/** The examples of the document are accepted by the server that gives them, and so is what its schemas allow. */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Node } from '../../engine/openapi/openapi-document.ts'
import { openDesk } from '../desk/desk.ts'
import { type Answer, application, type TestApplication } from '../support/application.ts'
import { methodsOf, resolved } from '../support/document.ts'

const test = suite('openapi: examples')

interface Example {
  readonly of: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

function examplesIn(document: Node, schema: unknown): readonly unknown[] {
  const { example, examples = [] } = resolved(document, schema)
  return [...(examples as readonly unknown[]), ...(example === undefined ? [] : [example])]
}

/** Every example of a body and of a parameter as a request. */
function examplesOf(document: Node): readonly Example[] {
  return Object.entries(document.paths as Node).flatMap(([path, under]) =>
    methodsOf(under as Node).flatMap(([verb, operation]): Example[] => {
      const method = verb.toUpperCase()
      const of = `${method} ${path}`
      const content = Object(resolved(document, operation.requestBody ?? {}).content)
      const bodies = examplesIn(document, content['application/json']?.schema ?? {})
      const parameters = ((operation.parameters ?? []) as readonly unknown[]).flatMap((given) => {
        const { example, in: at, name } = resolved(document, given)
        const isEmpty = typeof example === 'object' && Object.keys(Object(example)).length === 0
        if (example === undefined || at !== 'query' || isEmpty) return []
        return [{ of: `${of} ?${name}`, method, path: `${path}?${name}=${encodeURIComponent(String(example))}` }]
      })
      return [...bodies.map((body) => ({ of, method, path, body })), ...(method === 'GET' ? parameters : [])]
    }),
  )
}

/** Refusals that depend on the records that are there, which no document knows. */
const BY_RECORDS = new Set(['invalid_selection', 'taken'])
/** Links of mails, codes and passwords of people, hosts on the network, and a ticket that is merged into itself. */
const BY_PLACE =
  /link is not valid any more|no name server knows its host|cannot be merged into itself|password is wrong|begin again/

/** What is refused of the examples, for reasons that are in the example. */
async function refusedExamples(
  document: Node,
  ask: (method: string, path: string, body: unknown) => Promise<Answer>,
): Promise<readonly string[]> {
  const refused: string[] = []
  const examples = examplesOf(document)
  for (const { body, method, of, path } of examples) {
    // A stream does not end, and whether PUT by a value creates is up to the records.
    if (path.includes('/stream') || path.includes('/by/')) continue
    const [bare = '', query] = path.split('?')
    const found = body !== undefined && (method === 'PATCH' || method === 'DELETE') && !bare.includes('{')
    const real = bare.replace('{id}', '1')
    const text = [query, found ? 'id=1&max=9&dry_run=true' : undefined].filter(Boolean).join('&')
    const answer = await ask(method, `${real.replace(/\{\w+\}/g, 'x')}?${text}`, body)
    const { error_codes = {}, errors = {} } = answer.body ?? {}
    const ownFault = Object.entries(error_codes as Record<string, string[]>).some(
      ([at, codes]) => !codes.every((code) => BY_RECORDS.has(code)) && !BY_PLACE.test(String(errors[at])),
    )
    if (answer.status === 400 || answer.status === 415 || answer.status >= 500 || ownFault)
      refused.push(`${of} ${JSON.stringify(body ?? query)}: ${answer.text.slice(0, 300)}`)
  }
  assert.ok(examples.length > 0)
  return refused
}

test('the desk accepts every example that its document gives', async () => {
  const desk = await openDesk()
  try {
    const document = desk.engine.app.document()
    assert.equal(
      await refusedExamples(document, (method, path, body) =>
        desk.call(method, `/${path}`, { as: desk.admin, ...(body === undefined ? {} : { body }) }),
      ),
      [],
    )
  } finally {
    await desk.close()
  }
})

const OPEN = ['view', 'create', 'update', 'delete'].map((name) => `${name}: [{ who: anyone }]`).join(', ')
const RULED = {
  'app.yaml': 'name: Ruled\nprefix: /api\nplugins: {}\n',
  'stays.yaml': `resource: stays
fields:
  starts_on: { type: date, required: true }
  ends_on: { type: date, required: true }
rules: { ends_later: { must: { ends_on: { gt: $record.starts_on } }, says: It ends after it starts, at: ends_on } }
policies: { ${OPEN} }
`,
  'people.yaml': `resource: people
fields:
  name: { type: string, required: true }
  email: { type: email }
  phone: { type: string }
rules: { reachable: { must: { any: [{ email: { null: false } }, { phone: { null: false } }] }, says: How is it reached?, at: email } }
policies: { ${OPEN} }
`,
  'doors.yaml': `resource: doors
fields:
  name: { type: string, required: true }
  state: { type: enum, values: [open, shut, locked], default: shut }
  note: { type: string }
  lock: { type: string }
rules:
  locked_by_one: { when: { state: locked }, must: { lock: { null: false } }, says: By which lock?, at: lock }
  no_note_alone: { must: { any: [{ note: null }, { lock: { null: false } }] }, says: A note is about a lock, at: note }
moves: { state: { allow: [{ from: shut, to: [open, locked] }, { from: [open, locked], to: shut }] } }
policies: { ${OPEN} }
`,
  'words.yaml': `resource: words
batch: true
fields:
  word: { type: string, required: true }
  tongue: { type: text, nullable: false, default: en }
  shelf: { type: string, max: 9, min: 0, required: true }
  price: { type: decimal, precision: 6, scale: 2, min: "-1.5", max: 300, required: true }
  share: { type: decimal, precision: 3, scale: 3 }
  whole: { type: decimal, precision: 4, scale: 0 }
  large: { type: bigint, min: "-7", max: "9007199254740990" }
policies: { ${OPEN} }
`,
}

let ruled: TestApplication
test.before(async () => {
  ruled = await application({ resources: RULED })
})
test.after(() => ruled?.close())

test('a body that a rule refuses is no example, and one that it admits is', async () => {
  const document = ruled.engine.app.document()
  const ask = (method: string, path: string, body: unknown) =>
    ruled.call(method, path, body === undefined ? {} : { body })
  assert.equal(await refusedExamples(document, ask), [])
  const { Stay, StayCreate, PersonCreate, DoorCreate } = Object(Object(document.components).schemas)
  assert.ok(Stay && StayCreate)
  assert.equal(
    [StayCreate, PersonCreate, DoorCreate].map((one) => examplesIn(document, one).length),
    [0, 0, 1],
  )
})

/** What a schema admits, as a proxy in front of the server would judge it. */
function admits(name: string): (value: unknown) => boolean {
  const document = ruled.engine.app.document()
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'document', ...document })
  return ajv.compile({ $ref: `document#/components/schemas/${name}` }) as (value: unknown) => boolean
}

test('a body is admitted by its schema exactly if the server takes it: empty texts, empty batches, bounds of numbers', async () => {
  const isCreate = admits('WordCreate')
  const good = { word: 'a', shelf: 'b', price: 1 }
  const text = fc.record({
    word: fc.constantFrom('', 'a', null),
    tongue: fc.constantFrom('', 'b'),
    shelf: fc.constantFrom('', 'c'),
  })
  const cents = (least: number, most: number) => fc.integer({ min: least, max: most }).map((one) => one / 100)
  const numbers = fc.record({
    price: fc.oneof(cents(-300, 100), cents(29_000, 31_000), fc.constantFrom('12345.00', '299.99', '001.5')),
    share: fc.constantFrom(0.5, 0.999, 1, -1, '0.25', '1.5', '00.1', null),
    whole: fc.constantFrom(9999, 10_000, -9999, -10_000, '12345', '0001234', '9999'),
    large: fc.constantFrom(-8, -7, 9007199254740990, 9007199254740991, '5', 'x'),
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, numbers), async (drawn) => {
      const body = { ...good, ...drawn }
      const { status, text: said } = await ruled.call('POST', '/api/words', { body })
      assert.is(isCreate(body), status === 201, `${JSON.stringify(body)}: ${said}`)
    }),
    { numRuns: 150 },
  )
  const batch = await ruled.call('POST', '/api/words/batch', { body: {} })
  const operation = Object(ruled.engine.app.document().paths['/api/words/batch']).post
  const { content } = resolved(ruled.engine.app.document(), operation.requestBody) as {
    content: Record<string, { schema: unknown }>
  }
  const schema = resolved(ruled.engine.app.document(), content['application/json']?.schema)
  assert.equal([batch.status, schema.minProperties], [422, 1])
})

test('a page above the largest is served as the largest, and parameter, answer and guide say so', async () => {
  const document = ruled.engine.app.document()
  const { parameters } = Object(document.paths['/api/words']).get as { parameters: unknown[] }
  const perPage = parameters.map((one) => resolved(document, one)).find(({ name }) => name === 'per_page')
  assert.match(
    String(perPage?.description),
    /More than 100 are served as 100, as `meta\.pagination\.per_page` then says/,
  )
  assert.is(Object(perPage?.schema).maximum, undefined, 'a client that asks for more is not refused')
  for (const most of [100, 1_000, 999_999_999]) {
    const { body, status } = await ruled.call('GET', `/api/words?per_page=${most}`)
    assert.equal([status, body.meta.pagination.per_page], [200, 100])
  }
  const page = readFileSync('resources/guide/lists-and-filters.md', 'utf8')
  assert.match(page, /A `per_page` above the largest, 100, is served as the largest/)
})

test('the security of an operation names the scheme by which its caller is known', async () => {
  const open = ruled.engine.app.document()
  assert.equal(open.security, [], 'nobody knows a token')
  assert.equal(Object.keys(Object(open.components.securitySchemes)), ['metrics'])
  for (const [path, under] of Object.entries(open.paths))
    for (const [, { security }] of methodsOf(under)) {
      const named = ((security ?? []) as object[]).flatMap(Object.keys)
      assert.equal(named, path === '/metrics' ? ['metrics'] : [], path)
    }
  const resource = RULED['people.yaml'].replaceAll('anyone', 'signed_in')
  const files = { 'app.yaml': RULED['app.yaml'].replace('{}', '{ who: {} }'), 'people.yaml': resource }
  const known = await application({ resources: files, plugins: 'test/action/plugins' })
  const document = known.engine.app.document()
  await known.close()
  assert.equal(document.security, [{ bearer: [] }])
  assert.equal(Object.keys(Object(document.components.securitySchemes)), ['bearer', 'metrics'])
})

test.run()
