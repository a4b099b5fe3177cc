/** Hooks that write down when they run, and that change, refuse and nest as a note's text tells them to. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, definePlugin } from '../../../../engine/index.ts'

/** What ran, in order; a test empties it before it asks. */
export const journal: string[] = []

export default definePlugin({
  name: 'probe',
  description: 'Hooks for tests of what runs when.',
  hooks: {
    shout: {
      transaction: false,
      run: async ({ input }, next) => {
        journal.push('shout')
        if (typeof input.text === 'string') input.text = input.text.toUpperCase()
        await next()
      },
    },
    outer: async ({ action, input, record, afterCommit, transaction, database }, next) => {
      journal.push(`outer before ${action}`)
      afterCommit(async () => {
        const rows = await database.adhoc.run({ text: 'select count(*) from notes' }, [])
        journal.push(`committed with ${rows[0]?.[0]}`)
      })
      if (input.text === 'refuse early') throw new ApiError('conflict', { message: 'Refused early' })
      if (record?.text === 'touch' && action === 'update')
        await transaction.run({ text: 'update notes set stamp = $1 where id = $2' }, ['touched', record.id])
      if (record?.text === 'vanish' && action === 'update')
        await transaction.run({ text: 'delete from notes where id = $1' }, [record.id])
      await next()
      journal.push('outer after')
    },
    inner: {
      input: { mood: { type: 'enum', values: ['good', 'bad'] } },
      run: async (context, next) => {
        const { action, input, extra, records, afterCommit } = context
        journal.push('inner before')
        if (extra.mood !== undefined) input.stamp = String(extra.mood)
        await next()
        journal.push(`inner after ${action} ${context.record?.text ?? '-'} → ${context.result?.text ?? '-'}`)
        const text = context.result?.text
        const made = await records('notes_log', 'system').create({ text: `${action} ${text}` })
        const seen = await records('notes_log', 'system').list({ text: `${action} ${text}` })
        journal.push(`sees ${seen.data.map((entry) => entry.id === made.id).join()}`)
        if (text === 'nested') await records('notes', 'actor').create({ text: 'child' })
        if (text === 'forbidden nested') await records('shelves').create({ name: 'from a hook' })
        // Other requests come meanwhile, and an end of the server.
        if (text === 'slow') await sleep(300)
        if (text === 'break') throw new Error('a hook broke')
        if (text === 'fail after')
          afterCommit(() => {
            throw new Error('after the commit')
          })
        if (text === 'refuse late') throw new ApiError('conflict', { message: 'Refused late' })
      },
    },
    judge: {
      transaction: false,
      run: async ({ action, draft, input }, next) => {
        if ((await draft()).state === 'lost') throw new ApiError('conflict', { message: 'Nothing begins lost' })
        if (input.name === 'Changed by the hook') input.note = 'by the hook'
        const { id, name, note, owner_id, posted_at, shelf_id, slug, state } = await draft()
        const posted = posted_at === null ? 'never' : 'now'
        journal.push(`${action}: ${[id, name, slug, note, state, shelf_id, owner_id, posted].join(', ')}`)
        await next()
      },
    },
    outside: async ({ dryRun }, next) => {
      journal.push(dryRun ? 'only asked' : 'done')
      await next()
    },
    instead: async (_context, _next) => {
      journal.push('instead')
    },
    twice: async (_context, next) => {
      await next()
      await next()
    },
  },
})
