/** What operators read of a rule: whether it holds of a record, as it is or as an update would make it, and by which values. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { report } from '../../engine/cli/explain.ts'
import { openRental, type Rental } from './rental.ts'

const explained = suite('rules explained')
let shop: Rental
let south = 0
let saw = 0
let id = 0

explained.before(async () => {
  shop = await openRental()
  const north = await shop.make('/branches', { name: 'North' })
  south = await shop.make('/branches', { name: 'South' })
  const drill = await shop.make('/items', { name: 'Drill', daily: '12.50', branch_id: north })
  saw = await shop.make('/items', { name: 'Saw', daily: '20.00', branch_id: south })
  const body = { customer: 'Ada', item_id: drill, branch_id: north, starts_on: '2030-03-02', ends_on: '2030-03-04' }
  id = await shop.make('/bookings', body)
})
explained.after(() => shop?.close())

/** The explanation without the folder of the files. */
async function told(rule: string, set?: object, record = String(id)): Promise<string> {
  const options = { rule, record, ...(set === undefined ? {} : { set: JSON.stringify(set) }) }
  const text = await report({ options, positionals: [] }, shop.engine.app)
  return text.replaceAll(/\S*\/?(bookings|lines)\.yaml:\d+:\d+/g, '$1.yaml')
}
const outcome = async (rule: string, set?: object): Promise<string> =>
  /outcome: (.*)$/.exec(await told(rule, set))?.[1] ?? ''
const refusal = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'explained',
    (error: Error) => error.message,
  )

explained('each part is told with its place and the values that decide', async () => {
  const text = await told('bookings.item_of_the_branch', { branch_id: south })
  assert.snapshot(
    text,
    `rule item_of_the_branch, bookings.yaml
  The item belongs to another branch
  must, of record ${id} as {"branch_id":${south}} would make it:
    bookings.yaml  item.branch: $record.branch
      → does not hold; item.branch is "1"; $record.branch is "${south}"
  outcome: the update would be refused, 422 at item_id`,
  )
  assert.is(await outcome('bookings.item_of_the_branch'), 'the rule holds')
  assert.is(
    await outcome('bookings.item_of_the_branch', { branch_id: south, item_id: saw }),
    'the rule lets the update pass',
  )
})

explained('records of others are counted, and what is stored stands beside what would be', async () => {
  const text = await told('bookings.invoiced_means_something', { is_invoiced: true })
  assert.match(text, /when, of record .*\n.* is_invoiced: true\n {6}→ holds; is_invoiced is "true"\n/)
  assert.match(text, /does not hold; how many of "lines" it asks for is "0"/)
  assert.match(text, /would be refused, 422 at is_invoiced$/)
  assert.is(await outcome('bookings.invoiced_means_something'), 'the rule does not speak of such a record')
  assert.match(await told('bookings.stays_with_its_item', { item_id: saw }), /item is "2"; \$before\.item is "1"/)
  // The price follows from the item, and the rule of the days is not asked because of it.
  assert.match(await outcome('bookings.asked_for_in_time', { item_id: saw }), /^the update changes nothing that/)
})

explained('what cannot be explained says why', async () => {
  assert.match(await refusal(told('bookings.item_of_the_brnch')), 'Did you mean bookings.item_of_the_branch?')
  assert.match(await refusal(told('bookings.three_requests_each')), /^There is no rule .* of one record/)
  assert.match(await refusal(told('bookings.nothing_hidden', undefined, '999')), /not found/i)
  assert.match(await refusal(told('bookings.nothing_hidden', { starts_on: 'x' })), /The starts on field must be/)
})

explained.run()
