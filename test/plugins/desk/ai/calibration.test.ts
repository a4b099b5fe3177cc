/** What the classifier says of itself is near to how often it is right, field by field, also where it cannot know. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { measure } from '../../../../plugins/desk/ai/evaluate.ts'
import { exampleOf } from '../../../../plugins/desk/ai/learner.ts'

const test = suite('ai: calibration')

const TOPICS = ['invoice payment refund', 'login password account', 'parcel courier delivery', 'printer paper toner']
const FILLER = 'please morning office yesterday customer number colleague window table again letter page summer'.split(
  ' ',
)

/** The same numbers at every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5
    return ((state ^ (state >>> 14)) >>> 0) % below
  }
}

/** Tickets whose category shows in their words, whose type shows half of the time, and whose priority shows seldom. */
function tickets(count: number) {
  const below = numbers(7)
  return Array.from({ length: count }, (_, id) => {
    const topic = below(TOPICS.length)
    const own = TOPICS[topic]!.split(' ')
    const words = [...own, own[below(3)], ...Array.from({ length: 6 }, () => FILLER[below(FILLER.length)])]
    const type = below(2) === 0 ? topic : below(TOPICS.length)
    const priority = below(5) < 2 ? topic : below(TOPICS.length)
    return exampleOf(id + 1, words.join(' '), [1 + priority, 1 + topic, 1 + topic, 1 + type].map(String))
  })
}

test('its confidence is near to how often it is right, and of what nobody can know it is not sure', async () => {
  const all = tickets(420)
  const rows = await measure(all.slice(0, 300), all.slice(300), false)
  for (const { accuracy, confidence, target } of rows) {
    assert.ok(Math.abs(accuracy - confidence) < 0.12, `${target}: right ${accuracy}, confidence ${confidence}`)
  }
  const of = (name: string) => rows.find(({ target }) => target === name)!
  assert.ok(of('category').accuracy > 0.9)
  assert.ok(of('category').sure > 0.8)
  assert.ok(of('priority').confidence < 0.7, `${of('priority').confidence}`)
  assert.is(of('priority').sure, 0, 'nothing is applied by itself where words do not tell')
})

test.run()
