/** The first admin: made at the start of an application that has none, never with a password anybody could guess. */
import { randomBytes } from 'node:crypto'
import { ApiError, type PluginContext, type StartLine } from '../../engine/index.ts'
import { countAdmins } from './guard-user.ts'
import { rewriteAddresses } from './one-form.ts'
import { authOptions } from './options.ts'

/** Runs before the first request; gives the lines to print when an admin was made. */
export async function start(context: PluginContext): Promise<readonly StartLine[]> {
  const { model, options, settings } = context
  await rewriteAddresses(context)
  const top = authOptions(options).roles[0] ?? ''
  const role = await model('roles').query().findOne({ slug: top }).select('id')
  if (role === undefined || (await countAdmins(context, top)) > 0) return []
  const email = settings.env.ADMIN_EMAIL || 'admin@example.com'
  const given = settings.env.ADMIN_PASSWORD || undefined
  const password = given ?? randomBytes(12).toString('base64url')
  await makeAdmin(context, email, password, Number(role.id))
  return given === undefined
    ? [{ once: `Admin      ${email}` }, { once: `Password   ${password}   (shown only now)` }]
    : [{ once: `Admin      ${email}` }]
}

async function makeAdmin(context: PluginContext, email: string, password: string, roleId: number): Promise<void> {
  try {
    await context.records('users', 'system').create({
      first_name: 'First',
      last_name: 'Admin',
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
