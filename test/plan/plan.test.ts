/** Plans: equal parts make one plan, other parts another, and a request that comes again compiles nothing. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { identityOf, numberOf, type Part } from '../../engine/plan/plan.ts'
import { ANN, type Library, library, STAFF } from '../action/library.ts'

const test = suite('plans')
let app: Library

test.before(async () => {
  app = await library()
})
test.after(() => app.close())

const OBJECTS = [{}, {}, { name: 'same' }, { name: 'same' }] as const

/** Parts, each beside what it is, so that two can be compared without their identity. */
const leaf: fc.Arbitrary<readonly [Part, unknown]> = fc.oneof(
  fc.string().map((text): readonly [Part, unknown] => [text, ['text', text]]),
  fc.integer().map((number): readonly [Part, unknown] => [number, ['number', number]]),
  fc.boolean().map((flag): readonly [Part, unknown] => [flag, ['flag', flag]]),
  fc.constantFrom(undefined, null).map((none): readonly [Part, unknown] => [none, [String(none)]]),
  fc.nat(OBJECTS.length - 1).map((at): readonly [Part, unknown] => [OBJECTS[at], ['object', at]]),
  fc.string().map((planId): readonly [Part, unknown] => [{ planId }, ['plan', planId]]),
)
const part = fc.oneof(
  leaf,
  fc
    .array(leaf, { maxLength: 3 })
    .map((all): readonly [Part, unknown] => [all.map(([one]) => one), all.map(([, is]) => is)]),
)

test('parts have the same identity exactly when they are the same', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 3 }), fc.array(part, { maxLength: 3 }), (one, other) => {
      const same = JSON.stringify(one.map(([, is]) => is)) === JSON.stringify(other.map(([, is]) => is))
      const [first, second] = [one, other].map((parts) => identityOf(parts.map(([value]) => value)))
      assert.is(first === second, same, `${first} ${second}`)
    }),
    { numRuns: 2_000 },
  )
  for (const [at, one] of OBJECTS.entries())
    for (const [nth, other] of OBJECTS.entries()) assert.is(numberOf(one) === numberOf(other), at === nth)
})

const BOOK = { title: 'A plan', pages: 12, tag_ids: [] }

/** Requests of each kind, of several callers; `round` keeps their values apart. */
async function everything(round: number): Promise<void> {
  for (const token of [STAFF, ANN]) {
    const { id } = await app.expect(201, 'POST', '/books', token, { ...BOOK, title: `${round}` })
    await app.expect(200, 'PATCH', `/books/${id}`, token, { title: `Round ${round}` })
    await app.expect(200, 'PUT', `/books/${id}`, token, { title: `Again ${round}` })
    await app.expect(200, 'GET', `/books/${id}`, token)
    await app.expect(200, 'GET', `/books?pages=${round}&sort=-title`, token)
    await app.expect(200, 'GET', `/books?search=round${round}`, token)
    await app.expect(
      200,
      'GET',
      `/books?where=${encodeURIComponent(`{"pages":{"gt":${round}}}`)}&fields=id,title`,
      token,
    )
    await app.expect(422, 'POST', '/books', token, { ...BOOK, pages: 'many' })
    if (token === STAFF) await app.expect(204, 'DELETE', `/books/${id}`, token)
  }
}

test('a request that comes again with other values compiles nothing', async () => {
  const { statements } = app.engine.app.foundation
  const get = statements.get.bind(statements)
  const known = new Set<object>()
  const anew = new Set<string>()
  let asked = 0
  Object.assign(statements, {
    get: ((compile, scope, ...parts) => {
      const found = get(compile, scope, ...parts)
      if (!known.has(found)) anew.add(compile.name)
      known.add(found)
      asked += 1
      return found
    }) satisfies typeof statements.get,
  })
  await everything(1)
  assert.ok(known.size >= 15, String(known.size))
  anew.clear()
  asked = 0
  await everything(2)
  Object.assign(statements, { get })
  assert.ok(asked > 20, String(asked))
  assert.equal([...anew], [])
})

test.run()
