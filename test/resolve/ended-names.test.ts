/** Earlier names whose last day is over. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { endedNames } from '../../engine/resolve/earlier-names.ts'
import { resolved, VIEW } from './resolves.ts'

const test = suite('earlier names that have ended')

const catalog = resolved({
  things: `renamed_from: { name: items, until: 2026-03-01 }
fields: { title: { type: string, renamed_from: { name: heading, since: 2025-01-01, until: 2026-01-31 } }, n: { type: integer, renamed_from: m } }
relations: { whole: { belongs_to: things, renamed_from: { name: part, until: 2026-02-28 } } }\n${VIEW}`,
})

const told = (today: string) =>
  endedNames(catalog, today).map(({ message, severity }) => `${severity} ${/"(\w+)" of/.exec(message)?.[1]}`)

test('each is told of from the day after its last one', () => {
  const last = { items: '2026-03-01', heading: '2026-01-31', part: '2026-02-28', part_id: '2026-02-28' }
  const days = fc.date({ min: new Date('2026-01-01'), max: new Date('2026-04-01'), noInvalidDate: true })
  fc.assert(
    fc.property(days, (date) => {
      const today = date.toISOString().slice(0, 10)
      const expected = Object.entries(last).flatMap(([name, day]) => (day < today ? [`warning ${name}`] : []))
      assert.equal([...new Set(told(today))].sort(), expected.sort())
    }),
    { numRuns: 50 },
  )
  const [one] = endedNames(catalog, '2026-02-01')
  assert.is(
    `${one?.message} (${one?.hint})`,
    'The earlier name "heading" of "title" was for clients until 2026-01-31, and is answered still (take renamed_from away, or write a later day)',
  )
  assert.is(one?.span?.source.text.slice(one.span.start, one.span.end), 'title')
})

test.run()
