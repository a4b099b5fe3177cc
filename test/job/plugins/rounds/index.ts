/** A plugin for tests: a scheduled job that tells of its rounds, and stays in one until it is told to stop where a test says so. */
import { setTimeout as sleep } from 'node:timers/promises'
import { definePlugin } from '../../../../engine/index.ts'

export default definePlugin({
  name: 'rounds',
  description: 'A scheduled job for tests.',
  jobs: {
    walk: {
      description: 'Walks its round.',
      every: '1 hour',
      run: async ({ database, signal }) => {
        const told = async (word: string) => database.knex('rounds').insert({ word })
        await told('begun')
        if ((await database.knex('rounds').where({ word: 'stay' })).length === 0) return
        // Until it is told to stop.
        while (!signal.aborted) await sleep(5)
        // What a round does last, such as the second half of a move.
        await sleep(50)
        await told('stopped')
      },
    },
  },
})
