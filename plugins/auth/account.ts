/** Accounts as the auth plugin looks them up: live ones by their e-mail, and the actors that they are. */
import type { Actor, Catalog, JsonObject, PluginContext, Runner } from '../../engine/index.ts'
import { authOptions } from './options.ts'
import { actorColumns, actorOf, notDeletedSql } from './session.ts'

export interface Account {
  readonly id: number
  /** Absent where accounts have no names. */
  readonly first_name?: string
  readonly email: string
  readonly email_verified: boolean
  readonly kind: 'person' | 'service'
  readonly status: string
  readonly password_hash: string | null
  /** Null when its role was deleted: then it cannot sign in until it gets another. */
  readonly role: string | null
}

type Asker = Pick<PluginContext, 'model'>

function accountsIn({ model }: Asker) {
  return model('users')
    .query()
    .alias('u')
    .modify('live')
    .leftJoinRelated('role(live)')
    .select('u.*', 'role.slug as role')
}

/** The live account with this e-mail, in lower case as all are stored. */
export async function accountOf(context: Asker, email: string): Promise<Account | undefined> {
  return accountsIn(context).findOne({ 'u.email': email.toLowerCase() }).castTo<Account | undefined>()
}

/** The live account of a person with this e-mail: nobody signs in to a service account, or gets mails for it. */
export async function personOf(context: Asker, email: string): Promise<Account | undefined> {
  const account = await accountOf(context, email)
  return account?.kind === 'person' ? account : undefined
}

/** The live account of an id. */
export async function accountOfId(context: Asker, id: number): Promise<Account | undefined> {
  return accountsIn(context).findOne({ 'u.id': id }).castTo<Account | undefined>()
}

/** The live account that has this text in a unique field: exactly, or as the only one that looks like it. */
export async function accountBy(
  context: Asker & Pick<PluginContext, 'catalog' | 'records'>,
  field: string,
  text: string,
): Promise<Account | undefined> {
  if (field === 'email') return accountOf(context, text)
  const [ids = []] = (await context.records('users', 'system').idsOf(field, [text])).values()
  const found = await accountsIn(context)
    .whereIn('u.id', [0, ...ids])
    .castTo<(Account & { readonly [column: string]: unknown })[]>()
  const { column } = context.catalog.resources.get('users')!.fields.get(field)!
  return found.find((one) => one[column] === text) ?? (found.length === 1 ? found[0] : undefined)
}

/** The first name of an account for a mail; empty where it has none, or where nobody confirmed its address. */
export function greetingOf({
  email_verified,
  first_name,
}: Partial<Pick<Account, 'email_verified' | 'first_name'>>): string {
  return email_verified === true ? (first_name ?? '') : ''
}

/** The present actor of an address or an id; null where nobody who may sign in has it. */
export async function identify({ catalog, database, options }: PluginContext, name: string): Promise<Actor | null> {
  const { options: own, type } = catalog.resources.get('users')!.fields.get('email')!
  const address = type.parse(name, own)
  const values = ['value' in address ? address.value : name, name]
  const [found] = await findActors(
    { catalog, options, runner: database.adhoc },
    '(u.email = $1 or u.id::text = $2)',
    values,
  )
  return found ?? null
}

interface Asking {
  readonly catalog: Catalog
  readonly options: JsonObject
  readonly runner: Runner
}

/** The actors of those accounts that may sign in now. */
export function actors(asking: Asking, ids: readonly number[]): Promise<readonly Actor[]> {
  return findActors(asking, 'u.id = any($1::integer[])', [ids])
}

/** Reads the same columns as sessions do. */
async function findActors(
  { catalog, options, runner }: Asking,
  condition: string,
  values: readonly unknown[],
): Promise<readonly Actor[]> {
  const users = catalog.resources.get('users')!
  const roles = catalog.resources.get('roles')!
  const text = `select null, ${actorColumns(catalog)}
    from "${users.table}" u join "${roles.table}" r on r.id = u.role_id
    where ${condition} and u.status <> 'declined'${notDeletedSql(users, 'u')}${notDeletedSql(roles, 'r')} order by u.id`
  const own = authOptions(options)
  return (await runner.run({ text }, values)).map((row) => actorOf(row, catalog, own))
}
