/** Drawn applications whose files change while they serve: every value stays where its field is, or a plan has said how many go. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Sequence, sequences, WAYS } from './draw.ts'
import { EDITS, type Kind } from './kinds.ts'
import { PENDING } from './pending.ts'
import { counts, run } from './run.ts'

const test = suite('a machine of changes')

/** Shrinking ends then, so that a run that fails ends in time to tell it. */
const SHRINK_MS = 60_000

/** A busy machine runs fewer sequences than a quiet one. */
const LONGEST_MS = 60_000

const { MACHINE_RUNS, MACHINE_SEED, MACHINE_KINDS, MACHINE_PENDING, MACHINE_COUNTS, TEST_DATABASE_URL } = process.env

const isDrawn = (name: keyof typeof PENDING): boolean =>
  MACHINE_KINDS?.split(',').includes(name) ?? (MACHINE_PENDING !== undefined || PENDING[name] === undefined)

const kinds = (Object.keys(EDITS) as Kind[]).filter(isDrawn)
const ways = WAYS.filter((way) => way === 'reload' || isDrawn(way))

/** The usual run is the same each time, so that it tells of a change of the code; MACHINE_RUNS draws anew. */
const USUAL = MACHINE_RUNS === undefined ? '-1217645799' : undefined
const [seed, path] = (MACHINE_SEED ?? USUAL)?.split(',') ?? []

test('whatever changes, values stay where their fields are, and plans say what happens', async () => {
  let failedAt: number | undefined
  let told = ''
  const property = fc.asyncProperty(sequences(kinds, ways, isDrawn('revert')), async (sequence: Sequence) => {
    if (failedAt !== undefined && performance.now() - failedAt > SHRINK_MS) return
    try {
      await run(sequence)
    } catch (error) {
      failedAt ??= performance.now()
      told = error instanceof Error ? error.message : String(error)
      throw error
    }
  })
  const found = await fc.check(property, {
    numRuns: Number(MACHINE_RUNS ?? (TEST_DATABASE_URL ? 10 : 3)),
    ...(MACHINE_RUNS === undefined ? { interruptAfterTimeLimit: LONGEST_MS } : {}),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  })
  if (MACHINE_COUNTS !== undefined) console.info(JSON.stringify(counts))
  const again = `MACHINE_SEED=${found.seed},${found.counterexamplePath} runs it again.`
  assert.not.ok(found.failed, `${again}\n${JSON.stringify(found.counterexample)}\n${told}`)
})

test.run()
