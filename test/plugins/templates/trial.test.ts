/** Templates tried with what is written in them: what never works is found, and nothing else is. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { templateBudget } from '../../../plugins/templates/budget.ts'
import { createLiquid, filledText, impossibleFilter } from '../../../plugins/templates/liquid.ts'

const trial = suite('templates: trial')

const liquid = createLiquid()
const saysOf = (text: string): string | undefined => impossibleFilter(liquid, liquid.parse(text))

/** Whether there is such a time zone, as JavaScript knows them. */
function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

const words = fc.stringMatching(/^[A-Za-z]{1,8}(\/[A-Za-z_]{1,10})?$/)
const zones = fc.oneof(words, fc.constantFrom(...Intl.supportedValuesOf('timeZone')))

trial('a time zone is complained of where there is none of that name', () => {
  const around = fc.constantFrom(
    (filter: string) => `{{ at | ${filter} }}`,
    (filter: string) => `{% if at %}a{% elsif b %}{{ b.c | upcase | ${filter} }}{% endif %}`,
    (filter: string) => `{% for one in list %}{% assign x = one | ${filter} %}{% endfor %}`,
  )
  fc.assert(
    fc.property(zones, around, (zone, written) => {
      const said = saysOf(written(`date: "%d.%m.", "${zone}"`))
      assert.is(said !== undefined, !isZone(zone), `${zone}: ${said}`)
    }),
    { numRuns: 150 },
  )
})

const SAMPLES = ['2026-01-02T03:04:05.000000Z', 7, 'text', ['text']]

trial('a filter is complained of where a value does not get through it', () => {
  const names = fc.constantFrom(...Object.keys(liquid.filters))
  const literal = fc.oneof(
    fc.stringMatching(/^[a-z %]{0,5}$/).map((text) => `"${text}"`),
    fc.integer({ min: -20, max: 200 }).map(String),
    fc.constantFrom('true', 'nil'),
  )
  fc.assert(
    fc.property(names, fc.array(literal, { minLength: 1, maxLength: 3 }), (name, args) => {
      const text = `{{ value | ${name}: ${args.join(', ')} }}`
      if (saysOf(text) === undefined) return
      const fails = (value: unknown): boolean => {
        try {
          filledText(liquid, liquid.parse(text), { value }, templateBudget())
          return false
        } catch {
          return true
        }
      }
      assert.ok(SAMPLES.some(fails), text)
    }),
    { numRuns: 500 },
  )
})

trial.run()
