/** Templates of people: whatever they say and are given, they end within their budget. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LIMITS } from '../../../engine/index.ts'
import { type Budget, OverBudget, templateBudget, withinBudget } from '../../../plugins/templates/budget.ts'
import { createLiquid, filledText, isLiquidError, parsedText, wideRange } from '../../../plugins/templates/liquid.ts'

const test = suite('the budget of templates')
const liquid = createLiquid()

const fill = (text: string, data: object, budget: Budget = templateBudget()): string =>
  filledText(liquid, parsedText(liquid, text, budget), data, budget)

function refusal(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof OverBudget) return error.message
    throw error
  }
  return 'none'
}

/** What takes long, much, or both, each in its own way. */
const HEAVY = [
  '{% for i in (1..1000000) %}{% for j in (1..1000000) %}{{ j }}{% endfor %}{% endfor %}',
  '{% for i in (1..900) %}{% for j in (1..900) %}{% for k in (1..900) %}{% endfor %}{% endfor %}{% endfor %}',
  '{% assign a = "x" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}{{ a }}',
  '{% capture a %}xx{% endcapture %}{% for i in (1..60) %}{% capture a %}{{ a }}{{ a }}{% endcapture %}{% endfor %}{{ a | size }}',
  '{% for i in (1..1000) %}{{ long }}{% endfor %}',
  '{% for i in (1..1000) %}{{ long | upcase | downcase | escape | strip_newlines | size }}{% endfor %}',
  '{% assign l = long | split: "" %}{% for i in (1..1000) %}{{ l | sort_natural | uniq | reverse | join: "-" | size }}{% endfor %}',
  '{% assign l = long | split: "" %}{% for x in l %}{% for y in l %}{% if x contains y %}{% endif %}{% endfor %}{% endfor %}',
  '{% assign l = (1..100000) %}{% for x in l %}{{ l | find: "nothing", 7 }}{% endfor %}',
  '{{ "now" | date: "%900000000d" }}',
  '{% tablerow i in (1..100000) cols:1 %}{{ long }}{% endtablerow %}',
]
const DATA = { long: 'äb ,<'.repeat(13_000) }

for (const text of HEAVY) {
  test(`this is stopped: ${text.slice(0, 90)}`, () => {
    const before = process.cpuUsage()
    const said = refusal(() => fill(text, DATA))
    const { system, user } = process.cpuUsage(before)
    assert.match(said, /of the processor|longer than 64 KB|too much on the way/)
    assert.ok((system + user) / 1_000 < LIMITS.templateMs * 10, `${(system + user) / 1_000} ms of the processor`)
  })
}

test('what drawn templates make fits into the budget, or is refused by it', () => {
  const piece = fc.oneof(
    fc.constantFrom(...HEAVY),
    fc.constantFrom(
      '{{ long | truncate: 9 }}',
      '{{ x.y.z }}',
      '{% if a %}b{% endif %}',
      'words',
      '{% assign a = 1 %}{{ a }}',
    ),
    fc.string({ maxLength: 10 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
      const before = process.cpuUsage()
      try {
        assert.ok(Buffer.byteLength(fill(pieces.join(''), DATA)) <= LIMITS.templateBytes)
      } catch (error) {
        if (!(error instanceof OverBudget) && !isLiquidError(error)) throw error
      }
      const { system, user } = process.cpuUsage(before)
      assert.ok((system + user) / 1_000 < LIMITS.templateMs * 20)
    }),
    { numRuns: 40 },
  )
})

test('many texts share one budget', () => {
  const budget = templateBudget()
  const half = `{% for i in (1..600) %}${'x'.repeat(60)}{% endfor %}`
  assert.is(fill(half, {}, budget).length, 36_000)
  assert.match(
    refusal(() => fill(half, {}, budget)),
    /longer than 64 KB/,
  )
  const slow = templateBudget()
  slow.ms = 0
  assert.match(
    refusal(() => fill('x', {}, slow)),
    /more than 100 ms of the processor/,
  )
})

test('long values are no work of the template', () => {
  const long = 'ä'.repeat(65_535)
  assert.is(fill('{{ long }}', { long }, templateBudget({}, Buffer.byteLength(long))), long)
})

test('no filter evaluates expressions, and no tag reads templates', () => {
  for (const text of ['{{ a | where_exp: "x", "x" }}', '{{ a | find_exp: "x", "x" }}', '{% include "x" %}'])
    assert.throws(
      () => fill(text, {}),
      (error: unknown) => isLiquidError(error),
    )
})

test('ranges without a bound are found wherever they stand', () => {
  const found = (text: string): string | undefined => wideRange(liquid.parse(text))
  assert.is(found('{% for i in (1..1000) %}{{ i }}{% endfor %}'), undefined)
  assert.is(found('{{ "(1..n)" }} (1..99999)'), undefined)
  assert.is(found('{% for i in (1..1001) %}{% endfor %}'), '(1..1001)')
  assert.is(found('{% for i in (1..n) %}{% endfor %}'), '(1..n)')
  assert.is(found('{% if a %}{% assign b = (a.b..9) %}{% endif %}'), '(a.b..9)')
  assert.is(found('{{ x | concat: (1..99999) | size }}'), '(1..99999)')
  assert.is(found('{% if (1..99999) contains 3 %}{% endif %}'), '(1..99999)')
})

test('work that the machine holds up begins anew, and errors come through', () => {
  assert.is(
    withinBudget(templateBudget(), () => 7),
    7,
  )
  assert.throws(
    () =>
      withinBudget(templateBudget(), () => {
        throw new TypeError('own')
      }),
    (error: unknown) => error instanceof TypeError,
  )
})

test('the filter date shows a moment in UTC, and in the zone that is named', () => {
  const at = '2026-07-01T22:30:00.000000Z'
  assert.is(fill('{{ at | date: "%d.%m. %H:%M" }}', { at }), '01.07. 22:30')
  assert.is(fill('{{ at | date: "%d.%m. %H:%M", "Europe/Berlin" }}', { at }), '02.07. 00:30')
})

test.run()
