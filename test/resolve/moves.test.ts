/** Moves that no record makes, and values that are set where no move leads. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mistakes, VIEW } from './resolves.ts'

const test = suite('mistakes in moves')

const ALL = ['draft', 'open', 'solved', 'closed']
const CLOSED = 'view: [], create: [{ who: anyone, fields: [name] }], update: [{ who: anyone }], delete: []'
const OPEN = CLOSED.replace(', fields: [name]', '')

interface Entry {
  readonly from: string | readonly string[]
  readonly to: string | readonly string[]
  readonly role?: string
}

const things = (allow: readonly Entry[], policies: string, more = '') => ({
  things: `fields: { name: { type: string }, state: { type: enum, values: [${ALL}], default: draft } }
moves: { state: { allow: ${JSON.stringify(allow)} } }\npolicies: { ${policies} }\n${more}`,
})

const sides = fc.oneof(fc.constant('any'), fc.subarray(ALL.slice(), { minLength: 1 }))

test('words that no move reaches or leaves are told of, and no others', () => {
  const drawn = fc.record({
    allow: fc.array(fc.record({ from: sides, to: sides, role: fc.constant('x') }), { minLength: 1, maxLength: 3 }),
    isSent: fc.boolean(),
  })
  fc.assert(
    fc.property(drawn, ({ allow, isSent }) => {
      const has = (side: 'from' | 'to', word: string) =>
        allow.some((one) => one[side] === 'any' || (one[side] as readonly string[]).includes(word))
      const expected = ALL.flatMap((word) => {
        if (!has('to', word) && !has('from', word)) return [`No move reaches or leaves "${word}" of "state"`]
        if (isSent) return []
        if (!has('to', word) && word !== 'draft')
          return [`Every new record begins with "draft", and no move reaches "${word}"`]
        return !has('from', word) && word === 'draft'
          ? ['Every new record begins with "draft", which no move leaves']
          : []
      })
      const said = mistakes(things(allow, isSent ? OPEN : CLOSED), 'warning').filter((line) => line.includes('move'))
      assert.equal(said.map((line) => line.replace(/^.*?wrong_rule: (.*) \(.*?\)$/, '$1')).sort(), expected.sort())
    }),
    { numRuns: 60 },
  )
})

test('an entry that another one covers is told of', () => {
  const said = (...allow: readonly Entry[]) =>
    mistakes(things([...allow, { from: ALL, to: ALL, role: 'boss' }], OPEN), 'warning')
  assert.equal(said({ from: 'any', to: 'closed', role: 'a' }, { from: 'open', to: 'closed', role: 'a' }), [
    'things.yaml [{"from":"open","to":"closed","role":"a"}] wrong_rule: Entry 1 allows all of this already (take this entry away, or narrow the other one)',
  ])
  assert.match(
    said({ from: 'open', to: 'closed', role: 'a' }, { from: 'open', to: 'any' }).join('\n'),
    /Entry 2 allows/,
  )
  assert.equal(said({ from: 'open', to: 'closed', role: 'a' }, { from: 'open', to: 'closed', role: 'b' }), [])
  assert.equal(said({ from: 'open', to: 'closed' }, { from: 'open', to: ['closed', 'solved'], role: 'a' }), [])
})

test('a variable under from or to is a word that no record has', () => {
  const kinds = `fields: { name: { type: string }, slug: { type: slug, from: name } }\n${VIEW}`
  const moved = (to: string) =>
    mistakes({
      things: `relations: { kind: { belongs_to: kinds } }\nmoves: { kind: { by: slug, allow: [{ from: any, to: ${to} }] } }\n${VIEW}`,
      kinds,
    })
  for (const word of ['$record.kind', '$before.kind', '$actor', '$now'])
    assert.equal(moved(`[done, ${word}]`), [
      `things.yaml [${word}] wrong_rule: "${word}" is a word like others here, which no record has: moves know no other values (write the words that are meant; what compares with another value is a rule)`,
    ])
  assert.equal(moved('[done, 5$]'), [])
})

test('what an automation sets is a word to which a move leads from where the record is', () => {
  const allow = [
    { from: 'draft', to: 'open' },
    { from: 'open', to: ['solved', 'draft'] },
  ]
  const automated = (when: string, to: string) =>
    mistakes(
      things(allow, OPEN, `automations: { close: { every: "0 8 * * *", when: ${when}, set: { state: ${to} } } }`),
    )
  const message = (way: string) =>
    `things.yaml [set] wrong_rule: No move of "state" leads${way}, so this is refused each time (add the move to "allow", or set a word that can follow)`
  assert.equal(automated('{ name: x }', 'closed'), [message(' to "closed"')])
  assert.equal(automated('{ state: draft }', 'solved'), [message(' from "draft" to "solved"')])
  assert.equal(automated('{ name: x, all: [{ state: [draft, solved] }] }', 'draft'), [
    message(' from "solved" to "draft"'),
  ])
  assert.equal(automated('{ state: [draft, open] }', 'solved'), [])
  assert.equal(automated('{ name: x }', 'solved'), [])
  assert.equal(automated('{ state: closed }', 'closed'), [])
})

test('what follows from an update, or in another record, is a word to which a move leads', () => {
  const allow = [{ from: ALL.slice(0, 3), to: ['open', 'solved'] }]
  const follows = (on: string, to: string) => `follows: [{ on: ${on}, changed: name, set: { state: ${to} } }]`
  assert.match(mistakes(things(allow, OPEN, follows('[update]', 'closed'))).join('\n'), /leads to "closed", so this/)
  assert.equal(mistakes(things(allow, OPEN, follows('[update]', 'solved'))), [])
  assert.equal(mistakes(things(allow, OPEN, follows('[create, update]', 'closed'))), [])
  const parts = (to: string) =>
    `fields: { name: { type: string } }\nrelations: { thing: { belongs_to: things } }\nfollows: [{ of: thing, changed: name, set: { state: ${to} } }]\n${VIEW}`
  assert.match(mistakes({ ...things(allow, OPEN), parts: parts('closed') }).join('\n'), /leads to "closed", so this/)
  assert.equal(mistakes({ ...things(allow, OPEN), parts: parts('solved') }), [])
})

test('a move that the conditions of all clauses of update refuse is told of', () => {
  const allow = [
    { from: 'draft', to: 'open', role: 'x' },
    { from: ['open', 'solved'], to: ['draft', 'solved', 'closed'], role: 'x' },
  ]
  const updated = (...clauses: readonly string[]) =>
    mistakes(things(allow, `view: [], create: [{ who: anyone }], update: [${clauses}], delete: []`), 'warning').filter(
      (line) => line.includes('lets a record go this way'),
    )
  const clause = (words: string, more = '') => `{ role: x, where: { state: ${words} }${more} }`
  assert.is(updated(clause('draft')).length, 2)
  assert.is(updated(clause('draft'), clause('[open, solved]')).length, 1)
  assert.is(updated(clause('[draft, open]'), clause('closed')).length, 0)
  assert.equal(updated(clause('[draft, open, closed]')), [])
  assert.equal(updated(clause('draft'), '{ role: y }'), [])
  assert.is(updated(clause('draft'), '{ role: y, fields: [name] }').length, 2)
})

test.run()
