/** Which accounts may see a record: for what is told to people who did not ask for it. */
import { type Id, idSql, idType, type PluginContext, type Transaction } from '../../engine/index.ts'

type Looking = Pick<PluginContext, 'actorsOf' | 'catalog' | 'readable'> & { readonly transaction: Transaction }

/** Those of the accounts whose policy `view` reaches the record as it is now, in the order of their ids. */
export async function whoSees(
  { actorsOf, catalog, readable, transaction }: Looking,
  resource: string,
  recordId: Id,
  accounts: readonly number[],
): Promise<readonly number[]> {
  const actors = await actorsOf(accounts)
  if (actors.length === 0) return []
  const owner = catalog.resources.get(resource)!
  const values: unknown[] = [recordId]
  const sights = actors.map((actor) => `(${readable(resource, 't', values, { as: actor })})`)
  const text = `select ${sights.join(', ')} from "${owner.table}" t where ${idSql(owner, 't')} = $1::${idType(owner)}`
  const [row] = await transaction.run({ text }, values)
  return actors.flatMap(({ id }, index) => (id !== null && row?.[index] === 't' ? [id] : []))
}
