/** Hostile input in every parameter and every body field of every route that /openapi.json names: refused or served, never a fault. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Node } from '../../engine/openapi/openapi-document.ts'
import { flat, methodsOf, resolved } from '../support/document.ts'
import { type Desk, openDesk, PASSWORD } from './desk.ts'

interface Operation {
  readonly method: string
  readonly path: string
  readonly query: readonly string[]
  /** Names of the body's fields with a value that is right as far as its schema goes; undefined without a JSON body. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

let desk: Desk
let operations: readonly Operation[]
/** A record of each group, by its path. */
const ids = new Map<string, string>()
const test = suite('desk: hostile input')

const PERSON = { first_name: 'A', last_name: 'B', password: PASSWORD, password_confirmation: PASSWORD }

/** What there is, so that hostile bodies come as far as a record. */
const RECORDS: Readonly<Record<string, object>> = {
  '/tickets': { subject: 'Printer', details: 'Broken' },
  '/contacts': { first_name: 'a', last_name: 'b' },
  '/customers': { ...PERSON, email: 'c@people.example' },
  '/users': { ...PERSON, email: 'u@people.example' },
  '/organizations': { name: 'o' },
  '/conversations': { ticket_id: 1, type: 'customer' },
  '/settings/categories': { name: 'n' },
  '/settings/priorities': { name: 'n' },
  '/settings/statuses': { name: 'n' },
  '/settings/departments': { name: 'n' },
  '/settings/types': { name: 'n' },
  '/settings/roles': { name: 'n' },
  '/knowledge-base': { title: 't', details: 'd' },
  '/faqs': { name: 'n', details: 'd' },
  '/posts': { title: 't', details: 'd' },
  '/notes': { name: 'n' },
}

test.before(async () => {
  desk = await openDesk()
  for (const [path, body] of Object.entries(RECORDS)) {
    const made = await desk.post(path, desk.admin, body)
    assert.is(made.status, 201, `${path}: ${made.text}`)
    ids.set(`/api/v1${path}`, String(made.at('data.id')))
  }
  operations = operationsOf({ ...desk.engine.app.document() })
})
test.after(() => desk.close())

const at = (node: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => Reflect.get(Object(value), key), node)

function operationsOf(document: Node): readonly Operation[] {
  return Object.entries(document.paths as Readonly<Record<string, Node>>).flatMap(([path, item]) =>
    methodsOf(item).map(([method, operation]) => {
      const parameters = ((at(operation, 'parameters') ?? []) as readonly Node[]).map((one) => resolved(document, one))
      const body = resolved(document, operation.requestBody)
      const schema = at(body, 'content', 'application/json', 'schema')
      const fields = Object.entries(flat(document, schema ?? {}).properties)
      return {
        method: method.toUpperCase(),
        path,
        query: parameters.filter((one) => one.in === 'query').map((one) => String(one.name)),
        body:
          schema === undefined
            ? undefined
            : Object.fromEntries(fields.map(([name, of]) => [name, likely(resolved(document, of))])),
      }
    }),
  )
}

/** A value that a field may well take, so that one hostile field at a time reaches what is behind the others. */
function likely(schema: Node): unknown {
  const [type] = [schema.type ?? 'string'].flat()
  const [word] = (schema.enum ?? []) as readonly unknown[]
  if (word !== undefined) return word
  if (type === 'integer' || type === 'number') return 1
  if (type === 'boolean') return true
  if (type === 'array') return []
  if (schema.format === 'email') return 'somebody@people.example'
  if (schema.format === 'date') return '2026-01-01'
  return 'some words'
}

const DEEP = JSON.parse(`${'['.repeat(30)}1${']'.repeat(30)}`)

/** Texts for paths and queries. */
const TEXTS: readonly string[] = [
  "' or 1=1; drop table tickets; --",
  '10000'.repeat(2_000),
  '\u0000',
  '{"$gt": ""}',
  '__proto__',
  '-1',
  '99999999999999999999',
  '1e400',
  '%_\\',
  '\ud83d\ude00\u202e',
  '../../etc/passwd',
  '2026-02-30',
  ',,,',
]

const VALUES: readonly unknown[] = [
  ...TEXTS,
  '\ud800',
  -1,
  0,
  2 ** 31,
  1e308,
  0.5,
  true,
  null,
  [],
  [null],
  ['\u0000', {}, DEEP],
  {},
  { constructor: { prototype: 1 } },
  DEEP,
]

/**
 * What is not about input: probes and pages have no envelope, and a sign-out would end the test's own session. A stream
 * never ends; its parameters are those of its list.
 */
const ASIDE =
  /\/stream$|^\/(livez|readyz|metrics|docs|dashboard|console|openapi\.json|password|email|satisfaction|sign-in|account)|auth\/logout/

function isSound(status: number, what: string, text: string): void {
  assert.ok(status >= 200 && status < 500, `${what.slice(0, 300)} answered ${status}: ${text.slice(0, 500)}`)
  assert.not.match(text.slice(0, 2000), /select .* from "|syntax error at|node_modules|\bat .*\.ts:\d+/)
}

/**
 * Every place meets a tenth of the values, and the next place where the same is sent another tenth: routes have much in
 * common. TEST_THOROUGH=1 sends all to all, which takes a minute.
 */
const STEP = process.env.TEST_THOROUGH === undefined ? 10 : 1
let turn = 0

function some<T>(values: readonly T[]): readonly T[] {
  turn += 1
  return values.filter((_, index) => (index + turn) % STEP === 0)
}

/** Sends several at once, since one by one they take turns with the network alone. */
async function each<T>(all: readonly T[], send: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all]
  const next = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await send(one)
  }
  await Promise.all(Array.from({ length: 8 }, next))
}

/** From the root, as `call` takes it; about the record of the group where no id is given. */
function plain(path: string, id?: string): string {
  const group = path.slice(0, path.indexOf('/{'))
  return `/${path.replace(/\{\w+\}/g, id ?? ids.get(group) ?? '1')}`
}

test('in the path of every route', async () => {
  const asked = operations.filter(({ path }) => path.includes('{') && !ASIDE.test(path))
  assert.ok(asked.length > 70, `${asked.length} routes`)
  await each(
    asked.flatMap((operation) => some(TEXTS).map((text) => ({ operation, text }))),
    async ({ operation: { method, path, body }, text }) => {
      const url = plain(path, encodeURIComponent(text.slice(0, 3_000)))
      const answer = await desk.call(method, url, { as: desk.admin, ...(body && { body: {} }) })
      isSound(answer.status, `${method} ${url}`, answer.text)
      assert.ok(answer.status >= 400, `${method} ${url} answered ${answer.status}`)
    },
  )
})

test('in every query parameter of every route', async () => {
  const asked = operations.filter(({ path, query }) => query.length > 0 && !ASIDE.test(path))
  assert.ok(asked.length > 35, `${asked.length} routes`)
  const calls = asked.flatMap(({ method, path, query }) =>
    query.flatMap((name) =>
      some(TEXTS).map((text) => ({
        method,
        url: `${plain(path)}?${encodeURIComponent(name)}=${encodeURIComponent(text)}`,
      })),
    ),
  )
  await each(calls, async ({ method, url }) => {
    const answer = await desk.call(method, url, { as: desk.admin })
    isSound(answer.status, `${method} ${url}`, answer.text)
  })
})

test('in the brackets and names of query parameters', async () => {
  const lists = operations.filter(
    ({ method, path, query }) => method === 'GET' && query.includes('sort') && !path.includes('{'),
  )
  assert.ok(lists.length > 15, `${lists.length} lists`)
  const names = [
    '__proto__',
    'id[__proto__]',
    'id[gte][lte]',
    'id[',
    'id[]',
    '[id]',
    'created_at[between]',
    'constructor',
    "id'",
    '%00',
    'a'.repeat(3_000),
  ]
  await each(
    lists.flatMap(({ path }) =>
      some(names).map((name) => `${plain(path)}?${name === '%00' ? name : encodeURIComponent(name)}=1`),
    ),
    async (url) => {
      const answer = await desk.get(url, desk.admin)
      isSound(answer.status, url, answer.text)
      assert.is(answer.status, 422, url)
    },
  )
})

test('in every field of every body', async () => {
  const asked = operations.filter(
    ({ path, body }) => body !== undefined && !ASIDE.test(path) && !path.includes('ai/settings'),
  )
  assert.ok(asked.length > 45, `${asked.length} routes`)
  const calls = asked.flatMap(({ method, path, body = {} }) =>
    Object.keys(body).flatMap((name) =>
      some(VALUES).map((value) => ({ method, url: plain(path), body: { ...body, [name]: value } })),
    ),
  )
  const statuses = new Set<number>()
  await each(calls, async ({ method, url, body }) => {
    const answer = await desk.call(method, url, { as: desk.admin, body })
    isSound(answer.status, `${method} ${url} ${JSON.stringify(body)}`, answer.text)
    statuses.add(answer.status)
  })
  assert.ok(
    [200, 201, 422].every((status) => statuses.has(status)),
    [...statuses].join(),
  )
})

test('as the body itself', async () => {
  const bodies = [
    '[]',
    '1',
    '"text"',
    'null',
    '{"__proto__": {"admin": true}}',
    '{"constructor": 1}',
    '{"a": 1',
    '\u0000',
    '[['.repeat(5_000),
    '{"a":'.repeat(40),
  ]
  const asked = operations.filter(({ path, body }) => body !== undefined && !ASIDE.test(path))
  await each(
    asked.flatMap(({ method, path }) => some(bodies).map((body) => ({ method, url: plain(path), body }))),
    async ({ method, url, body }) => {
      const answer = await desk.call(method, url, { as: desk.admin, body })
      isSound(answer.status, `${method} ${url} ${body}`, answer.text)
      assert.ok(answer.status >= 400, `${method} ${url} ${body.slice(0, 40)} answered ${answer.status}`)
    },
  )
})

test('and the desk is as it was', async () => {
  assert.is((await desk.get('/auth/me', desk.admin)).at('data.role.slug'), 'admin')
  assert.is((await desk.get('/tickets?per_page=1', desk.admin)).status, 200)
  assert.is(({} as { admin?: boolean }).admin, undefined)
})

test.run()
