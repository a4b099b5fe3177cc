/** The pause of an instance that changes its tables alone: how often requests wait, and when the next app is served. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { pauseOf } from '../../engine/boot/replace-app.ts'

const pauses = suite('the pause of one instance')

function begun() {
  const done: string[] = []
  const pause = pauseOf({
    hold: async () => void done.push('wait'),
    open: () => void done.push('through'),
    serve: async () => void done.push('serve'),
  })
  return { pause, done }
}

pauses('requests wait once however often it begins, and are let through when the next app is served', async () => {
  const { pause, done } = begun()
  await pause.begin()
  await pause.begin()
  await pause.end()
  await pause.serve()
  pause.close()
  assert.equal(done, ['wait', 'serve', 'through'])
})

pauses('a pause that is given back lets them through to what is served, and has them wait again', async () => {
  const { pause, done } = begun()
  await pause.giveBack()
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await pause.begin()
    await pause.giveBack()
  }
  await pause.begin()
  await pause.end()
  assert.equal(done, ['wait', 'through', 'wait', 'through', 'wait', 'serve', 'through'])
})

pauses('where nothing is altered nobody waits, and the next app is served at the end', async () => {
  const { pause, done } = begun()
  await pause.end()
  assert.equal(done, [])
  await pause.serve()
  pause.close()
  assert.equal(done, ['serve'])
})

pauses('what fails in it lets requests through to what is served', async () => {
  const { pause, done } = begun()
  await pause.begin()
  pause.close()
  pause.close()
  assert.equal(done, ['wait', 'through'])
})

pauses('where requests cannot be had to wait, nothing is let through', async () => {
  const done: string[] = []
  const pause = pauseOf({
    hold: () => Promise.reject(new Error('no')),
    open: () => void done.push('through'),
    serve: async () => {},
  })
  await pause.begin().catch(() => done.push('refused'))
  pause.close()
  assert.equal(done, ['refused'])
})

pauses.run()
