/** What is left out of the desk's policies, guards and rules is noticed by its own scenarios. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plinth } from '../cli/world.ts'

const scenarios = suite('desk: left out')

const run = (...words: readonly string[]) =>
  plinth(['test', ...words], { TEST_DATABASE_URL: process.env.TEST_DATABASE_URL })

// All of them take minutes: `npx plinth test --mutate`. Here are clauses, a guard and a rule.
scenarios('notice what is left out', async () => {
  const { code, said, complained } = await run(
    '--mutate',
    'resources/faqs',
    'resources/ticket_comments',
    'resources/sla',
  )
  assert.equal([code, complained], [0, ''], said)
  assert.match(said, /Leaving out \d+ clauses, guards and rules/)
  assert.match(said, /✔ \S*ticket_comments\.yaml\S+ {2}write of is_internal/)
})

scenarios.run()
