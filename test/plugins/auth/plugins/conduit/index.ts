/** The interface of Conduit's clients over the accounts of the plugin auth: bodies below `user`, and a token in the answer. */
import { definePlugin, isObject, type JsonObject, type Reply, type RouteContext } from '../../../../../engine/index.ts'
import { openSession, register, signIn } from '../../../../../plugins/auth/index.ts'

function userIn({ body }: RouteContext): JsonObject {
  return isObject(body.user) ? body.user : {}
}

/** What the routes of auth answer, in the form of Conduit. */
function asConduit({ data, ...reply }: Reply): Reply {
  const { token, user } = data as { readonly token: string; readonly user: JsonObject }
  return { ...reply, data: { id: user.id, username: user.username, token } }
}

const USER = {
  type: 'object',
  properties: { id: { type: 'integer' }, username: { type: 'string' }, token: { type: 'string' } },
  required: ['token'],
} as const

export default definePlugin({
  name: 'conduit',
  description: 'Conduit; for tests only.',
  needs: ['auth'],
  routes: [
    {
      method: 'POST',
      path: '/users/login',
      summary: 'Sign in',
      access: 'public',
      bucket: 'auth',
      output: USER,
      handle: async (context) => asConduit(await signIn(context, userIn(context))),
    },
    {
      method: 'POST',
      path: '/users/join',
      summary: 'Register',
      access: 'public',
      bucket: 'auth',
      output: USER,
      status: 201,
      handle: async (context) => asConduit(await register(context, userIn(context))),
    },
    {
      method: 'POST',
      path: '/users/device',
      summary: 'Sign in by a device that this plugin believes',
      access: 'public',
      bucket: 'auth',
      output: USER,
      input: { id: { type: 'integer', required: true } },
      handle: async (context) => ({
        data: {
          token: await openSession(context, Number(context.body.id), { factors: ['provider'], provider: 'device' }),
        },
      }),
    },
  ],
})
