/** What the page makes of figures: days, parts of a whole, room for labels. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pageModule } from './world.ts'

const test = suite('dashboards: the page')

test('a day begins when it begins at the desk, also when clocks change', async () => {
  const { dayOf, startOf } = await pageModule('days')
  assert.is(startOf('2026-03-08', 'UTC'), '2026-03-08T00:00:00.000Z')
  assert.is(startOf('2026-03-08', 'America/New_York'), '2026-03-08T05:00:00.000Z')
  assert.is(startOf('2026-03-09', 'America/New_York'), '2026-03-09T04:00:00.000Z')
  assert.is(startOf('2026-10-25', 'Europe/Berlin'), '2026-10-24T22:00:00.000Z')
  assert.is(startOf('2026-10-26', 'Europe/Berlin'), '2026-10-25T23:00:00.000Z')
  assert.is(dayOf(Date.parse('2026-03-09T03:59:59Z'), 'America/New_York'), '2026-03-08')
})

test('a bar is its part of all, and what does not fit the list is part of it', async () => {
  const { share } = await pageModule('element')
  const { firstOf } = await pageModule('figures')
  assert.is(share(1, 3), '33.3 %')
  const three = [{ count: 5 }, { count: 2 }, { count: 1 }]
  assert.equal(firstOf(three, 3), three)
  assert.equal(firstOf(three, 1), [{ count: 5 }, { name: 'Others', count: 3 }])
})

test('labels of five digits and more fit beside an axis', async () => {
  const { roomFor } = await pageModule('element')
  assert.is(roomFor(null), 44)
  assert.ok(roomFor(['0', '12,500']) >= 60)
  assert.ok(roomFor(['1,250,000']) > roomFor(['12,500']))
})

test.run()
