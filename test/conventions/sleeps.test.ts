/** Tests wait for what happens, by `until`, instead of a time in which it probably has. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { projectFiles, readSources } from './source.ts'

const test = suite('waiting in tests')

/** A wait of so many milliseconds, written as a number. */
const FIXED = /\b(?:sleep|pause|setTimeout)\((?:.*, )?\d[\d_]*\)/
/** A sentence behind the wait, or on the line before it. */
const REASON = /\/\/ |\*\/$/

/** The lines that wait for a fixed time without saying why. */
function unexplained(text: string): readonly number[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const isExplained = REASON.test(line) || REASON.test(lines[index - 1] ?? '')
    return FIXED.test(line) && !isExplained ? [index + 1] : []
  })
}

test('a wait of a fixed time says what makes it long enough, or what it leaves time for', () => {
  // Faults and the benchmark last as long as they are told to.
  const tests = readSources(projectFiles(), ['test']).filter(
    ({ path }) => !/^test\/(?:bench\/|faults\/|run\/fixture\/|conventions\/sleeps)/.test(path),
  )
  assert.equal(
    tests.flatMap(({ path, text }) => unexplained(text).map((line) => `${path}:${line}`)),
    [],
    '`until` of test/support/wait.ts waits for the thing itself; what cannot be waited for needs a sentence',
  )
})

test('waits are found in every form, and those without a number are left alone', () => {
  for (const line of ['await sleep(20)', 'await new Promise((done) => setTimeout(done, 1_000))', 'await setTimeout(5)'])
    assert.equal(unexplained(line), [1], line)
  for (const line of [
    'await sleep(LIMITS.pollMs * 3)',
    'await sleep(20) // so long is a window',
    '// So long.\nawait sleep(20)',
  ])
    assert.equal(unexplained(line), [], line)
})

test.run()
