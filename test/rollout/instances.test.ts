/** The instances that take part in a rollout: all living ones, and no others. */
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { LIMITS } from '../../engine/limits.ts'
import { PROGRAM, startServer } from '../cli/server.ts'
import { until } from '../support/wait.ts'
import { allThere, apply, ask, beginAll, environment, notes, places, rows, served, world } from './world.ts'

const all = suite('instances of a rollout')
const instances = process.env.TEST_DATABASE_URL === undefined ? all.skip : all
let end: () => Promise<void> = async () => {}

all.before(async () => {
  if (process.env.TEST_DATABASE_URL === undefined) return
  end = await beginAll()
  const { status, text } = await ask(places[0]!, '/api/notes', { title: 'kept', c0: 'of 0' })
  assert.is(status, 201, text)
  rows.set(JSON.parse(text).data.id, 'of 0')
})
all.after(() => end())

/** Saves the next world.version for every instance, and applies it. */
async function applyNext(): Promise<{ readonly code: number | null; readonly said: string }> {
  for (const { files } of places) files.write('resources/notes.yaml', notes(world.version + 1))
  const applying = apply(places[0]!)
  return { code: await applying.ended, said: applying.output() }
}

instances('an instance that says nothing for long and lives is not taken for gone', async () => {
  const client = new pg.Client(world.url)
  await client.connect()
  const silent = places[1]!.server.child
  silent.kill('SIGSTOP')
  try {
    const isSilent = `select count(*) from plinth_instance where name like '%:${silent.pid}'
      and seen_at < clock_timestamp() - interval '${LIMITS.instanceSilenceMs} milliseconds'`
    await until(async () => (await client.query(isSilent)).rows[0]?.count === '1')
    const { code, said } = await applyNext()
    assert.is(code, 1)
    assert.match(said, `:${silent.pid} has not answered in 10 s`)
  } finally {
    silent.kill('SIGCONT')
    await client.end()
  }
  for (const place of places) assert.is(await served(place), `c${world.version}`)
  const { code, said } = await applyNext()
  assert.is(code, 0, said)
  world.version += 1
  for (const place of places) assert.is(await served(place), `c${world.version}`)
  await allThere()
})

instances('an instance that was killed is waited for no longer than it may be silent', async () => {
  const { files, server } = places.pop()!
  await server.stop('SIGKILL')
  const { code, said } = await applyNext()
  assert.is(code, 0, said)
  world.version += 1
  assert.is(await served(places[0]!), `c${world.version}`)
  files.write('resources/notes.yaml', notes(world.version))
  places.push({ files, server: await startServer(PROGRAM, files.path, environment(files)) })
})

instances('an instance whose tables a start has renamed serves the files that fit them', async () => {
  for (const { files } of places) files.write('resources/notes.yaml', notes(world.version + 1))
  const { files, server } = places.pop()!
  await server.stop('SIGTERM')
  places.push({ files, server: await startServer(PROGRAM, files.path, environment(files)) })
  world.version += 1
  for (const place of places) await until(async () => (await served(place)) === `c${world.version}`)
  await allThere()
})

all.run()
