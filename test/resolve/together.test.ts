/** Rules that contradict each other or ask for nothing, and seeds that break one. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mistakes, VIEW } from './resolves.ts'

const test = suite('rules together')

const FIELDS =
  'fields: { name: { type: string }, n: { type: integer, min: 1, max: 9 }, kind: { type: enum, values: [a, b, c], required: true }, on: { type: boolean }, day: { type: date }, until: { type: date }, at: { type: timestamp }, till: { type: timestamp } }\n'

type Rules = Readonly<Record<string, object>>

const things = (rules: Rules, more = '') => ({
  things: `${FIELDS}rules: ${JSON.stringify(rules)}\n${more}\n${VIEW}`,
})
const said = (rules: Rules, more = ''): readonly string[] => mistakes(things(rules, more))
const warned = (rules: Rules, more = ''): readonly string[] => mistakes(things(rules, more), 'warning')
const must = (condition: object, more: object = {}) => ({ must: condition, says: 'No', ...more })

const WORDS = ['a', 'b', 'c']

/** A condition on the word of a record, with the words that fulfil it. */
const ofWords = fc
  .tuple(fc.constantFrom('eq', 'ne', 'in', 'not_in'), fc.subarray(WORDS.slice(), { minLength: 1, maxLength: 2 }))
  .map(([operator, words]) => {
    const isOne = operator === 'eq' || operator === 'ne'
    const named = isOne ? words.slice(0, 1) : words
    const fulfil = operator === 'ne' || operator === 'not_in' ? WORDS.filter((one) => !named.includes(one)) : named
    return { condition: { kind: { [operator]: isOne ? named[0] : named } }, fulfil }
  })

test('two rules that no word fulfils together are refused, and no others', () => {
  fc.assert(
    fc.property(ofWords, ofWords, (one, other) => {
      const isPossible = one.fulfil.some((word) => other.fulfil.includes(word))
      const found = said({ one: must(one.condition), other: must(other.condition) })
      assert.is(found.length, isPossible ? 0 : 1, found.join('\n'))
      if (!isPossible)
        assert.match(found[0] ?? '', /^things\.yaml \["other"] wrong_rule: No record keeps both "one" and "other"/)
    }),
    { numRuns: 60 },
  )
})

test('rules about numbers and times that exclude each other are refused', () => {
  const turned = { till: { lt: '$record.at' } }
  for (const [one, other] of [
    [{ n: { gt: 5 } }, { n: { lt: 3 } }],
    [{ n: null }, { n: { gte: 1 } }],
    [{ till: { gte: '$record.at' } }, turned],
    [{ till: '$record.at' }, turned],
  ] as const)
    assert.match(said({ one: must(one), other: must(other) }).join('\n'), /No record keeps both "one" and "other"/)
  assert.equal(said({ one: must({ n: { gt: 3 } }), other: must({ n: { lt: 5 } }) }), [])
  assert.equal(said({ one: must({ till: { lte: '$record.at' } }), other: must({ till: { gte: '$record.at' } }) }), [])
})

test('rules contradict each other only where one write is judged by both', () => {
  const both = (one: object, other: object) =>
    said({ one: must({ kind: 'a' }, one), other: must({ kind: 'b' }, other) }).length
  assert.is(both({}, {}), 1)
  assert.is(both({ when: { n: 1 } }, { when: { n: 1 } }), 1)
  assert.is(both({ when: { n: 1 } }, { when: { n: 2 } }), 0)
  assert.is(both({ on: ['create'] }, { on: ['update'] }), 0)
  assert.is(both({ on: ['update'], changed: 'n' }, { on: ['update'] }), 0)
  assert.is(both({ on: ['create', 'update'], changed: 'n' }, { on: ['create'] }), 1)
})

test('numbers that contradict each other in two rules are refused', () => {
  const least = { at_least: 5, says: 'No' }
  const most = { at_most: 3, says: 'No' }
  const where = { where: { kind: 'a' } }
  assert.equal(said({ least, most }), [
    'things.yaml ["most"] wrong_rule: There cannot be 5 records at least and 3 at most, as "least" and "most" say (write a greater "at_most", or a lower "at_least")',
  ])
  assert.is(said({ most: { ...most, ...where }, least: { ...least, ...where } }).length, 1)
  assert.is(said({ least: { ...least, per: 'name' }, most: { ...most, per: 'name' } }).length, 1)
  assert.is(said({ least: { at_least: 2, where: { on: true }, says: 'No' }, one: { only_one: 'on' } }).length, 1)
  assert.equal(said({ least: { ...least, ...where }, most }), [])
  assert.equal(said({ least, most: { ...most, per: 'name' } }), [])
  assert.equal(said({ least: { at_least: 1, where: { on: true }, says: 'No' }, one: { only_one: 'on' } }), [])
})

test('a rule that every record keeps is told of, and so is a clause that every record fulfils', () => {
  const always = [
    { kind: { in: WORDS } },
    { kind: { null: false } },
    { any: [{ kind: 'a' }, { kind: { ne: 'a' } }] },
    { any: WORDS.map((kind) => ({ kind })) },
    { any: [{ n: null }, { n: { null: false } }] },
    { all: [{ kind: { null: false } }, { any: [{ on: true }, { on: { ne: true } }] }] },
  ]
  for (const condition of always) {
    assert.match(warned({ one: must(condition) }).join('\n'), /Every record keeps the rule "one" already/)
    const clause = `${FIELDS}policies: { view: [{ who: anyone, where: ${JSON.stringify(condition)} }] }\nactions: [list]`
    assert.match(mistakes({ things: clause }, 'warning').join('\n'), /Every record fulfils this condition/)
  }
  for (const condition of [
    { n: { gte: 1 } },
    { n: { null: false } },
    { any: [{ n: { lt: 3 } }, { n: { gte: 3 } }] },
    { any: [{ kind: 'a' }, { kind: 'b' }] },
    { name: { contains: 'x' } },
    { any: [{ on: true }, { on: false }] },
  ])
    assert.equal(warned({ one: must(condition) }), [])
})

test('no_overlap from the end to the start is told of', () => {
  const overlap = (names: readonly string[], more: Rules = {}) => ({ free: { no_overlap: names, says: 'No' }, ...more })
  assert.equal(said(overlap(['until', 'day'], { order: must({ until: { gt: '$record.day' } }) })), [
    'things.yaml ["free"] wrong_rule: By the rule "order" "day" comes first, and here "until" does (write no_overlap: [day, until])',
  ])
  assert.is(said(overlap(['till', 'at'], { order: must({ at: { lte: '$record.till' } }) })).length, 1)
  assert.equal(said(overlap(['day', 'until'], { order: must({ until: { gt: '$record.day' } }) })), [])
  const named = (first: string, second: string) =>
    mistakes(
      {
        things: `fields: { ${first}: { type: date }, ${second}: { type: date } }\nrules: ${JSON.stringify(overlap([first, second]))}\n${VIEW}`,
      },
      'warning',
    )
  assert.equal(named('ends_on', 'starts_on'), [
    'things.yaml ["free"] wrong_rule: "ends_on" looks like the end, and "starts_on" like the start, which comes first here (write no_overlap: [starts_on, ends_on])',
  ])
  for (const [end, start] of [
    ['to', 'from'],
    ['valid_until', 'valid_from'],
    ['end', 'begin'],
  ] as const) {
    assert.is(named(end, start).length, 1)
    assert.equal(named(start, end), [])
  }
})

test('a seed that breaks a rule is refused', () => {
  const seeded = (rules: Rules, ...rows: readonly object[]) =>
    said(
      rules,
      `seeds: { key: name, rows: ${JSON.stringify(rows.map((row, index) => ({ name: `s${index}`, kind: 'a', ...row })))} }`,
    )
  const late = must({ until: { gte: '$record.day' } }, { when: { kind: 'a' } })
  assert.match(
    seeded({ late }, { day: '2026-02-02', until: '2026-02-01' }).join('\n'),
    /^things\.yaml \["2026-02-01"] wrong_seed: The row breaks the rule "late": No \(correct the row, or the rule\)$/,
  )
  assert.equal(seeded({ late }, { day: '2026-02-02', until: '2026-02-02' }), [])
  assert.equal(seeded({ late }, { kind: 'b', day: '2026-02-02', until: '2026-02-01' }), [])
  assert.is(seeded({ late }, { day: '2026-02-02' }).length, 1, 'what is absent is not later')
  assert.is(seeded({ r: must({ n: { between: [2, 4] } }) }, { n: 5 }).length, 1)
  assert.equal(seeded({ r: must({ n: { between: [2, 4] } }) }, { n: 4 }), [])
  const order = { r: must({ till: { gt: '$record.at' } }) }
  assert.is(seeded(order, { at: '2026-01-01T10:00:00Z', till: '2026-01-01T11:00:00+02:00' }).length, 1)
  assert.equal(seeded(order, { at: '2026-01-01T10:00:00Z', till: '2026-01-01T11:00:00Z' }), [])
  assert.equal(seeded({ r: must({ n: 1 }, { on: ['update'] }) }, { n: 2 }), [])
  const most = { most: { at_most: 1, where: { kind: 'a' }, says: 'One' } }
  assert.match(seeded(most, {}, {}).join('\n'), /wrong_seed: The row breaks the rule "most": One/)
  assert.equal(seeded(most, {}, { kind: 'b' }), [])
})

test('an entry of follows that reads what a later one sets is told of', () => {
  const fields =
    'fields: { price: { type: integer }, count: { type: integer }, total: { type: integer }, kind: { type: enum, values: [a, b] }, at: { type: timestamp }, due: { type: timestamp } }'
  const follows = (...entries: readonly object[]) =>
    mistakes({ things: `${fields}\nfollows: ${JSON.stringify(entries)}\n${VIEW}` }, 'warning')
  const total = { set: { total: { times: ['$record.price', '$record.count'] } } }
  const price = { changed: 'count', set: { price: { plus: ['$record.count', 1] } } }
  const [said = '', ...more] = follows(total, price)
  assert.equal(more, [])
  assert.match(said, /wrong_rule: This reads "price", which a later entry sets: it sees the value from before that/)
  assert.is(follows({ set: { due: { plus: ['$record.at', '1 day'] } } }, { set: { at: '$now' } }).length, 1)
  assert.equal(follows(price, total), [])
  assert.equal(follows({ set: { total: { times: ['$before.price', 2] } }, on: ['update'] }, price), [])
  assert.equal(follows(total, { when: { kind: 'a' }, set: { price: null } }), [], 'what was read may be reset')
  assert.equal(follows({ ...total, when: { kind: 'a' } }, { ...price, when: { kind: 'b' } }), [])
  assert.equal(follows({ ...total, on: ['create'] }, { ...price, on: ['update'] }), [])
})

test.run()
