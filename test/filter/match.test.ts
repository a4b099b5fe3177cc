/** Filters in memory say what the same filters say in SQL, absent values included. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Operator } from '../../engine/field/field-type.ts'
import type { Comparison, FilterOf } from '../../engine/filter/filter.ts'
import { match, type Ordering } from '../../engine/filter/match.ts'
import { comparand, compareSql, toSql } from '../../engine/filter/to-sql.ts'
import type { Json } from '../../engine/json.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'

const matching = suite('match')

type Kind = { readonly sql: string; readonly ordering: Ordering; readonly values: readonly Json[] }

const KINDS: readonly Kind[] = [
  { sql: 'integer', ordering: 'number', values: [null, -1, 0, 2, 10] },
  { sql: 'numeric', ordering: 'number', values: [null, '1.50', '1.5', '-2', '10.000', '9007199254740993.1'] },
  { sql: 'text', ordering: 'text', values: [null, '', 'Abc', 'abc', 'xABCy', 'b%_\\', '10', '9'] },
  {
    sql: 'timestamptz',
    ordering: 'timestamp',
    values: [null, '2026-01-01T10:00:00.000000Z', '2026-01-01 12:00:00.5+02', '2026-01-01 10:00:00.000001+00'],
  },
  { sql: 'date', ordering: 'text', values: [null, '2026-01-01', '2025-12-31'] },
  { sql: 'boolean', ordering: 'text', values: [null, true, false] },
]

const OPERANDS = { actor: () => 7, now: '2026-06-01T00:00:00.000000Z', today: '2026-06-01' }

function filters(kind: Kind): readonly FilterOf<string>[] {
  const literals = kind.values.filter((value) => value !== null)
  const compare = (operator: Operator, value: Json): FilterOf<string> => ({
    kind: 'compare',
    path: 'v',
    operator,
    operand: { kind: 'literal', value },
  })
  const ordered = (['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const).flatMap((operator) =>
    literals.map((value) => compare(operator, value)),
  )
  const text =
    kind.sql === 'text'
      ? (['contains', 'starts_with', 'ends_with'] as const).flatMap((operator) =>
          literals.map((value) => compare(operator, value)),
        )
      : []
  const lists = (['in', 'not_in'] as const).flatMap((operator) => [
    compare(operator, []),
    compare(operator, literals.slice(0, 2)),
  ])
  const single = [...ordered, ...text, ...lists, compare('between', literals.slice(0, 2)), compare('null', true)]
  const twice: FilterOf<string>[] = [
    { kind: 'or', of: [compare('eq', literals[0]!), { kind: 'not', of: compare('gt', literals[1]!) }] },
    { kind: 'and', of: [{ kind: 'not', of: compare('null', true) }, compare('ne', literals[0]!)] },
    { kind: 'and', of: [] },
    { kind: 'or', of: [] },
  ]
  return [...single, ...twice, ...[...single, ...twice].map((of): FilterOf<string> => ({ kind: 'not', of }))]
}

function quoted(value: Json): string {
  return value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`
}

function sqlOf(filter: FilterOf<string>, value: Json, type: string): string {
  return toSql(filter, ({ operator, operand }, negated) => {
    const given = operand.kind === 'literal' ? operand.value : null
    const literal = (part: 0 | 1): string => {
      if (operator === 'in' || operator === 'not_in')
        return `array[${(given as readonly Json[]).map(quoted).join(', ')}]::${type}[]`
      const one = operator === 'between' ? (given as readonly Json[])[part]! : comparand(operator, given)
      return `${quoted(one)}::${operator === 'null' ? 'text' : type}`
    }
    return compareSql(`${quoted(value)}::${type}`, operator, literal, negated)
  })
}

let opened: TestDatabase

matching.before(async () => {
  opened = await testDatabase()
})

matching.after(async () => {
  await opened.close()
})

for (const kind of KINDS) {
  matching(`agrees with SQL on ${kind.sql}`, async () => {
    const cases = filters(kind).flatMap((filter) => kind.values.map((value) => ({ filter, value })))
    const said: string[] = []
    for (let start = 0; start < cases.length; start += 100) {
      const conditions = cases
        .slice(start, start + 100)
        .map(({ filter, value }) => `(${sqlOf(filter, value, kind.sql)})`)
      const [row] = await opened.database.adhoc.run(
        { text: `select array_to_string(array[${conditions.join(', ')}]::boolean[], ',', 'null')` },
        [],
      )
      said.push(...(row?.[0] ?? '').split(','))
    }
    assert.is(said.length, cases.length)
    for (const [index, { filter, value }] of cases.entries()) {
      const here = match(
        filter,
        () => value,
        OPERANDS,
        () => kind.ordering,
      )
      assert.is(
        here,
        said[index] === 't' || said[index] === 'true',
        `${JSON.stringify(filter)} on ${JSON.stringify(value)}`,
      )
    }
  })
}

function one(operator: Operator, value: Json, record: Json): boolean {
  return match({ kind: 'compare', path: 'v', operator, operand: { kind: 'literal', value } }, () => record, OPERANDS)
}

matching('lists contain items', () => {
  assert.ok(one('contains', 'a', ['a', 'b']))
  assert.ok(one('contains', ['b', 'a'], ['a', 'b']))
  assert.not.ok(one('contains', 'c', ['a', 'b']))
  assert.not.ok(one('contains', 'a', null))
})

matching('variables stand for the caller and the moment', () => {
  const compare = (operand: 'now' | 'today' | 'actor', operator: Operator, value: Json) => {
    const made = operand === 'actor' ? ({ kind: 'actor', attribute: undefined } as const) : ({ kind: operand } as const)
    return match({ kind: 'compare', path: 'v', operator, operand: made }, () => value, OPERANDS)
  }
  assert.ok(compare('actor', 'eq', 7))
  assert.not.ok(compare('actor', 'eq', 8))
  assert.ok(compare('now', 'lt', '2026-05-31 23:59:59+00'))
  assert.ok(compare('today', 'gte', '2026-06-01'))
})

matching('a caller without the value compares with nothing', () => {
  const nobody = { ...OPERANDS, actor: () => null }
  const filter = (operator: Operator): FilterOf<string> => ({
    kind: 'compare',
    path: 'v',
    operator,
    operand: { kind: 'actor', attribute: 'team' },
  })
  assert.not.ok(match(filter('eq'), () => 1, nobody))
  assert.ok(match(filter('ne'), () => 1, nobody))
  assert.not.ok(match(filter('eq'), () => undefined, nobody))
  const deciding = (operator: Operator): FilterOf<string> => ({
    ...(filter(operator) as Comparison<string>),
    decides: true,
  })
  for (const operator of ['eq', 'ne', 'lt'] as const) {
    assert.not.ok(
      match(deciding(operator), () => 1, nobody),
      `a policy by ${operator}`,
    )
    assert.not.ok(
      match({ kind: 'not', of: deciding(operator) }, () => 1, nobody),
      `a policy by not ${operator}`,
    )
  }
})

matching('what nothing is known of is compared by what it looks like', () => {
  assert.ok(one('eq', '10.0', 10))
  assert.ok(one('gt', '2026-01-01T10:00:00Z', '2026-01-01 10:00:00.000001+00'))
  assert.ok(one('lt', 'b', 'a'))
})

matching.run()
