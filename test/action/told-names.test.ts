/** A refusal names only fields that its caller may read or write: not as the nearest one, not in a list, not as what stands in the way. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'

const GUARDED = '{ type: string, max: 20, read: { role: keeper }, write: { role: keeper } }'
const THINGS = `
resource: things
soft_delete: true
restore: true
fields:
  title:     { type: string, required: true }
  margin:    ${GUARDED}
  supplier:  ${GUARDED.replace('max: 20', 'max: 20, unique: true')}
  password:  { type: secret, write: { role: keeper } }
  appraisal: { type: integer, default: 1, read_only: true, read: { role: keeper } }
  shelfmark: { type: string, required: true, read: { role: keeper }, write: { role: keeper } }
indexes: [{ fields: [title, margin], unique: true }]
filters: [title, margin, supplier, appraisal]
sort: { keys: [title, margin, supplier, appraisal, id] }
policies:
  view:    [{ role: [keeper, seller] }]
  create:  [{ role: [keeper, seller] }]
  update:  [{ role: keeper }, { role: seller, fields: [title] }]
  delete:  [{ role: [keeper, seller] }]
  restore: [{ role: [keeper, seller] }]
`
const HIDDEN = ['margin', 'supplier', 'password', 'appraisal', 'shelfmark']
const KEEPER = '1:keeper:'
const SELLER = '2:seller:'

const test = suite('names in refusals')
let app: TestApplication
test.before(async () => {
  app = await application({
    resources: {
      'app.yaml': "name: Shelf\nprefix: ''\nplugins: { soft_delete: {}, who: {} }\n",
      'things.yaml': THINGS,
    },
    plugins: 'test/support/plugins',
  })
})
test.after(() => app.close())

/** A word near to a hidden name: a letter left out, doubled or changed, or two that changed places. */
const near = fc.tuple(fc.constantFrom(...HIDDEN), fc.nat({ max: 8 }), fc.nat({ max: 3 })).map(([name, place, slip]) => {
  const at = place % (name.length - 1)
  const [before, letter, after] = [name.slice(0, at), name[at]!, name.slice(at + 1)]
  if (slip === 0) return before + after
  if (slip === 1) return `${before}${letter}${letter}${after}`
  if (slip === 2) return `${before}x${after}`
  return `${before}${after[0]}${letter}${after.slice(1)}`
})

const shapes: readonly ((word: string) => readonly [method: string, path: string, body?: object])[] = [
  (word) => ['POST', '/things', { title: 'A', [word]: 'x' }],
  (word) => ['PATCH', '/things/1', { [word]: 'x' }],
  (word) => ['POST', '/things/batch', { create: [{ [word]: 'x' }], update: [{ id: 1, [word]: 'x' }] }],
  (word) => ['GET', `/things?${word}=x`],
  (word) => ['GET', `/things?${word}[contains]=x`],
  (word) => ['GET', `/things?sort=${word}`],
  (word) => ['GET', `/things?fields=${word}`],
  (word) => ['GET', `/things?omit=${word}`],
  (word) => ['GET', `/things?where=${encodeURIComponent(JSON.stringify({ [word]: 'x' }))}`],
  (word) => ['DELETE', `/things?max=1&${word}=x`],
  (word) => ['PUT', `/things/by/${word}/x`, { title: 'A' }],
]

test('a word near to a hidden name is told as any other unknown word', async () => {
  await app.call('POST', '/things', { token: KEEPER, body: { title: 'First', shelfmark: 'a' } })
  await fc.assert(
    fc.asyncProperty(near, fc.constantFrom(...shapes), async (word, shape) => {
      fc.pre(!HIDDEN.includes(word))
      const [method, path, body] = shape(word)
      const { status, text } = await app.call(method, path, { token: SELLER, ...(body && { body }) })
      assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status}`)
      const said = text.replaceAll(word, '')
      for (const name of HIDDEN) assert.not.ok(said.includes(name), `${method} ${path}: ${text}`)
    }),
    { numRuns: 300 },
  )
  const helped = await app.call('POST', '/things', { token: KEEPER, body: { title: 'A', shelfmark: 'b', margim: 'x' } })
  assert.equal(helped.at('errors.margim'), ['Unknown field "margim"; did you mean "margin"?'])
})

test('what a caller may not use stands in the way without its name', async () => {
  const refused = await app.call('POST', '/things', { token: SELLER, body: { title: 'A' } })
  assert.is(refused.status, 422)
  assert.equal(refused.at('errors'), { record: ['A value that you may not set stands in the way'] })
  const told = await app.call('POST', '/things', { token: KEEPER, body: { title: 'A' } })
  assert.equal(told.at('errors'), { shelfmark: ['The shelfmark field is required'] })

  const make = async (title: string, more: object) =>
    (await app.call('POST', '/things', { token: KEEPER, body: { title, shelfmark: title, ...more } })).at('data.id')
  const gone = await make('Gone', { supplier: 'one' })
  await app.call('DELETE', `/things/${gone}`, { token: KEEPER })
  await make('Next', { supplier: 'one' })
  const back = await app.call('POST', `/things/${gone}/restore`, { token: SELLER })
  assert.is(back.status, 409)
  assert.is(back.at('message'), 'The thing cannot be restored: a value of it has been taken since')
  const byKeeper = await app.call('POST', `/things/${gone}/restore`, { token: KEEPER })
  assert.is(byKeeper.at('message'), 'The thing cannot be restored: its supplier has been taken since')

  await make('Pair', { margin: 'm' })
  const other = await make('Other', { margin: 'm' })
  const pair = await app.call('PATCH', `/things/${other}`, { token: SELLER, body: { title: 'Pair' } })
  assert.is(pair.status, 422, pair.text)
  for (const name of HIDDEN) assert.not.ok(pair.text.includes(name), pair.text)
})

test.run()
