/** The table of the benchmark gives medians of ratios, not ratios of medians, and hides no error. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { latencies, median, type Round, row, type Sample, table } from './table.ts'

const bench = suite('benchmark table')

function sample(perSecond: number, micros = 100, errors = 0): Sample {
  return { perSecond, p50Ms: 0.51, p99Ms: 2.04, serverMicros: micros, databaseMicros: micros / 2, errors }
}

bench('median takes the middle, or the mean of the two in the middle', () => {
  assert.is(median([3, 1, 2]), 2)
  assert.is(median([4, 1, 2, 3]), 2.5)
})

bench('compares within each round, so that a slow minute of the machine changes nothing', () => {
  const rounds: Round[] = [
    { engine: sample(1000), reference: sample(500) },
    { engine: sample(100), reference: sample(50) },
    { engine: sample(3000), reference: sample(1000) },
  ]
  const [name, engine, reference, ratio] = row('get', rounds)
  assert.equal([name, engine, reference, ratio], ['get', '1000', '500', '2.00'])
})

bench('shows processor time as a ratio, with what one request of the engine costs', () => {
  const cells = row('get', [{ engine: sample(1, 150), reference: sample(1, 100) }])
  assert.equal(cells.slice(4), ['2.0 (2.0)', '1.50 (150 µs)', '1.50 (75 µs)'])
})

bench('compares no processor time that is too short for the clock', () => {
  const cells = row('every comment', [{ engine: sample(1, 7500), reference: sample(1, 0) }])
  assert.equal(cells.slice(5), ['– (7500 µs)', '– (3750 µs)'])
})

bench('tells how long half of the answers took, and nearly all', () => {
  const told = '  engine p50 0.5 ms, p99 2.0 ms; reference p50 0.5 ms, p99 2.0 ms'
  assert.is(latencies([{ engine: sample(1), reference: sample(1) }]), told)
})

bench('says how many answers were wrong', () => {
  assert.is(row('create', [{ engine: sample(1, 1, 2), reference: sample(1, 1, 1) }])[0], 'create (3 errors!)')
})

bench('prints Markdown whose columns line up', () => {
  const lines = table([row('get', [{ engine: sample(10), reference: sample(10) }])]).split('\n')
  assert.is(lines.length, 3)
  assert.is(new Set(lines.map((line) => line.length)).size, 1)
  assert.match(lines[1] ?? '', /^\| -+ \|/)
})

bench.run()
