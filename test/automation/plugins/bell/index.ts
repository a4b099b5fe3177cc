/** A plugin for tests: an action that notes for which records it was called, and fails or refuses where it is told to. */
import { type ActionContext, type Actor, ApiError, definePlugin } from '../../../../engine/index.ts'
import { broken, rung, unwanted } from './rung.ts'

const ADA: Actor = { kind: 'user', id: 1, role: null, permissions: new Set(), attributes: {} }

async function ring({ transaction, work }: ActionContext): Promise<void> {
  const { automation, given, records } = work
  const ids = records.map(({ id }) => id)
  const rows = await transaction.knex('tasks').whereIn('id', ids).select('name')
  for (const { name } of rows as readonly { readonly name: string }[]) {
    if (unwanted.has(name)) throw new ApiError('conflict', { message: `Nobody wants to hear of ${name}` })
    const failures = broken.get(name) ?? 0
    if (failures === 0) continue
    broken.set(name, failures - 1)
    throw new Error(`the bell is broken for ${name}`)
  }
  rung.push({ automation, text: String(given.text), ids })
  if (ids.length > 0) await transaction.knex('rings').insert(ids.map((id) => ({ task: id, text: automation })))
}

export default definePlugin({
  name: 'bell',
  description: 'Rings, and believes that everybody with a token is Ada.',
  authenticate: async ({ headers }) => (headers.authorization === undefined ? null : ADA),
  actions: {
    ring: {
      description: 'Rings.',
      key: 'ring',
      takes: { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: false },
      run: ring,
    },
  },
})
