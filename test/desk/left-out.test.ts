/** What is left out of the desk's policies, guards and rules is noticed by its own scenarios. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plinth } from '../cli/world.ts'

const scenarios = suite('desk: left out')

const run = (...words: readonly string[]) =>
  plinth(['test', ...words], { TEST_DATABASE_URL: process.env.TEST_DATABASE_URL })

// All of them take a quarter of an hour: `npx plinth test --mutate`. Here are clauses, their conditions, and those whom they are about.
scenarios('notice what is left out', async () => {
  const { code, said, complained } = await run('--mutate', 'resources/faqs', 'resources/sla')
  assert.equal([code, complained], [0, ''], said)
  assert.match(said, /Leaving out \d+ parts of the files/)
  assert.match(said, /✔ \S*faqs\.yaml\S+ {2}where of view: status: true/)
  assert.match(said, /✔ \S*sla_targets\.yaml\S+ {2}whom of update: settings\.manage/)
})

scenarios.run()
