/** The desk's own scenarios: all of them hold, and nothing of the YAML is left unexercised. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plinth } from '../cli/world.ts'

const scenarios = suite('desk: scenarios')

const run = (...words: readonly string[]) =>
  plinth(['test', ...words], { TEST_DATABASE_URL: process.env.TEST_DATABASE_URL })

scenarios('exercise all that the YAML says, and hold', async () => {
  const { code, said, complained } = await run()
  assert.equal([code, complained], [0, ''])
  const [, left = ''] = said.split('No scenario exercises:')
  assert.is(left, '')
  assert.match(said, 'hears before and when an answer and a solution are due')
})

scenarios.run()
