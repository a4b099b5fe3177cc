/** A whole day of the desk, played by the shell script that anyone can run: `sh test/day.sh`. */
import { spawn } from 'node:child_process'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { bare, build } from './server.ts'

const day = suite('a day of the desk')
const onServer = process.env.TEST_DATABASE_URL ? day : day.skip

day.before(build)
const made: TestDatabase[] = []
day.after(async () => {
  for (const { close } of made) await close()
})

/** An empty database of the server of tests; undefined without one. */
async function serverUrl(): Promise<string | undefined> {
  if (!process.env.TEST_DATABASE_URL) return undefined
  const one = await testDatabase()
  made.push(one)
  return one.url
}

/** Plays the day; gives the exit code and everything the script said. */
function play(env: Readonly<Record<string, string | undefined>>): Promise<{ code: number | null; said: string }> {
  return new Promise((done, fail) => {
    const child = spawn('sh', ['test/day.sh'], { env: bare(env), stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stdout.on('data', (part: Buffer) => (said += String(part)))
    child.stderr.on('data', (part: Buffer) => (said += String(part)))
    child.once('error', fail)
    child.once('close', (code) => done({ code, said }))
  })
}

if (!process.env.TEST_DATABASE_URL) {
  day('goes by as it should, from an empty folder', async () => {
    const { code, said } = await play({})
    assert.is(code, 0, said)
    assert.match(said, /A whole day, 1\d\d answers, all as they should be\./)
  })
}

onServer('goes by as it should on a PostgreSQL server', async () => {
  const { code, said } = await play({ DATABASE_URL: await serverUrl() })
  assert.is(code, 0, said)
  assert.match(said, /A whole day, 1\d\d answers/)
})

day('ends with 1 at the first answer that is not the right one, and shows it', async () => {
  // An embedded database is made by each start of its own, which takes longer than all else here.
  const { code, said } = await play({ RESOURCES_DIR: 'test/library/resources', DATABASE_URL: await serverUrl() })
  assert.is(code, 1, said)
  assert.match(said, /✘ {2}Without a token there is nothing to see\n\nexpected status 401/)
  assert.match(said, /\/api\/v1\/tickets as nobody.*was answered.*Route not found/s)
})

day.run()
