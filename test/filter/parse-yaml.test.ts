/** Filters in YAML: what a map means, and what is said of one that means nothing. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Comparison, FilterOf } from '../../engine/filter/filter.ts'
import { parseFilter } from '../../engine/filter/parse-yaml.ts'
import type { Json } from '../../engine/json.ts'

const parsing = suite('parseFilter')

function text(filter: FilterOf<readonly string[]>): string {
  if (filter.kind === 'not') return `not(${text(filter.of)})`
  if (filter.kind === 'related') {
    const count = filter.count === undefined ? 'some' : `${filter.count.operator} ${filter.count.value}`
    return `${filter.path.join('.')} ${count}(${text(filter.of)})`
  }
  if (filter.kind !== 'compare') return `${filter.kind}(${filter.of.map(text).join(', ')})`
  const deleted = filter.withDeleted === true ? ' with deleted' : ''
  return `${filter.path.join('.')} ${filter.operator} ${operandText(filter.operand)}${deleted}`
}

function operandText(operand: Comparison<readonly string[]>['operand']): string {
  if (operand.kind === 'literal') return JSON.stringify(operand.value)
  if (operand.kind === 'record' || operand.kind === 'before') return `$${operand.kind}.${operand.path.join('.')}`
  return operand.kind === 'actor'
    ? `$actor${operand.attribute === undefined ? '' : `.${operand.attribute}`}`
    : `$${operand.kind}`
}

const MEANINGS: readonly (readonly [Json, string])[] = [
  [{}, 'and()'],
  [{ a: 1 }, 'a eq 1'],
  [{ a: 'x', b: true }, 'and(a eq "x", b eq true)'],
  [{ a: null }, 'a null true'],
  [{ a: '$record.b' }, 'a eq $record.b'],
  [{ 'a.b': { some: { c: 1 } } }, 'a.b some(c eq 1)'],
  [{ a: { none: {} } }, 'not(a some(and()))'],
  [{ a: { every: { c: 1 } } }, 'not(a some(not(c eq 1)))'],
  [{ a: { count: 3 } }, 'a eq 3(and())'],
  [
    { a: { count: { gte: 1, lt: 9 }, where: { b: { some: {} } } } },
    'and(a gte 1(b some(and())), a lt 9(b some(and())))',
  ],
  [{ 'a.b': { gte: '$before.c.d' } }, 'a.b gte $before.c.d'],
  [{ a: ['x', 'y'] }, 'a in ["x","y"]'],
  [{ 'role.slug': { ne: 'customer' } }, 'role.slug ne "customer"'],
  [{ a: { gte: 3, lt: 5 } }, 'and(a gte 3, a lt 5)'],
  [{ a: { null: false } }, 'a null false'],
  [{ a: { between: [1, 2] } }, 'a between [1,2]'],
  [{ user: '$actor', team: '$actor.team_id' }, 'and(user eq $actor, team eq $actor.team_id)'],
  [{ due: { lt: '$today' }, at: { lte: '$now' } }, 'and(due lt $today, at lte $now)'],
  [{ any: [{ a: 1 }, { b: 2, c: 3 }] }, 'or(a eq 1, and(b eq 2, c eq 3))'],
  [{ all: [{ a: 1 }, { not: { b: 2 } }] }, 'and(a eq 1, not(b eq 2))'],
  [
    { x: 1, with_deleted: { 'a.b': 1, any: [{ not: { 'c.d': 2 } }, { e: 3 }] } },
    'and(x eq 1, and(a.b eq 1 with deleted, or(not(c.d eq 2 with deleted), e eq 3 with deleted)))',
  ],
]

for (const [definition, meaning] of MEANINGS) {
  parsing(`${JSON.stringify(definition)} means ${meaning}`, () => {
    const { filter, problems } = parseFilter(definition)
    assert.equal(problems, [])
    assert.is(filter && text(filter), meaning)
  })
}

parsing('every comparison knows where it was written', () => {
  const { filter } = parseFilter({ any: [{ a: 1 }, { b: { gt: 2 } }] })
  assert.ok(filter?.kind === 'or')
  assert.equal(
    filter.of.map((part) => (part.kind === 'compare' ? [...part.path.where] : [])),
    [
      ['any', 0, 'a'],
      ['any', 1, 'b', 'gt'],
    ],
  )
})

const PROBLEMS: readonly (readonly [Json, string])[] = [
  [['a'], ' A filter is a map of conditions'],
  [{ any: { a: 1 } }, 'any "any" takes a list of filters'],
  [{ any: [] }, 'any "any" takes a list of filters'],
  [{ 'a..b': 1 }, 'a..b "a..b" is not a path'],
  [{ a: {} }, 'a "a" names no operator'],
  [{ a: { greater: 1 } }, 'a/greater Unknown operator "greater"'],
  [{ a: { gt: null } }, 'a/gt "gt" takes one value'],
  [{ a: { in: 1 } }, 'a/in "in" takes a list of values'],
  [{ a: ['$actor'] }, 'a "in" takes a list of values'],
  [{ a: { starts_with: '$actor.name' } }, 'a/starts_with "starts_with" takes a text that is written out'],
  [{ a: { between: [1] } }, 'a/between "between" takes two values'],
  [{ a: { null: 1 } }, 'a/null "null" takes true or false'],
  [{ a: '$actr' }, 'a Unknown variable "$actr"'],
  [{ not: { a: { x: 1 } } }, 'not/a/x Unknown operator "x"'],
]

for (const [definition, complaint] of PROBLEMS) {
  parsing(`${JSON.stringify(definition)} is refused`, () => {
    const { filter, problems } = parseFilter(definition)
    assert.is(filter, undefined)
    assert.equal(
      problems.map(({ at, message }) => `${at.join('/')} ${message}`),
      [complaint],
    )
  })
}

parsing('all problems are told at once, with the nearest operator', () => {
  const { problems } = parseFilter({ a: { gtt: 1 }, b: '$me', not: [] })
  assert.is(problems.length, 3)
  assert.equal(
    problems.map(({ code }) => code),
    ['unknown_operator', 'invalid_filter', 'invalid_filter'],
  )
  assert.is(problems[0]?.hint, 'did you mean "gt"?')
})

parsing('a filter has a limit', () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, 1]))
  assert.match(parseFilter(many).problems[0]?.message ?? '', /at most 50 conditions; this one has 51/)
})

parsing.run()
