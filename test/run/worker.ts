/** A process that runs the test files that its parent names, one after the other, and prints each result behind a mark. */
import { register } from 'node:module'
import type { FileOrder } from './file.ts'

Object.assign(globalThis, { UVU_DEFER: 1 })
register('./resolve.mjs', import.meta.url)
const { runFile, watchProcess } = await import('./file.ts')
const { watch } = await import('./suite.ts')
const { END, RESULT } = await import('./workers.ts')

watchProcess()
process.on('exit', () => {
  if (process.connected) process.stdout.write(`\n✘ the process ended during "${watch.running}"\n`)
})
process.on('disconnect', () => process.exit())
process.on('message', async (order: FileOrder | typeof END) => {
  if (order === END) return process.disconnect()
  const result = await runFile(order)
  process.stdout.write(`${RESULT}${JSON.stringify(result)}\n`)
})
process.send?.('ready')
