/** People of a test: accounts with a role, and the headers of their requests. */
import type { Engine } from '../engine.ts'
import { ApiError, sentenceOf } from '../error.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { asSystem } from '../plugin/as-system.ts'
import { providerNamed } from '../plugin/provider-named.ts'
import { hintOf } from '../text/nearest.ts'

/** An account with the headers of its requests. */
export interface Account {
  readonly id: number
  readonly role: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Makes an account of a role and a name through the same checks as any other; rejects with a sentence about what is
 * missing.
 */
export async function makeAccount(
  { app }: Pick<Engine, 'app'>,
  role: string,
  name: string,
  values: JsonObject,
): Promise<Account> {
  const { people, extensions } = app.composition
  const { accounts } = extensions
  if (people === undefined || accounts?.role === undefined)
    throw new Error('No plugin of this application knows people with roles (auth is one): send headers of your own')
  const resource = app.catalog.resources.get(accounts.resource)!
  const link = accounts.role
  const roles = String(resource.relations.get(link.relation)?.target)
  return asSystem(app, people.plugin, async (context) => {
    const roleId = await roleNamed(context.records(roles, 'system'), link.name, role)
    const body = { ...people.value.body(name, context), ...values, [`${link.relation}_id`]: roleId }
    try {
      const { id } = await context.records(accounts.resource, 'system').create(body)
      return { id: Number(id), role, headers: await people.value.headers(context, Number(id)) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const reasons = Object.values(error.params.errors ?? {}).flat()
      const why = reasons.length > 0 ? reasons.join('; ') : sentenceOf(error)
      throw new Error(`${name}, a ${role}, could not be made: ${why}`, { cause: error })
    }
  })
}

/** The headers of an account that signs in once more. */
export function headersOf({ app }: Pick<Engine, 'app'>, account: number): Promise<Account['headers']> {
  const { plugin, value } = app.composition.people!
  return asSystem(app, plugin, (context) => value.headers(context, account))
}

/** The account of somebody of whom a provider says this; rejects with the sentence for somebody who is not let in. */
export async function signInBy({ app }: Pick<Engine, 'app'>, provider: string, claims: JsonObject): Promise<Account> {
  const { plugin, value } = providerNamed(app.composition, provider)
  return asSystem(app, plugin, (context) => value.signIn(context, provider, claims))
}

interface RoleRecords {
  idsOf(field: string, texts: readonly string[]): Promise<ReadonlyMap<string, readonly Id[]>>
  list(query: Readonly<Record<string, string>>): Promise<{ readonly data: readonly JsonObject[] }>
}

async function roleNamed(records: RoleRecords, field: string, role: string): Promise<Id> {
  const [id] = (await records.idsOf(field, [role])).get(role.toLowerCase()) ?? []
  if (id !== undefined) return id
  const { data } = await records.list({})
  const known = data.map((one) => String(one[field]))
  const { hint } = hintOf(role, known)
  throw new Error(`There is no role "${role}"${hint === undefined ? `: ${known.join(', ')}` : `, ${hint}`}`)
}
