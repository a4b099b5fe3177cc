/** The classifier measures itself beside requests. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { turns } from '../../../../engine/index.ts'
import { calibrate } from '../../../../plugins/desk/ai/calibration.ts'
import { exampleOf } from '../../../../plugins/desk/ai/learner.ts'
import { createModel } from '../../../../plugins/desk/ai/model.ts'
import { heldBy } from '../../../support/hold.ts'

const test = suite('ai: turns')

test('what was learned of many long tickets is measured in turns', async () => {
  const model = createModel()
  for (let id = 1; id <= 6_000; id += 1) {
    const text = Array.from({ length: 40 }, (_, at) => `word${(id * 31 + at * 17) % 997}`).join(' ')
    model.learn(exampleOf(id, text, [`${id % 3}`, `${id % 7}`, `${id % 5}`, `${id % 4}`]))
  }
  const { longest, whole } = await heldBy(() => calibrate(model, turns()), 1 / 8)
  assert.ok(longest < whole / 8, `${longest} of ${whole} ms in one piece`)
})

test.run()
