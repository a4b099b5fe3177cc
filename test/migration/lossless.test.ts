/** A change of a type keeps the meaning of a value, or names the value: nothing is cut off silently. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Database } from '../../engine/database/database.ts'
import { parseType, typeChange } from '../../engine/migration/type-change.ts'
import { testDatabase } from '../support/database.ts'

const test = suite('lossless conversions')
let database: Database
let close: () => Promise<void>

test.before(async () => {
  ;({ database, close } = await testDatabase())
})
test.after(() => close())

const MOMENT = 'timestamp with time zone'
const NUMBERS = ['integer', 'bigint', 'numeric(6,2)', 'numeric(12,4)', 'boolean'] as const
const TYPES = [...NUMBERS, 'date', MOMENT, 'text', 'character varying(6)', 'character varying(20)'] as const

/** Values of a type as PostgreSQL reads them. */
const DRAWN: Readonly<Record<string, fc.Arbitrary<string>>> = {
  integer: fc.integer({ min: -2_147_483_648, max: 2_147_483_647 }).map(String),
  bigint: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  'numeric(6,2)': fc.integer({ min: -999_999, max: 999_999 }).map((n) => (n / 100).toFixed(2)),
  'numeric(12,4)': fc.integer({ min: -99_999_999, max: 99_999_999 }).map((n) => (n / 10_000).toFixed(4)),
  boolean: fc.constantFrom('true', 'false'),
  date: fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }).map(dayOf),
  [MOMENT]: fc
    .tuple(
      fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }),
      fc.constantFrom('00:00:00', '00:00:00.000001', '12:00:00', '23:59:59.999999'),
      fc.constantFrom('+00', '+02', '-11', '+05:30'),
    )
    .map(([day, time, zone]) => `${dayOf(day)} ${time}${zone}`),
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

const CHANGES = Object.keys(DRAWN).flatMap((from) =>
  TYPES.filter((to) => to !== from).map((to) => ({ from, to, change: typeChange('v', from, to) })),
)

test('a value that is converted says the same as before when it is converted back', async () => {
  const change = fc.constantFrom(...CHANGES.filter(({ change: { kind } }) => kind !== 'apart'))
  const drawn = change.chain((one) => fc.tuple(fc.constant(one), fc.array(DRAWN[one.from]!, { minLength: 5 })))
  await fc.assert(
    fc.asyncProperty(drawn, async ([{ from, to, change }, values]) => {
      if (change.kind === 'apart') return
      const misfit = change.kind === 'free' ? 'false' : change.misfit
      const back = asBefore(from, to)
      const text = `select v::text, next::text from (
        select v, case when not (${misfit}) then ${change.using} end as next
        from unnest($1::text[]) as given(t), lateral (select t::${from} as v) old) r
        where next is not null and ${back} is distinct from v`
      assert.equal(await database.adhoc.run({ text }, [values]), [], `${from} to ${to}`)
    }),
    { numRuns: 150 },
  )
})

/** The converted value `next` as the type that it had. */
function asBefore(from: string, to: string): string {
  const there = to.startsWith('character') ? 'next::text' : 'next'
  if (from === 'boolean' && NUMBERS.some((type) => type === to)) return '(next <> 0)'
  if (to === 'boolean') return `(next::integer)::${from}`
  if (from === 'date' && to === MOMENT) return `(next at time zone 'UTC')::date`
  return from === MOMENT && to === 'date' ? `(next::timestamp at time zone 'UTC')` : `(${there})::${from}`
}

test('what is cut off is told as what it is', () => {
  const change = typeChange('v', MOMENT, 'date')
  assert.is(change.kind, 'converted')
  if (change.kind !== 'converted') return
  assert.is(change.consequence, 'have a time of day, which would be cut off')
  assert.is(parseType(MOMENT).base, MOMENT)
})

test.run()
