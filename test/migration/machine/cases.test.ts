/** What the machine of changes has found, by name; a case that does not hold yet is expected to fail. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { CASES } from './cases.ts'
import { PENDING_CASES } from './pending.ts'
import { run } from './run.ts'

const test = suite('changes by name')

for (const [name, sequence] of Object.entries(CASES)) {
  const reason = PENDING_CASES[name]
  test(reason === undefined ? name : `does not hold yet: ${name}`, async () => {
    const wrong = await run(sequence).then(
      () => undefined,
      (error: unknown) => String(error),
    )
    if (reason === undefined) assert.not.ok(wrong, wrong)
    else assert.ok(wrong, `it holds now: take it out of PENDING_CASES, where it stands with "${reason}"`)
  })
}

test.run()
