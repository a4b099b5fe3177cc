/** kill -9 under writes: what was answered with 201 is there after the next start, once and whole. */
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { folder, NOTES } from '../cli/world.ts'
import { until } from '../support/wait.ts'
import { walked } from './measure.ts'
import { openRestartable, type Restartable } from './restartable.ts'
import { addFigures, cyclesOf } from './table.ts'

const WRITERS = 8
const CYCLES = cyclesOf(3)

const files = folder(NOTES)
const test = suite<{ service: Restartable }>('faults: kill -9')
test.before(async (context) => {
  context.service = await openRestartable({ resources: `${files.path}/resources` })
})
test.after(async ({ service }) => {
  await service.close()
  files.remove()
})

interface Sent {
  readonly acknowledged: Set<string>
  readonly statuses: number[]
}

/** Creates notes until the service is gone; each title is used once. */
async function write(service: Restartable, writer: string, { acknowledged, statuses }: Sent): Promise<void> {
  const { url } = service
  for (let i = 0; ; i++) {
    const title = `${writer}-${i}`
    const body = JSON.stringify({ title, stars: 1 + (i % 5) })
    try {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${url}/api/notes`, { method: 'POST', headers, body })
      statuses.push(answer.status)
      if (answer.status === 201) acknowledged.add(title)
    } catch {
      return
    }
  }
}

interface Note {
  readonly title: string
  readonly stars: number
}

test('nothing acknowledged is lost, doubled or torn', async ({ service }) => {
  const sent: Sent = { acknowledged: new Set(), statuses: [] }
  let recoveryMs = 0
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const writers = Array.from({ length: WRITERS }, (_, i) => write(service, `${cycle}-${i}`, sent))
    const before = sent.acknowledged.size
    await until(async () => sent.acknowledged.size > before + WRITERS, 60_000)
    await sleep(Math.random() * 500)
    await service.kill()
    await Promise.all(writers)
    const killed = performance.now()
    await service.start()
    assert.is((await fetch(`${service.url}/api/notes?per_page=1`)).status, 200)
    recoveryMs = Math.max(recoveryMs, performance.now() - killed)
  }
  const notes = await walked<Note>(`${service.url}/api/notes`)
  const titles = notes.map(({ title }) => title)
  const there = new Set(titles)
  const figures = {
    lost: [...sent.acknowledged].filter((title) => !there.has(title)).length,
    doubled: titles.length - there.size,
    torn: notes.filter(({ title, stars }) => stars !== 1 + (Number(title.split('-')[2]) % 5)).length,
    wrong: sent.statuses.filter((status) => status !== 201).length,
  }
  addFigures({ fault: 'kill -9', cycles: CYCLES, acknowledged: sent.acknowledged.size, ...figures, recoveryMs })
  assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
})
test.run()
