/** Refuses tickets about orders whose warranty has ended. */
import { ApiError, definePlugin, type HookContext } from 'plinth'

async function check(context: HookContext, next: () => Promise<void>): Promise<void> {
  const { bought_on: bought } = await context.draft()
  const oldest = new Date(context.now())
  oldest.setUTCFullYear(oldest.getUTCFullYear() - Number(context.options.years))
  if (typeof bought === 'string' && bought < oldest.toISOString().slice(0, 10))
    throw new ApiError('conflict', { message: 'The warranty of this order has ended' })
  await next()
}

export default definePlugin({
  name: 'warranty',
  description: 'Refuses tickets about orders whose warranty has ended.',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: { years: { type: 'integer', default: 2, description: 'How long it lasts' } },
  },
  hooks: { check },
})
