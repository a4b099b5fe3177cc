/** Filters as SQL: the text of each connective and comparison, and the rows that it finds on a real database. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Operator } from '../../engine/field/field-type.ts'
import type { Comparison, FilterOf } from '../../engine/filter/filter.ts'
import { comparand, compareSql, likeLiteral, print, type Sql, sql, toSql } from '../../engine/filter/sql.ts'
import type { Json } from '../../engine/json.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { matches, type Ordering } from './matches.ts'

type F = FilterOf<string>
const leaf = ({ path, operator }: Comparison<string>, negated: boolean): Sql =>
  sql`${negated ? '!' : ''}${path}.${operator}`
const c = (path: string, operator: Operator = 'eq', value: Json = 1): F => ({
  kind: 'compare',
  path,
  operator,
  operand: { kind: 'literal', value },
})
const and = (...of: F[]): F => ({ kind: 'and', of })
const or = (...of: F[]): F => ({ kind: 'or', of })
const not = (of: F): F => ({ kind: 'not', of })

const text = suite('toSql')
for (const [filter, expected] of [
  [c('a'), 'a.eq'],
  [not(c('a')), '!a.eq'],
  [not(not(c('a'))), 'a.eq'],
  [and(c('a'), c('b')), '(a.eq and b.eq)'],
  [or(c('a'), c('b')), '(a.eq or b.eq)'],
  [not(and(c('a'), c('b'))), '(!a.eq or !b.eq)'],
  [not(or(c('a'), not(c('b')))), '(!a.eq and b.eq)'],
  [and(or(c('a'), c('b')), c('d')), '((a.eq or b.eq) and d.eq)'],
  [and(c('a')), 'a.eq'],
  [and(), 'true'],
  [or(), 'false'],
  [not(and()), 'false'],
  [not(or()), 'true'],
  [c('a', 'null', true), 'a.null'],
  [c('a', 'null', false), '!a.null'],
  [not(c('a', 'null', false)), 'a.null'],
] as const) {
  text(`${JSON.stringify(filter).replace(/"operand":\{[^}]*\}/g, '')} is ${expected}`, () =>
    assert.is(print(toSql(filter, leaf)).text, expected),
  )
}
text.run()

const compare = suite('compareSql')
const compared = (operator: Operator, negated = false, stored?: 'json') =>
  print(compareSql('c', operator, (part) => `$${part + 1}`, negated, stored)).text
for (const [operator, positive, negative] of [
  ['eq', 'c = $1', 'c is distinct from $1'],
  ['ne', 'c is distinct from $1', 'c = $1'],
  ['in', 'c = any($1)', '(c = any($1)) is not true'],
  ['not_in', '(c = any($1)) is not true', '((c = any($1)) is not true) is not true'],
  ['lt', 'c < $1', '(c < $1) is not true'],
  ['lte', 'c <= $1', '(c <= $1) is not true'],
  ['gt', 'c > $1', '(c > $1) is not true'],
  ['gte', 'c >= $1', '(c >= $1) is not true'],
  ['between', 'c between $1 and $2', '(c between $1 and $2) is not true'],
  ['contains', 'c ilike $1', '(c ilike $1) is not true'],
  ['starts_with', 'c ilike $1', '(c ilike $1) is not true'],
  ['ends_with', 'c ilike $1', '(c ilike $1) is not true'],
  ['null', 'c is null', 'c is not null'],
] as const) {
  compare(`${operator} is two-valued`, () => {
    assert.is(compared(operator), positive)
    assert.is(compared(operator, true), negative)
  })
}
compare('lists are asked with containment', () => {
  assert.is(compared('contains', false, 'json'), 'c @> $1::jsonb')
  assert.is(comparand('contains', 'a', 'json'), '["a"]')
  assert.is(comparand('contains', ['a', 'b'], 'json'), '["a","b"]')
})
compare('patterns are literal', () => {
  assert.is(likeLiteral('50%_\\'), '50\\%\\_\\\\')
  assert.is(comparand('contains', '%'), '%\\%%')
  assert.is(comparand('starts_with', '_'), '\\_%')
  assert.is(comparand('ends_with', '\\'), '%\\\\')
  assert.is(comparand('eq', '%'), '%')
})
compare.run()

interface Column {
  readonly type: string
  readonly ordering: Ordering
  readonly operators: readonly Operator[]
  readonly values: readonly Json[]
}

const ORDERED: readonly Operator[] = ['eq', 'ne', 'in', 'not_in', 'lt', 'lte', 'gt', 'gte', 'between', 'null']
const WORDS: readonly Operator[] = ['eq', 'ne', 'in', 'not_in', 'contains', 'starts_with', 'ends_with', 'null']
const COLUMNS: Readonly<Record<string, Column>> = {
  number: { type: 'integer', ordering: 'number', operators: ORDERED, values: [null, -1, 0, 2, 10] },
  price: { type: 'numeric', ordering: 'number', operators: ORDERED, values: [null, '1.50', '-2.00', '10.00', '0.00'] },
  word: {
    type: 'text',
    ordering: 'text',
    operators: WORDS,
    values: [null, '', 'Abc', 'xABCy', 'ÄRGER ärger', 'b%_\\', '10'],
  },
  day: { type: 'date', ordering: 'text', operators: ORDERED, values: [null, '2026-01-01', '2025-12-31', '2026-01-02'] },
  at: {
    type: 'timestamptz',
    ordering: 'text',
    operators: ORDERED,
    values: [null, '2026-01-01T10:00:00.000000Z', '2026-01-01T10:00:00.000001Z', '2025-12-31T23:59:59.999999Z'],
  },
  flag: {
    type: 'boolean',
    ordering: 'text',
    operators: ['eq', 'ne', 'in', 'not_in', 'null'],
    values: [null, true, false],
  },
  list: {
    type: 'jsonb',
    ordering: 'text',
    operators: ['contains', 'null'],
    values: [null, [], ['a'], ['a', 'b'], ['B']],
  },
}

const comparisons: fc.Arbitrary<F> = fc.constantFrom(...Object.keys(COLUMNS)).chain((path) => {
  const { operators, values } = COLUMNS[path]!
  const value = fc.constantFrom(...values.filter((one) => one !== null))
  return fc.constantFrom(...operators).chain((operator): fc.Arbitrary<F> => {
    if (operator === 'null') return fc.boolean().map((absent) => c(path, 'null', absent))
    if (operator === 'in' || operator === 'not_in')
      return fc.array(value, { maxLength: 3 }).map((list) => c(path, operator, list))
    if (operator === 'between') return fc.tuple(value, value).map((ends) => c(path, operator, ends))
    return value.map((one) => c(path, operator, one))
  })
})

const filters = fc.letrec<{ filter: F }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    comparisons,
    tie('filter').map(not),
    fc.array(tie('filter'), { maxLength: 3 }).map((of) => and(...of)),
    fc.array(tie('filter'), { maxLength: 3 }).map((of) => or(...of)),
  ),
})).filter

type Row = Readonly<Record<string, Json>>

/** The filter with its values bound, as the engine binds them. */
function bound(filter: F): { readonly where: string; readonly values: readonly unknown[] } {
  const values: unknown[] = []
  const where = toSql(filter, ({ path, operator, operand }, negated) => {
    const { type } = COLUMNS[path]!
    const stored = type === 'jsonb' ? 'json' : 'scalar'
    const given = operand.kind === 'literal' ? operand.value : null
    const cast =
      operator === 'in' || operator === 'not_in'
        ? `${type}[]`
        : stored === 'json' || WORDS.slice(4, 7).includes(operator)
          ? 'text'
          : type
    const value = (part: 0 | 1): string => {
      const one = operator === 'between' && Array.isArray(given) ? given[part] : given
      return `$${values.push(comparand(operator, one, stored))}::${cast}`
    }
    return compareSql(`t."${path}"`, operator, value, negated, stored)
  })
  return { where: print(where).text, values }
}

const agreement = suite('rows found by toSql')
let opened: TestDatabase
const rows: Row[] = []

agreement.before(async () => {
  opened = await testDatabase()
  const columns = Object.entries(COLUMNS).map(([name, { type }]) => `"${name}" ${type}`)
  await opened.database.adhoc.run({ text: `create table t (id integer, ${columns.join(', ')})` }, [])
  const any = fc.record(
    Object.fromEntries(Object.entries(COLUMNS).map(([name, { values }]) => [name, fc.constantFrom(...values)])),
  )
  rows.push(...fc.sample(any, { numRuns: 60, seed: 3 }))
  for (const [id, row] of rows.entries()) {
    const values = Object.entries(row).map(([name, value]) =>
      name === 'list' && value !== null ? JSON.stringify(value) : value,
    )
    await opened.database.adhoc.run(
      { text: `insert into t values ($1, ${values.map((_, i) => `$${i + 2}`).join(', ')})` },
      [id, ...values],
    )
  }
})
agreement.after(() => opened.close())

agreement('any filter finds the rows that it is true of', async () => {
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      const { where, values } = bound(filter)
      const found = await opened.database.adhoc.run({ text: `select id from t where ${where} order by id` }, values)
      const here = rows.flatMap((row, id) => (matches(filter, row, (path) => COLUMNS[path]!.ordering) ? [id] : []))
      assert.equal(
        found.map(([id]) => Number(id)),
        here,
        `${where} ${JSON.stringify(values)}`,
      )
    }),
    { numRuns: 300, seed: 4 },
  )
})

agreement('each filter and its negation share the rows out, absent values included', async () => {
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      const [one, other] = [bound(filter), bound(not(filter))]
      const count = async ({ where, values }: typeof one): Promise<number> => {
        const [row] = await opened.database.adhoc.run({ text: `select count(*) from t where ${where}` }, values)
        return Number(row![0])
      }
      assert.is((await count(one)) + (await count(other)), rows.length)
    }),
    { numRuns: 60, seed: 5 },
  )
})
agreement.run()
