/** A plugin for tests: jobs of several kinds, a route that enqueues them, and people whose name is their token. */
import { type Actor, ApiError, definePlugin, type EnqueueOptions } from '../../../../engine/index.ts'

const PEOPLE: Readonly<Record<string, Actor>> = {
  ada: { kind: 'user', id: 1, role: 'keeper', permissions: new Set(), attributes: {} },
  bob: { kind: 'user', id: 2, role: 'reader', permissions: new Set(), attributes: {} },
  root: { kind: 'user', id: 3, role: 'root', permissions: new Set(['*']), attributes: {} },
}

export default definePlugin({
  name: 'work',
  description: 'Jobs for tests.',
  authenticate: async ({ headers }) => PEOPLE[headers.authorization?.replace('Bearer ', '') ?? ''] ?? null,
  identify: async (_context, name) => Object.values(PEOPLE).find(({ id }) => String(id) === name) ?? null,
  jobs: {
    note: {
      description: 'Notes who it runs as.',
      run: async (context, { text }) => {
        await context.progress(50)
        const { actor, id } = context
        await context.transaction(async ({ records, transaction }) => {
          const note = await records('notes', actor.kind === 'system' ? 'system' : 'actor').create({
            text: `${text} by ${actor.role ?? actor.kind}`,
          })
          await transaction
            .knex('notes')
            .where({ id: Number(note.id) })
            .update({ job: id })
        })
        return { noted: text ?? null }
      },
    },
    refuse: {
      description: 'Is refused for a reason that callers may read.',
      attempts: 1,
      run: async () => {
        throw new ApiError('conflict', { message: 'The shelf is full' })
      },
    },
    break: {
      description: 'Breaks for a reason that is nobody’s business.',
      attempts: 1,
      run: async () => {
        throw new Error('password=hunter2')
      },
    },
  },
  routes: [
    {
      method: 'POST',
      path: '/start',
      summary: 'Enqueues a job',
      access: [{ kind: 'signed_in' }],
      input: {
        job: { type: 'string', required: true },
        text: { type: 'string' },
        as: { type: 'enum', values: ['system', 'actor'], default: 'system' },
        undo: { type: 'boolean', default: false },
        option: { type: 'string' },
        outside: { type: 'boolean', default: false },
        dedupe: { type: 'string' },
      },
      output: { type: 'object', properties: { id: { type: 'string' } } },
      handle: async (context) => {
        const { dedupe, job, option, outside, text, undo } = context.body
        const options: EnqueueOptions = {
          as: context.body.as === 'actor' ? 'actor' : 'system',
          ...(typeof option === 'string' ? { [option]: true } : {}),
          ...(typeof dedupe === 'string' ? { dedupe } : {}),
          outsideTransaction: outside === true,
        }
        const id = await context.transaction(async (inner) => {
          const made = await inner.enqueue(String(job), { text: text ?? null }, options).catch((error: Error) => {
            if (option === undefined) throw error
            throw new ApiError('bad_request', { message: error.message })
          })
          if (undo === true) throw new ApiError('conflict', { message: 'Undone' })
          return made
        })
        return { data: { id } }
      },
    },
  ],
})
