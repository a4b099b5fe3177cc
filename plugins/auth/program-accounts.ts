/** Service accounts: those of programs, which have keys and no password, and a person who is responsible for them. */
import { type CheckContext, type Finding, fieldError, type HookContext, invalid } from '../../engine/index.ts'
import { type Act, note } from './history/acts.ts'
import { notDeletedSql } from './session.ts'

/** Whether a write concerns a service account; the kind of an account never changes. */
export function isService({ input, record }: Pick<HookContext, 'input' | 'record'>): boolean {
  return (record ?? input).kind === 'service'
}

/** Throws validation_failed for a password of a service account. */
export function refusePassword(context: HookContext): void {
  const given = [context.extra.password, context.extra.password_confirmation].some((one) => (one ?? null) !== null)
  if (given && isService(context))
    throw invalid({ password: [fieldError('invalid', 'A service account has no password: make a key for it')] })
}

/** Writes who became responsible for a service account. */
export async function noteResponsible(
  context: HookContext,
  about: Pick<Act, 'by' | 'address' | 'user'>,
): Promise<void> {
  const { record, result } = context
  if (record === undefined || record.responsible_id === result?.responsible_id) return
  const details = { before: record.responsible_id ?? null, after: result?.responsible_id ?? null }
  await note(context, { act: 'responsible_changed', ...about, details })
}

/** Writes for which service accounts nobody is responsible any more, now that a person goes. */
export async function noteLeft(
  context: HookContext,
  person: number,
  about: Pick<Act, 'by' | 'address'>,
): Promise<void> {
  const left = await context
    .model('users')
    .query()
    .modify('live')
    .where({ kind: 'service', responsible_id: person })
    .orderBy('id')
    .select('id')
  for (const { id } of left)
    await note(context, { act: 'responsible_left', ...about, user: Number(id), details: { responsible: person } })
}

/** What `plinth doctor` says of service accounts: those that work although nobody is responsible for them. */
export async function checkServiceAccounts({ catalog, runner }: CheckContext): Promise<readonly Finding[]> {
  if (runner === undefined) return []
  const users = catalog.resources.get('users')!
  const text = `select u.email from "${users.table}" u
    left join "${users.table}" p on p.id = u.responsible_id and p.status <> 'declined'${notDeletedSql(users, 'p')}
    where u.kind = 'service' and u.status <> 'declined' and p.id is null${notDeletedSql(users, 'u')} order by u.id`
  const rows = await runner.run({ text }, [])
  return rows.map(([email]) => ({
    level: 'warning' as const,
    message: `nobody is responsible for the service account ${email} any more`,
    advice: 'set its responsible_id to a person who works here, or delete it',
  }))
}
