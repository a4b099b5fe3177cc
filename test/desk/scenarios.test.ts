/** The desk's own scenarios: all of them hold, and nothing of the YAML is left unexercised. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plinth } from '../cli/world.ts'

const scenarios = suite('desk: scenarios')

const run = (...words: readonly string[]) =>
  plinth(['test', ...words], { TEST_DATABASE_URL: process.env.TEST_DATABASE_URL })

/** What follows and acts by itself, and whom a clause keeps out: tests of the desk in code try these. */
const ACTS = /:\d+ {2}(automation|follows|keep|scope|when|whom|"\w+" of|\w+ of follows)\b/
/** The scenarios leave so many of these out. A new one needs a scenario. */
const LEFT_ACTS = 53

scenarios('exercise every clause, guard, rule and move of the YAML, and hold', async () => {
  const { code, said, complained } = await run()
  assert.equal([code, complained], [0, ''])
  const left = (said.split('No scenario exercises:')[1] ?? '').split('\n').filter((line) => line.trim() !== '')
  const acts = left.filter((line) => ACTS.test(line))
  assert.equal(
    left.filter((line) => !ACTS.test(line)),
    [],
  )
  assert.ok(acts.length <= LEFT_ACTS, acts.join('\n'))
})

scenarios.run()
