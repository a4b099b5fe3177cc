/** Brings addresses that were stored before there was one form of each into it, so that their owners can go on signing in. */
import type { PluginContext } from '../../engine/index.ts'

/** Rewrites what differs; an address stays as it is where another account has that form, and the log names the account by its id. */
export async function rewriteAddresses({
  catalog,
  database,
  log,
  model,
}: Pick<PluginContext, 'catalog' | 'database' | 'log' | 'model'>): Promise<void> {
  const users = catalog.resources.get('users')!
  const { options, type } = users.fields.get('email')!
  // Nearly always there is none, and then no model is made for it: that would load Objection.
  const text = `select id, email from "${users.table}" where email ~ '[^\\x01-\\x7f]|xn--'`
  for (const row of await database.adhoc.run({ text }, [])) {
    const id = Number(row[0])
    const email = String(row[1])
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
