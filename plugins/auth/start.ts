/**
 * The start of the plugin: makes the first admin, never with a guessable password, and rewrites addresses from before
 * there was one form of each.
 */

import { randomBytes } from 'node:crypto'
import { ApiError, type PluginContext, type StartLine } from '../../engine/index.ts'
import { noteProviders } from './history/providers.ts'
import { shortenKeys } from './key-life.ts'
import { authOptions } from './options.ts'
import { notDeletedSql } from './session.ts'

/** What this reads of the environment, for the documents. */
export const VARIABLES = {
  ADMIN_EMAIL: {
    otherwise: 'admin@example.com',
    meaning: 'the e-mail address of the first admin, made while there is none',
  },
  ADMIN_PASSWORD: { otherwise: 'made and printed once', meaning: 'the password of the first admin' },
}

/** Runs before the first request; returns the lines to print for a new admin. */
export async function start(context: PluginContext): Promise<readonly StartLine[]> {
  const { options, settings } = context
  await rewriteAddresses(context)
  await noteProviders(context)
  await shortenKeys(context)
  const role = await vacantRole(context, authOptions(options).roles[0] ?? '')
  if (role === undefined) return []
  const email = settings.env.ADMIN_EMAIL || 'admin@example.com'
  const given = settings.env.ADMIN_PASSWORD || undefined
  const password = given ?? randomBytes(12).toString('base64url')
  await makeAdmin(context, email, password, role)
  return given === undefined
    ? [{ once: `Admin      ${email}` }, { once: `Password   ${password}   (shown only now)` }]
    : [{ once: `Admin      ${email}` }]
}

/**
 * The role of a slug, unless somebody who may sign in has it. SQL, because models would load Objection at every start.
 */
async function vacantRole({ catalog, database }: PluginContext, slug: string): Promise<number | undefined> {
  const users = catalog.resources.get('users')!
  const roles = catalog.resources.get('roles')!
  const text = `select id from "${roles.table}" where slug = $1 and not exists (
      select from "${users.table}" u join "${roles.table}" r on r.id = u.role_id
      where r.slug = $1 and u.status <> 'declined' and u.kind = 'person'${notDeletedSql(users, 'u')})`
  const [row] = await database.adhoc.run({ text }, [slug])
  return row === undefined ? undefined : Number(row[0])
}

async function makeAdmin(context: PluginContext, email: string, password: string, roleId: number): Promise<void> {
  const { admin, names } = authOptions(context.options)
  try {
    await context.records('users', 'system').create({
      ...(names && { first_name: 'First', last_name: 'Admin' }),
      ...admin,
      email,
      password,
      password_confirmation: password,
      role_id: roleId,
      status: 'active',
    })
  } catch (error) {
    if (!(error instanceof ApiError) || error.params.errors === undefined) throw error
    const reasons = Object.values(error.params.errors).flat().join('; ')
    throw new Error(`The first admin could not be made from ADMIN_EMAIL and ADMIN_PASSWORD: ${reasons}`, {
      cause: error,
    })
  }
}

/**
 * Rewrites addresses in another form, so that their owners can still sign in. Where another account has that form the
 * address stays, and the log names the account by its id.
 */
export async function rewriteAddresses({
  catalog,
  database,
  log,
  model,
}: Pick<PluginContext, 'catalog' | 'database' | 'log' | 'model'>): Promise<void> {
  const users = catalog.resources.get('users')!
  const { options, type } = users.fields.get('email')!
  // Nearly always there is none; a model would load Objection.
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
