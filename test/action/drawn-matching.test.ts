/** Drawn filters with records that come between the count and the write. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JsonObject } from '../../engine/json.ts'
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

interface Thing {
  readonly code: string
  readonly price: number
  readonly sold: boolean
}

const thingOf = ({ code, price, sold }: Readonly<Record<string, unknown>>): Thing => ({
  code: String(code),
  price: Number(price),
  sold: sold === true,
})

/** A condition as the list's own query says it, and what it means. */
interface Drawn {
  readonly where: JsonObject
  readonly holds: (thing: Thing) => boolean
}

const price = fc.integer({ min: 1000, max: 1005 })

/** Conditions as people build them in a list: comparisons, and `any`, `all` and `not` of them. */
const conditions: fc.Arbitrary<Drawn> = fc.letrec<{ one: Drawn; part: Drawn }>((tie) => ({
  one: fc.oneof(
    { maxDepth: 2 },
    fc.tuple(fc.constantFrom('eq', 'ne', 'lt', 'gte'), price).map(([comparison, than]) => ({
      where: { price: { [comparison]: than } },
      holds: ({ price: one }: Thing) =>
        ({ eq: one === than, ne: one !== than, lt: one < than, gte: one >= than })[comparison] === true,
    })),
    fc.uniqueArray(price, { minLength: 1, maxLength: 3 }).map((prices) => ({
      where: { price: prices },
      holds: (thing: Thing) => prices.includes(thing.price),
    })),
    fc.boolean().map((sold) => ({ where: { sold }, holds: (thing: Thing) => thing.sold === sold })),
    fc.constantFrom('d1', 'd2', 'dx').map((begin) => ({
      where: { code: { starts_with: begin } },
      holds: ({ code }: Thing) => code.startsWith(begin),
    })),
    tie('part'),
  ),
  part: fc.oneof(
    fc.array(tie('one'), { minLength: 1, maxLength: 3 }).map((of) => ({
      where: { any: of.map(({ where }) => where) },
      holds: (thing: Thing) => of.some(({ holds }) => holds(thing)),
    })),
    fc.array(tie('one'), { minLength: 1, maxLength: 3 }).map((of) => ({
      where: { all: of.map(({ where }) => where) },
      holds: (thing: Thing) => of.every(({ holds }) => holds(thing)),
    })),
    tie('one').map(({ holds, where }) => ({ where: { not: where }, holds: (thing: Thing) => !holds(thing) })),
  ),
})).one

interface Case {
  readonly condition: Drawn
  /** What others create after the preview. */
  readonly added: readonly { readonly price: number; readonly sold: boolean }[]
  readonly partial: boolean
  readonly removes: boolean
}

const drawn: fc.Arbitrary<Case> = fc.record({
  condition: conditions,
  added: fc.array(fc.record({ price, sold: fc.boolean() }), { maxLength: 2 }),
  partial: fc.boolean(),
  removes: fc.boolean(),
})

/** The things of this file alone. */
const OWN = { code: { starts_with: 'd' } }
const queryOf = (where: JsonObject): string => `where=${encodeURIComponent(JSON.stringify(where))}`

test('what comes between the preview and the write stops it, and nothing outside of the filter is written', async () => {
  const create = Array.from({ length: 30 }, (_, at) => ({
    code: `d${at}`,
    name: 'Drawn',
    price: 1000 + (at % 6),
    sold: at % 4 === 0,
  }))
  await call('POST', 'things/batch', { create })
  const listed = async () => (await call('GET', `things?${queryOf(OWN)}&per_page=100`)).list
  let round = 0
  const change = async ({ added, condition: { holds, where }, partial, removes }: Case) => {
    round += 1
    const query = queryOf({ all: [OWN, where] })
    const [method, body] = removes ? ['DELETE', undefined] : ['PATCH', {}]
    const preview = await call(method, `things?${query}&max=1&dry_run=true`, body)
    assert.is(preview.status, 200, preview.text)
    const { matched } = preview.at('data') as { readonly matched: number }
    for (const [at, one] of added.entries())
      await call('POST', 'things', { ...one, code: `dx${round}n${at}`, name: 'Drawn' })
    const before = await listed()
    const found = before.filter((row) => holds(thingOf(row)))
    const max = Math.max(1, matched)
    const written = body && { name: `r${round}` }
    const told = await call(method, `things?${query}&max=${max}&partial=${partial}`, written)
    const hasMore = found.length > max
    assert.is(told.status, hasMore ? 409 : 200, told.text)
    const ids = new Set(found.map(({ id }) => id))
    const reached = (id: unknown): boolean => !hasMore && ids.has(id)
    const after = await listed()
    assert.equal(
      after,
      before
        .filter(({ id }) => !(removes && reached(id)))
        .map((row) => (reached(row.id) ? { ...row, name: `r${round}` } : row)),
    )
    if (removes && !hasMore) for (const id of ids) await call('POST', `things/${id}/restore`)
    if (added.length > 0) await call('DELETE', `things?${queryOf({ code: { starts_with: `dx${round}n` } })}&max=2`)
  }
  await fc.assert(fc.asyncProperty(drawn, change), { numRuns: DRAWN })
  await call('DELETE', `things?${queryOf(OWN)}&max=100`)
})

test.run()
