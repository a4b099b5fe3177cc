/** A login for tests: the token itself says who the caller is, as `id:role:permission,permission`. */
import { definePlugin } from '../../../../engine/index.ts'

const sets = new Map<string, ReadonlySet<string>>()

function permissionSet(text: string): ReadonlySet<string> {
  const known = sets.get(text) ?? new Set(text.split(',').filter((word) => word !== ''))
  sets.set(text, known)
  return known
}

export default definePlugin({
  name: 'who',
  description: 'Believes what a token says of its bearer; for tests only.',
  authenticate: async ({ headers }) => {
    const match = /^Bearer (\d+):(\w*):(\S*)$/.exec(headers.authorization ?? '')
    if (match === null) return null
    const [, id = '0', role = '', permissions = ''] = match
    return { kind: 'user', id: Number(id), role: role || null, permissions: permissionSet(permissions), attributes: {} }
  },
  hooks: {
    shout: {
      transaction: false,
      run: async ({ input }, next) => {
        if (typeof input.title === 'string') input.title = input.title.toUpperCase()
        await next()
      },
    },
    log: async ({ result, records, afterCommit, log }, next) => {
      await next()
      void result
      await records('events', 'system').create({ text: 'changed' })
      afterCommit(() => log.info({}, 'committed'))
    },
  },
})
