/** A process that serves requests reads other files in turns, so that it answers them in between. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog } from '../../engine/boot/boot.ts'
import { atOnce, each, inTurns, type Pieces, turns as turnsByTime } from '../../engine/turns.ts'
import { folder, NOTES } from '../cli/world.ts'

const turns = suite('turns')

/** Works for some milliseconds. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

function* numbers(done: string[]): Pieces<number> {
  const doubled = yield* each([1, 2, 3], (n) => {
    done.push(`piece ${n}`)
    work(10)
    return n * 2
  })
  return doubled.reduce((sum, n) => sum + n, 0)
}

turns('work in turns lets others come between its pieces, and ends with the same', async () => {
  const done: string[] = []
  const others = setInterval(() => done.push('another'), 1)
  assert.is(await inTurns(numbers(done)), 12)
  clearInterval(others)
  for (const n of [2, 3]) assert.ok(done.slice(0, done.indexOf(`piece ${n}`)).includes('another'), done.join())
  assert.is(done[done.indexOf('piece 2') - 1], 'another')
  assert.is(done[done.indexOf('piece 3') - 1], 'another')
})

turns('a turn ends by time, however many steps it has', async () => {
  const giveWay = turnsByTime()
  let rests = 0
  const steps = async (count: number, ms: number): Promise<number> => {
    rests = 0
    for (let step = 0; step < count; step += 1) {
      work(ms)
      const rest = giveWay()
      if (rest === undefined) continue
      rests += 1
      await rest
    }
    return rests
  }
  assert.is(await steps(5, 10), 5, 'each step is longer than a turn')
  const rested = await steps(10_000, 0)
  assert.ok(rested < 5_000, `${rested} rests between steps of which a turn holds many`)
})

turns('work at once lets nobody come between', () => {
  const done: string[] = []
  assert.is(atOnce(numbers(done)), 12)
  assert.equal(done, ['piece 1', 'piece 2', 'piece 3'])
})

turns('an error of a piece is that of the whole', async () => {
  function* failing(): Pieces<void> {
    yield
    throw new Error('no')
  }
  assert.is(await inTurns(failing()).catch(({ message }) => message), 'no')
})

turns('the files of an application are read in pieces that each file has', async () => {
  let pieces = 0
  const counting = async <T>(all: Pieces<T>): Promise<T> => {
    for (;;) {
      const { done, value } = all.next()
      if (done === true) return value
      pieces += 1
    }
  }
  const { value } = await readCatalog({ resourcesDir: 'resources', pluginsDir: 'plugins' }, counting)
  // Each is parsed, checked and drafted.
  assert.ok(pieces > 3 * value!.catalog.resources.size, String(pieces))
})

turns('files with mistakes are told the same in turns', async () => {
  const files = folder({ ...NOTES, 'resources/notes.yaml': NOTES['resources/notes.yaml'].replace('integer', 'intger') })
  try {
    const settings = { resourcesDir: `${files.path}/resources`, pluginsDir: `${files.path}/plugins` }
    const [now, beside] = [await readCatalog(settings), await readCatalog(settings, inTurns)]
    assert.is(beside.value, undefined)
    assert.equal(
      beside.diagnostics.map(({ message }) => message),
      now.diagnostics.map(({ message }) => message),
    )
    assert.match(beside.diagnostics[0]?.message ?? '', 'intger')
  } finally {
    files.remove()
  }
})

turns.run()
