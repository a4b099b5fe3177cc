/** Brings addresses that were stored before there was one form of each into it, so that their owners can go on signing in. */
import type { PluginContext } from '../../engine/index.ts'

/** Rewrites what differs; an address stays as it is where another account has that form, and the log names the account by its id. */
export async function rewriteAddresses({
  catalog,
  log,
  model,
}: Pick<PluginContext, 'catalog' | 'log' | 'model'>): Promise<void> {
  const users = catalog.resources.get('users')!
  const { options, type } = users.fields.get('email')!
  const rows = await model('users')
    .query()
    .whereRaw(`email ~ '[^\\x01-\\x7f]|xn--'`)
    .select('id', 'email')
    .castTo<{ id: number; email: string }[]>()
  for (const { id, email } of rows) {
    const parsed = type.parse(email, options)
    const form = 'value' in parsed && typeof parsed.value === 'string' ? parsed.value : email
    if (form === email) continue
    const written = await model('users')
      .query()
      .findById(id)
      .whereNotExists(model('users').query().alias('o').where('o.email', form))
      .patch({ email: form })
    if (written === 0) log.warn({ user: id }, 'an account has another spelling of the address of another account')
  }
}
