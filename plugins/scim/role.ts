/** ⇄ Roles by groups: the first group of the options that an account is in gives its role. */
import { ApiError, type PlanContribution, type PluginContext } from '../../engine/index.ts'
import { isLastAdmin, LAST_ADMIN, note } from '../auth/index.ts'
import { scimOptions } from './options.ts'

type Writing = Pick<PluginContext, 'actor' | 'log' | 'model' | 'now' | 'options' | 'records'>

/** The id of the role of a slug. */
async function roleId({ model }: Writing, slug: string): Promise<number> {
  const role = await model('roles').query().modify('live').findOne({ slug }).select('id')
  if (role === undefined)
    throw new ApiError('conflict', { message: `There is no role "${slug}", which app.yaml names` })
  return Number(role.id)
}

/** The role that groups give, by their names; undefined where they give none. */
function slugFor({ options }: Pick<Writing, 'options'>, groups: readonly string[]): string | undefined {
  const { otherwise, roles } = scimOptions(options)
  const names = new Set(groups.map((name) => name.toLowerCase()))
  return roles === undefined
    ? undefined
    : (roles.find(({ group }) => names.has(group.toLowerCase()))?.role ?? otherwise)
}

/** The role of an account that is made: that of nobody in a group; nothing where groups give none. */
export async function firstRole(context: Writing): Promise<{ readonly role_id?: number }> {
  const slug = slugFor(context, [])
  return slug === undefined ? {} : { role_id: await roleId(context, slug) }
}

/**
 * Gives accounts the roles of their groups, as the caller. The last active admin keeps the role, and the log and the
 * history say so; throws forbidden where the caller may not give a role.
 */
export async function giveRoles(context: Writing, accounts: Iterable<number>, address: string | null): Promise<void> {
  if (scimOptions(context.options).roles === undefined) return
  for (const account of accounts) await giveRole(context, account, address)
}

async function giveRole(context: Writing, account: number, address: string | null): Promise<void> {
  const { actor, log, model, records } = context
  const groups = await model('scim_members')
    .query()
    .alias('m')
    .joinRelated('group')
    .where('m.user_id', account)
    .select('group.display_name as name')
  const slug = slugFor(
    context,
    groups.map(({ name }) => String(name)),
  )
  const present = await model('users').query().modify('live').findById(account).select('role_id')
  if (slug === undefined || present === undefined) return
  const role_id = await roleId(context, slug)
  if (present.role_id === role_id) return
  try {
    await records('users').update(account, { role_id })
  } catch (error) {
    if (!isLastAdmin(error)) throw error
    log.warn({ user: account }, `a role was not taken by SCIM: ${LAST_ADMIN}`)
    await note(context, {
      act: 'role_kept',
      by: actor.id,
      user: account,
      provider: 'scim',
      address,
      details: { instead: slug },
    })
  }
}

/** How many accounts that a directory keeps would get another role by the groups of the present options. */
export const plannedRoles: PlanContribution = async ({ catalog, options, runner }) => {
  const { otherwise, roles } = scimOptions(options)
  if (roles === undefined || otherwise === undefined) return []
  const table = (name: string): string => `"${catalog.resources.get(name)!.table}"`
  const values: unknown[] = [otherwise]
  const inGroup = (name: string): string =>
    `exists (select from ${table('scim_members')} m join ${table('scim_groups')} g on g.id = m.group_id
      where m.user_id = u.id and lower(g.display_name) = $${values.push(name.toLowerCase())}::text)`
  const lines = roles.map(({ group, role }) => `when ${inGroup(group)} then $${values.push(role)}::text`)
  const text = `select r.slug, case ${lines.join(' ')} else $1::text end as becomes, count(*)
    from ${table('users')} u join ${table('roles')} r on r.id = u.role_id
    where u.scim_user_key is not null and u.status <> 'declined' and u.deleted_at is null group by 1, 2 order by 1, 2`
  const rows = await runner.run({ text }, values)
  return rows.flatMap(([from, to, count]) =>
    from === to
      ? []
      : [
          `scim: ${count} ${count === '1' ? 'person' : 'people'} with the role ${from} would get ${to} with the next change of their groups`,
        ],
  )
}
