/** A plugin for tests: whoever presents a token is a user whose role is what the token says. */
import { type Actor, definePlugin } from '../../../../engine/index.ts'

export default definePlugin({
  name: 'probe',
  description: 'Takes a bearer token for the name of a role.',
  authenticate: async ({ headers }): Promise<Actor | null> => {
    const role = /^Bearer (\w+)$/.exec(headers.authorization ?? '')?.[1]
    if (role === undefined) return null
    return { kind: 'user', id: 7, role, permissions: new Set(), attributes: {} }
  },
})
