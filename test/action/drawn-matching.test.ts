/** Drawn filters with records that come between the count and the write. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Ask, things } from './things.ts'

const test = suite('drawn records by filter')
let call: Ask
let close: () => Promise<void>

test.before(async () => {
  ;({ call, close } = await things())
})
test.after(() => close?.())

/** `DRAWN_FILTERS=300 npm test -- --timeout 3600000 test/action/drawn-matching.test.ts` draws more of them. */
const DRAWN = Number(process.env.DRAWN_FILTERS ?? 20)

test('what comes between the count and the write stops it, and nothing outside of the filter is written', async () => {
  const price = fc.integer({ min: 1000, max: 1005 })
  const drawn = fc.record({
    comparison: fc.constantFrom('eq', 'ne', 'lt', 'gte'),
    price,
    added: fc.array(price, { maxLength: 2 }),
    partial: fc.boolean(),
  })
  const create = Array.from({ length: 30 }, (_, at) => ({ code: `d${at}`, name: 'Drawn', price: 1000 + (at % 6) }))
  await call('POST', 'things/batch', { create })
  const own = { code: { starts_with: 'd' } }
  const all = `where=${encodeURIComponent(JSON.stringify(own))}`
  const listed = async () => (await call('GET', `things?${all}&per_page=100`)).list
  let round = 0
  await fc.assert(
    fc.asyncProperty(drawn, async ({ added, comparison, partial, price: than }) => {
      round += 1
      const holds = (one: number): boolean =>
        ({ eq: one === than, ne: one !== than, lt: one < than, gte: one >= than })[comparison] === true
      const where = encodeURIComponent(JSON.stringify({ all: [own, { price: { [comparison]: than } }] }))
      const { matched } = (await call('PATCH', `things?where=${where}&max=1&dry_run=true`, {})).at('data') as {
        matched: number
      }
      for (const [at, one] of added.entries())
        await call('POST', 'things', { code: `d${round}n${at}`, name: 'Drawn', price: one })
      const before = await listed()
      const max = Math.max(1, matched)
      const told = await call('PATCH', `things?where=${where}&max=${max}&partial=${partial}`, { name: `r${round}` })
      const hasMore = before.filter((row) => holds(Number(row.price))).length > max
      assert.is(told.status, hasMore ? 409 : 200, told.text)
      for (const row of await listed())
        assert.is(row.name === `r${round}`, !hasMore && holds(Number(row.price)), JSON.stringify(row))
      for (const [at] of added.entries()) await call('DELETE', `things?code=d${round}n${at}&max=1`)
    }),
    { numRuns: DRAWN },
  )
  await call('DELETE', `things?${all}&max=100`)
})

test.run()
