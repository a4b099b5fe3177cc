/** kill -9 while mails are written to the outbox: each that was acknowledged is there, once and whole. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/wait.ts'
import { openRestartableDesk, type RestartableDesk } from './desk.ts'
import { addFigures, cyclesOf } from './table.ts'

const CYCLES = cyclesOf(3)
const WRITERS = 4

const test = suite<{ desk: RestartableDesk }>('faults: kill -9 and the outbox')
test.before(async (context) => {
  // One admin invites more people than a budget of mails would let leave within the hour.
  context.desk = await openRestartableDesk((app) =>
    app.replace('# budgets: { person_hour: 50,', 'budgets: { person_hour: 100000,'),
  )
})
test.after(({ desk }) => desk.close())

/** Invites people until the service is gone; each address is used once. */
async function invite({ ask }: RestartableDesk, writer: string, acknowledged: Set<string>): Promise<void> {
  for (let n = 0; ; n++) {
    const email = `w${writer}x${n}@people.example`
    try {
      const { status } = await ask('POST', '/customers', { first_name: 'Ivy', last_name: 'Invited', email })
      if (status === 201) acknowledged.add(email)
    } catch {
      return
    }
  }
}

/** The recipient of each mail that lies in the outbox; none for one that was cut. */
async function recipients({ service }: RestartableDesk): Promise<readonly string[]> {
  const outbox = join(service.dataDir, 'outbox')
  const names = (await readdir(outbox).catch(() => [])).filter((name) => name.endsWith('.eml'))
  const mails = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
  return mails.map((mail) => (/--\s*$/.test(mail) ? (/^To: (\S+)/m.exec(mail)?.[1] ?? '') : ''))
}

test('each mail that was acknowledged is written once', async ({ desk }) => {
  const { service } = desk
  const acknowledged = new Set<string>()
  let recoveryMs = 0
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const writers = Array.from({ length: WRITERS }, (_, n) => invite(desk, `${cycle}y${n}`, acknowledged))
    const enough = acknowledged.size + 2 * WRITERS
    await until(() => acknowledged.size >= enough, 30_000)
    await sleep(Math.random() * 300)
    await service.kill()
    await Promise.all(writers)
    const killed = performance.now()
    await service.start()
    recoveryMs = Math.max(recoveryMs, performance.now() - killed)
  }
  const missing = async () => {
    const there = new Set(await recipients(desk))
    return [...acknowledged].filter((email) => !there.has(email))
  }
  await until(async () => (await missing()).length === 0, 60_000).catch(() => undefined)
  const found = await recipients(desk)
  const figures = {
    lost: (await missing()).length,
    doubled: found.length - new Set(found).size,
    torn: found.filter((email) => email === '').length,
    wrong: 0,
  }
  addFigures({ fault: 'kill -9 under mails', cycles: CYCLES, acknowledged: acknowledged.size, ...figures, recoveryMs })
  assert.equal(figures, { lost: 0, doubled: 0, torn: 0, wrong: 0 })
  assert.ok(acknowledged.size > CYCLES, 'the writers were answered')
})
test.run()
